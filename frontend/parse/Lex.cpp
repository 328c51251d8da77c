// The lexer: checks the encoding, finds the same tokens as the generated lexer, and reports lexical errors.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/Lex.h"

#include "PlanLexer.h"
#include "frontend/parse/ByteStream.h"
#include "frontend/parse/Decisions.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/ConvertUTF.h>
#include <llvm/Support/Unicode.h>

namespace planc::parse {

using grammar::PlanLexer;

PLANC_ERROR(FileTooLarge, 1, "the file has {size} bytes; at most {limit} are read")
PLANC_ERROR(MalformedUtf8, 2, "malformed UTF-8 at byte {offset}")
PLANC_ERROR(UnexpectedCharacter, 3, "unexpected character {character}")
PLANC_ERROR(UnterminatedString, 4, "the string has no closing quote on its line")
PLANC_ERROR(UnterminatedComment, 5, "the comment has no closing `*/`")
PLANC_ERROR(BadEscape, 6, "unknown escape `{escape}` in a string")

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The generated lexer, changed to record tokens instead of allocating them.
class Recorder : public PlanLexer {
public:
  Recorder(antlr4::CharStream* input, std::vector<Lexeme>& out, uint32_t base)
      : PlanLexer(input), out_(out), base_(base) {}
  antlr4::Token* emit() override {
    if (type == antlr4::Token::EOF) return nullptr; // for an empty file
    out_.push_back({base_ + static_cast<uint32_t>(tokenStartCharIndex), base_ + static_cast<uint32_t>(_input->index()),
                    static_cast<uint16_t>(type), channel != DEFAULT_TOKEN_CHANNEL, channel == DEFAULT_TOKEN_CHANNEL});
    return nullptr;
  }
  void run() {
    while (!hitEOF) nextToken();
  }

private:
  std::vector<Lexeme>& out_;
  uint32_t base_;
};

void lexByAntlr(std::string_view text, uint32_t base, std::vector<Lexeme>& out) {
  PlanLexer::initialize();
  ByteStream stream(text.substr(base));
  Recorder(&stream, out, base).run();
}

/// Finds tokens by the table: the longest token wins, and of equally long tokens the first rule.
void lexByTable(const LexerTable& table, std::string_view text, uint32_t base, std::vector<Lexeme>& out) {
  for (uint32_t begin = base; begin < text.size();) {
    uint32_t end = begin;
    uint16_t found = 0;
    uint16_t state = 1;
    for (uint32_t at = begin; at < text.size();) {
      state = table.next[state * table.classes + table.classOf[ByteStream::symbol(text[at])]];
      if (state == 0) break;
      ++at;
      if (const uint16_t accept = table.accepts[state]) {
        found = accept;
        end = at;
      }
    }
    const bool hidden = found & LexerTable::kHidden; // there always is a token: ERRCHAR matches any other byte
    if (!(found & LexerTable::kSkipped))
      out.push_back({begin, end, static_cast<uint16_t>(found & LexerTable::kType), hidden, !hidden});
    begin = end;
  }
}

/// The end of the code point that begins at `at`.
uint32_t codePointEnd(std::string_view text, uint32_t at) {
  uint32_t end = at + llvm::getNumBytesForUTF8(static_cast<llvm::UTF8>(text[at]));
  return std::min(end, static_cast<uint32_t>(text.size()));
}

/// Whether a character looks like a space or is invisible: U+00A0, U+2000 to U+200B, U+202F, U+205F, U+3000.
bool isBlank(std::string_view character) {
  static constexpr std::string_view kBlanks[] = {"\u00A0", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
                                                 "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A",
                                                 "\u200B", "\u202F", "\u205F", "\u3000"};
  return std::find(std::begin(kBlanks), std::end(kBlanks), character) != std::end(kBlanks);
}

/// `U+00A0`: the name of an invisible character.
std::string codePointName(std::string_view character) {
  llvm::UTF32 code = 0;
  const auto* from = reinterpret_cast<const llvm::UTF8*>(character.data());
  llvm::UTF32* to = &code;
  llvm::ConvertUTF8toUTF32(&from, from + character.size(), &to, to + 1, llvm::strictConversion);
  return fmt::format("U+{:04X}", static_cast<uint32_t>(code));
}

/// Returns a suggestion in place of a character that the language does not have.
std::string characterHelp(std::string_view character) {
  if (character == "'") return "strings need double quotes";
  if (character == "#") return "comments begin with `//`";
  if (character == "&") return "write `and`";
  if (character == "|") return "write `or`";
  if (character == "!") return "write `not`, or `!=`";
  if (character == "×") return "write `*`";
  if (character == "→") return "write `->`";
  if (character == "“" || character == "”") return "strings need straight double quotes";
  if (isBlank(character)) return "write a plain space; this one came with copied text";
  if (character == kByteOrderMark) return "a byte order mark may only be the first thing in a file";
  return "";
}

std::string showCharacter(std::string_view character) {
  if (character.size() > 1 &&
      llvm::sys::unicode::columnWidthUTF8(llvm::StringRef(character.data(), character.size())) > 0 &&
      !isBlank(character))
    return fmt::format("`{}`", character);
  if (character.size() > 1) return codePointName(character);
  auto byte = static_cast<unsigned char>(character[0]);
  return byte < 0x20 || byte == 0x7F ? fmt::format("U+{:04X}", byte) : fmt::format("`{}`", character);
}

bool isEscape(char c) {
  return c == '"' || c == '\\' || c == 'n' || c == 't';
}

class LexicalErrors {
  LexedFile& file_;
  SyntaxReporter& reporter_;

