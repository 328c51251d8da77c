// Schedules that run whole passes and empty the pipeline once per step: GPipe, 1F1B, interleaved, breadth-first.
// SPDX-License-Identifier: Apache-2.0
#include "passes/schedules/Schedules.h"

#include <algorithm>

namespace planc::passes::schedules {
using namespace ir;

namespace {

/// Warm-up, one forward one backward, cool-down. `f(k)` and `b(k)` are the k-th forward and backward of the stage; with
/// `pairs` a forward and the backward after it run together.
template <class F, class B> std::vector<Action> steady(int64_t total, int64_t warmUp, F f, B b, bool pairs = false) {
  std::vector<Action> order;
  order.reserve(static_cast<size_t>(2 * total));
  int64_t next = 0;
  for (; next < std::min(total, warmUp); ++next) order.push_back(f(next));
  for (int64_t k = 0; k < total; ++k) {
    if (next < total) {
      order.push_back(f(next++));
      order.back().paired = pairs;
    }
    order.push_back(b(k));
  }
  return order;
}

/// Depth-first over the chunks (arXiv 2104.04473, section 2.2): groups of p micro-batches go through them in turn. 1F1B
/// with one chunk hands a forward on before the backward beside it, so a stage and the one after it lie one forward
/// apart; elsewhere what goes up and what comes back take a round of both each, hence two. A pair needs one forward
/// more that the backward beside it does not wait for.
Orders depthFirst(const ScheduleShape& shape, bool pairs) {
  const int64_t p = shape.stages, v = shape.chunks;
  auto microBatch = [=](int64_t k) { return k / (p * v) * p + k % p; };
  auto chunk = [=](int64_t k) { return k % (p * v) / p; };
  return eachStage(shape, [&](int64_t stage) {
    return steady(
        shape.microBatches * v, (p - stage - 1) * 2 + (v - 1) * p + (pairs ? 1 : 0),
        [=](int64_t k) { return act(ActionKind::Forward, chunk(k) * p + stage, microBatch(k)); },
        [=](int64_t k) { return act(ActionKind::Backward, (v - 1 - chunk(k)) * p + stage, microBatch(k)); }, pairs);
  });
}

} // namespace

/// All forward, then all backward (arXiv 1811.06965); chunk by chunk where a device holds several: breadth-first
/// (arXiv 2211.05953, section 4), which needs each chunk's parameters once per direction.
Orders breadthFirst(const ScheduleShape& shape) {
  return eachStage(shape, [&](int64_t stage) {
    std::vector<Action> order;
    order.reserve(static_cast<size_t>(2 * shape.chunks * shape.microBatches));
    for (int64_t c = 0; c < shape.chunks; ++c)
      for (int64_t k = 0; k < shape.microBatches; ++k)
        order.push_back(act(ActionKind::Forward, c * shape.stages + stage, k));
    for (int64_t c = shape.chunks; c-- > 0;)
      for (int64_t k = 0; k < shape.microBatches; ++k)
        order.push_back(act(ActionKind::Backward, c * shape.stages + stage, k));
    return order;
  });
}

Orders gpipe(const ScheduleShape& shape) {
  return breadthFirst(shape);
}

/// PipeDream-Flush (arXiv 2006.09503): p - 1 - i forwards of warm-up.
Orders oneForwardOneBackward(const ScheduleShape& shape) {
  return limitedOneForwardOneBackward(shape, shape.stages);
}

Orders limitedOneForwardOneBackward(const ScheduleShape& shape, int64_t inFlight) {
  return eachStage(shape, [&](int64_t stage) {
    return steady(
        shape.microBatches, std::min(shape.stages - stage, inFlight) - 1,
        [=](int64_t k) { return act(ActionKind::Forward, stage, k); },
        [=](int64_t k) { return act(ActionKind::Backward, stage, k); });
  });
}

Orders interleaved(const ScheduleShape& shape) {
  return depthFirst(shape, false);
}

Orders pairedOneForwardOneBackward(const ScheduleShape& shape) {
  return depthFirst(shape, true);
}

} // namespace planc::passes::schedules
