// Finds what the orders of all stages repeat at the same time.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/SteadyState.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace planc::cost {

namespace {

using ir::Action;
using ir::Repeat;

/// A leap pays if the common period fits this often.
constexpr int64_t kLeastPeriods = 4;

/// A phase or a block that repeats.
struct Repeated {
  const Repeat *phase = nullptr, *block = nullptr; ///< one of both, the other is null
  size_t begin = 0, length = 0;                    ///< its place in the order, and its actions each time
  int64_t times() const { return of().times; }
  const Repeat& of() const { return block ? *block : *phase; }
  size_t all() const { return length * static_cast<size_t>(times()); }
};

/// Adds phases that repeat, and blocks that repeat in other phases.
void addRepeated(const ir::Order& order, std::vector<Repeated>& to) {
  size_t at = 0;
  for (const Repeat& phase : order.phases()) {
    size_t length = 0;
    for (const Repeat& block : order.blocks(phase)) {
      const size_t each = block.end - block.begin;
      if (phase.times == 1 && block.times > 1 && block.step > 0) to.push_back({nullptr, &block, at + length, each});
      length += each * static_cast<size_t>(block.times);
    }
    if (phase.times > 1 && phase.step > 0) to.push_back({&phase, nullptr, at, length});
    at += length * static_cast<size_t>(phase.times);
  }
}

const Repeated& longest(const std::vector<Repeated>& all) {
  return *std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.all() < b.all(); });
}

/// Phases and blocks that repeat often enough and take a good part of the order.
std::vector<Repeated> longOnes(const ir::Order& order) {
  std::vector<Repeated> all;
  addRepeated(order, all);
  if (all.empty()) return all;
  const size_t most = longest(all).all();
  std::erase_if(all, [&](const Repeated& r) { return r.all() * 2 < most; });
  if (longest(all).times() < kLeastPeriods) all.clear();
  return all;
}

Stretch stretchOf(const ir::Order& order, const Repeated& r, int64_t microBatches) {
  Stretch s;
  s.times = microBatches / r.of().step;
  s.begin = r.begin, s.end = r.begin + r.all();
  s.length = r.length * static_cast<size_t>(s.times);
  s.ofPhase = r.phase != nullptr;
  const auto write = [&](const Repeat& block, int64_t times) {
    for (const Action& a : order.actions(block)) s.written.push_back(a), s.counts.push_back(times * s.times);
  };
  if (r.block)
    write(*r.block, 1);
  else
    for (const Repeat& block : order.blocks(*r.phase)) write(block, block.times);
  return s;
}

/// Checks that every sequence of passes of a virtual stage and route (forward, backward, gradients of weights) takes
/// one micro-batch after the other, and that what repeats stays on its route.
class InTurn {
public:
  InTurn(size_t virtualStages, int64_t routes, int64_t perRoute) : routes_(routes), perRoute_(perRoute) {
    for (size_t i = 0; i < virtualStages * static_cast<size_t>(routes); ++i)
      next_.insert(next_.end(), 3, static_cast<int64_t>(i) % routes * perRoute);
    inBlock_.resize(next_.size()), inPhase_.resize(next_.size());
  }

  bool holds(const ir::Order& order) {
    for (const Repeat& phase : order.phases()) {
      for (const Repeat& block : order.blocks(phase))
        if (!takes(order.actions(block), block.times, block.step)) return false;
      if (!again(order, phase)) return false;
    }
    return true;
  }

private:
  /// The sequences that an action belongs to: a whole backward pass to two.
  template <class Each> void sequences(const Action& a, Each each) const {
    const int64_t route = routes_ == 1 ? 0 : a.microBatch / perRoute_;
    const size_t first = static_cast<size_t>(a.virtualStage * routes_ + std::min(route, routes_ - 1)) * 3;
    if (a.kind == ir::ActionKind::Forward) each(first);
    if (a.kind == ir::ActionKind::Backward || a.kind == ir::ActionKind::BackwardInput) each(first + 1);
    if (a.kind == ir::ActionKind::Backward || a.kind == ir::ActionKind::BackwardWeight) each(first + 2);
  }
  bool sameRoute(int64_t from, int64_t to) const { return routes_ == 1 || from / perRoute_ == to / perRoute_; }

  bool takes(std::span<const Action> actions, int64_t times, int64_t step) {
    bool good = true;
    for (const Action& a : actions) {
      good = good && sameRoute(a.microBatch, a.microBatch + (times - 1) * step);
      sequences(a, [&](size_t i) { good = good && next_[i]++ == a.microBatch, ++inBlock_[i]; });
    }
    for (const Action& a : actions)
      sequences(a, [&](size_t i) {
        const int64_t each = std::exchange(inBlock_[i], 0);
        if (each == 0) return; // seen before
        good = good && (times == 1 || each == step);
        next_[i] += each * (times - 1);
        inPhase_[i] += each * times;
      });
    return good;
  }

  bool again(const ir::Order& order, const Repeat& phase) {
    bool good = true;
    for (const Repeat& block : order.blocks(phase))
      for (const Action& a : order.actions(block)) {
        const int64_t last = a.microBatch + (block.times - 1) * block.step + (phase.times - 1) * phase.step;
        good = good && sameRoute(a.microBatch, last);
        sequences(a, [&](size_t i) {
          const int64_t each = std::exchange(inPhase_[i], 0);
          if (each == 0) return;
          good = good && (phase.times == 1 || each == phase.step);
          next_[i] += each * (phase.times - 1);
        });
      }
    return good;
  }

  int64_t routes_, perRoute_;
  std::vector<int64_t> next_, inBlock_, inPhase_; ///< by sequence: micro-batch; passes so far
};

/// One stretch of every stage, if they have a common period that pays.
std::optional<SteadyOrders> together(const ir::Orders& orders, const std::vector<Repeated>& stretches) {
  SteadyOrders steady;
  for (const Repeated& r : stretches) steady.microBatches = std::lcm(steady.microBatches, r.of().step);
  for (size_t s = 0; s < stretches.size(); ++s) {
    const Repeated& r = stretches[s];
    if (r.times() / (steady.microBatches / r.of().step) < kLeastPeriods) return std::nullopt;
    steady.stages.push_back(stretchOf(orders[s], r, steady.microBatches));
  }
  return steady;
}

} // namespace

std::vector<SteadyOrders> findSteadyOrders(const ir::Orders& orders, size_t virtualStages, int64_t routes,
                                           int64_t perRoute) {
  std::vector<SteadyOrders> found;
  std::vector<std::vector<Repeated>> all;
  bool equal = true;
  for (const ir::Order& order : orders) {
    const auto& mine = all.emplace_back(longOnes(order));
    if (mine.empty()) return found;
    equal = equal && mine.size() == all.front().size();
  }
  InTurn inTurn(virtualStages, routes, perRoute);
  for (const ir::Order& order : orders)
    if (!inTurn.holds(order)) return found;
  std::vector<Repeated> one(all.size());
  for (size_t i = 0; i < (equal ? all.front().size() : 1); ++i) {
    for (size_t s = 0; s < all.size(); ++s) one[s] = equal ? all[s][i] : longest(all[s]);
    if (auto steady = together(orders, one)) found.push_back(std::move(*steady));
  }
  return found;
}

} // namespace planc::cost
