// Schedules in which a device holds a virtual stage and its mirror: ZB-V, DualPipe, DualPipeV.
// SPDX-License-Identifier: Apache-2.0
#include "passes/schedules/Schedules.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

namespace planc::passes::schedules {
using namespace ir;

int64_t foldedDevice(const ScheduleShape& shape, int64_t, int64_t virtualStage) {
  return std::min(virtualStage, 2 * shape.stages - 1 - virtualStage);
}
int64_t mirroredDevice(const ScheduleShape& shape, int64_t route, int64_t virtualStage) {
  return route == 0 ? virtualStage : shape.stages - 1 - virtualStage;
}

namespace {

/// The next action of a device on one of its two lanes. Micro-batches reach this device early on lane 0 and late on
/// lane 1.
struct FoldedStep {
  ActionKind kind = ActionKind::Forward;
  int lane = 0;
  bool paired = false;
};
constexpr ActionKind kF = ActionKind::Forward, kB = ActionKind::Backward, kI = ActionKind::BackwardInput,
                     kW = ActionKind::BackwardWeight;
constexpr FoldedStep forward(int lane) {
  return {kF, lane};
}
constexpr FoldedStep backward(int lane) {
  return {kB, lane};
}
/// Computes the gradient of the input. The gradient of the weights is computed later.
constexpr FoldedStep input(int lane) {
  return {kI, lane};
}
/// Computes the oldest waiting gradient of the weights on the lane.
constexpr FoldedStep weight(int lane) {
  return {kW, lane};
}
/// Marks a step that runs together with the next one.
constexpr FoldedStep beside(FoldedStep step) {
  step.paired = true;
  return step;
}

/// Writes the order of one device with two lanes. Each lane takes its micro-batches in order.
class Writer {
public:
  struct FoldedLane {
    int64_t virtualStage = 0, firstMicroBatch = 0;
  };
  Writer(Orders& orders, FoldedLane early, FoldedLane late) : orders_(orders), lanes_{early, late} {}

  /// Repeats the steps. Each kind may occur at most once per lane in `steps`.
  void repeat(int64_t times, std::initializer_list<FoldedStep> steps) {
    if (times < 1) return;
    std::array<Action, 8> actions;
    size_t n = 0;
    for (const FoldedStep& step : steps) actions[n++] = action(step, times);
    orders_.add(std::span(actions).first(n), times);
  }
  void once(std::initializer_list<FoldedStep> steps) { repeat(1, steps); }

private:
  Action action(const FoldedStep& step, int64_t times) {
    const auto lane = static_cast<size_t>(step.lane);
    int64_t& next = (step.kind == kF ? forwards_ : step.kind == kW ? weights_ : inputs_)[lane];
    // Whole and split backward passes count as one sequence. No gradient of weights waits after a whole one.
    const Action a = act(step.kind, lanes_[lane].virtualStage, lanes_[lane].firstMicroBatch + next, step.paired);
    next += times;
    if (step.kind == kB) weights_[lane] += times;
    return a;
  }

