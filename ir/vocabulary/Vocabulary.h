// What plans may say by name: words with a line of documentation, a source and parameters, and the vocabularies that
// they make. What a word does is a row of the room that does it, keyed by the word.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Quantity.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace planc::ir {

/// A number that a word takes: `interleaved_1f1b(chunks = 3)`.
struct Parameter {
  std::string_view name, doc;
  double least = 0, most = 0; ///< what it may be, both ends included
  double standard = 0;        ///< without the argument; one outside of the range stands for "not given"
  Unit unit{};
  bool list = false; ///< a list of numbers, which has to be given: `dims = [16, 16]`

  constexpr bool takes(double value) const { return value >= least && value <= most; }
  /// "1 to 64"; of a parameter without a meaningful end only the side that `value` misses: "1 or more".
  std::string expected(double value) const;
};

/// One word of a vocabulary. All of it is text and tables that live as long as the compiler.
struct Word {
  std::string_view name;
  std::string_view doc;         ///< what it is, one line
  std::string_view source = {}; ///< of its definition; empty where it is planc's own
  std::span<const Parameter> parameters = {};

  const Parameter* find(std::string_view parameter) const;
  /// What is said without its arguments, of one that is no list; 0 for what it does not take.
  double standard(std::string_view parameter) const;
  std::vector<std::string> parameterNames() const;
};

/// The words of one kind, in the order of their manual.
class Vocabulary {
public:
  /// `sourced`: each of its words has a source.
  Vocabulary(std::string_view kind, std::string_view title, std::span<const Word> words, bool sourced = true);
  std::string_view kind;  ///< what its words are: "schedule"
  std::string_view title; ///< of its section in docs/words.md
  bool sourced;           ///< they are somebody's: each says whose

  const std::vector<const Word*>& words() const { return words_; }
  /// Null where there is no such word.
  const Word* find(std::string_view name) const;
  /// Its place among the words: how facts hold it. The word of this vocabulary.
  size_t indexOf(const Word& word) const;
  /// For suggestions.
  std::vector<std::string> names() const;

private:
  template <class Row> friend class AddedWord;
  std::vector<const Word*> words_;
};

/// Every vocabulary; a word of it says what it is and where that is from, stands in docs/language.md, and is used by a
/// test.
std::vector<const Vocabulary*> vocabularies();

/// A word of a list; does not compile where there is none of that name.
template <size_t N> constexpr const Word* wordOf(const Word (&words)[N], std::string_view name) {
  for (const Word& word : words)
    if (word.name == name) return &word;
  throw std::logic_error("no such word");
}

/// Each word has exactly one row, and each row its word: asserted at compile time beside the rows.
template <size_t N, class Row, size_t M> constexpr bool complete(const Word (&words)[N], const Row (&rows)[M]) {
  for (const Word& word : words)
    if (std::count_if(std::begin(rows), std::end(rows), [&](const Row& row) { return row.word == &word; }) != 1)
      return false;
  return N == M;
}

/// What the words of a vocabulary do: a row each, whose `word` is what it implements.
template <class Row> class Implementations {
public:
  /// `rows`: live as long as the compiler.
  template <class Rows> Implementations(Vocabulary& words, const Rows& rows) : vocabulary(words) {
    for (const Row& row : rows) rows_.push_back(&row);
  }
  Vocabulary& vocabulary;

  const std::vector<const Row*>& rows() const { return rows_; }
  /// Null where there is no such word.
  const Row* find(std::string_view word) const {
    for (const Row* row : rows_)
      if (row->word->name == word) return row;
    return nullptr;
  }

private:
  template <class> friend class AddedWord;
  std::vector<const Row*> rows_;
};

/// A word with its row, for as long as it lives: a tool that embeds planc, or a test, brings one of its own.
template <class Row> class AddedWord {
public:
  AddedWord(Implementations<Row>& to, const Word& word, const Row& row) : to_(to), word_(word), row_(row) {
    row_.word = &word_;
    to_.vocabulary.words_.push_back(&word_);
    to_.rows_.push_back(&row_);
  }
  ~AddedWord() {
    std::erase(to_.rows_, &row_);
    std::erase(to_.vocabulary.words_, &word_);
  }
  AddedWord(const AddedWord&) = delete;
  AddedWord& operator=(const AddedWord&) = delete;

private:
  Implementations<Row>& to_;
  Word word_;
  Row row_;
};

} // namespace planc::ir
