// Reports the errors of one file: at most one per line, so that no error is a consequence of another, and at most
// `maxErrors` in all.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <algorithm>
#include <set>
#include <vector>

namespace planc::parse {

class SyntaxReporter {
public:
  SyntaxReporter(const SourceManager& sources, DiagnosticEngine& diagnostics, unsigned maxErrors)
      : sources_(sources), diagnostics_(diagnostics), maxErrors_(maxErrors) {}

  /// As DiagnosticEngine::report. The details of a report that is left out are dropped.
  DiagnosticEngine::Builder report(const DiagnosticKind& kind, SourceRange range,
                                   std::vector<DiagnosticArg> args = {}) {
    dropped_ = Diagnostic();
    found_.push_back(range.begin);
    if (full() || !firstOfLine(range)) return DiagnosticEngine::Builder(&dropped_);
    ++reported_;
    return diagnostics_.report(kind, range, std::move(args));
  }
  bool any() const { return !found_.empty(); }
  size_t found() const { return found_.size(); }
  /// Whether an error, reported or left out, begins in [begin, end).
  bool anyWithin(size_t begin, size_t end) const {
    return std::any_of(found_.begin(), found_.end(), [&](size_t at) { return begin <= at && at < end; });
  }
  bool full() const { return reported_ >= maxErrors_; }

private:
  bool firstOfLine(SourceRange range) {
    // Avoids scanning a long line again for each of its errors.
    if (lastLine_.file == range.file && range.begin >= lastLine_.begin && range.begin <= lastLine_.end) return false;
    std::string_view text = sources_.text(range.file);
    size_t before = text.substr(0, range.begin).rfind('\n'), after = text.find('\n', range.begin);
    uint32_t begin = before == std::string_view::npos ? 0 : static_cast<uint32_t>(before + 1);
    uint32_t end = static_cast<uint32_t>(std::min(after, text.size()));
    lastLine_ = {range.file, begin, end};
    return lines_.insert(begin).second;
  }

  const SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  unsigned maxErrors_;
  std::vector<size_t> found_; // byte offsets
  unsigned reported_ = 0;
  std::set<uint32_t> lines_; // offsets of lines that have an error
  SourceRange lastLine_;
  Diagnostic dropped_;
};

} // namespace planc::parse
