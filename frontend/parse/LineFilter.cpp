// Filters line breaks between the lexer and the grammar.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/LineFilter.h"

#include "frontend/parse/TokenTypes.h"

namespace planc::parse {
namespace {

/// Whether a line that begins with this token continues the line above. `*` does not, because a selector may begin with
/// it.
bool continuesLine(size_t type) {
  switch (type) {
  case Type::PLUS:
  case Type::MINUS:
  case Type::SLASH:
  case Type::PERCENT:
  case Type::POW:
  case Type::LE:
  case Type::GE:
  case Type::EQ:
  case Type::NE:
  case Type::LT:
  case Type::GT:
  case Type::AND:
  case Type::OR:
  case Type::THEN:
  case Type::ELSE:
  case Type::COLON:
  case Type::DOT:
  case Type::ARROW:
  case Type::RB:
  case Type::COMMA:
    return true;
  default:
    return false;
  }
}

class LineFilter {
  LexedFile& file_;
  BracketStack stack_;
  size_t last_ = Type::NL; // types of the last three kept tokens
  size_t beforeLast_ = Type::NL;
  size_t thirdLast_ = Type::NL;
  bool inType_ = false; // only type tokens since a `:` or `->`, so that `>` is a bracket and not an operator
  size_t next_ = 0;     // cached: the first token after a run of line breaks and comments

  /// Whether the last token is a `*` that ends a selector: `decoder.*`, `embed, *`, `stage 0 = *`, `recompute *`.
  bool endsSelector() const {
    if (last_ != Type::STAR) return false;
    switch (beforeLast_) {
    case Type::DOT:
    case Type::COMMA:
    case Type::ASSIGN:
      return true;
    case Type::RECOMPUTE:
    case Type::KEEP:
      return isSeparator(thirdLast_) || thirdLast_ == Type::LB || thirdLast_ == Type::OVERRIDE;
    default:
      return false;
    }
  }

  void followType(size_t type) {
    if (type == Type::COLON || type == Type::ARROW)
      inType_ = true;
    else if (!isName(type) && type != Type::DOT && type != Type::LT && type != Type::GT && type != Type::COMMA)
      inType_ = false;
  }

  size_t typeAfter(size_t lineBreak) {
    if (next_ <= lineBreak) {
      next_ = lineBreak + 1;
      while (next_ < file_.tokens.size() && (!file_.tokens[next_].kept || file_.tokens[next_].type == Type::NL))
        ++next_;
    }
    return next_ < file_.tokens.size() ? file_.tokens[next_].type : antlr4::Token::EOF;
  }

  bool endsStatement(size_t lineBreak) {
    if (stack_.insideParentheses()) return false;
    bool type = last_ == Type::GT && inType_;
    if (!endsOperand(last_) && last_ != Type::ASSIGN && !type && !endsSelector()) return false;
    size_t next = typeAfter(lineBreak);
    return next != antlr4::Token::EOF && !continuesLine(next);
  }

public:
  explicit LineFilter(LexedFile& file) : file_(file) {}

  void run(const std::vector<BrokenRegion>& broken) {
    size_t region = 0;
    for (size_t i = 0; i < file_.tokens.size(); ++i) {
      // A region begins and ends outside of all brackets, whatever brackets were open before it.
      for (; region < 2 * broken.size(); ++region) {
        const BrokenRegion& r = broken[region / 2];
        if (i < (region % 2 ? r.end : r.begin)) break;
        stack_.clear();
      }
      Lexeme& token = file_.tokens[i];
      if (!token.kept) continue;
      if (token.type == Type::NL && !endsStatement(i)) {
        token.kept = false;
        continue;
      }
      if (isOpener(token.type)) stack_.open(i, token.type);
      if (isCloser(token.type)) stack_.close(token.type);
      followType(token.type);
      thirdLast_ = beforeLast_;
      beforeLast_ = last_;
      last_ = token.type;
    }
  }
};

} // namespace

void filterLineBreaks(LexedFile& file, const std::vector<BrokenRegion>& broken) {
  LineFilter(file).run(broken);
}

} // namespace planc::parse
