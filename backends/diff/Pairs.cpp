// Pairs plans by keys, from the strictest to the loosest. A key pairs plans only if it is unique on both sides.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/Pairs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace planc::diff {

namespace {

/// The text that two plans have in common if they are a pair.
using Key = std::string (*)(const Candidate&);

std::string factsText(const Result& result) {
  std::string text;
  for (const Fact& fact : result.facts) text += fact.path + '\1' + fact.value + '\2';
  return text;
}

constexpr Key kKeys[] = {
    [](const Candidate& c) { return c.file + '#' + c.result->name(); },
    [](const Candidate& c) { return c.result->id(); }, // a result names files as the user wrote them
    [](const Candidate& c) { return c.file + '#' + c.result->plan; },
    [](const Candidate& c) { return c.file + '#' + factsText(*c.result); },
    [](const Candidate& c) { return c.result->name() + '#' + factsText(*c.result); },
    [](const Candidate& c) { return factsText(*c.result); },
    [](const Candidate& c) { return c.result->name(); },
    [](const Candidate& c) { return c.file; },
};

/// Least share of common facts, the share of lines with which git detects a renamed file.
constexpr double kAlike = 0.5;
/// With more comparisons than this, nobody could see the relation either.
constexpr size_t kMostCompared = 250'000;

/// Returns the facts that a plan's own file states. Imported facts are left out, because plans with one cluster are not
/// alike for that.
std::set<std::string> ownFacts(const Result& result) {
  std::set<std::string> out;
  for (const Fact& fact : result.facts)
    if (!fact.derived && fact.where.starts_with(result.file + ":")) out.insert(fact.path + '\1' + fact.value);
  return out;
}

/// Returns the share of facts that both have in common.
double likeness(const std::set<std::string>& a, const std::set<std::string>& b) {
  size_t common = 0;
  for (const std::string& fact : a) common += b.contains(fact);
  const size_t all = a.size() + b.size() - common;
  return all ? static_cast<double>(common) / static_cast<double>(all) : 0;
}

/// Pairs the remaining plans, the most alike first: plans that were renamed and changed at once.
void pairAlike(const std::vector<Candidate>& before, const std::vector<Candidate>& after, std::vector<bool>& left,
               std::vector<bool>& right, Pairs& out) {
  const auto free = [](const std::vector<Candidate>& side, const std::vector<bool>& taken) {
    std::vector<std::pair<size_t, std::set<std::string>>> facts;
    for (size_t i = 0; i < side.size(); ++i)
      if (!taken[i]) facts.emplace_back(i, ownFacts(*side[i].result));
    return facts;
  };
  const auto was = free(before, left), is = free(after, right);
  if (was.size() * is.size() > kMostCompared) return;
  std::vector<std::tuple<double, size_t, size_t>> alike; // holds the negative likeness, so that ties keep their order
  for (const auto& [a, x] : was)
    for (const auto& [b, y] : is)
      if (const double share = likeness(x, y); share >= kAlike) alike.emplace_back(-share, a, b);
  std::sort(alike.begin(), alike.end());
  for (const auto& [share, a, b] : alike) {
    if (left[a] || right[b]) continue;
    left[a] = right[b] = true;
    out.both.emplace_back(a, b);
  }
}

/// Returns the candidates by key; null for a key that several candidates of one side have.
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
  pairAlike(before, after, left, right, out);
  std::sort(out.both.begin(), out.both.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
  for (size_t i = 0; i < before.size(); ++i)
    if (!left[i]) out.gone.push_back(i);
  for (size_t i = 0; i < after.size(); ++i)
    if (!right[i]) out.fresh.push_back(i);
  return out;
}

} // namespace planc::diff
