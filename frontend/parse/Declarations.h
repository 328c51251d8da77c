// Splits a file into declarations. Each is parsed alone, so that an error in one cannot affect the next.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/Brackets.h"

namespace planc::parse {

/// The tokens between two separators outside of all brackets.
struct TokenRun {
  std::vector<size_t> tokens;           ///< indices of the tokens that the grammar sees
  size_t end = 0;                       ///< index of the separator after them, or the number of tokens
  const BrokenRegion* broken = nullptr; ///< set if its brackets do not match
};

/// Splits a file whose line breaks are filtered. `broken` must outlive the pieces.
std::vector<TokenRun> cutDeclarations(const LexedFile& file, const std::vector<BrokenRegion>& broken);

/// The statement around the token at `at` (an index into `types`): the tokens between two separators of the innermost
/// block that contains it. `at` may be the separator or the closing bracket after the statement.
struct StatementBounds {
  size_t begin;
  size_t end;
};
StatementBounds statementAround(const std::vector<uint16_t>& types, size_t at);

} // namespace planc::parse
