// Splits tokens into lines and finds their stops.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/Lines.h"

#include "support/text/TextCells.h"

namespace planc::format {
namespace {

/// The last token of a line, ignoring a trailing comment.
size_t lastBeforeComment(const std::vector<Token>& tokens, const FormattedLine& line) {
  size_t last = line.pieces.size() - 1;
  if (last > 0 && tokens[line.pieces[last].token].lineComment()) --last;
  return line.pieces[last].token;
}

/// Finds the stops of the statement at the beginning of a line. Tokens inside its brackets are ignored.
class StopFinder {
  const std::vector<Token>& tokens_;
  FormattedLine& line_;

  const Token& token(size_t piece) const { return tokens_[line_.pieces[piece].token]; }
  std::optional<size_t>& stop(Stop s) { return line_.stops[static_cast<size_t>(s)]; }

  void setOnce(Stop s, size_t piece) {
    if (!stop(s)) stop(s) = piece;
  }

  void findLead() {
    for (size_t i = 0; i < line_.pieces.size() && token(i).role == Role::Keyword; ++i)
      line_.lead.append(i == 0 ? "" : " ").append(token(i).text);
  }

  /// Whether this `{` of a one-line section or placement is aligned. Blocks with their own keywords (`mesh`, `place`,
  /// …) are not.
  bool alignsBrace(size_t piece) const {
    bool plain =
        line_.lead.empty() || line_.lead == "level" || line_.lead == "override" || line_.lead == "override level";
    return plain && line_.whole && token(piece).match == lastBeforeComment(tokens_, line_);
  }

  void visit(size_t piece) {
    switch (token(piece).role) {
    case Role::TypeColon:
      if (piece + 1 < line_.pieces.size()) setOnce(Stop::Type, piece + 1);
      return;
    case Role::Assign:
    case Role::Placement:
      return setOnce(Stop::Main, piece);
    case Role::Block:
      if (token(piece).text == "{" && alignsBrace(piece)) setOnce(Stop::Main, piece);
      return;
    case Role::Level:
      return setOnce(Stop::Level, piece);
    case Role::Where:
      return setOnce(Stop::Where, piece);
    case Role::ReasonColon:
      return setOnce(Stop::Reason, piece);
    default:
      return;
    }
  }

public:
  StopFinder(const std::vector<Token>& tokens, FormattedLine& line) : tokens_(tokens), line_(line) {}

  void run() {
    findLead();
    size_t depth = 0;
    for (size_t i = 0; i < line_.pieces.size(); ++i) {
      const Token& t = token(i);
      bool bracket = t.kind == Kind::Punctuation && t.match != Token::kNone;
      if (bracket && t.closes() && depth > 0) --depth;
      if (depth == 0) visit(i);
      if (bracket && t.opens()) ++depth;
    }
  }
};

/// Whether a `;` outside of brackets separates two statements on the line.
bool holdsSeveralStatements(const std::vector<Token>& tokens, const FormattedLine& line) {
  size_t depth = 0;
  for (const LineToken& piece : line.pieces) {
    const Token& t = tokens[piece.token];
    if (t.match != Token::kNone && t.closes() && depth > 0) --depth;
    if (t.match != Token::kNone && t.opens()) ++depth;
    if (depth == 0 && t.role == Role::Separator) return true;
  }
  return false;
}

bool bracketsClose(const std::vector<Token>& tokens, const FormattedLine& line) {
  size_t first = line.pieces.front().token, last = line.pieces.back().token;
  for (const LineToken& piece : line.pieces) {
    size_t match = tokens[piece.token].match;
    if (match != Token::kNone && (match < first || match > last)) return false;
  }
  return true;
}

bool isFrame(const std::vector<Token>& tokens, const FormattedLine& line) {
  size_t first = line.pieces.front().token, last = lastBeforeComment(tokens, line);
  if (tokens[first].comment()) return first == last;
  return tokens[last].role == Role::Block && (tokens[last].text == "{" || first == last);
}

void addTokens(const std::vector<Token>& tokens, std::vector<FormattedLine>& lines) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    bool fresh = lines.empty() || tokens[i].breaks > 0 || tokens[i - 1].lineComment();
    if (fresh) {
      lines.emplace_back();
      lines.back().blankAbove = tokens[i].breaks > 1;
    }
    FormattedLine& line = lines.back();
    size_t gap = line.pieces.empty() ? 0 : gapBetween(tokens[i - 1], tokens[i]);
    if (!line.pieces.empty() && tokens[i].lineComment())
      line.stops[static_cast<size_t>(Stop::Comment)] = line.pieces.size();
    line.pieces.push_back({i, gap});
  }
}

} // namespace

std::vector<FormattedLine> cutLines(const std::vector<Token>& tokens) {
  std::vector<FormattedLine> lines;
  addTokens(tokens, lines);
  std::vector<size_t> open;
  for (size_t n = 0; n < lines.size(); ++n) {
    FormattedLine& line = lines[n];
    const Token& first = tokens[line.pieces.front().token];
    bool inBlock = open.empty() || tokens[open.back()].role == Role::Block;
    line.block = open.empty() ? Token::kNone : open.back();
    line.statement = inBlock && first.beginsStatement && !first.comment() && first.role != Role::Separator &&
                     !holdsSeveralStatements(tokens, line);
    bool nextBegins = n + 1 == lines.size();
    if (!nextBegins) {
      const Token& next = tokens[lines[n + 1].pieces.front().token];
      nextBegins = next.beginsStatement || (next.role == Role::Block && next.text == "}");
    }
    line.whole = nextBegins && bracketsClose(tokens, line);
    line.frame = isFrame(tokens, line);
    if (line.statement) StopFinder(tokens, line).run();
    for (const LineToken& piece : line.pieces) {
      const Token& t = tokens[piece.token];
      if (t.match == Token::kNone) continue;
      if (t.opens()) open.push_back(piece.token);
      if (t.closes() && !open.empty()) open.pop_back();
    }
  }
  return lines;
}

size_t columnBehind(const Token& token, size_t column) {
  size_t lineBreak = token.text.rfind('\n'); // only a block comment has one
  return lineBreak == std::string_view::npos ? column + displayWidth(token.text)
                                             : displayWidth(token.text.substr(lineBreak + 1));
}

size_t columnOf(const std::vector<Token>& tokens, const FormattedLine& line, size_t piece) {
  size_t column = line.indent;
  for (size_t i = 0; i < piece; ++i) column = columnBehind(tokens[line.pieces[i].token], column + line.pieces[i].gap);
  return column;
}

} // namespace planc::format
