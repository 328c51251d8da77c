// Hints: common slips, recognised by the tokens around the error.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/TokenTypes.h"
#include "frontend/parse/errors/SyntaxMessages.h"

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

/// Lists the few statements that a test or a policy may contain.
std::string itemOfBody(const ErrorSite& site) {
  if (site.tokens.empty() || !endExpected(site) || site.error.at == 0) return "";
  size_t head = site.error.at, closed = 0; // position of the enclosing `{`; closed blocks before it
  while (head-- > 0)
    if (site.type(head) == Type::RB)
      ++closed;
    else if (site.type(head) == Type::LB && closed-- == 0)
      break;
  if (head >= site.error.at || (site.previousType() != Type::LB && !isSeparator(site.previousType()))) return "";
  size_t begin = head;
  while (begin > 0 && !isSeparator(site.type(begin - 1))) --begin;
  if (site.type(begin) == Type::EXPORT) ++begin;
  if (site.type(begin) == Type::POLICY) return "a policy has only lines `require CONDITION : \"why\"`";
  if (site.type(begin) == Type::TEST)
    return "a test has only `assert` and `measured` lines; pass changes as arguments of its plan: `of base(nodes = 8)`";
  return "";
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

/// A line that begins with `*` to continue a product.
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
  size_t next = site.found().getTokenIndex(); // index of the line break
  while (next < site.file.tokens.size() && !(site.file.tokens[next].kept && site.file.tokens[next].type != Type::NL))
    ++next;
  if (next == site.file.tokens.size() || site.file.tokens[next].type != Type::LB) return "";
  return "write `{` at the end of the line before";
}

/// The source text of the tokens [begin, end); empty if it spans lines.
std::string written(const ErrorSite& site, size_t begin, size_t end) {
  if (begin >= end) return "";
  std::string_view text =
      site.file.text.substr(site.tokens[begin].begin, site.tokens[end - 1].end - site.tokens[begin].begin);
  return text.find('\n') == std::string_view::npos ? std::string(text) : std::string();
}

bool isDottedPath(const ErrorSite& site, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    if ((i - begin) % 2 == 0 ? !isName(site.type(i)) : site.type(i) != Type::DOT) return false;
  return begin < end && (end - begin) % 2 == 1;
}

/// `attn.heads -> tp`.
std::string placementOfAPath(const ErrorSite& site) {
  const size_t begin = site.statement.begin, arrow = site.error.at;
  if (site.found().getType() != Type::ARROW || arrow < begin + 3 || !isDottedPath(site, begin, arrow)) return "";
  return fmt::format("write rules in braces after their layers: `{} {{ {} }}`", written(site, begin, arrow - 2),
                     written(site, arrow - 1, site.statement.end));
}

/// The word before the `{` of the block that contains a token.
std::string_view blockOf(const ErrorSite& site, size_t at) {
  size_t closed = 0;
  while (at-- > 1)
    if (site.type(at) == Type::RB)
      ++closed;
    else if (site.type(at) == Type::LB && closed-- == 0)
      return site.text(at - 1);
  return "";
}

/// `precision { decoder.mlp { compute = fp8 } }`.
std::string typesOfAPath(const ErrorSite& site) {
  const size_t begin = site.statement.begin;
  if (site.found().getType() != Type::LB || !isDottedPath(site, begin, site.error.at) ||
      blockOf(site, begin) != "precision")
    return "";
  return fmt::format("write types of some layers after `at`: `at {} {{ … }}`", written(site, begin, site.error.at));
}

/// `recompute { decoder }`.
std::string recomputeInBraces(const ErrorSite& site) {
  const size_t begin = site.statement.begin;
  if (site.found().getType() != Type::RB || !isDottedPath(site, begin, site.error.at) ||
      blockOf(site, begin) != "recompute")
    return "";
  return fmt::format("write its layers without braces: `recompute {}`", written(site, begin, site.error.at));
}

