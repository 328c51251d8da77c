// The tokens of a file as the formatter moves them around: what stands there, and where the author broke lines.
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
  size_t match = kNone;         ///< the other bracket of a pair
  static constexpr size_t kNone = ~size_t(0);

  bool comment() const { return kind >= Kind::Comment; }
  /// Ends its line.
  bool lineComment() const { return kind == Kind::Comment || kind == Kind::DocComment; }
  bool opens() const { return text == "(" || text == "[" || text == "{"; }
  bool closes() const { return text == ")" || text == "]" || text == "}"; }
};

/// The tokens without line breaks, which become numbers in the tokens behind them. `source` is the text they view.
std::vector<Token> gatherTokens(const std::vector<parse::RawToken>& raw, std::string_view source);

/// Makes the breaks canonical: blocks that hold a line break are opened out, no blank lines at their ends, `} else {`.
void settleBreaks(std::vector<Token>& tokens);

/// Blanks between two tokens that stand beside each other on a line.
unsigned gapBetween(const Token& left, const Token& right);

} // namespace planc::format
