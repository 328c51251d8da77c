// The words of a syntax error: what was expected, what was found, and what was probably meant.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/Declarations.h"
#include "frontend/parse/TokenStream.h"
#include "frontend/parse/errors/ErrorStrategy.h"

namespace planc::parse {

/// An error in its surroundings.
struct ErrorSite {
  const LexedFile& file;
  const std::vector<PlanToken>& tokens; ///< of the declaration
  const SyntaxError& error;
  StatementBounds statement; ///< around the error

  const PlanToken& found() const { return tokens[error.at]; }
  size_t type(size_t at) const { return at < tokens.size() ? tokens[at].getType() : antlr4::Token::EOF; }
  std::string_view text(size_t at) const {
    return file.text.substr(tokens[at].begin, tokens[at].end - tokens[at].begin);
  }
  /// The token before the found one; 0 if there is none.
  size_t previousType() const { return error.at > 0 ? tokens[error.at - 1].getType() : 0; }
  /// The statement broke off at a line break: the found token is one, or the `}` on the line below.
  bool atLineEnd() const;
};

/// Reports the error with its hints.
void reportSyntaxError(const ErrorSite& site, SyntaxReporter& reporter);
/// Reports the bracket that explains a broken region.
void reportBracket(const BrokenRegion& region, SyntaxReporter& reporter);

/// Reports an error that is a number written in another way than here, `10 s` or `1f1b` (Numbers.cpp); false if it is
/// none.
bool reportNumber(const ErrorSite& site, SyntaxReporter& reporter);

/// What was probably meant; one text or none (Hints.cpp).
std::string hintFor(const ErrorSite& site);
/// What is to stand in the place of the found token, where a hint says so.
std::optional<TextEdit> insteadOf(const ErrorSite& site);

} // namespace planc::parse
