// Which words near a syntax error may be misspelt keywords, and which names a declaration that has no tree would
// define.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/errors/SyntaxMessages.h"

namespace planc::parse {

/// A word of the text, and a keyword that it may be meant to be. Whether it is, the grammar says: with the keyword in
/// its place the text is right, or goes wrong much later.
struct KeywordGuess {
  size_t at = 0;   ///< position of the word in the stream
  size_t type = 0; ///< of the keyword
  unsigned slips = 0;
  bool only = false; ///< no other guess with as few slips is right
};

/// The nearest keywords of the words in the statement up to the error and of those that open the blocks around it;
/// those with the fewest slips first, then those next to the error.
std::vector<KeywordGuess> keywordGuesses(const ErrorSite& site);

/// Reports that the word of `guess` is no keyword. The site is that of the error that it explains.
void reportKeyword(const ErrorSite& site, const KeywordGuess& guess, SyntaxReporter& reporter);

/// Every name that the tokens `piece` may have been meant to declare: too many rather than one too few, since what they
/// define is not known.
std::vector<Symbol> namesOf(const LexedFile& file, const Piece& piece);

} // namespace planc::parse
