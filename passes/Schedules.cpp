// The schedule table: in which order a stage runs the forward and backward passes of its micro-batches and chunks.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

namespace {

Action forward(int64_t microBatch, int64_t chunk = 0) {
  return {ActionKind::Forward, static_cast<uint16_t>(chunk), static_cast<uint32_t>(microBatch)};
}
Action backward(int64_t microBatch, int64_t chunk = 0) {
  return {ActionKind::Backward, static_cast<uint16_t>(chunk), static_cast<uint32_t>(microBatch)};
}

/// GPipe (arXiv 1811.06965): all forward, then all backward in reverse, so that the last activations are used first.
std::vector<Action> gpipe(int64_t, int64_t, int64_t m, int64_t) {
  std::vector<Action> order;
  order.reserve(static_cast<size_t>(2 * m));
  for (int64_t k = 0; k < m; ++k) order.push_back(forward(k));
  for (int64_t k = 0; k < m; ++k) order.push_back(backward(k));
  return order;
}

/// Warm-up, one forward one backward, cool-down. `f(k)` and `b(k)` are the k-th forward and backward of the stage.
template <class F, class B> std::vector<Action> steady(int64_t total, int64_t warmUp, F f, B b) {
  std::vector<Action> order;
  order.reserve(static_cast<size_t>(2 * total));
  int64_t next = 0;
  for (; next < std::min(total, warmUp); ++next) order.push_back(f(next));
  for (int64_t k = 0; k < total; ++k) {
    if (next < total) order.push_back(f(next++));
    order.push_back(b(k));
  }
  return order;
}

/// PipeDream-Flush, 1F1B (arXiv 2006.09503): p - 1 - i forwards of warm-up.
std::vector<Action> oneForwardOneBackward(int64_t p, int64_t, int64_t m, int64_t stage) {
  return steady(
      m, p - 1 - stage, [](int64_t k) { return forward(k); }, [](int64_t k) { return backward(k); });
}

/// Interleaved 1F1B (arXiv 2104.04473, section 2.2): groups of p micro-batches go through the chunks in turn.
std::vector<Action> interleaved(int64_t p, int64_t v, int64_t m, int64_t stage) {
  auto microBatch = [=](int64_t k) { return k / (p * v) * p + k % p; };
  auto chunk = [=](int64_t k) { return k % (p * v) / p; };
  return steady(
      m * v, (p - stage - 1) * 2 + (v - 1) * p, [=](int64_t k) { return forward(microBatch(k), chunk(k)); },
      [=](int64_t k) { return backward(microBatch(k), v - 1 - chunk(k)); });
}

} // namespace

const std::vector<ScheduleKind>& scheduleKinds() {
  // Rows without an order are legal names that `check` accepts and `estimate` refuses (PLAN0809) until they are
  // simulated.
  static const std::vector<ScheduleKind> kinds = {
      {"one_f_one_b", false, false, "1F1B: one forward, one backward after the warm-up", oneForwardOneBackward},
      {"gpipe", false, false, "all forward passes, then all backward passes", gpipe},
      {"interleaved_1f1b", true, false, "1F1B over `chunks` pieces of the model per stage", interleaved},
      {"zero_bubble", false, true, "backward split into input and weight gradients", nullptr},
      {"dualpipe", false, true, "two directions at once, backward split", nullptr},
  };
  return kinds;
}

} // namespace planc::passes