/// `- batch: dp` in the first line of a block, or in a later line, where `-` continues the line before.
std::string listOfYaml(const ErrorSite& site) {
  const size_t at = site.error.at;
  if (site.found().getType() != Type::MINUS || !isName(site.type(at + 1)) || site.type(at + 2) != Type::COLON)
    return "";
  size_t end = at + 3;
  while (end < site.tokens.size() && (endsOperand(site.type(end)) || site.type(end) == Type::COMMA) &&
         !isCloser(site.type(end)))
    ++end;
  return fmt::format("write one line instead of a list: `{} -> {}`", site.text(at + 1), written(site, at + 3, end));
}

/// `mesh { tp = 8, dp = 4 }`, and a comma at the end of a line.
std::string commaBetweenStatements(const ErrorSite& site) {
  const size_t at = site.error.at, begin = site.statement.begin;
  if (site.found().getType() != Type::COMMA || !endExpected(site) || !statementHas(site, Type::ASSIGN) ||
      site.file.isLine)
    return "";
  const Lexeme& next =
      site.file.tokens[std::min<size_t>(site.tokens[at + 1].getTokenIndex(), site.file.tokens.size() - 1)];
  if (!isName(site.type(at + 1)) || site.file.firstOnLine(next)) return "a line ends without a comma";
  std::string fixed;
  size_t from = begin, open = 0;
  for (size_t i = begin; i < site.statement.end; ++i) {
    if (isOpener(site.type(i))) ++open;
    if (isCloser(site.type(i))) --open;
    if (open > 0 || site.type(i) != Type::COMMA) continue;
    fixed += written(site, from, i) + "; ";
    from = i + 1;
  }
  return fmt::format("separate two statements by `;` or a line break: `{}{}`", fixed,
                     written(site, from, site.statement.end));
}

/// `from std.stacks import te`.
std::string importFrom(const ErrorSite& site) {
  const size_t begin = site.statement.begin;
  if (begin >= site.error.at + 1 || site.text(begin) != "from") return "";
  size_t import = begin + 1;
  while (import < site.statement.end && site.type(import) != Type::IMPORT) ++import;
  if (!isDottedPath(site, begin + 1, import)) return "";
  std::string what = import + 1 < site.statement.end ? std::string(site.text(import + 1)) : "…";
  const std::string from = written(site, begin + 1, import);
  if (import == begin + 2) // a package, not a module
    return fmt::format("write `import {}.{}`, then `{}.…`", from, what, what);
  return fmt::format("write `import {}`, then `{}.{}`", from, site.text(import - 1), what);
}

