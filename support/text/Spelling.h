// What was probably meant by a misspelt word: the distance behind `nearest` and `didYouMean` of Diagnostics.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace planc {

/// Can it be a part of a name?
constexpr bool isWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether a text has a line break or another control character of ASCII.
inline bool hasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

/// Letters to insert, delete, replace or swap with their neighbour to make one of the other, whatever their case
/// (optimal string alignment). More than `limit` is given as `limit` + 1.
unsigned spellingDistance(std::string_view a, std::string_view b, unsigned limit);
/// How many letters of a word may be wrong: a third, one at least.
unsigned allowedSlips(std::string_view name);

/// The candidates that `name` was probably meant to be, equally near ones in the order of their text: those with the
/// fewest slips; else the shortest that go on where `name` ends, or that `name` spells out (`bfloat16` for `bf16`,
/// `fp8_e4m3` for `fp8`). Empty if none is near enough.
std::vector<std::string> allNearest(std::string_view name, const std::vector<std::string>& candidates);
/// Of these as many as are worth offering.
std::vector<std::string> offered(std::string_view name, const std::vector<std::string>& candidates);
/// The one with the fewest slips, where no other has as few and `name` is no name of its own: one that differs in a
/// digit, or of two letters, may be. Else empty.
std::string onlyNearest(std::string_view name, const std::vector<std::string>& candidates);
/// `` `a`, `b` or `c` ``.
std::string quotedChoice(const std::vector<std::string>& words);
/// `` `a`, `b` and `c` ``.
std::string quotedSeries(const std::vector<std::string>& words);
/// `` `a`, `b`, `c` ``.
std::string quotedList(const std::vector<std::string>& words);

} // namespace planc
