// Finds the period of an order of actions.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/SteadyState.h"

#include <algorithm>
#include <numeric>

namespace planc::cost {

namespace {

using ir::Action;

/// A period pays if it fits this often.
constexpr size_t kLeastPeriods = 16;
/// Candidates that are tried for the period of one stage.
constexpr int kTries = 64;

bool alike(const Action& a, const Action& b, int64_t shift) {
  return a.kind == b.kind && a.paired == b.paired && a.virtualStage == b.virtualStage &&
         static_cast<int64_t>(a.microBatch) + shift == static_cast<int64_t>(b.microBatch);
}

struct Period {
  size_t length = 0;
  int64_t microBatches = 0;
};

/// The shortest period in the middle of an order.
std::optional<Period> periodOf(const std::vector<Action>& order) {
  const size_t middle = order.size() / 2;
  int tries = 0;
  for (size_t length = 1; length <= order.size() / kLeastPeriods && tries < kTries; ++length) {
    const Action &first = order[middle], &other = order[middle + length];
    const int64_t shift = static_cast<int64_t>(other.microBatch) - static_cast<int64_t>(first.microBatch);
    if (shift <= 0 || !alike(first, other, shift)) continue;
    ++tries;
    bool same = true;
    for (size_t i = middle; same && i < middle + length; ++i) same = alike(order[i], order[i + length], shift);
    if (same) return Period{length, shift};
  }
  return std::nullopt;
}

} // namespace

std::optional<SteadyOrders> findSteadyOrders(const ir::ActionLists& orders) {
  std::vector<Period> periods;
  int64_t common = 1;
  for (const auto& order : orders) {
    const auto period = periodOf(order);
    if (!period) return std::nullopt;
    periods.push_back(*period);
    common = std::lcm(common, period->microBatches);
    if (common > static_cast<int64_t>(order.size())) return std::nullopt;
  }
  SteadyOrders steady;
  steady.microBatches = common;
  for (size_t s = 0; s < orders.size(); ++s) {
    const auto& order = orders[s];
    Stretch stretch;
    stretch.length = periods[s].length * static_cast<size_t>(common / periods[s].microBatches);
    if (stretch.length * kLeastPeriods > order.size()) return std::nullopt;
    stretch.begin = order.size() / 2;
    while (stretch.begin > 0 && alike(order[stretch.begin - 1], order[stretch.begin - 1 + stretch.length], common))
      --stretch.begin;
    stretch.end = order.size() / 2 + stretch.length;
    while (stretch.end < order.size() && alike(order[stretch.end - stretch.length], order[stretch.end], common))
      ++stretch.end;
    steady.stages.push_back(stretch);
  }
  return steady;
}

} // namespace planc::cost
