// The tokens of a file as the formatter handles them: their texts, and the author's line breaks.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/Parse.h"

#include <string_view>
#include <vector>

namespace planc::format {

using Kind = parse::RawToken::Kind;
using Role = parse::RawToken::Role;

struct Token {
  Kind kind = Kind::Word;
  Role role = Role::None;
  std::string_view text;
  unsigned breaks = 0;          ///< line breaks before it: 0, 1, or 2 for a blank line
  bool beginsStatement = false; ///< a comment between two statements counts as one
  size_t match = kNone;         ///< index of the matching bracket
  static constexpr size_t kNone = ~size_t(0);

  bool comment() const { return kind >= Kind::Comment; }
  /// The rest of the line belongs to the comment.
  bool lineComment() const { return kind == Kind::Comment || kind == Kind::DocComment; }
  bool opens() const { return text == "(" || text == "[" || text == "{"; }
  bool closes() const { return text == ")" || text == "]" || text == "}"; }
};

/// The tokens without line breaks, which become counts in the tokens that follow them. `source` is the file's text; the
/// tokens hold views into it.
std::vector<Token> gatherTokens(const std::vector<parse::RawToken>& raw, std::string_view source);

/// Makes the line breaks canonical: a block that contains a line break is spread over lines, blank lines at the ends of
/// blocks are removed, `} else {` stands on one line.
void settleBreaks(std::vector<Token>& tokens);

/// The number of blanks between two neighbouring tokens on a line.
unsigned gapBetween(const Token& left, const Token& right);

} // namespace planc::format
