// Output lines under construction: tokens with their gaps, alignment stops and indentation.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/format/Tokens.h"

#include <array>
#include <optional>
#include <string>

namespace planc::format {

/// The positions of a line that are aligned with neighbouring lines, from left to right.
enum class Stop {
  Type,    // the type after `name:`
  Level,   // `*` of a cluster level
  Main,    // `=`, `->`, or the `{` of a block on one line
  Where,   // `within` and `across`
  Reason,  // `: "…"`
  Comment, // at the end of the line
};
inline constexpr size_t kStops = 6;

struct LineToken {
  size_t token = 0;
  size_t gap = 0; ///< blanks before it; 0 for the first one
};

struct FormattedLine {
  std::vector<LineToken> pieces;
  bool blankAbove = false;
  size_t indent = 0;
  /// A statement begins on this line, and it is the only one. Only such lines have aligned stops.
  bool statement = false;
  bool whole = false;                              ///< the statement ends on this line
  bool frame = false;                              ///< a comment, or the start or `}` of a block: alignment skips it
  size_t block = 0;                                ///< token index of the enclosing `{`; Token::kNone if there is none
  std::string lead;                                ///< the statement's keywords: `override`, `export let`, …
  std::array<std::optional<size_t>, kStops> stops; ///< indices into `pieces`
};

/// Splits the tokens into lines and finds their stops.
std::vector<FormattedLine> cutLines(const std::vector<Token>& tokens);
/// Widens gaps so that the stops of neighbouring statements share a column (Align.cpp). Call `alignComments` after
/// `indentLines`, because the columns of comments depend on the indentation.
void alignStatements(const std::vector<Token>& tokens, std::vector<FormattedLine>& lines);
void alignComments(const std::vector<Token>& tokens, std::vector<FormattedLine>& lines);
/// Sets the indentation of every line (Indent.cpp).
void indentLines(const std::vector<Token>& tokens, std::vector<FormattedLine>& lines);
/// The column after a token that begins at `column`.
size_t columnBehind(const Token& token, size_t column);
/// The column where the gap before a piece begins.
size_t columnOf(const std::vector<Token>& tokens, const FormattedLine& line, size_t piece);

} // namespace planc::format
