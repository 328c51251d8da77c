// Alignment of neighbouring one-line statements. Blank lines, comments and other statements end a run.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/Lines.h"

#include <algorithm>

namespace planc::format {
namespace {

class Aligner {
  const std::vector<Token>& tokens_;
  std::vector<FormattedLine>& lines_;
  Stop stop_;

  std::optional<size_t> piece(const FormattedLine& line) const { return line.stops[static_cast<size_t>(stop_)]; }
  const Token& token(const FormattedLine& line) const { return tokens_[line.pieces[*piece(line)].token]; }
  size_t width(const FormattedLine& line) const { return columnOf(tokens_, line, *piece(line)); }

  /// The next line that may continue a run after line `n`.
  size_t next(size_t n) const {
    size_t i = n + 1;
    // Reasons align across the sections of a record.
    if (stop_ == Stop::Reason)
      while (i < lines_.size() && lines_[i].frame && !lines_[i].blankAbove) ++i;
    // Skip the rest of a statement that continues on further lines, unless a bracket ends its first line.
    if ((stop_ == Stop::Main || stop_ == Stop::Type) && !tokens_[lines_[n].pieces.back().token].opens())
      while (i < lines_.size() && !lines_[i].statement && !lines_[i].frame) ++i;
    return i;
  }

  /// Whether these two consecutive lines may share a column.
  bool together(const FormattedLine& above, const FormattedLine& below) const {
    if (!piece(above) || !piece(below) || below.blankAbove) return false;
    if (stop_ == Stop::Comment) return true;
    if (stop_ == Stop::Reason) return above.whole && below.whole;
    if (above.block != below.block) return false;
    if (stop_ == Stop::Where) return above.whole && below.whole;
    if (above.lead != below.lead) return false;
    return stop_ != Stop::Main || token(above).text == token(below).text;
  }

  /// How much the widths in a run may differ. An outlier begins a new run, so that it does not push its neighbours far
  /// to the right.
  size_t tolerance(const FormattedLine& above, const FormattedLine& below) const {
    bool verdict = below.lead == "measured" || below.lead == "assert"; // whole expressions, of any length
    switch (stop_) {
    case Stop::Reason:
      return above.block != below.block ? 16 : verdict ? 48 : 24;
    case Stop::Comment:
      return 40;
    default:
      return 20;
    }
  }

  void pad(const std::vector<size_t>& run) {
    size_t widest = 0;
    for (size_t n : run) widest = std::max(widest, width(lines_[n]));
    for (size_t n : run) lines_[n].pieces[*piece(lines_[n])].gap += widest - width(lines_[n]);
  }

public:
  Aligner(const std::vector<Token>& tokens, std::vector<FormattedLine>& lines, Stop stop)
      : tokens_(tokens), lines_(lines), stop_(stop) {}

  void run() {
    for (size_t begin = 0; begin < lines_.size();) {
      std::vector<size_t> run = {begin};
      size_t end = next(begin);
      if (piece(lines_[begin])) {
        size_t least = width(lines_[begin]), most = least;
        for (; end < lines_.size() && together(lines_[run.back()], lines_[end]); end = next(end)) {
          size_t w = width(lines_[end]);
          if (std::max(most, w) - std::min(least, w) > tolerance(lines_[run.back()], lines_[end])) break;
          least = std::min(least, w);
          most = std::max(most, w);
          run.push_back(end);
        }
        pad(run);
        begin = end;
      } else {
        ++begin;
      }
    }
  }
};

} // namespace

void alignStatements(const std::vector<Token>& tokens, std::vector<FormattedLine>& lines) {
  for (Stop stop : {Stop::Type, Stop::Level, Stop::Main, Stop::Where, Stop::Reason}) Aligner(tokens, lines, stop).run();
}

void alignComments(const std::vector<Token>& tokens, std::vector<FormattedLine>& lines) {
  Aligner(tokens, lines, Stop::Comment).run();
}

} // namespace planc::format
