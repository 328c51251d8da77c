// The errors of one file: at most one per line, so that no error is the echo of another, and no more than asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <set>

namespace planc::parse {

class SyntaxReporter {
public:
  SyntaxReporter(const SourceManager& sources, DiagnosticEngine& diagnostics, unsigned maxErrors)
      : sources_(sources), diagnostics_(diagnostics), maxErrors_(maxErrors) {}

  /// As DiagnosticEngine::report; what is left out takes its details to nowhere.
  DiagnosticEngine::Builder report(const DiagnosticKind& kind, SourceRange range,
                                   std::vector<DiagnosticArg> args = {}) {
    dropped_ = Diagnostic();
    ++found_;
    if (full() || !lines_.insert(sources_.begin(range).line).second) return DiagnosticEngine::Builder(&dropped_);
    ++reported_;
    return diagnostics_.report(kind, range, std::move(args));
  }
  bool any() const { return found_ > 0; }
  bool full() const { return reported_ >= maxErrors_; }

private:
  const SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  unsigned maxErrors_;
  unsigned found_ = 0;
  unsigned reported_ = 0;
  std::set<uint32_t> lines_;
  Diagnostic dropped_;
};

} // namespace planc::parse
