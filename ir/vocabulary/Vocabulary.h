// Vocabularies: the words that plans may use by name, each with a line of documentation, a source and parameters. The
// room that implements a word has a row for it, keyed by the word.
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
  double least = 0, most = 0; ///< smallest and largest value, both included
  double standard = 0;        ///< default; a value outside of the range stands for "not given"
  Unit unit{};
  bool list = false; ///< a list of numbers, which is required: `dims = [16, 16]`

  constexpr bool takes(double value) const { return value >= least && value <= most; }
  /// The text of the range: "1 to 64". If one end is meaningless, only the end that `value` violates: "1 or more".
  std::string expected(double value) const;
};

/// One word of a vocabulary. Its texts and tables live as long as the compiler.
struct Word {
  std::string_view name;
  std::string_view doc;         ///< what it is, one line
  std::string_view source = {}; ///< source of its definition; empty if planc defines it
  std::span<const Parameter> parameters = {};

  const Parameter* find(std::string_view parameter) const;
  /// The default of a parameter that is no list; 0 if the word has no such parameter.
  double standard(std::string_view parameter) const;
  std::vector<std::string> parameterNames() const;
};

/// The words of one kind, in the order of their manual.
class Vocabulary {
public:
  /// `sourced`: each word has a source.
  Vocabulary(std::string_view kind, std::string_view title, std::span<const Word> words, bool sourced = true);
  std::string_view kind;  ///< what its words are: "schedule"
  std::string_view title; ///< title of its section in docs/words.md
  bool sourced;           ///< the words come from publications or software, and each names its source

  const std::vector<const Word*>& words() const { return words_; }
  /// Returns null if there is no such word.
  const Word* find(std::string_view name) const;
  /// The index of a word of this vocabulary. Facts hold words by this index.
  size_t indexOf(const Word& word) const;
  /// The names of the words, for suggestions.
  std::vector<std::string> names() const;

private:
  template <class Row> friend class AddedWord;
  std::vector<const Word*> words_;
};

/// Every vocabulary. Each of its words has documentation and a source, is described in docs/language.md, and is used by
/// a test.
std::vector<const Vocabulary*> vocabularies();

/// The word of a list by name. Does not compile if there is none.
template <size_t N> constexpr const Word* wordOf(const Word (&words)[N], std::string_view name) {
  for (const Word& word : words)
    if (word.name == name) return &word;
  throw std::logic_error("no such word");
}

/// Returns whether each word has exactly one row and each row has a word. Asserted at compile time next to the rows.
template <size_t N, class Row, size_t M> constexpr bool complete(const Word (&words)[N], const Row (&rows)[M]) {
  for (const Word& word : words)
    if (std::count_if(std::begin(rows), std::end(rows), [&](const Row& row) { return row.word == &word; }) != 1)
      return false;
  return N == M;
}

/// The implementations of a vocabulary's words: one row per word, whose `word` points to the word.
template <class Row> class Implementations {
public:
  /// `rows`: live as long as the compiler.
  template <class Rows> Implementations(Vocabulary& words, const Rows& rows) : vocabulary(words) {
    for (const Row& row : rows) rows_.push_back(&row);
  }
  Vocabulary& vocabulary;

  const std::vector<const Row*>& rows() const { return rows_; }
  /// Returns null if there is no such word.
  const Row* find(std::string_view word) const {
    for (const Row* row : rows_)
      if (row->word->name == word) return row;
    return nullptr;
  }

private:
  template <class> friend class AddedWord;
  std::vector<const Row*> rows_;
};

/// Registers a word with its row during its own lifetime, for a test or a tool that embeds planc.
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
