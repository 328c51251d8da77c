// Text as a sample file, read with the reader that recognises it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/read/Readers.h"

#include <string>

namespace planc::test {

struct ReadText {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  calibrate::Samples samples;
  bool recognised = false;

  explicit ReadText(std::string text, const std::string& path = "samples.csv") { add(std::move(text), path); }
  void add(std::string text, const std::string& path) {
    const FileId id = sources.add(path, std::move(text));
    recognised = calibrate::readSamples({id, path, sources.text(id)}, samples, diagnostics);
  }
  /// `PLAN1002 at 3`, one per diagnostic.
  std::vector<std::string> found() const {
    std::vector<std::string> all;
    for (const Diagnostic* d : diagnostics.sorted())
      all.push_back(d->kind->id() + " at " + std::to_string(sources.begin(d->range).line));
    return all;
  }
};

} // namespace planc::test
