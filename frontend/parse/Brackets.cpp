// Matches brackets. If they do not match, indentation indicates which bracket is wrong.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/Brackets.h"

#include "frontend/parse/TokenTypes.h"

namespace planc::parse {

BracketStack::Closed BracketStack::close(size_t type, Open* matched, Open* unclosed) {
  for (size_t i = open_.size(); i-- > 0;) {
    if (closerOf(open_[i].type) != type) continue;
    bool innermost = i + 1 == open_.size();
    if (matched) *matched = open_[i];
    if (unclosed && !innermost) *unclosed = open_.back();
    open_.resize(i);
    return innermost ? Closed::Matched : Closed::Unbalanced;
  }
  return Closed::Stray;
}

bool BracketStack::insideParentheses() const {
  return !open_.empty() && open_.back().type != Type::LB;
}

namespace {

/// The number of blanks at the start of the token's line.
size_t indentation(const LexedFile& file, const Lexeme& token) {
  size_t lineBreak = file.text.substr(0, token.begin).rfind('\n');
  size_t line = lineBreak == std::string_view::npos ? 0 : lineBreak + 1;
  size_t first = file.text.find_first_not_of(" \t", line);
  return first == std::string_view::npos ? 0 : first - line;
}

bool balanced(const LexedFile& file) {
  BracketStack stack;
  for (const Lexeme& token : file.tokens) {
    if (!token.kept) continue;
    if (isOpener(token.type)) stack.open(0, token.type);
    if (isCloser(token.type) && stack.close(token.type) != BracketStack::Closed::Matched) return false;
  }
  return stack.empty();
}

/// Walks a file whose brackets are not balanced. A region starts with the declaration of the first bracket that does
/// not match and ends at the next declaration that begins a line.
class RegionFinder {
  const LexedFile& file_;
  std::vector<BrokenRegion> regions_;
  BracketStack stack_;
  size_t declaration_ = 0;             // begin of the current declaration
  std::optional<BrokenRegion> broken_; // the region being collected
  // A `}` that is indented less than the line of its `{`. Probably that `{` is the one that is never closed.
  std::optional<BracketStack::Open> suspect_;
  size_t suspectCloser_ = 0;

  const Lexeme& at(size_t i) const { return file_.tokens[i]; }

  size_t nextVisible(size_t i) const {
    do ++i;
    while (i < file_.tokens.size() && file_.tokens[i].comment);
    return i;
  }

  /// Whether `plan name`, `import x` and the like begin in the first column here.
  bool beginsDeclaration(size_t i) const {
    const Lexeme& token = at(i);
    if (token.type < Type::IMPORT || token.type > Type::ENUM || token.type == Type::AS || token.type == Type::EXTENDS)
      return false;
    if (token.begin != 0 && file_.text[token.begin - 1] != '\n') return false;
    size_t next = nextVisible(i);
    return next < file_.tokens.size() && (isName(at(next).type) || at(next).type == Type::STRING);
  }

  void finishDeclaration(size_t next) {
    if (!stack_.empty()) {
      if (suspect_)
        blame(suspect_->token, false, suspectCloser_);
      else
        blame(stack_.innermost().token, false, std::nullopt);
    }
    if (broken_) {
      broken_->end = next;
      regions_.push_back(*broken_);
    }
    broken_.reset();
    suspect_.reset();
    stack_.clear();
    declaration_ = next;
  }

  void blame(size_t token, bool closer, std::optional<size_t> against) {
    if (broken_) return; // the first mismatch explains the later ones
    broken_ = BrokenRegion{declaration_,
                           0,
                           file_.range(at(token)),
                           closer,
                           std::string(file_.textOf(at(token))),
                           against ? file_.range(at(*against)) : SourceRange()};
  }

  void close(size_t i) {
    BracketStack::Open matched{}, unclosed{};
    switch (stack_.close(at(i).type, &matched, &unclosed)) {
    case BracketStack::Closed::Matched:
      if (!suspect_ && at(i).type == Type::RB && file_.firstOnLine(at(i)) &&
          indentation(file_, at(i)) < indentation(file_, at(matched.token))) {
        suspect_ = matched;
        suspectCloser_ = i;
      }
      break;
    case BracketStack::Closed::Unbalanced:
      blame(unclosed.token, false, i);
      break;
    case BracketStack::Closed::Stray:
      blame(i, true, std::nullopt);
      break;
    }
  }

public:
  explicit RegionFinder(const LexedFile& file) : file_(file) {}

  std::vector<BrokenRegion> run(unsigned maxRegions) {
    for (size_t i = 0; i < file_.tokens.size() && regions_.size() < maxRegions; ++i) {
      if (!at(i).kept) continue;
      if (beginsDeclaration(i)) finishDeclaration(i);
      if (isOpener(at(i).type)) stack_.open(i, at(i).type);
      if (isCloser(at(i).type)) close(i);
    }
    finishDeclaration(file_.tokens.size());
    return std::move(regions_);
  }
};

} // namespace

std::vector<BrokenRegion> findBrokenRegions(const LexedFile& file, unsigned maxRegions) {
  return balanced(file) ? std::vector<BrokenRegion>() : RegionFinder(file).run(maxRegions);
}

} // namespace planc::parse
