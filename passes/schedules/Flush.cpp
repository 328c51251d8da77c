// Schedules that run whole passes and empty the pipeline once per step: GPipe, 1F1B, interleaved, breadth-first.
// SPDX-License-Identifier: Apache-2.0
#include "passes/schedules/Schedules.h"

#include <algorithm>

namespace planc::passes::schedules {
using namespace ir;

namespace {

/// Groups of the passes of one direction on a stage. A group of `together` passes runs on one virtual stage with
/// consecutive micro-batches. After a round of `round` passes the pattern repeats, `microBatches` micro-batches later.
struct Passes {
  int64_t total = 0, together = 1, round = 1, microBatches = 1;
  /// Returns how many passes from the k-th on differ only in their micro-batch.
  int64_t alike(int64_t k) const { return together - k % together; }
};

/// Adds warm-up, one forward one backward, cool-down. `f(k)` and `b(k)` return the k-th forward and backward of the
/// stage. With `pairs`, a forward and the backward after it run together.
template <class F, class B>
void steady(Orders& orders, const Passes& passes, int64_t warmUp, F f, B b, bool pairs = false) {
  const int64_t ahead = std::min(passes.total, std::max<int64_t>(0, warmUp)), both = passes.total - ahead;
  const auto run = [&](int64_t from, int64_t to, auto actions, auto alike) {
    for (int64_t k = from; k < to;) {
      const int64_t times = std::min(to - k, alike(k));
      actions(k, times);
      k += times;
    }
  };
  const auto turns = [&](int64_t from, int64_t to) {
    run(
        from, to,
        [&](int64_t k, int64_t times) {
          Action forward = f(k + ahead);
          forward.paired = pairs;
          orders.add({forward, b(k)}, times);
        },
        [&](int64_t k) { return std::min(passes.alike(k), passes.alike(k + ahead)); });
  };
  const auto alike = [&](int64_t k) { return passes.alike(k); };
  run(
      0, ahead, [&](int64_t k, int64_t times) { orders.add({f(k)}, times); }, alike);
  const int64_t rounds = both / passes.round;
  orders.repeat(rounds, passes.microBatches, [&] { turns(0, passes.round); });
  turns(rounds * passes.round, both);
  run(
      both, passes.total, [&](int64_t k, int64_t times) { orders.add({b(k)}, times); }, alike);
}

/// Passes of a single virtual stage.
Passes plain(int64_t microBatches) {
  return {microBatches, microBatches, microBatches, 0};
}

/// Depth-first over the chunks (arXiv 2104.04473, section 2.2): groups of p micro-batches go through the chunks in
/// turn. Plain 1F1B passes a forward on before the next backward, so adjacent stages are one forward apart. Here each
/// direction takes a round of a forward and a backward, so adjacent stages are two forwards apart. A pair needs one
/// more forward, which its backward does not wait for.
Orders depthFirst(const ScheduleShape& shape, bool pairs) {
  const int64_t p = shape.stages, v = shape.chunks;
  const Passes passes = v == 1 ? plain(shape.microBatches) : Passes{shape.microBatches * v, p, p * v, p};
  auto microBatch = [=](int64_t k) { return k / (p * v) * p + k % p; };
  auto chunk = [=](int64_t k) { return k % (p * v) / p; };
  return eachStage(shape, [&](Orders& orders, int64_t stage) {
    steady(
        orders, passes, (p - stage - 1) * 2 + (v - 1) * p + (pairs ? 1 : 0),
        [=](int64_t k) { return act(ActionKind::Forward, chunk(k) * p + stage, microBatch(k)); },
        [=](int64_t k) { return act(ActionKind::Backward, (v - 1 - chunk(k)) * p + stage, microBatch(k)); }, pairs);
  });
}

} // namespace

/// All forward, then all backward (arXiv 1811.06965). With several chunks per device, chunk by chunk: breadth-first
/// (arXiv 2211.05953, section 4), which needs the parameters of each chunk once per direction.
Orders breadthFirst(const ScheduleShape& shape) {
  return eachStage(shape, [&](Orders& orders, int64_t stage) {
    for (int64_t c = 0; c < shape.chunks; ++c)
      orders.add({act(ActionKind::Forward, c * shape.stages + stage, 0)}, shape.microBatches);
    for (int64_t c = shape.chunks; c-- > 0;)
      orders.add({act(ActionKind::Backward, c * shape.stages + stage, 0)}, shape.microBatches);
  });
}

Orders gpipe(const ScheduleShape& shape) {
  return breadthFirst(shape);
}

/// PipeDream-Flush (arXiv 2006.09503): p - 1 - i forwards of warm-up on stage i.
Orders oneForwardOneBackward(const ScheduleShape& shape) {
  return limitedOneForwardOneBackward(shape, shape.stages);
}

Orders limitedOneForwardOneBackward(const ScheduleShape& shape, int64_t inFlight) {
  return eachStage(shape, [&](Orders& orders, int64_t stage) {
    steady(
        orders, plain(shape.microBatches), std::min(shape.stages - stage, inFlight) - 1,
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
