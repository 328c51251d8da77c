// Hints: slips that people make, recognised from the tokens around the error.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/SyntaxMessages.h"
#include "frontend/parse/TokenTypes.h"

#include <fmt/format.h>

namespace planc::parse {
namespace {

bool statementHas(const ErrorSite& site, size_t type) {
  for (size_t i = site.statement.begin; i < site.error.at; ++i)
    if (site.type(i) == type) return true;
  return false;
}

size_t statementBegin(const ErrorSite& site) {
  size_t at = site.statement.begin;
  return site.type(at) == Type::OVERRIDE ? at + 1 : at;
}

bool endExpected(const ErrorSite& site) {
  const TokenSet& e = site.error.expected;
  return e[kEndBit] || e[Type::NL] || e[Type::SEMI];
}

/// `seq -> cp, heads -> tp` and `seq -> cp, tp`.
std::string commaAfterPlacement(const ErrorSite& site) {
  if (site.found().getType() != Type::COMMA || !statementHas(site, Type::ARROW)) return "";
  for (size_t i = site.error.at; i < site.statement.end; ++i)
    if (site.type(i) == Type::ARROW) return "write one placement per line, or put `;` between two";
  return fmt::format("several axes are a list: `-> [{}, …]`", site.text(site.error.at - 1));
}

/// `a = 1 b = 2`.
std::string twoFactsOnALine(const ErrorSite& site) {
  if (!endExpected(site) || site.previousType() == Type::NL || !isName(site.found().getType())) return "";
  size_t next = site.type(site.error.at + 1);
  if (next != Type::ASSIGN && next != Type::LB && next != Type::ARROW && next != Type::COLON && !isName(next))
    return "";
  return "put `;` between two facts on one line";
}

/// `let a = 1 +`, and `let b = 2` on the next line.
std::string lineGoesOn(const ErrorSite& site) {
  size_t at = site.error.at;
  if (at < 2 || !site.file.firstOnLine(site.file.tokens[site.tokens[at - 1].getTokenIndex()])) return "";
  size_t last = site.type(at - 2);
  if (endsOperand(last) || isSeparator(last) || isOpener(last)) return "";
  return fmt::format("the line above ends with `{}`, so this line goes on with it", site.text(at - 2));
}

/// A line that goes on with a product.
std::string starAtLineStart(const ErrorSite& site) {
  if (site.found().getType() != Type::STAR || site.previousType() != Type::NL) return "";
  return "a line may not begin with `*`: put it at the end of the line above";
}

std::string valueOnNextLine(const ErrorSite& site) {
  if (site.previousType() != Type::ASSIGN || !site.atLineEnd()) return "";
  return "a value begins on the line of its `=`";
}

std::string braceOnNextLine(const ErrorSite& site) {
  if (!site.error.expected[Type::LB] || !site.atLineEnd()) return "";
  size_t next = site.found().getTokenIndex(); // of the line break
  while (next < site.file.tokens.size() && !(site.file.tokens[next].kept && site.file.tokens[next].type != Type::NL))
    ++next;
  if (next == site.file.tokens.size() || site.file.tokens[next].type != Type::LB) return "";
  return "a `{` stands on the line of what it belongs to";
}

/// `modle gpt(…) {`.
std::string misspelledKeyword(const ErrorSite& site) {
  if (site.error.at != 0 || site.found().getType() != Type::ID) return "";
  return didYouMean(site.text(0), {"import", "export", "let", "enum", "op", "block", "model", "device", "fabric",
                                   "stack", "cluster", "plan", "assert"});
}

/// `assert x = 3`.
std::string equalsInCondition(const ErrorSite& site) {
  if (site.found().getType() != Type::ASSIGN) return "";
  switch (site.type(statementBegin(site))) {
  case Type::ASSERT:
  case Type::REQUIRE:
  case Type::WHERE:
  case Type::IF:
    return "`==` compares";
  default:
    return "";
  }
}

/// `seq: 2048`.
std::string colonForEquals(const ErrorSite& site) {
  if (site.found().getType() != Type::COLON || !site.error.expected[Type::ASSIGN]) return "";
  return "a name and its value are joined by `=`";
}

/// `a => b`, `a = > b`.
std::string arrowSpelling(const ErrorSite& site) {
  size_t type = site.found().getType();
  if (!site.error.expected[Type::ARROW] || (type != Type::GT && type != Type::ASSIGN && type != Type::GE)) return "";
  return "a dimension is placed with `->`";
}

/// `10%3`.
std::string percentWithoutBlanks(const ErrorSite& site) {
  if (site.previousType() != Type::QUANTITY || !isLiteral(site.found().getType())) return "";
  std::string_view number = site.text(site.error.at - 1);
  if (!number.ends_with('%')) return "";
  return fmt::format("`{}` is a number: put spaces around `%` for the remainder", number);
}

std::string missingReasonColon(const ErrorSite& site) {
  if (site.found().getType() != Type::STRING || !site.error.expected[Type::COLON]) return "";
  return "a reason follows `:`";
}

std::string reservedWord(const ErrorSite& site) {
  size_t type = site.found().getType();
  if (!isReserved(type) || !site.error.expected[Type::ID]) return "";
  return fmt::format("`{}` is a reserved word, not a name", site.text(site.error.at));
}

} // namespace

std::string hintFor(const ErrorSite& site) {
  for (auto hint : {misspelledKeyword, lineGoesOn, commaAfterPlacement, starAtLineStart, valueOnNextLine,
                    braceOnNextLine, equalsInCondition, colonForEquals, arrowSpelling, percentWithoutBlanks,
                    missingReasonColon, reservedWord, twoFactsOnALine})
    if (std::string text = hint(site); !text.empty()) return text;
  return "";
}

} // namespace planc::parse
