// Splits token sequences at separators of equal depth.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/Declarations.h"

#include "frontend/parse/TokenTypes.h"

namespace planc::parse {

std::vector<TokenRun> cutDeclarations(const LexedFile& file, const std::vector<BrokenRegion>& broken) {
  std::vector<TokenRun> pieces;
  TokenRun current;
  auto finish = [&](size_t end) {
    current.end = end;
    if (!current.tokens.empty()) pieces.push_back(std::move(current));
    current = TokenRun();
  };
  size_t region = 0, depth = 0;
  for (size_t i = 0; i < file.tokens.size(); ++i) {
    if (region < broken.size() && i == broken[region].end) {
      finish(i);
      ++region;
    }
    bool inRegion = region < broken.size() && i >= broken[region].begin;
    if (inRegion && i == broken[region].begin) {
      finish(i);
      current.broken = &broken[region];
      depth = 0;
    }
    const Lexeme& token = file.tokens[i];
    if (!token.kept) continue;
    if (!inRegion && depth == 0 && isSeparator(token.type)) {
      finish(i);
      continue;
    }
    if (!inRegion && isOpener(token.type)) ++depth;
    if (!inRegion && isCloser(token.type)) --depth;
    current.tokens.push_back(i);
  }
  finish(file.tokens.size());
  return pieces;
}

StatementBounds statementAround(const std::vector<uint16_t>& types, size_t at) {
  // A `{` after a value opens a block of statements. Elsewhere it opens a record, which is part of its statement.
  auto opensBlock = [&](size_t i) {
    return types[i] == Type::LB && i > 0 && (endsOperand(types[i - 1]) || types[i - 1] == Type::ELSE);
  };
  size_t begin = at, inside = 0, outer = 0; // `outer`: enclosing brackets that belong to the statement
  for (; begin > 0; --begin) {
    size_t type = types[begin - 1];
    if (inside == 0 && (isSeparator(type) || opensBlock(begin - 1))) break;
    if (isCloser(type)) ++inside;
    if (!isOpener(type)) continue;
    if (inside > 0)
      --inside;
    else
      ++outer;
  }
  size_t end = at;
  for (; end < types.size(); ++end) {
    size_t type = types[end];
    if (outer == 0 && isSeparator(type)) break;
    if (isOpener(type)) ++outer;
    if (!isCloser(type)) continue;
    if (outer == 0) break;
    --outer;
  }
  return {begin, end};
}

} // namespace planc::parse
