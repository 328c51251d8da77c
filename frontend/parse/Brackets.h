// Matches brackets, and finds the parts of a file in which they do not match.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/Lex.h"

#include <vector>

namespace planc::parse {

/// The open brackets at a place. A closer that does not match the last opener closes the nearest opener of its type, or
/// is ignored if there is none. All parts of the parser must agree on this rule.
class BracketStack {
public:
  struct Open {
    size_t token; ///< index of the opener
    size_t type;
  };
  enum class Closed { Matched, Unbalanced, Stray };

  void open(size_t token, size_t type) { open_.push_back({token, type}); }
  /// Closes with a closer of type `type`. After Unbalanced, `unclosed` is the last opener that was skipped.
  Closed close(size_t type, Open* matched = nullptr, Open* unclosed = nullptr);
  bool empty() const { return open_.empty(); }
  /// Whether the place is in `( )` or `[ ]`, where line breaks are ignored.
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
  SourceRange place;   ///< the bracket to report
  bool closer = false; ///< true: it closes nothing; false: it is never closed
  std::string bracket; ///< as written
  SourceRange against; ///< the closer that revealed it, if any
};

/// Matches the brackets of a file. After a mismatch, a declaration at the beginning of a line ends the broken region,
/// so that one missing bracket does not spoil the rest of the file.
std::vector<BrokenRegion> findBrokenRegions(const LexedFile& file, unsigned maxRegions);

/// Reports nesting and operator chains that are too deep for the recursive parser (Nesting.cpp). Returns whether there
/// are any.
bool exceedsNesting(const LexedFile& file, SyntaxReporter& reporter, unsigned maxDepth);

} // namespace planc::parse
