// The limit on recursion. It is checked on the tokens, before the recursive parser sees them.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/Brackets.h"
#include "frontend/parse/TokenTypes.h"

namespace planc::parse {

PLANC_ERROR(NestedTooDeep, 7, "nested more than {limit} deep")
PLANC_ERROR(ChainTooLong, 8, "more than {limit} {what} in one expression")

namespace {

/// Nesting inside one pair of brackets.
struct Level {
  unsigned chained = 0; ///< `if` and `**`: each nests its right side
  unsigned angles = 0;  ///< `<` of types
};

class NestingCheck {
  const unsigned limit_;
  std::vector<Level> levels_ = {Level()};
  unsigned total_ = 0; // sum over all levels, because chains in nested brackets add up
  unsigned prefixes_ = 0;
  size_t previous_ = Type::NL;

  void drop(unsigned& counter) {
    total_ -= counter;
    counter = 0;
  }

  void closeLevel() {
    if (levels_.size() == 1) return;
    drop(levels_.back().chained);
    drop(levels_.back().angles);
    levels_.pop_back();
    --total_;
  }

public:
  enum class Excess { No, Depth, Prefixes, Chain };
  explicit NestingCheck(unsigned limit) : limit_(limit) {}

  Excess add(size_t type) {
    Level& level = levels_.back();
    bool prefix = type == Type::NOT || (type == Type::MINUS && !endsOperand(previous_));
    prefixes_ = prefix ? prefixes_ + 1 : 0;
    previous_ = type;
    if (prefixes_ > limit_) return Excess::Prefixes;
    if (isOpener(type)) {
      levels_.push_back({});
      ++total_;
    } else if (isCloser(type)) {
      closeLevel();
    } else if (type == Type::IF || type == Type::POW) {
      ++total_;
      if (++level.chained > limit_) return Excess::Chain;
    } else if (type == Type::LT) {
      ++total_;
      ++level.angles;
    } else if (type == Type::GT && level.angles > 0) {
      --total_;
      --level.angles;
    } else if (isSeparator(type) || type == Type::COMMA || type == Type::ASSIGN) {
      drop(level.chained);
      // `f<a, b<c, …`: a comma does not close the `<` of a type.
      if (type != Type::COMMA) drop(level.angles);
    }
    // The total may be twice the limit. People run into the limits above first.
    return levels_.size() > limit_ || levels_.back().angles > limit_ || total_ + prefixes_ > 2 * limit_ ? Excess::Depth
                                                                                                        : Excess::No;
  }
};

} // namespace

bool exceedsNesting(const LexedFile& file, SyntaxReporter& reporter, unsigned maxDepth) {
  NestingCheck check(maxDepth);
  for (const Lexeme& token : file.tokens) {
    if (!token.kept) continue;
    NestingCheck::Excess excess = check.add(token.type);
    if (excess == NestingCheck::Excess::No) continue;
    if (excess == NestingCheck::Excess::Depth)
      reporter.report(NestedTooDeep, file.range(token), {{"limit", maxDepth}});
    else
      reporter.report(ChainTooLong, file.range(token),
                      {{"limit", maxDepth},
                       {"what", excess == NestingCheck::Excess::Prefixes ? "prefix operators" : "`if` or `**`"}});
    return true;
  }
  return false;
}

} // namespace planc::parse
