// Wording and position of syntax errors.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/errors/SyntaxMessages.h"

#include "frontend/parse/TokenTypes.h"

#include <fmt/format.h>

namespace planc::parse {

PLANC_ERROR(UnexpectedToken, 10, "expected {expected}, found {found}")
PLANC_ERROR(MissingToken, 11, "expected {expected} before {found}")
PLANC_ERROR(ExtraToken, 12, "unexpected {found}, expected {expected}")
PLANC_ERROR(UnclosedBracket, 13, "`{bracket}` is not closed")
PLANC_ERROR(StrayBracket, 14, "`{bracket}` has no opening bracket")

namespace {

void drop(TokenSet& set, std::initializer_list<size_t> types) {
  for (size_t type : types) set.reset(type);
}

void dropNames(TokenSet& set) {
  for (size_t type = Type::IMPORT; type <= Type::MAXIMIZE; ++type) set.reset(type);
  set.reset(Type::ID);
}

/// The order in which expected tokens are listed: the most telling ones first, the rest in the order of the lexer.
int rank(size_t type) {
  switch (type) {
  case Type::ASSIGN:
    return 0;
  case Type::ARROW:
    return 1;
  case Type::LB:
    return 2;
  case Type::COMMA:
    return 3;
  default:
    return isCloser(type) ? 4 : 5;
  }
}

/// `a`, `b` or `c`.
std::string oneOf(const std::vector<std::string>& parts) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ", parts[i]);
  return out;
}

std::string spelling(size_t type) {
  if (type == Type::STRING) return "a string";
  if (type == Type::INT || type == Type::FLOAT || type == Type::QUANTITY) return "a number";
  static const grammar::PlanLexer lexer(nullptr);
  std::string literal = lexer.getVocabulary().getLiteralName(type);
  return literal.size() > 2 ? fmt::format("`{}`", literal.substr(1, literal.size() - 2)) : literal;
}

/// The class of tokens that may begin here, `an expression` or `a name`. Removes its tokens from the set.
std::string takeClass(TokenSet& set) {
  bool expression = set[Type::INT] && set[Type::LP];
  if (!expression && !set[Type::ID]) return "";
  dropNames(set);
  if (!expression) return "a name";
  drop(set, {Type::INT, Type::FLOAT, Type::QUANTITY, Type::STRING, Type::TRUE, Type::FALSE, Type::NONE, Type::LP,
             Type::LS, Type::LB, Type::MINUS, Type::NOT, Type::IF});
  return "an expression";
}

/// Removes tokens that may always follow, because they are never the missing ones.
void dropContinuations(TokenSet& set, bool statementMayEnd) {
  if (set[Type::PLUS])
    drop(set, {Type::PLUS, Type::MINUS, Type::STAR, Type::SLASH, Type::PERCENT, Type::POW, Type::LT, Type::GT, Type::LE,
               Type::GE, Type::EQ, Type::NE, Type::IN, Type::AND, Type::OR, Type::LP, Type::LS, Type::DOT});
  if (set[Type::ASSIGN] || set[Type::ARROW] || set[Type::LB])
    drop(set, {Type::LP, Type::LS, Type::DOT, Type::DEPRECATED});
  if (!statementMayEnd) return;
  dropNames(set);
  drop(set, {Type::COLON, Type::RB, Type::FOR, Type::DOT, Type::LS, Type::LP, Type::LB, Type::IF});
}

/// Describes the expected tokens, by classes if possible: a name, an expression, end of line.
std::string describeExpected(TokenSet set) {
  constexpr size_t kMost = 4;
  if (set[Type::IMPORT] && set[Type::MODEL] && !set[Type::ID]) return "a declaration";
  std::string beginning = takeClass(set);
  bool end = set[kEndBit] || set[Type::NL] || set[Type::SEMI];
  drop(set, {kEndBit, Type::NL, Type::SEMI});
  dropContinuations(set, end);
  std::vector<size_t> rest;
  for (size_t type = 1; type < set.size(); ++type)
    if (set[type]) rest.push_back(type);
  std::stable_sort(rest.begin(), rest.end(), [](size_t a, size_t b) { return rank(a) < rank(b); });

  std::vector<std::string> parts;
  if (!beginning.empty()) parts.push_back(beginning);
  for (size_t type : rest)
    if (parts.size() < kMost) parts.push_back(spelling(type));
  // Do not list the end of the line if a statement may begin here: that would not help.
  if (end && beginning.empty() && parts.size() < kMost) parts.push_back("end of line");
  return oneOf(parts);
}

std::string describeFound(const ErrorSite& site) {
  const PlanToken& token = site.found();
  size_t type = token.getType();
  size_t index = token.getTokenIndex();
  if (type == antlr4::Token::EOF && index == site.file.tokens.size())
    return site.file.isLine ? "end of line" : "end of file";
  // The end of a declaration is the separator behind it.
  bool semicolon = type == antlr4::Token::EOF && site.file.tokens[index].type == Type::SEMI;
  if (site.atLineEnd() && !semicolon) return "end of line";
  std::string text(site.text(site.error.at));
  constexpr size_t kLongest = 40;
  return text.size() <= kLongest ? fmt::format("`{}`", text) : type == Type::STRING ? "a string" : "a long token";
}

} // namespace

bool ErrorSite::atLineEnd() const {
  size_t type = found().getType();
  return type == Type::NL || type == antlr4::Token::EOF ||
         (type == Type::RB && file.firstOnLine(file.tokens[found().getTokenIndex()]));
}

void reportSyntaxError(const ErrorSite& site, SyntaxReporter& reporter) {
  if (reportNumber(site, reporter)) return;
  const PlanToken& found = site.found();
  std::string expected = describeExpected(site.error.expected), text = describeFound(site);
  bool atEnd = site.atLineEnd();
  bool before = (atEnd || site.error.missing) && site.error.at > 0;
  SourceRange place{site.file.id, found.begin, found.end};
  // Report a missing token after the previous token, not before the comment or line that follows.
  if (before) place.begin = place.end = site.tokens[site.error.at - 1].end;
  std::vector<DiagnosticArg> args = {{"expected", expected}, {"found", text}};
  bool mark = !isName(found.getType()) && !isLiteral(found.getType()); // a name or a value is rarely superfluous
  const DiagnosticKind& kind = before && !atEnd                     ? MissingToken
                               : site.error.extra && mark && !atEnd ? ExtraToken
                                                                    : UnexpectedToken;
  auto report = reporter.report(kind, place, std::move(args));
  report.help(hintFor(site));
  if (auto edit = insteadOf(site))
    report.fix({fmt::format("write `{}`", edit->text.substr(edit->text.find_first_not_of(' '))), {*edit}, true});
}

void reportBracket(const BrokenRegion& region, SyntaxReporter& reporter) {
  const DiagnosticKind& kind = region.closer ? StrayBracket : UnclosedBracket;
  auto report = reporter.report(kind, region.place, {{"bracket", region.bracket}});
  if (region.against.valid()) report.label(region.against, "does not match it");
}

} // namespace planc::parse
