// Spelling suggestions: the distance that `nearest` and `didYouMean` of Diagnostics.h use.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace planc {

/// Whether the character may be part of a name.
constexpr bool isWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether a text has a line break or another ASCII control character.
inline bool hasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

/// The number of letters to insert, delete, replace or swap with a neighbour to turn `a` into `b`, ignoring case
/// (optimal string alignment). Returns `limit` + 1 if it exceeds `limit`.
unsigned spellingDistance(std::string_view a, std::string_view b, unsigned limit);
/// How many letters of a word may be wrong: a third of them, at least one.
unsigned allowedSlips(std::string_view name);

/// The most likely intended candidates for `name`, ties in text order: the candidates with the fewest slips; if there
/// are none, the shortest candidates that continue `name` or that `name` abbreviates (`bfloat16` for `bf16`, `fp8_e4m3`
/// for `fp8`). Empty if no candidate is near enough.
std::vector<std::string> allNearest(std::string_view name, const std::vector<std::string>& candidates);
/// The first few results of `allNearest`, as many as a message should offer.
std::vector<std::string> offered(std::string_view name, const std::vector<std::string>& candidates);
/// The single candidate with the fewest slips. Empty if there are several, or if `name` may be a different name in its
/// own right: names that differ in a digit, or have only two letters.
std::string onlyNearest(std::string_view name, const std::vector<std::string>& candidates);
/// `` `a`, `b` or `c` ``.
std::string quotedChoice(const std::vector<std::string>& words);
/// `` `a`, `b` and `c` ``.
std::string quotedSeries(const std::vector<std::string>& words);
/// `` `a`, `b`, `c` ``.
std::string quotedList(const std::vector<std::string>& words);

} // namespace planc