/// Keywords of other languages at the beginning of a statement.
std::string foreignWord(const ErrorSite& site) {
  struct HintRow {
    std::string_view word, help;
  };
  static constexpr std::string_view kLoops =
      "there are no loops: a list is `[e for x in list]`, layers repeat as `decoder * n with x = embed { … }`, and a "
      "slice such as `decoder[0:80:2]` selects some layers";
  static constexpr std::string_view kFunctions = "a function is a constant with parameters: `let f(n: int) = …`";
  static constexpr HintRow kRows[] = {
      {"for", kLoops},
      {"while", kLoops},
      {"def", kFunctions},
      {"fn", kFunctions},
      {"func", kFunctions},
      {"function", kFunctions},
      {"const", "a constant is `let name = …`"},
      {"var", "a constant is `let name = …`"},
      {"val", "a constant is `let name = …`"},
      {"class", "a `block` is made of operators, a `model` of blocks"},
      {"struct", "a record is a value: `let r = {a = 1, b = 2}`"},
      {"elif", "write `else if`"},
      {"return", "the result of a block is `out …`"},
      {"include", "write `import`"},
      {"using", "write `import`"},
      {"input", "did you mean `in`? An input is `in tokens: [batch, seq] int32 counts seq`"},
      {"inputs", "did you mean `in`? An input is `in tokens: [batch, seq] int32 counts seq`"},
      {"output", "did you mean `out`? The result of a block is `out x`"},
      {"parameter", "did you mean `param`? A parameter is `param w: [hidden, ffn]`"},
      {"weight", "did you mean `param`? A parameter is `param w: [hidden, ffn]`"},
  };
  for (size_t at : {std::min(statementBegin(site), site.error.at), site.error.at})
    for (const HintRow& row : kRows)
      if (at + 1 < site.tokens.size() && row.word == site.text(at)) return std::string(row.help);
  return "";
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

/// `seq: 2048`, `batch: dp`.
std::string colonForEquals(const ErrorSite& site) {
  if (site.found().getType() != Type::COLON) return "";
  if (site.error.expected[Type::ASSIGN]) return "a name and its value are joined by `=`";
  if (!site.error.expected[Type::ARROW]) return "";
  return fmt::format("a dimension is placed with `->`: `{} -> {}`", site.text(site.error.at - 1),
                     written(site, site.error.at + 1, site.statement.end));
}

/// `search { tp in [1, 2] }`.
std::string variedWithoutVary(const ErrorSite& site) {
  if (site.found().getType() != Type::IN || site.error.at != site.statement.begin + 1) return "";
  return fmt::format("a choice of a search begins with `vary`: `vary {}`",
                     written(site, site.statement.begin, site.statement.end));
}

/// `a => b`, `a = > b`.
std::string arrowSpelling(const ErrorSite& site) {
  size_t type = site.found().getType();
  if (!site.error.expected[Type::ARROW] || (type != Type::GT && type != Type::ASSIGN && type != Type::GE)) return "";
  return "a dimension is placed with `->`";
}

/// `10%3`.
std::string percentWithoutBlanks(const ErrorSite& site) {
  const size_t type = site.found().getType();
  if (site.previousType() != Type::QUANTITY || type == Type::STRING || !isLiteral(type)) return "";
  std::string_view number = site.text(site.error.at - 1);
  if (!number.ends_with('%')) return "";
  return fmt::format("`{}` is a number: put spaces around `%` for the remainder", number);
}

std::string missingReasonColon(const ErrorSite& site) {
  if (site.found().getType() != Type::STRING || !site.error.expected[Type::COLON]) return "";
  return fmt::format("a reason follows `:`: `: {}`", site.text(site.error.at));
}

std::string reservedWord(const ErrorSite& site) {
  size_t type = site.found().getType();
  if (!isReserved(type) || !site.error.expected[Type::ID]) return "";
  return fmt::format("`{}` is a reserved word, not a name", site.text(site.error.at));
}

} // namespace

std::optional<TextEdit> insteadOf(const ErrorSite& site) {
  const PlanToken& found = site.found();
  SourceRange place{site.file.id, found.begin, found.end};
  if (!equalsInCondition(site).empty()) return TextEdit{place, "=="};
  const bool arrow = !arrowSpelling(site).empty();
  if (!arrow && colonForEquals(site).empty()) return std::nullopt;
  if (arrow && site.type(site.error.at + 1) == Type::GT) place.end = site.tokens[site.error.at + 1].end; // `=>`
  const bool apart = site.error.at > 0 && site.tokens[site.error.at - 1].end < found.begin;
  return TextEdit{place, fmt::format("{}{}", apart ? "" : " ", site.error.expected[Type::ASSIGN] ? "=" : "->")};
}

std::string hintFor(const ErrorSite& site) {
  for (auto hint : {importFrom,           foreignWord,         listOfYaml,
                    lineGoesOn,           placementOfAPath,    typesOfAPath,
                    recomputeInBraces,    commaAfterPlacement, commaBetweenStatements,
                    starAtLineStart,      valueOnNextLine,     braceOnNextLine,
                    equalsInCondition,    colonForEquals,      arrowSpelling,
                    percentWithoutBlanks, missingReasonColon,  variedWithoutVary,
                    reservedWord,         itemOfBody,          twoFactsOnALine})
    if (std::string text = hint(site); !text.empty()) return text;
  return "";
}

} // namespace planc::parse
