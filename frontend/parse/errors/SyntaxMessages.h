// Messages of syntax errors: the expected tokens, the found token, and the likely intention.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/Declarations.h"
#include "frontend/parse/TokenStream.h"
#include "frontend/parse/errors/ErrorStrategy.h"

namespace planc::parse {

/// An error with its context.
struct ErrorSite {
  const LexedFile& file;
  const std::vector<PlanToken>& tokens; ///< tokens of the declaration
  const SyntaxError& error;
  StatementBounds statement; ///< bounds of the statement with the error

  const PlanToken& found() const { return tokens[error.at]; }
  size_t type(size_t at) const { return at < tokens.size() ? tokens[at].getType() : antlr4::Token::EOF; }
  std::string_view text(size_t at) const {
    return file.text.substr(tokens[at].begin, tokens[at].end - tokens[at].begin);
  }
  /// The type of the token before the found one; 0 if there is none.
  size_t previousType() const { return error.at > 0 ? tokens[error.at - 1].getType() : 0; }
  /// Whether the statement breaks off at a line break: the found token is a line break, or the `}` on the next line.
  bool atLineEnd() const;
};

/// Reports the error with its hints.
void reportSyntaxError(const ErrorSite& site, SyntaxReporter& reporter);
/// Reports the bracket that caused a broken region.
void reportBracket(const BrokenRegion& region, SyntaxReporter& reporter);

/// Reports an error that is caused by a number in foreign notation, `10 s` or `1f1b` (Numbers.cpp). Returns whether it
/// was such an error.
bool reportNumber(const ErrorSite& site, SyntaxReporter& reporter);

/// A hint at the likely intention; empty if there is none (Hints.cpp).
std::string hintFor(const ErrorSite& site);
/// The edit that replaces the found token, if a hint suggests one.
std::optional<TextEdit> insteadOf(const ErrorSite& site);

} // namespace planc::parse
