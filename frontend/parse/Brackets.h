// Which bracket closes which, and what the file looks like where they do not match.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/Lex.h"

#include <vector>

namespace planc::parse {

/// The open brackets at a place. A closer that does not match the last opener closes an earlier one, or is ignored if
/// there is none; every part of the parser must agree on this.
class BracketStack {
public:
  struct Open {
    size_t token; ///< index of the opener
    size_t type;
  };
  enum class Closed { Matched, Unbalanced, Stray };

  void open(size_t token, size_t type) { open_.push_back({token, type}); }
  /// Closes with a closer of type `type`. After Unbalanced, `unclosed` is the last opener that was passed over.
  Closed close(size_t type, Open* matched = nullptr, Open* unclosed = nullptr);
  bool empty() const { return open_.empty(); }
  /// Within `( )` or `[ ]`, where line breaks mean nothing.
  bool insideParentheses() const;
  const Open& innermost() const { return open_.back(); }
  void clear() { open_.clear(); }

private:
  std::vector<Open> open_;
};

/// Tokens [begin, end) of a file, from one declaration to another, in which brackets do not match.
struct BrokenRegion {
  size_t begin = 0;
  size_t end = 0;
  SourceRange place;   ///< the bracket to blame
  bool closer = false; ///< it closes nothing (otherwise it is never closed)
  std::string bracket; ///< as written
  SourceRange against; ///< the closer that shows it, if any
};

/// Matches the brackets of a file. Where they do not match, a declaration at the beginning of a line is taken for the
/// start of something new, so that one missing bracket does not spoil the rest of the file.
std::vector<BrokenRegion> findBrokenRegions(const LexedFile& file, unsigned maxRegions);

/// Reports nesting and chains that a recursive parser has no stack for (Nesting.cpp); true if there are any.
bool exceedsNesting(const LexedFile& file, SyntaxReporter& reporter, unsigned maxDepth);

} // namespace planc::parse
