// Any bytes: what parses is formatted, keeps its meaning, and formatting it again changes nothing.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/Format.h"

#include <cstdio>
#include <cstdlib>

using namespace planc;

namespace {

/// Nothing if the text does not parse; stops the fuzzer if formatting it is an error.
std::optional<std::string> formatted(std::string text) {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  auto out = format::formatFile(sources, sources.add("fuzz.plan", std::move(text)), diagnostics);
  if (out && diagnostics.hasErrors()) std::abort(); // the formatter's own check
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
