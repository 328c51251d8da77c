// Lines of output under construction: tokens with blanks before them, columns that are aligned, indentation.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/format/Tokens.h"

#include <array>
#include <optional>
#include <string>

namespace planc::format {

/// The places of a line that are aligned with its neighbours, from left to right.
enum class Stop {
  Type,    // the type behind `name:`
  Level,   // `*` of a cluster level
  Main,    // `=`, `->`, or the `{` of a block on one line
  Where,   // `within` and `across`
  Reason,  // `: "…"`
  Comment, // at the end of the line
};
inline constexpr size_t kStops = 6;

struct Piece {
  size_t token = 0;
  size_t gap = 0; ///< blanks before it; 0 for the first one
};

struct Line {
  std::vector<Piece> pieces;
  bool blankAbove = false;
  size_t indent = 0;
  /// The statement that begins here, if one does and stands alone: what may be aligned in it.
  bool statement = false;
  bool whole = false; ///< the statement ends on this line
  bool frame = false; ///< a comment, the start of a block or its `}`: it does not stand between the lines around it
  size_t block = 0;   ///< the `{` that it stands in, as a token; Token::kNone outside of all
  std::string lead;   ///< its keywords: `override`, `export let`, …
  std::array<std::optional<size_t>, kStops> stops; ///< pieces
};

/// Cuts the tokens into lines and finds what may be aligned.
std::vector<Line> cutLines(const std::vector<Token>& tokens);
/// Widens gaps so that the stops of neighbouring statements stand below each other (Align.cpp). Comments are for later:
/// their columns are known only when the lines are indented.
void alignStatements(const std::vector<Token>& tokens, std::vector<Line>& lines);
void alignComments(const std::vector<Token>& tokens, std::vector<Line>& lines);
/// Sets the indentation of every line (Indent.cpp).
void indentLines(const std::vector<Token>& tokens, std::vector<Line>& lines);
/// The column behind a token that begins at `column`.
size_t columnBehind(const Token& token, size_t column);
/// Where the blanks before a piece begin.
size_t columnOf(const std::vector<Token>& tokens, const Line& line, size_t piece);

} // namespace planc::format
