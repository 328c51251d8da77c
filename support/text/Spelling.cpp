// Edit distance with swaps of neighbours, and the suggestions based on it.
// SPDX-License-Identifier: Apache-2.0
#include "support/text/Spelling.h"

#include "support/Diagnostics.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <utility>

namespace planc {
namespace {

/// Longer words are not compared letter by letter: names that a person mistypes are shorter.
constexpr size_t kLongest = 128;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// The number of letters of `name` that `candidate` lacks, case included: for `pf32` it prefers `fp32` to `tf32`.
/// Digits do not count: `llama3_7b` is as near to `llama3_8b` as to `llama3_70b`.
size_t foreignLetters(std::string_view name, std::string_view candidate) {
  return static_cast<size_t>(std::count_if(
      name.begin(), name.end(), [&](char c) { return !isDigit(c) && candidate.find(c) == std::string_view::npos; }));
}

std::string digitsOf(std::string_view name) {
  std::string out;
  std::copy_if(name.begin(), name.end(), std::back_inserter(out), isDigit);
  return out;
}

/// Whether `candidate` may be a different name and not a misspelling: digits alone distinguish sizes, and in a
/// two-letter name one wrong letter is half of it.
bool maybeAnother(std::string_view name, std::string_view candidate) {
  constexpr size_t kShort = 2;
  return std::min(name.size(), candidate.size()) <= kShort || digitsOf(name) != digitsOf(candidate);
}

/// Slips between `name` and `candidate`; more than `allowed` if `candidate` cannot be the intended name.
unsigned slipsOf(std::string_view name, std::string_view candidate, unsigned allowed) {
  const unsigned slips = spellingDistance(name, candidate, allowed);
  // A single letter matches only names that begin with it: `w` suggests `wq`, never `x`.
  const bool other = name.size() < 2 && slips > 0 && !candidate.starts_with(name);
  return slips >= candidate.size() || other ? allowed + 1 : slips;
}

/// Whether `word` abbreviates `name`: its letters occur in order, and the first and last letters agree.
bool abbreviates(std::string_view word, std::string_view name) {
  if (word.size() < 4 || word.size() >= name.size()) return false;
  if (lower(word.front()) != lower(name.front()) || lower(word.back()) != lower(name.back())) return false;
  size_t at = 0;
  for (char c : name)
    if (at < word.size() && lower(c) == lower(word[at])) ++at;
  return at == word.size();
}

/// Whether `name` is `word` with a suffix: `fp8_e4m3` for `fp8`.
bool goesOn(std::string_view name, std::string_view word) {
  return word.size() >= 3 && name.size() > word.size() && name.starts_with(word) && name[word.size()] == '_';
}

/// The shortest candidates that satisfy `fits`; all of equal length.
template <class Fits> std::vector<std::string> shortest(const std::vector<std::string>& candidates, Fits fits) {
  std::vector<std::string> found;
  for (const std::string& candidate : candidates) {
    if (!fits(candidate)) continue;
    if (!found.empty() && candidate.size() < found.front().size()) found.clear();
    if (found.empty() || candidate.size() == found.front().size()) found.push_back(candidate);
  }
  return found;
}

std::vector<std::string> inOrder(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

std::string joined(const std::vector<std::string>& words, std::string_view last) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i)
    out += fmt::format("{}`{}`", i == 0 ? "" : i + 1 == words.size() ? last : ", ", words[i]);
  return out;
}

} // namespace

unsigned spellingDistance(std::string_view a, std::string_view b, unsigned limit) {
  const size_t longer = std::max(a.size(), b.size()), shorter = std::min(a.size(), b.size());
  if (longer > kLongest || longer - shorter > limit) return limit + 1;
  // Rows of the distance table between prefixes of `a` and of `b`: two rows back, one row back, the current row.
  std::vector<unsigned> older(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (size_t i = 0; i < a.size(); ++i) {
    next[0] = static_cast<unsigned>(i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const bool same = lower(a[i]) == lower(b[j]);
      next[j + 1] = std::min({row[j + 1] + 1, next[j] + 1, row[j] + !same});
      const bool swapped = i > 0 && j > 0 && lower(a[i]) == lower(b[j - 1]) && lower(a[i - 1]) == lower(b[j]);
      if (swapped) next[j + 1] = std::min(next[j + 1], older[j - 1] + 1);
    }
    std::swap(older, row);
    std::swap(row, next);
  }
  return std::min(row[b.size()], limit + 1);
}

unsigned allowedSlips(std::string_view name) {
  return std::max<unsigned>(1, static_cast<unsigned>(name.size() + 1) / 3);
}

std::vector<std::string> allNearest(std::string_view name, const std::vector<std::string>& candidates) {
  using Rank = std::pair<unsigned, size_t>; // slips, foreign letters
  const unsigned allowed = allowedSlips(name);
  Rank best(allowed + 1, 0);
  std::vector<std::string> found;
  for (const std::string& candidate : candidates) {
    if (candidate == name) continue;
    const unsigned slips = slipsOf(name, candidate, allowed);
    if (slips > allowed) continue;
    const Rank rank(slips, foreignLetters(name, candidate));
    if (rank > best) continue;
    if (rank < best) found.clear();
    best = rank;
    found.push_back(candidate);
  }
  if (found.empty() && name.size() >= 3)
    found = shortest(candidates, [&](const std::string& c) { return c.starts_with(name) && c != name; });
  if (found.empty())
    found = shortest(candidates, [&](const std::string& c) { return goesOn(name, c) || abbreviates(c, name); });
  return inOrder(std::move(found));
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  std::vector<std::string> found = allNearest(name, candidates);
  return found.empty() ? std::string() : std::move(found.front());
}

std::string quotedChoice(const std::vector<std::string>& words) {
  return joined(words, " or ");
}

std::string quotedSeries(const std::vector<std::string>& words) {
  return joined(words, " and ");
}

std::string quotedList(const std::vector<std::string>& words) {
  return joined(words, ", ");
}

std::vector<std::string> offered(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr size_t kMost = 4; // longer lists do not help
  std::vector<std::string> found = allNearest(name, candidates);
  if (found.size() > kMost) found.resize(kMost);
  return found;
}

std::string onlyNearest(std::string_view name, const std::vector<std::string>& candidates) {
  const unsigned allowed = allowedSlips(name);
  unsigned best = allowed + 1;
  std::string_view only;
  for (const std::string& candidate : candidates) {
    const unsigned slips = candidate == name ? allowed + 1 : slipsOf(name, candidate, allowed);
    if (slips > allowed || slips > best || (slips == best && candidate == only)) continue;
    only = slips == best ? std::string_view() : std::string_view(candidate);
    best = slips;
  }
  return maybeAnother(name, only) ? std::string() : std::string(only);
}

std::string didYouMean(std::string_view name, const std::vector<std::string>& candidates, std::string otherwise) {
  const std::vector<std::string> found = offered(name, candidates);
  if (found.empty()) return otherwise;
  return fmt::format("did you mean {}?", quotedChoice(found));
}

} // namespace planc
