// Matches words of the command line with names of declarations.
// SPDX-License-Identifier: Apache-2.0
#include "driver/recipes/NameMatch.h"

#include "support/text/Spelling.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <sstream>
#include <utility>

namespace planc::driver {

namespace {

using api::Export;
using Exports = std::vector<Export>;

bool isLetterOrDigit(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// Returns only the letters and digits, in lower case: `llama31405b`.
std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (isLetterOrDigit(c)) out += lower(c);
  return out;
}

/// Returns the parts of a text in lower case, joined by `_`: `llama_3_1_405b`.
std::string inParts(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (isLetterOrDigit(c))
      out += lower(c);
    else if (!out.empty() && out.back() != '_')
      out += '_';
  if (out.ends_with('_')) out.pop_back();
  return out;
}

template <class Fits> Exports those(const Exports& all, Fits fits) {
  Exports out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out), fits);
  return out;
}

/// Returns names equal to the word by parts (`opt-1.3b` is `opt_1_3b`) or, if there are none, by letters (`opt_13b`).
Exports namedAlike(const Exports& all, std::string_view word) {
  const std::string parts = inParts(word), letters = squeezed(word);
  Exports out = those(all, [&](const Export& one) { return inParts(one.name) == parts; });
  return out.empty() ? those(all, [&](const Export& one) { return squeezed(one.name) == letters; }) : out;
}

/// Returns the exports with the longest name that the word ends with.
Exports atEnd(const Exports& all, std::string_view word) {
  constexpr size_t kShortest = 5; // letters and digits; shorter names are too ambiguous
  const std::string letters = squeezed(word);
  size_t longest = kShortest;
  Exports out;
  for (const Export& one : all) {
    const std::string name = squeezed(one.name);
    if (name.size() < longest || !letters.ends_with(name)) continue;
    if (name.size() > longest) out.clear();
    longest = name.size();
    out.push_back(one);
  }
  const std::string parts = "_" + inParts(word);
  const Exports whole = those(out, [&](const Export& one) { return parts.ends_with("_" + inParts(one.name)); });
  return whole.empty() ? out : whole;
}

} // namespace

std::vector<Export> calledAlike(const Exports& all, std::string_view word) {
  if (squeezed(word).empty()) return {};
  Exports out = namedAlike(all, word);
  if (const size_t slash = word.rfind('/'); slash != std::string_view::npos) {
    const std::string_view last = word.substr(slash + 1);
    if (out.empty()) out = namedAlike(all, last);
    if (out.empty()) out = atEnd(all, last);
  }
  if (!out.empty()) return out;
  const std::string letters = squeezed(word);
  out =
      those(all, [&](const Export& one) { return squeezed(one.module.substr(one.module.rfind('.') + 1)) == letters; });
  return out.size() == 1 ? out : Exports();
}

std::vector<Export> withInName(const Exports& all, std::string_view word) {
  const std::string letters = squeezed(word), joined = inParts(word);
  std::string spaced = joined;
  std::replace(spaced.begin(), spaced.end(), '_', ' ');
  std::istringstream in(spaced);
  const std::vector<std::string> parts{std::istream_iterator<std::string>(in), {}};
  if (parts.empty()) return {};
  const auto every = [&](const std::string& name, const std::string& around) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const std::string& part) { return name.find(around + part + around) != std::string::npos; });
  };
  const std::vector<std::function<bool(const Export&)>> ways = {
      [&](const Export& one) { return every("_" + inParts(one.name) + "_", "_"); },
      [&](const Export& one) { return inParts(one.name).find(joined) != std::string::npos; },
      [&](const Export& one) { return squeezed(one.name).find(letters) != std::string::npos; },
      [&](const Export& one) { return every(inParts(one.name), ""); },
  };
  for (const auto& fits : ways)
    if (Exports out = those(all, fits); !out.empty()) return out;
  return {};
}

std::vector<Export> nearestNames(Exports all, std::string_view word, size_t most) {
  constexpr unsigned kFar = 64;
  const std::string letters = squeezed(word.substr(word.rfind('/') + 1));
  std::vector<std::pair<long, size_t>> order; // edit distance minus the length of the common beginning
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string name = squeezed(all[i].name);
    const auto [end, at] = std::mismatch(letters.begin(), letters.end(), name.begin(), name.end());
    order.emplace_back(static_cast<long>(spellingDistance(letters, name, kFar)) - (end - letters.begin()), i);
  }
  std::sort(order.begin(), order.end());
  Exports out;
  for (size_t i = 0; i < std::min(most, order.size()); ++i) out.push_back(std::move(all[order[i].second]));
  return out;
}

} // namespace planc::driver
