// Text to tokens. Every byte of a file that is not blank belongs to a token.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/Parse.h"
#include "frontend/parse/errors/SyntaxReporter.h"

#include <string_view>
#include <vector>

namespace planc::parse {

/// A token. Its type is a type of the generated lexer; its range is in bytes.
struct Lexeme {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint16_t type = 0;
  bool comment = false; ///< comments and doc comments: never seen by the grammar
  bool kept = false;    ///< the grammar sees it; a line break is kept only if it ends a statement
};

struct LexedFile {
  FileId id;
  std::string_view text;
  std::vector<Lexeme> tokens;
  bool isLine = false; ///< an option of a command line: its end is no end of a file

  SourceRange range(const Lexeme& token) const { return {id, token.begin, token.end}; }
  std::string_view textOf(const Lexeme& token) const { return text.substr(token.begin, token.end - token.begin); }
  /// Whether only blanks precede the token on its line.
  bool firstOnLine(const Lexeme& token) const;
};

/// Splits a file into tokens and reports lexical errors: invalid characters, strings, comments and escapes. Such tokens
/// are repaired, so that the rest of the file can be checked. Returns nullopt if the file is too large or not UTF-8.
std::optional<LexedFile> lex(const SourceManager& sources, FileId file, SyntaxReporter& reporter,
                             const ParseLimits& limits);

/// The value of a string token without its quotes and escapes.
std::string unescape(std::string_view token);

} // namespace planc::parse
