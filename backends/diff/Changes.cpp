// Compares two results fact by fact and row by row.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/Changes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

namespace planc::diff {

namespace {

using Values = std::map<std::string_view, const Fact*>;

Values valuesOf(const std::vector<Fact>& facts) {
  Values out;
  for (const Fact& fact : facts) out.emplace(fact.path, &fact);
  return out;
}

/// Returns all changed facts, each with whether it is derived.
std::vector<std::pair<FactChange, bool>> allChanges(const std::vector<Fact>& before, const std::vector<Fact>& after) {
  const Values was = valuesOf(before), is = valuesOf(after);
  std::vector<std::pair<FactChange, bool>> out; // second: derived
  for (const Fact& fact : after) {
    const auto found = was.find(fact.path);
    if (found == was.end())
      out.push_back({{fact.path, std::nullopt, fact.value, fact.where}, fact.derived});
    else if (found->second->value != fact.value)
      out.push_back({{fact.path, found->second->value, fact.value, fact.where}, fact.derived});
  }
  for (const Fact& fact : before)
    if (!is.contains(fact.path)) out.push_back({{fact.path, fact.value, std::nullopt, fact.where}, fact.derived});
  return out;
}

/// Returns the outermost of these paths that contains `path`, as `cluster.device` contains `cluster.device.memory`.
/// Returns an empty text if there is none. A statement such as `recompute decoder` contains no path.
std::string_view topAbove(std::string_view path, const std::set<std::string_view>& paths) {
  for (size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1)) {
    const std::string_view head = path.substr(0, dot);
    if (head.find(' ') != std::string_view::npos) return "";
    if (paths.contains(head)) return head;
  }
  return "";
}

/// Returns the account of a stage, or of the critical stage if there is no such stage.
const Account& accountOn(const Result& result, size_t stage, bool comparable) {
  static const Account kNone;
  if (result.stages.empty()) return kNone;
  return result.stages[comparable && stage < result.stages.size() ? stage : result.critical];
}

double stepOf(const Result& result) {
  return result.metric("step_time").value_or(0);
}

void own(Difference& out, Owner owner, const Result& from, const Result& to) {
  OwnedChange change{owner, stepOf(to) - stepOf(from), factChanges(from.facts, to.facts)};
  if (change.stepTime != 0 || !change.facts.empty()) out.owned.push_back(std::move(change));
}

/// Compares assertions by text, so an edited assertion counts as a new one.
std::vector<std::string> newlyFailing(const Result& before, const Result& after) {
  std::set<std::string_view> failed;
  for (const Assertion& line : before.assertions)
    if (!line.ok) failed.insert(line.text);
  std::vector<std::string> out;
  for (const Assertion& line : after.assertions)
    if (!line.ok && !failed.contains(line.text)) out.push_back(line.text);
  return out;
}

/// Returns the arguments of a call such as `gpt.gpt3_175b(layers = 96, attention = flash)`, split at its commas.
/// Returns null if the text is not a call.
std::optional<std::vector<std::string_view>> argumentsIn(std::string_view text) {
  const size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  std::vector<std::string_view> out;
  int depth = 0;
  size_t from = open + 1;
  for (size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == ',' && depth == 0) || i + 1 == text.size()) {
      out.push_back(text.substr(from, i - from));
      from = std::min(text.size(), text.find_first_not_of(' ', i + 1));
    }
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
  }
  return out;
}

