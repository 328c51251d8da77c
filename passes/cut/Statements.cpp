// The texts of statements, and the instances that their selectors name.
// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/Statements.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace planc::passes {
using namespace ir;

namespace {

std::string targetsText(const std::vector<Symbol>& targets) {
  std::string text;
  for (Symbol target : targets) text += " " + target.str();
  return text;
}

} // namespace

// Every member is bound by name, so a new member does not compile until it is added here or left out on purpose.
// `optional` does not change what a rule does where it reaches something.

std::string saying(const PlacementRule& rule) {
  const auto& [selector, dim, targets, ring, uneven, contiguous, optional, range, dimRange, targetRange] = rule;
  return fmt::format("place {} ->{} {:d}{:d}{:d}", dim.view(), targetsText(targets), ring, uneven, contiguous);
}

std::string saying(const StateRule& rule) {
  const auto& [selector, state, targets, range, regather, host, optional] = rule;
  return fmt::format("store {} ->{} {:d}{:d}", name(state), targetsText(targets), regather, host);
}

std::string saying(const Recompute& statement) {
  const auto& [selectors, saves, outputs, first, range, firstRange, outputsRange] = statement;
  std::string text = fmt::format("recompute {:d} {}", outputs, first.value_or(-1));
  for (const Selector& saved : saves) text += " " + saved.str();
  return text;
}

std::string saying(const Keep& statement) {
  const auto& [selector, gathered, host] = statement;
  return fmt::format("keep {:d}{:d}", gathered, host);
}

bool differInInstances(const Selector& a, const Selector& b) {
  if (a.steps.size() != b.steps.size()) return false;
  return a.steps.empty() || ((a.steps[0].star || b.steps[0].star || a.steps[0].name == b.steps[0].name) &&
                             std::equal(a.steps.begin() + 1, a.steps.end(), b.steps.begin() + 1));
}

RangeSet namedBy(const Selector& selector, const Layer& layer, const RangeSet& instances) {
  if (selector.steps.empty() || !selector.steps[0].slice || layer.isPart()) return instances;
  RangeSet both;
  for (const Range& r : instances.ranges)
    for (const Range& s : selector.steps[0].slice->ranges)
      if (const auto first = r.firstCommon(s))
        both.ranges.push_back({*first, std::min(r.end, s.end), std::lcm(r.step, s.step)});
  return both;
}

} // namespace planc::passes
