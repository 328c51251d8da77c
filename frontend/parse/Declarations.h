// The cut of a file into declarations, each of which is parsed alone: an error in one cannot reach the next.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/Brackets.h"

namespace planc::parse {

/// The tokens between two separators outside of all brackets.
struct Piece {
  std::vector<size_t> tokens;           ///< indices of those the grammar sees
  size_t end = 0;                       ///< the separator behind them, or the number of tokens
  const BrokenRegion* broken = nullptr; ///< its brackets do not match
};

/// Cuts a file whose line breaks are filtered. `broken` must outlive the pieces.
std::vector<Piece> cutDeclarations(const LexedFile& file, const std::vector<BrokenRegion>& broken);

/// The statement around the token at `at` (an index into `types`): what lies between two separators of the innermost
/// block that holds it. `at` may be the separator or the closing bracket behind the statement.
struct StatementBounds {
  size_t begin;
  size_t end;
};
StatementBounds statementAround(const std::vector<uint16_t>& types, size_t at);

} // namespace planc::parse
