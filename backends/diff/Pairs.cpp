// Pairs by keys, from the strictest one on; a key pairs only what it names once on either side.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/Pairs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

namespace planc::diff {

namespace {

/// What two plans have in common if they are one; empty: nothing tells.
using Key = std::string (*)(const Candidate&);

std::string factsText(const Result& result) {
  std::string text;
  for (const Fact& fact : result.facts) text += fact.path + '\1' + fact.value + '\2';
  return text;
}

constexpr Key kKeys[] = {
    [](const Candidate& c) { return c.file + '#' + c.result->name(); },
    [](const Candidate& c) { return c.file + '#' + c.result->plan; },
    [](const Candidate& c) { return c.file + '#' + factsText(*c.result); },
    [](const Candidate& c) { return c.result->name() + '#' + factsText(*c.result); },
    [](const Candidate& c) { return factsText(*c.result); },
    [](const Candidate& c) { return c.result->name(); },
    [](const Candidate& c) { return c.file; },
};

/// Candidates by key; a key of several of one side stands for none.
std::map<std::string, std::optional<size_t>> byKey(const std::vector<Candidate>& side, const std::vector<bool>& taken,
                                                   Key key) {
  std::map<std::string, std::optional<size_t>> out;
  for (size_t i = 0; i < side.size(); ++i) {
    if (taken[i]) continue;
    const auto [at, fresh] = out.try_emplace(key(side[i]), i);
    if (!fresh) at->second = std::nullopt;
  }
  return out;
}

} // namespace

Pairs pair(const std::vector<Candidate>& before, const std::vector<Candidate>& after) {
  Pairs out;
  if (before.size() == 1 && after.size() == 1) return {{{0, 0}}, {}, {}};
  std::vector<bool> left(before.size()), right(after.size());
  for (const Key key : kKeys) {
    const auto was = byKey(before, left, key), is = byKey(after, right, key);
    for (const auto& [text, b] : is) {
      const auto a = was.find(text);
      if (!b || a == was.end() || !a->second) continue;
      out.both.emplace_back(*a->second, *b);
      left[*a->second] = right[*b] = true;
    }
  }
  std::sort(out.both.begin(), out.both.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
  for (size_t i = 0; i < before.size(); ++i)
    if (!left[i]) out.gone.push_back(i);
  for (size_t i = 0; i < after.size(); ++i)
    if (!right[i]) out.fresh.push_back(i);
  return out;
}

} // namespace planc::diff
