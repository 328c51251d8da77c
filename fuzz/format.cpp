// Formats arbitrary bytes. Text that parses must keep its meaning, and formatting it again must not change it.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/Format.h"

#include <cstdio>
#include <cstdlib>

using namespace planc;

namespace {

/// Returns nothing if the text does not parse. Aborts, which the fuzzer reports, if the formatter fails.
std::optional<std::string> formatted(std::string text) {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  auto out = format::formatFile(sources, sources.add("fuzz.plan", std::move(text)), diagnostics);
  if (out && diagnostics.hasErrors()) std::abort(); // the formatter verifies its own output
  return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::optional<std::string> once = formatted(std::string(reinterpret_cast<const char*>(data), size));
  if (!once) return 0;
  std::optional<std::string> twice = formatted(*once);
  if (twice == once) return 0;
  std::fprintf(stderr, "first:\n%s\nsecond:\n%s\n", once->c_str(), twice ? twice->c_str() : "(does not parse)");
  std::abort();
}
