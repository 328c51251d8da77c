// Guesses misspelt keywords near a syntax error, and the names that a declaration without a tree may define.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/errors/SyntaxMessages.h"

namespace planc::parse {

/// A word of the text, and the keyword that it may be. The grammar decides: the guess is right if the text parses with
/// the keyword, or parses considerably further.
struct KeywordGuess {
  size_t at = 0;   ///< position of the word in the stream
  size_t type = 0; ///< token type of the keyword
  unsigned slips = 0;
  bool only = false; ///< no other guess with as few slips is right
};

/// The nearest keywords for words in the statement before the error, and for words that open the blocks around it.
/// Sorted by the number of slips, then by the distance from the error.
std::vector<KeywordGuess> keywordGuesses(const ErrorSite& site);

/// Reports that the word of `guess` is a misspelt keyword. `site`: the error that this explains.
void reportKeyword(const ErrorSite& site, const KeywordGuess& guess, SyntaxReporter& reporter);

/// Every name that the tokens of `piece` may declare. Rather too many than too few, because the actual definitions are
/// unknown.
std::vector<Symbol> namesOf(const LexedFile& file, const TokenRun& piece);

} // namespace planc::parse
