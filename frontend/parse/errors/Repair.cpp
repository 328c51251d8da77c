// Guesses misspelt keywords, and names of declarations without a tree.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/errors/Repair.h"

#include "frontend/parse/TokenTypes.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace planc::parse {

PLANC_ERROR(MisspeltKeyword, 16, "`{word}` is not a keyword")

namespace {

constexpr size_t kMostWords = 24;  // per statement: the slip is at its beginning or next to the error
constexpr size_t kMostGuesses = 8; // each costs a parse
constexpr size_t kMostBlocks = 4;

struct Keyword {
  std::string text;
  size_t type;
};

const std::vector<Keyword>& keywords() {
  static const std::vector<Keyword> all = [] {
    std::vector<Keyword> out;
    const grammar::PlanLexer lexer(nullptr);
    for (size_t type = Type::IMPORT; type <= Type::IN; ++type) {
      const std::string literal = lexer.getVocabulary().getLiteralName(type); // in quotes
      out.push_back({literal.substr(1, literal.size() - 2), type});
    }
    return out;
  }();
  return all;
}

/// Adds the words in [begin, end), last to first, at most `most` of them.
void addWords(const ErrorSite& site, size_t begin, size_t end, size_t most, std::vector<size_t>& words) {
  for (size_t i = end; i > begin && most > 0; --i)
    if (site.type(i - 1) == Type::ID) words.push_back(i - 1), --most;
}

/// Adds the words that open the blocks around the error: `plcae` of `plcae { batch -> dp }`.
void addHeads(const ErrorSite& site, std::vector<size_t>& words) {
  size_t blocks = 0, closed = 0;
  for (size_t i = std::min(site.error.at, site.tokens.size()); i > 0 && blocks < kMostBlocks; --i) {
    const size_t type = site.type(i - 1);
    if (isCloser(type)) ++closed;
    if (!isOpener(type)) continue;
    if (closed > 0) {
      --closed;
      continue;
    }
    ++blocks;
    size_t begin = i - 1;
    while (begin > 0 && !isSeparator(site.type(begin - 1)) && !isOpener(site.type(begin - 1))) --begin;
    addWords(site, begin, std::min(begin + 3, i - 1), 3, words);
  }
}

} // namespace

std::vector<KeywordGuess> keywordGuesses(const ErrorSite& site) {
  std::vector<size_t> words;
  const size_t begin = site.statement.begin, behind = std::min(site.error.at + 1, site.tokens.size());
  addWords(site, std::max(begin, behind > kMostWords ? behind - kMostWords : 0), behind, kMostWords, words);
  addWords(site, begin, std::min(begin + 3, behind), 3, words);
  addHeads(site, words);
  std::vector<size_t> known;
  std::vector<KeywordGuess> out;
  for (size_t at : words) {
    if (std::find(known.begin(), known.end(), at) != known.end()) continue;
    known.push_back(at);
    const std::string_view word = site.text(at);
    const unsigned allowed = word.size() < 3 ? 1 : allowedSlips(word);
    for (const Keyword& keyword : keywords()) {
      const unsigned slips = spellingDistance(word, keyword.text, allowed);
      if (slips <= allowed && slips < keyword.text.size()) out.push_back({at, keyword.type, slips});
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const KeywordGuess& a, const KeywordGuess& b) { return a.slips < b.slips; });
  if (out.size() > kMostGuesses) out.resize(kMostGuesses);
  return out;
}

void reportKeyword(const ErrorSite& site, const KeywordGuess& guess, SyntaxReporter& reporter) {
  const PlanToken& word = site.tokens[guess.at];
  const Keyword& keyword = keywords()[guess.type - Type::IMPORT];
  auto report = reporter.report(MisspeltKeyword, {site.file.id, word.begin, word.end},
                                {{"word", std::string(site.text(guess.at))}});
  report.help(fmt::format("did you mean `{}`?", keyword.text))
      .fix({fmt::format("write `{}`", keyword.text),
            {{{site.file.id, word.begin, word.end}, keyword.text}},
            guess.only});
  if (guess.at != site.error.at && !site.atLineEnd())
    report.label({site.file.id, site.found().begin, site.found().end}, "not allowed here after a name");
}

std::vector<Symbol> namesOf(const LexedFile& file, const TokenRun& piece) {
  std::vector<Symbol> out;
  bool head = true; // in the head of a declaration: before its `{`, `(` or `=`
  auto addWordsOf = [&](std::string_view text) {
    auto isLetter = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
    for (size_t at = 0; at < text.size();) {
      size_t end = at;
      while (end < text.size() && isLetter(text[end])) ++end;
      if (end > at) out.emplace_back(std::string(text.substr(at, end - at)));
      at = end + 1;
    }
  };
  for (size_t i : piece.tokens) {
    const Lexeme& token = file.tokens[i];
    if (token.begin == 0 || file.text[token.begin - 1] == '\n') head = true;
    if (isOpener(token.type) || token.type == Type::ASSIGN) head = false;
    if (head) addWordsOf(file.textOf(token));
  }
  return out;
}

} // namespace planc::parse