  Orders& orders_;
  std::array<FoldedLane, 2> lanes_;
  std::array<int64_t, 2> forwards_{}, inputs_{}, weights_{};
};

/// ZB-V of device i (arXiv 2401.10241, section 6): F0 until the fold answers, then F0 B0 W0 F1 B1 W1 in turn, for at
/// least 2p - 1 micro-batches.
void zeroBubbleV(Orders& orders, int64_t p, int64_t i, int64_t m) {
  Writer w(orders, {i, 0}, {2 * p - 1 - i, 0});
  w.repeat(2 * (p - i) - 1, {forward(0)});
  w.repeat(i, {forward(1), forward(0)});
  w.repeat(p - i, {forward(1), input(1), weight(1)});
  w.repeat(m - (2 * p - 1 - i), {forward(0), input(0), weight(0), forward(1), input(1), weight(1)});
  w.repeat(p - 1 - i, {input(0), weight(0), forward(1), input(1), weight(1)});
  w.repeat(i, {input(0), input(1)});
  w.repeat(p - i, {input(0), weight(0)});
  w.repeat(i, {weight(1)});
  w.repeat(i, {weight(0)});
}

/// The eight steps of DualPipe (arXiv 2412.19437, section 3.2.1; github.com/deepseek-ai/DualPipe) for one of the
/// `ranks` devices in a half of the pipeline. Each lane has `m` micro-batches. DualPipeV is one half, folded at its
/// end.
void dual(Writer w, int64_t ranks, int64_t rank, int64_t m) {
  const int64_t inner = ranks - rank - 1, both = m - 2 * ranks + rank + 1;
  w.repeat(2 * inner, {forward(0)});
  w.repeat(rank + 1, {forward(0), forward(1)});
  w.repeat(inner, {input(1), weight(1), forward(1)});
  if (inner == 0 && both > 0) // the innermost rank does not pair the first two, because its neighbour waits for them
    w.once({forward(0), backward(1), beside(forward(1)), backward(0)});
  w.repeat(inner == 0 ? both - 1 : both, {beside(forward(0)), backward(1), beside(forward(1)), backward(0)});
  w.repeat(inner, {backward(1), beside(forward(1)), backward(0)});
  // rank + 1 rounds of backward on both lanes. The second half of them leaves the gradients of weights for later.
  const int64_t whole = (rank + 1) / 2, mixed = (rank + 1) % 2, halves = rank + 1 - whole - mixed;
  w.repeat(whole, {backward(1), backward(0)});
  w.repeat(mixed, {backward(1), input(0)});
  w.repeat(halves, {input(1), input(0)});
  // Gradients of weights run in the order of the inputs' gradients: first the waiting ones, then one of lane 0 each.
  int64_t waiting = mixed + 2 * halves;
  int lane = mixed > 0 ? 0 : 1;
  const auto oldest = [&] {
    const FoldedStep step = weight(waiting > 0 ? lane : 0);
    if (waiting-- > 0) lane = 1 - lane;
    return step;
  };
  for (int64_t k = 0; k < inner; ++k) {
    const FoldedStep first = oldest();
    w.once({first, input(0)});
  }
  for (int64_t k = 0; k <= rank; ++k) w.once({oldest()});
}

} // namespace

/// With fewer micro-batches than the pattern needs, the actions of the missing ones are left out.
Orders zeroBubbleV(const ScheduleShape& shape) {
  const int64_t p = shape.stages, m = shape.microBatches;
  const Orders orders =
      eachStage(shape, [&](Orders& all, int64_t i) { zeroBubbleV(all, p, i, std::max(m, 2 * p - 1)); });
  if (m >= 2 * p - 1) return orders;
  ActionLists lists = orders.lists();
  for (std::vector<Action>& list : lists) std::erase_if(list, [&](const Action& a) { return a.microBatch >= m; });
  return lists;
}

Orders dualPipeV(const ScheduleShape& shape) {
  const int64_t p = shape.stages;
  return eachStage(shape, [&](Orders& orders, int64_t i) {
    dual(Writer(orders, {i, 0}, {2 * p - 1 - i, 0}), p, i, shape.microBatches);
  });
}

/// The two halves of the pipeline mirror each other. The early lane of a device is the route that begins at its end.
Orders dualPipe(const ScheduleShape& shape) {
  const int64_t p = shape.stages, m = shape.microBatches / 2;
  return eachStage(shape, [&](Orders& orders, int64_t i) {
    const Writer::FoldedLane up{i, 0}, down{p - 1 - i, m};
    const bool front = i < p / 2;
    dual(front ? Writer(orders, up, down) : Writer(orders, down, up), p / 2, std::min(i, p - 1 - i), m);
  });
}

} // namespace planc::passes::schedules
