// Parses arbitrary bytes. The parser must return a tree, or errors that can be rendered.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/Parse.h"

#include "support/DiagnosticRender.h"

#include <cstdlib>

using namespace planc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  FileId id = sources.add("fuzz.plan", std::string(reinterpret_cast<const char*>(data), size));
  auto file = parse::parseFile(sources, id, diagnostics);
  if ((!file || file->broken) != diagnostics.hasErrors()) std::abort();
  for (const Diagnostic* d : diagnostics.sorted()) {
    renderHuman(*d, sources, true);
    renderShort(*d, sources);
  }
  return 0;
}
