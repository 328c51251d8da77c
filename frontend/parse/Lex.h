// Text to tokens: every byte of a file that is not blank belongs to one of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/Parse.h"
#include "frontend/parse/errors/SyntaxReporter.h"

#include <string_view>
#include <vector>

namespace planc::parse {

/// A token: its type is one of the generated lexer's, its range is in bytes.
struct Lexeme {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint16_t type = 0;
  bool comment = false; ///< comments and doc comments: never seen by the grammar
  bool kept = false;    ///< the grammar sees it; a line break only if it ends a statement
};

struct LexedFile {
  FileId id;
  std::string_view text;
  std::vector<Lexeme> tokens;

  SourceRange range(const Lexeme& token) const { return {id, token.begin, token.end}; }
  std::string_view textOf(const Lexeme& token) const { return text.substr(token.begin, token.end - token.begin); }
  /// Nothing but blanks stands before the token on its line.
  bool firstOnLine(const Lexeme& token) const;
};

/// Splits a file into tokens and reports what is none: characters, strings, comments and escapes. Such tokens are
/// repaired, so that the rest of the file can be checked. Returns nothing if there is no text to work on (too large,
/// not UTF-8).
std::optional<LexedFile> lex(const SourceManager& sources, FileId file, SyntaxReporter& reporter,
                             const ParseLimits& limits);

/// The value of a string token without its quotes and escapes.
std::string unescape(std::string_view token);

} // namespace planc::parse