/// Returns the change as text. For two calls of the same function with the same arguments, only the changed arguments
/// are listed. Otherwise a common end is written once: `8 → 4 within node`.
std::string changeText(std::string_view before, std::string_view after) {
  const auto a = argumentsIn(before), b = argumentsIn(after);
  const std::string_view head = before.substr(0, before.find('('));
  if (a && b && a->size() == b->size() && head == after.substr(0, after.find('('))) {
    std::string changed;
    for (size_t i = 0; i < a->size(); ++i) {
      if ((*a)[i] == (*b)[i]) continue;
      const size_t name = (*a)[i].find(" = ");
      if (name == std::string_view::npos || !(*b)[i].starts_with((*a)[i].substr(0, name + 3)))
        return fmt::format("{} → {}", before, after);
      changed += fmt::format("{}{} → {}", changed.empty() ? "" : ", ", (*a)[i], (*b)[i].substr(name + 3));
    }
    return fmt::format("{}({})", head, changed);
  }
  size_t same = 0;
  for (size_t n = 1; n <= std::min(before.size(), after.size()); ++n) {
    const char c = before[before.size() - n];
    if (c != after[after.size() - n] || std::string_view("()[]").find(c) != std::string_view::npos) break;
    if (c == ' ') same = n;
  }
  const auto listed = [&](std::string_view text) { return text.substr(0, text.size() - same).ends_with(','); };
  if (listed(before) || listed(after)) same = 0; // the last element of a list means nothing without the others
  return fmt::format("{} → {}", before.substr(0, before.size() - same), after);
}

} // namespace

std::string FactChange::str() const {
  const auto value = [](const std::string& text) { return text.empty() ? "" : " " + text; };
  std::string text = before && after ? fmt::format("{} {}", path, changeText(*before, *after))
                     : after         ? fmt::format("+ {}{}", path, value(*after))
                                     : fmt::format("- {}{}", path, value(*before));
  if (!below.empty()) text += fmt::format(" (and {} fact{} below it)", below.size(), below.size() == 1 ? "" : "s");
  return text;
}

std::vector<FactChange> factChanges(const std::vector<Fact>& before, const std::vector<Fact>& after) {
  std::vector<std::pair<FactChange, bool>> all = allChanges(before, after);
  const bool told = std::any_of(all.begin(), all.end(), [](const auto& c) { return !c.second; });
  std::vector<FactChange> out;
  for (auto& [change, derived] : all)
    if (!told || !derived) out.push_back(std::move(change));
  std::set<std::string_view> paths;
  for (const FactChange& change : out) paths.insert(change.path);
  std::map<std::string_view, std::vector<FactChange>> below;
  std::vector<FactChange> tops;
  for (const FactChange& change : out) {
    const std::string_view top = topAbove(change.path, paths);
    (top.empty() ? tops : below[top]).push_back(change);
  }
  for (FactChange& top : tops)
    if (const auto found = below.find(top.path); found != below.end()) top.below = std::move(found->second);
  return tops;
}

std::string_view name(Owner owner) {
  static constexpr std::array<std::string_view, 4> kNames = {"planc", "libraries", "plan", "together"};
  return kNames[static_cast<size_t>(owner)];
}

bool Difference::any() const {
  return before->metrics != after->metrics || !owned.empty() || !failing.empty() ||
         std::any_of(parts.parts.begin(), parts.parts.end(), [](const Part& p) { return p.difference() != 0; });
}

std::optional<double> Difference::relative(std::string_view metric) const {
  const auto a = before->metric(metric), b = after->metric(metric);
  if (!a || !b || *a == 0) return std::nullopt;
  return *b / *a - 1;
}

Difference difference(const Result& before, const Result& after, const Origin& origin) {
  Difference out{&before, &after, {}, {}, {}, newlyFailing(before, after)};
  const bool comparable = before.stages.size() == after.stages.size();
  out.parts = attribute(accountOn(before, after.critical, comparable), accountOn(after, after.critical, true));
  const int owners = origin.planc + origin.libraries + origin.plan;
  if (owners == 1) {
    own(out, origin.planc ? Owner::Planc : origin.libraries ? Owner::Libraries : Owner::Plan, before, after);
  } else if (!origin.planc && origin.between) {
    own(out, Owner::Libraries, before, *origin.between);
    own(out, Owner::Plan, *origin.between, after);
  } else if (owners > 1) {
    own(out, Owner::Together, before, after);
    out.unsplit = origin.unsplit;
  } else {
    own(out, Owner::Plan, before, after); // both texts are equal; arguments or overrides differ
  }
  return out;
}

} // namespace planc::diff
