// Indentation: two columns per block. In parentheses, lines begin below the first token, or two columns in if that
// token stands on a new line.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/Lines.h"
namespace planc::format {
namespace {

constexpr size_t kStep = 2;

/// An open bracket: the column of lines inside it, and the column of a line that closes it.
struct Open {
  bool block;
  size_t content;
  size_t closer;
};

class Indenter {
  const std::vector<Token>& tokens_;
  std::vector<Open> open_;

  /// The column of statements in the innermost block.
  size_t statementIndent() const {
    for (size_t i = open_.size(); i-- > 0;)
      if (open_[i].block) return open_[i].content;
    return 0;
  }

  size_t indentOf(const Token& first) const {
    bool inBlock = open_.empty() || open_.back().block;
    if (first.match != Token::kNone && first.closes() && !open_.empty()) return open_.back().closer;
    if (!inBlock) return open_.back().content;
    return statementIndent() + (first.beginsStatement ? 0 : kStep);
  }

  /// Whether only comments follow on the line.
  bool lastOnLine(const FormattedLine& line, size_t piece) const {
    for (size_t i = piece + 1; i < line.pieces.size(); ++i)
      if (!tokens_[line.pieces[i].token].comment()) return false;
    return true;
  }

public:
  explicit Indenter(const std::vector<Token>& tokens) : tokens_(tokens) {}

  void place(FormattedLine& line) {
    line.indent = indentOf(tokens_[line.pieces.front().token]);
    size_t column = line.indent; // updated incrementally: a line may hold thousands of brackets
    for (size_t i = 0; i < line.pieces.size(); ++i) {
      const Token& t = tokens_[line.pieces[i].token];
      column = columnBehind(t, column + line.pieces[i].gap);
      if (t.match == Token::kNone) continue;
      if (t.closes() && !open_.empty()) open_.pop_back();
      if (!t.opens()) continue;
      if (t.role == Role::Block)
        open_.push_back({true, statementIndent() + kStep, statementIndent()});
      else if (lastOnLine(line, i))
        open_.push_back({false, line.indent + kStep, line.indent});
      else
        open_.push_back({false, column, column});
    }
  }
};

} // namespace

void indentLines(const std::vector<Token>& tokens, std::vector<FormattedLine>& lines) {
  Indenter indenter(tokens);
  for (FormattedLine& line : lines) indenter.place(line);
}

} // namespace planc::format
