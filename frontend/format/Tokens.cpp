// Prepares the raw tokens, and defines line breaks and blanks between tokens.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/Tokens.h"

#include <algorithm>

namespace planc::format {
namespace {

std::string_view withoutTrailingBlanks(std::string_view text) {
  size_t end = text.find_last_not_of(" \t\r");
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

void matchBrackets(std::vector<Token>& tokens) {
  std::vector<size_t> open;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != Kind::Punctuation) continue;
    if (tokens[i].opens()) open.push_back(i);
    if (!tokens[i].closes() || open.empty()) continue;
    tokens[i].match = open.back();
    tokens[open.back()].match = i;
    open.pop_back();
  }
}

bool closesBlock(const Token& token) {
  return token.role == Role::Block && token.text == "}";
}

/// A comment counts as a statement if the next token begins a statement or closes the block.
void classifyComments(std::vector<Token>& tokens) {
  bool between = true; // at the end of the file
  for (size_t i = tokens.size(); i-- > 0;) {
    if (tokens[i].comment())
      tokens[i].beginsStatement = between;
    else
      between = tokens[i].beginsStatement || closesBlock(tokens[i]);
  }
}

} // namespace

std::vector<Token> gatherTokens(const std::vector<parse::RawToken>& raw, std::string_view source) {
  std::vector<Token> out;
  unsigned breaks = 0;
  bool begins = true;
  for (const parse::RawToken& token : raw) {
    if (token.kind == Kind::LineBreak) {
      ++breaks;
      begins |= token.statementEnd;
      continue;
    }
    std::string_view text = source.substr(token.range.begin, token.range.end - token.range.begin);
    Token next{token.kind, token.role, withoutTrailingBlanks(text), std::min(breaks, 2u)};
    breaks = 0;
    if (!next.comment()) {
      next.beginsStatement = begins;
      begins = next.role == Role::Separator || (next.role == Role::Block && next.text == "{");
    }
    out.push_back(next);
  }
  matchBrackets(out);
  classifyComments(out);
  return out;
}

void settleBreaks(std::vector<Token>& tokens) {
  // How many tokens before each token begin or end a line. A block with such a token inside is spread over lines.
  std::vector<size_t> broken(tokens.size() + 1, 0);
  for (size_t i = 0; i < tokens.size(); ++i)
    broken[i + 1] = broken[i] + (tokens[i].breaks > 0 || tokens[i].lineComment());
  for (size_t i = 0; i < tokens.size(); ++i) {
    Token& open = tokens[i];
    if (open.role != Role::Block || open.text != "{" || open.match == Token::kNone) continue;
    Token &first = tokens[i + 1], &close = tokens[open.match];
    if (broken[open.match + 1] == broken[i + 1]) continue;
    first.breaks = first.lineComment() && first.breaks == 0 ? 0 : 1;
    close.breaks = 1;
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    bool first = i == 0 || (tokens[i - 1].opens() && tokens[i - 1].kind == Kind::Punctuation);
    if (first || tokens[i].closes()) tokens[i].breaks = std::min(tokens[i].breaks, i == 0 ? 0u : 1u);
    if (i > 0 && tokens[i].text == "else" && closesBlock(tokens[i - 1])) tokens[i].breaks = 0;
  }
}

unsigned gapBetween(const Token& left, const Token& right) {
  if (right.lineComment()) return 2;
  if (right.text == "," || right.text == ";" || right.text == ")" || right.text == "]") return 0;
  if (left.role == Role::Dot || right.role == Role::Dot) return 0;
  if (left.role == Role::SliceColon || right.role == Role::SliceColon) return 0;
  if (right.role == Role::TypeColon) return 0;
  if (right.role == Role::Angle || (left.role == Role::Angle && left.text == "<")) return 0;
  if (left.role == Role::Prefix) return left.text == "-" ? 0 : 1;
  if (left.kind == Kind::Punctuation && left.opens()) return left.role == Role::Block && right.text != "}" ? 1 : 0;
  if (right.text == "}") return right.role == Role::Block ? 1 : 0;
  if (right.text == "(" && right.role == Role::Call) return 0;
  if (right.text == "[" && right.role == Role::Index) return 0;
  return 1;
}

} // namespace planc::format