  void character(Lexeme& token) {
    token.end = codePointEnd(file_.text, token.begin);
    token.kept = false;
    std::string_view text = file_.textOf(token);
    reporter_.report(UnexpectedCharacter, file_.range(token), {{"character", showCharacter(text)}})
        .help(characterHelp(text));
  }

  void escapes(const Lexeme& token) {
    std::string_view text = file_.textOf(token);
    for (size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at + 2)) {
      if (at + 1 >= text.size() || isEscape(text[at + 1])) continue;
      uint32_t begin = token.begin + static_cast<uint32_t>(at), end = codePointEnd(file_.text, begin + 1);
      reporter_
          .report(BadEscape, {file_.id, begin, end}, {{"escape", std::string(file_.text.substr(begin, end - begin))}})
          .help("the escapes are `\\\"`, `\\\\`, `\\n` and `\\t`");
    }
  }

public:
  LexicalErrors(LexedFile& file, SyntaxReporter& reporter) : file_(file), reporter_(reporter) {}

  void check(Lexeme& token) {
    switch (token.type) {
    case PlanLexer::ERRCHAR:
      return character(token);
    case PlanLexer::UNTERMINATED_STRING:
      reporter_.report(UnterminatedString, file_.range(token));
      token.type = PlanLexer::STRING; // error reported; other lines can still be checked
      return;
    case PlanLexer::UNTERMINATED_COMMENT:
      reporter_.report(UnterminatedComment, {file_.id, token.begin, token.begin + 2}).primary("begins here");
      return;
    case PlanLexer::STRING:
      return escapes(token);
    default:
      return;
    }
  }
};

} // namespace

bool LexedFile::firstOnLine(const Lexeme& token) const {
  size_t before = text.substr(0, token.begin).find_last_not_of(" \t\r");
  return before == std::string_view::npos || text[before] == '\n';
}

std::optional<LexedFile> lex(const SourceManager& sources, FileId id, SyntaxReporter& reporter,
                             const ParseLimits& limits) {
  LexedFile file{id, sources.text(id), {}};
  if (file.text.size() > limits.maxBytes) {
    reporter.report(FileTooLarge, {id, 0, 0}, {{"size", file.text.size()}, {"limit", limits.maxBytes}});
    return std::nullopt;
  }
  const auto* at = reinterpret_cast<const llvm::UTF8*>(file.text.data());
  const auto* begin = at;
  if (!llvm::isLegalUTF8String(&at, at + file.text.size())) {
    auto offset = static_cast<uint32_t>(at - begin);
    reporter.report(MalformedUtf8, {id, offset, offset + 1}, {{"offset", offset}});
    return std::nullopt;
  }
  uint32_t base = file.text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  file.tokens.reserve(file.text.size() / 4);
  const LexerTable& table = learnedDecisions().lexer;
  if (limits.learned && table.next)
    lexByTable(table, file.text, base, file.tokens);
  else
    lexByAntlr(file.text, base, file.tokens);
  LexicalErrors errors(file, reporter);
  for (Lexeme& token : file.tokens) errors.check(token);
  return file;
}

std::string unescape(std::string_view token) {
  token.remove_prefix(1);
  if (token.ends_with('"')) token.remove_suffix(1);
  std::string out;
  out.reserve(token.size());
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '\\' || i + 1 == token.size()) {
      out += token[i];
      continue;
    }
    char c = token[++i];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
  }
  return out;
}

} // namespace planc::parse
