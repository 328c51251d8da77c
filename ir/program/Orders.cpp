// Builds orders, and finds the period of a list of actions.
// SPDX-License-Identifier: Apache-2.0
#include "ir/program/Orders.h"

#include <algorithm>
#include <optional>

namespace planc::ir {

namespace {

/// Number of periods to try for one list.
constexpr int kTriedPeriods = 64;

/// A periodic stretch: in [begin, end) of a list the action at i + length is the action at i, `step` micro-batches
/// later.
struct Periodic {
  size_t begin = 0, end = 0, length = 0;
  int64_t step = 0;
};

bool later(const Action& a, const Action& b, int64_t step) {
  return a.kind == b.kind && a.paired == b.paired && a.virtualStage == b.virtualStage &&
         static_cast<int64_t>(a.microBatch) + step == static_cast<int64_t>(b.microBatch);
}

/// The longest periodic stretch around an action; the shortest period wins ties.
std::optional<Periodic> periodAt(const std::vector<Action>& list, size_t middle) {
  std::optional<Periodic> longest;
  int tries = 0;
  for (size_t length = 1; middle + length < list.size() && tries < kTriedPeriods; ++length) {
    const int64_t step =
        static_cast<int64_t>(list[middle + length].microBatch) - static_cast<int64_t>(list[middle].microBatch);
    if (step <= 0 || !later(list[middle], list[middle + length], step)) continue;
    ++tries;
    const auto same = [&](size_t i) { return later(list[i], list[i + length], step); };
    Periodic found{middle, middle, length, step};
    while (found.end + length < list.size() && same(found.end)) ++found.end;
    found.end += length;
    while (found.begin > 0 && same(found.begin - 1)) --found.begin;
    if (!longest || found.end - found.begin > longest->end - longest->begin) longest = found;
    if (2 * (found.end - found.begin) > list.size()) break;
  }
  return longest;
}

/// The index where the folding of a stretch begins, such that no pair is cut, there or at the repetitions.
size_t beginOf(const Periodic& found, const std::vector<Action>& list) {
  const size_t at = found.begin;
  return (at > 0 && list[at - 1].paired) || list[at + found.length - 1].paired ? at + 1 : at;
}

} // namespace

Orders::Orders(const ActionLists& lists) {
  for (const std::vector<Action>& list : lists) {
    addStage();
    const std::span<const Action> all(list);
    const auto found = periodAt(list, list.size() / 2);
    const size_t begin = found ? beginOf(*found, list) : 0;
    const size_t times = found ? (std::max(begin, found->end) - begin) / found->length : 0;
    if (times < 3) {
      add(all);
      continue;
    }
    add(all.first(begin));
    add(all.subspan(begin, found->length), static_cast<int64_t>(times), found->step);
    add(all.subspan(begin + times * found->length));
  }
}

void Orders::addStage() {
  open_ = false;
  phaseEnds_.push_back(static_cast<uint32_t>(phases_.size()));
  sizes_.push_back(0);
}

void Orders::openPhase(int64_t times, int64_t step) {
  const auto begin = static_cast<uint32_t>(blocks_.size());
  phases_.push_back({begin, begin, times, step});
  phaseEnds_.back() = static_cast<uint32_t>(phases_.size());
  open_ = true;
}

void Orders::closePhase() {
  open_ = false;
  if (phases_.back().begin != phases_.back().end) return;
  phases_.pop_back();
  phaseEnds_.back() = static_cast<uint32_t>(phases_.size());
}

void Orders::add(std::span<const Action> actions, int64_t times, int64_t step) {
  if (times < 1 || actions.empty()) return;
  if (!open_) openPhase(1, 0);
  const auto begin = static_cast<uint32_t>(actions_.size());
  actions_.insert(actions_.end(), actions.begin(), actions.end());
  blocks_.push_back({begin, static_cast<uint32_t>(actions_.size()), times, step});
  Repeat& phase = phases_.back();
  phase.end = static_cast<uint32_t>(blocks_.size());
  sizes_.back() += actions.size() * static_cast<size_t>(times * phase.times);
}

std::vector<Action> Order::list() const {
  std::vector<Action> all;
  all.reserve(size_);
  for (const Action& a : *this) all.push_back(a);
  return all;
}

ActionLists Orders::lists() const {
  ActionLists all;
  for (const Order& order : *this) all.push_back(order.list());
  return all;
}

Orders Orders::forwardOnly() const {
  Orders forward;
  std::vector<Action> kept;
  for (const Order& order : *this) {
    forward.addStage();
    for (const Repeat& phase : order.phases())
      forward.repeat(phase.times, phase.step, [&] {
        for (const Repeat& block : order.blocks(phase)) {
          kept.clear();
          for (Action a : order.actions(block))
            if (a.kind == ActionKind::Forward) a.paired = false, kept.push_back(a);
          forward.add(kept, block.times, block.step);
        }
      });
  }
  return forward;
}

} // namespace planc::ir
