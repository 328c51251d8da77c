// Finds the turn in which the actions of all stages can run.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/PipelineShape.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace planc::cost {
using ir::Action;
using ir::ActionKind;

namespace {

/// So many are written out.
constexpr size_t kMostSteps = 1 << 16;

/// Lets every stage that finds what it receives run one action, again and again: neighbours in the turn do not wait for
/// each other.
class TapeWriter {
public:
  TapeWriter(const ir::Orders& orders, size_t virtualStages, size_t routes, int64_t perRoute)
      : last_(virtualStages - 1), routes_(routes), perRoute_(perRoute) {
    const size_t slots = virtualStages * routes;
    tape_.passes.resize(2 * slots);
    filled_.resize(static_cast<size_t>(Tape::kConstants) + 2 * slots * static_cast<size_t>(perRoute + 1));
    filled_[Tape::kAtOnce] = true;
    left_.assign(slots, perRoute);
    for (const ir::Order& order : orders) {
      at_.push_back(order.begin());
      sizes_.push_back(order.size()), all_ += order.size();
      wanted_.push_back(order.size() > 0 ? received(*order.begin()) : 0);
    }
    next_.resize(at_.size()), limits_.resize(at_.size());
  }

  Tape write(const std::vector<SteadyOrders>& steady) {
    tape_.steps.reserve(all_);
    for (const SteadyOrders& orders : steady) {
      tape_.firstMarks.push_back(tape_.marks.size());
      for (int64_t period = 0; limit(orders, period); ++period) {
        settle();
        tape_.marks.push_back({tape_.steps.size(), next_, at_, left_, tape_.passes});
      }
    }
    limits_ = sizes_;
    settle();
    if (tape_.steps.size() != all_) throw std::logic_error("cost: the stages of the schedule wait for each other");
    return std::move(tape_);
  }

private:
  /// False where the period is the last one.
  bool limit(const SteadyOrders& orders, int64_t period) {
    for (size_t s = 0; s < limits_.size(); ++s) {
      const Stretch& stretch = orders.stages[s];
      limits_[s] = stretch.begin + static_cast<size_t>(period) * stretch.length;
      if (limits_[s] + stretch.length > stretch.end) return false;
    }
    return true;
  }
  void settle() {
    for (bool any = true; any;) {
      any = false;
      for (uint32_t s = 0; s < at_.size(); ++s)
        if (next_[s] < limits_[s] && filled_[wanted_[s]]) {
          run(s, *at_[s]);
          ++at_[s], ++next_[s], any = true;
          if (next_[s] < sizes_[s]) wanted_[s] = received(*at_[s]);
        }
    }
  }
  int64_t routeOf(int64_t microBatch) const { return routes_ == 1 ? 0 : microBatch / perRoute_; }
  uint32_t cell(size_t virtualStage, bool backward, int64_t microBatch) const {
    const int64_t route = routeOf(microBatch);
    const size_t row = 2 * (virtualStage * routes_ + static_cast<size_t>(route)) + (backward ? 1 : 0);
    return static_cast<uint32_t>(static_cast<size_t>(Tape::kConstants) + row * static_cast<size_t>(perRoute_ + 1) +
                                 static_cast<size_t>(microBatch - route * perRoute_));
  }
  uint32_t received(const Action& a) const {
    const size_t vs = a.virtualStage;
    switch (a.kind) {
    case ActionKind::Forward:
      return vs == 0 ? static_cast<uint32_t>(Tape::kAtOnce) : cell(vs - 1, false, a.microBatch);
    case ActionKind::Backward:
    case ActionKind::BackwardInput:
      return vs == last_ ? cell(vs, false, a.microBatch) : cell(vs + 1, true, a.microBatch);
    case ActionKind::BackwardWeight:
      break;
    }
    return cell(vs, true, a.microBatch);
  }

  void run(uint32_t s, const Action& a) {
    const uint32_t in = wanted_[s];
    const auto slot = static_cast<uint32_t>(a.virtualStage * routes_ + static_cast<size_t>(routeOf(a.microBatch)));
    const auto step = static_cast<uint32_t>(tape_.steps.size());
    const bool forward = a.kind == ActionKind::Forward, weight = a.kind == ActionKind::BackwardWeight;
    const uint32_t out = weight ? static_cast<uint32_t>(Tape::kNobody) : cell(a.virtualStage, !forward, a.microBatch);
    tape_.steps.push_back(
        {in, out, slot * static_cast<uint32_t>(PipelineShape::kKinds) + static_cast<uint32_t>(a.kind), s});
    if (!weight) filled_[out] = true, ++tape_.passes[2 * slot + (forward ? 0 : 1)];
    if (forward && a.microBatch == routeOf(a.microBatch) * perRoute_) tape_.edges.push_back({step, slot, true});
    if ((weight || a.kind == ActionKind::Backward) && --left_[slot] == 0) tape_.edges.push_back({step, slot, false});
  }

  size_t last_, routes_;
  int64_t perRoute_;
  size_t all_ = 0;
  std::vector<ir::OrderCursor> at_; ///< by stage, as the lists behind it
  std::vector<size_t> next_, limits_, sizes_;
  std::vector<uint32_t> wanted_; ///< the cell that the next action reads
  std::vector<char> filled_;     ///< by cell
  std::vector<int64_t> left_;    ///< by slot: passes that complete gradients
  Tape tape_;
};

} // namespace

PipelineShape::PipelineShape(const PipelineInput& in)
    : orders_(in.actions), devices_(in.devices), microBatches_(in.microBatches), routes_(in.devices.routes()),
      perRoute_(std::max<int64_t>(1, in.microBatches / static_cast<int64_t>(routes_))) {
  hold(in);
  const std::span<const Action> written = orders_.written();
  pairs_ = std::any_of(written.begin(), written.end(), [](const Action& a) { return a.paired; });
  steady_ = findSteadyOrders(orders_, devices_.size(), static_cast<int64_t>(routes_), perRoute_);
}

void PipelineShape::writeTape() {
  if (std::exchange(written_, true)) return;
  size_t steps = 0;
  for (const ir::Order& order : orders_) steps += order.size();
  const bool even = microBatches_ == perRoute_ * static_cast<int64_t>(routes_);
  if (!pairs_ && even && steps <= kMostSteps)
    tape_ = TapeWriter(orders_, devices_.size(), routes_, perRoute_).write(steady_);
}

void PipelineShape::hold(const PipelineInput& in) {
  heldFrom_.resize(in.actions.size() + 1);
  heldSlots_.resize(devices_.size() * routes_), holdOf_.resize(devices_.size() * routes_);
  for (const int64_t device : devices_.all()) ++heldFrom_[static_cast<size_t>(device) + 1];
  std::partial_sum(heldFrom_.begin(), heldFrom_.end(), heldFrom_.begin());
  std::vector<size_t> next(heldFrom_.begin(), heldFrom_.end() - 1);
  for (size_t r = 0; r < routes_; ++r)
    for (size_t vs = 0; vs < devices_.size(); ++vs) {
      const auto device = static_cast<size_t>(devices_[vs][r]);
      const size_t slot = vs * routes_ + r;
      holdOf_[slot] = static_cast<uint32_t>(next[device] - heldFrom_[device]);
      heldSlots_[next[device]++] = static_cast<uint32_t>(slot);
    }
}

bool PipelineShape::fits(const PipelineInput& in) const {
  return in.microBatches == microBatches_ && in.devices == devices_ && in.actions == orders_;
}

} // namespace planc::cost
