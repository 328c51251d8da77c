// Words and operators of shell scripts.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Source.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace planc::foreign {

/// A word of the text as it is written, or an operator: a line end, `;`, `(`, `)`, `|`, `&`.
struct RawWord {
  std::string text; ///< quotes removed; what stood in single quotes has no variables, its dollars are marked
  SourceRange range;
  char op = 0;         ///< the operator, for a word that is one
  bool quoted = false; ///< the word had quotes
};

/// No script and no list is longer.
constexpr size_t kMostWords = 10'000;

/// Splits a script into words and operators, without its comments and here-documents. A text that begins with an
/// option is a list of arguments, whose line breaks are blanks. `unclosed` is the place of a quote without an end.
std::vector<RawWord> shellWords(std::string_view text, FileId file, SourceRange& unclosed);
bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words);
/// Whether a word is a text without quotes, or an operator.
bool isPlain(const RawWord& word, std::string_view text);
/// Whether a whole word is a name.
bool isName(std::string_view word);
/// The text with the marked dollars of single quotes as dollars.
std::string withDollars(std::string text);
/// The length of the name at the front of a text; 0 if it has none.
size_t nameLength(std::string_view text);
/// The name before `=` of an assignment `A=…` or `A+=…`; empty if the word is none.
std::string_view assignedName(std::string_view word);
/// Names that a text changes if it is run or computed: of `A=1 B+=2`, `A++` and `${A:=1}`.
std::vector<std::string> changedNames(std::string_view text);
/// Whether a text has an option, such as `--x`.
bool hasOption(std::string_view text);

} // namespace planc::foreign
