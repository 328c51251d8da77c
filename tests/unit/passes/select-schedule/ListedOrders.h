// The orders of the schedules action by action, as their papers write them: what the short forms are held to.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "passes/schedules/Schedules.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string_view>

namespace planc::passes::listed {
using namespace ir;
using schedules::act;

template <class Order> ActionLists eachStage(const ScheduleShape& shape, Order order) {
  ActionLists all;
  for (int64_t stage = 0; stage < shape.stages; ++stage) all.push_back(order(stage));
  return all;
}

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
inline ActionLists depthFirst(const ScheduleShape& shape, bool pairs) {
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

/// All forward, then all backward (arXiv 1811.06965); chunk by chunk where a device holds several: breadth-first
/// (arXiv 2211.05953, section 4), which needs each chunk's parameters once per direction.
inline ActionLists breadthFirst(const ScheduleShape& shape) {
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

inline ActionLists limitedOneForwardOneBackward(const ScheduleShape& shape, int64_t inFlight) {
  return eachStage(shape, [&](int64_t stage) {
    return steady(
        shape.microBatches, std::min(shape.stages - stage, inFlight) - 1,
        [=](int64_t k) { return act(ActionKind::Forward, stage, k); },
        [=](int64_t k) { return act(ActionKind::Backward, stage, k); });
  });
}

/// Writes the order of one device with two lanes: lane 0 begins its micro-batches here early, lane 1 late.
class Writer {
public:
  struct Lane {
    int64_t virtualStage = 0, firstMicroBatch = 0;
  };
  Writer(Lane early, Lane late) : lanes_{early, late} {}

  void forward(int lane, bool paired = false) { put(ActionKind::Forward, lane, forwards_[at(lane)]++, paired); }
  void backward(int lane) { put(ActionKind::Backward, lane, inputs_[at(lane)]++); }
  /// Only the input's gradient: the weights' waits.
  void input(int lane) {
    put(ActionKind::BackwardInput, lane, inputs_[at(lane)]);
    waiting_.push_back({lane, inputs_[at(lane)]++});
  }
  /// The oldest that waits, of any lane or of one.
  void weight() { take(waiting_.begin()); }
  void weight(int lane) {
    take(std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& w) { return w.first == lane; }));
  }
  void pair(int forwardLane, int backwardLane) {
    forward(forwardLane, true);
    backward(backwardLane);
  }
  void remainingWeights(int lane) {
    while (std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& w) { return w.first == lane; })) weight(lane);
  }
  int64_t forwards(int lane) const { return forwards_[at(lane)]; }
  std::vector<Action> take() { return std::move(order_); }

private:
  using Waiting = std::deque<std::pair<int, int64_t>>;
  static size_t at(int lane) { return static_cast<size_t>(lane); }
  void take(Waiting::iterator w) {
    put(ActionKind::BackwardWeight, w->first, w->second);
    waiting_.erase(w);
  }
  void put(ActionKind kind, int lane, int64_t k, bool paired = false) {
    const Lane& l = lanes_[at(lane)];
    order_.push_back(act(kind, l.virtualStage, l.firstMicroBatch + k, paired));
  }

  std::array<Lane, 2> lanes_;
  std::array<int64_t, 2> forwards_{}, inputs_{};
  Waiting waiting_;
  std::vector<Action> order_;
};

/// ZB-V of device i (arXiv 2401.10241, section 6): F0 until the fold has answered, then F0 B0 W0 F1 B1 W1 in turn. The
/// pattern needs 2p - 1 micro-batches; of fewer it is what remains when the others are left out.
inline std::vector<Action> zeroBubbleV(int64_t p, int64_t i, int64_t m) {
  const int64_t n = std::max(m, 2 * p - 1);
  Writer w({i, 0}, {2 * p - 1 - i, 0});
  for (int64_t k = 0; k < 2 * (p - i) - 1; ++k) w.forward(0);
  for (int64_t k = 0; k < i; ++k) w.forward(1), w.forward(0);
  for (int64_t k = 0; k < p - i; ++k) w.forward(1), w.input(1), w.weight(1);
  while (w.forwards(1) < w.forwards(0) || w.forwards(0) < n) {
    if (w.forwards(0) < n) w.forward(0);
    w.input(0), w.weight(0);
    w.forward(1), w.input(1), w.weight(1);
  }
  for (int64_t k = 0; k < i; ++k) w.input(0), w.input(1);
  for (int64_t k = 0; k < p - i; ++k) w.input(0), w.weight(0);
  w.remainingWeights(1);
  w.remainingWeights(0);
  std::vector<Action> order = w.take();
  std::erase_if(order, [&](const Action& a) { return a.microBatch >= m; });
  return order;
}

/// The eight steps of DualPipe (arXiv 2412.19437, section 3.2.1; github.com/deepseek-ai/DualPipe) on the rank of a half
/// of the pipeline, `ranks` of them, each lane with `m` micro-batches. DualPipeV is the half alone, folded at its end.
inline std::vector<Action> dual(Writer w, int64_t ranks, int64_t rank, int64_t m) {
  const int64_t inner = ranks - rank - 1;
  for (int64_t k = 0; k < 2 * inner; ++k) w.forward(0);
  for (int64_t k = 0; k <= rank; ++k) w.forward(0), w.forward(1);
  for (int64_t k = 0; k < inner; ++k) w.input(1), w.weight(), w.forward(1);
  for (int64_t k = 0; k < m - 2 * ranks + rank + 1; ++k) {
    if (k == 0 && inner == 0) // the innermost does not pair the first two: its neighbour waits for them
      w.forward(0), w.backward(1);
    else
      w.pair(0, 1);
    w.pair(1, 0);
  }
  for (int64_t k = 0; k < inner; ++k) w.backward(1), w.pair(1, 0);
  // rank + 1 rounds of both lanes' backward, of which the second half leaves the gradients of weights for later.
  for (int64_t k = 0; k < 2 * (rank + 1); ++k) {
    const int lane = k % 2 == 0 ? 1 : 0;
    if (k <= rank)
      w.backward(lane);
    else
      w.input(lane);
  }
  for (int64_t k = 0; k < inner; ++k) w.weight(), w.input(0);
  for (int64_t k = 0; k <= rank; ++k) w.weight();
  return w.take();
}

inline ActionLists zeroBubbleV(const ScheduleShape& shape) {
  return eachStage(shape, [&](int64_t i) { return zeroBubbleV(shape.stages, i, shape.microBatches); });
}

inline ActionLists dualPipeV(const ScheduleShape& shape) {
  const int64_t p = shape.stages;
  return eachStage(shape, [&](int64_t i) {
    return dual(Writer({i, 0}, {2 * p - 1 - i, 0}), p, i, shape.microBatches);
  });
}

/// The two halves of the pipeline mirror each other; the early lane of a device is the route that begins at its end.
inline ActionLists dualPipe(const ScheduleShape& shape) {
  const int64_t p = shape.stages, m = shape.microBatches / 2;
  return eachStage(shape, [&](int64_t i) {
    const Writer::Lane up{i, 0}, down{p - 1 - i, m};
    const bool front = i < p / 2;
    return dual(front ? Writer(up, down) : Writer(down, up), p / 2, std::min(i, p - 1 - i), m);
  });
}

/// Forward passes of warm-up for each stage that follows, one or two, and gradients of weights that lag behind by as
/// many micro-batches for each stage before, as far as the limit of micro-batches in flight lets them: with one of both
/// every stage holds p (section 2.1), with two 2p - 1 (section 2.2).
inline ActionLists lagging(const ScheduleShape& shape, int64_t limit, int64_t perStage) {
  return eachStage(shape, [&](int64_t stage) {
    std::vector<Action> order;
    const int64_t m = shape.microBatches, room = limit - 1;
    const int64_t ahead = std::min(perStage * (shape.stages - 1 - stage), room), warmUp = std::min(m, ahead);
    const int64_t lag = std::min(perStage * stage, room - ahead);
    order.reserve(static_cast<size_t>(3 * m));
    for (int64_t k = 0; k < warmUp; ++k) order.push_back(act(ActionKind::Forward, stage, k));
    for (int64_t k = 0; k < m; ++k) {
      if (k + warmUp < m) order.push_back(act(ActionKind::Forward, stage, k + warmUp));
      order.push_back(act(ActionKind::BackwardInput, stage, k));
      if (k >= lag) order.push_back(act(ActionKind::BackwardWeight, stage, k - lag));
    }
    for (int64_t k = std::max<int64_t>(0, m - lag); k < m; ++k)
      order.push_back(act(ActionKind::BackwardWeight, stage, k));
    return order;
  });
}

/// Of a schedule's first order.
inline ActionLists orders(std::string_view name, const ScheduleShape& shape) {
  static const std::map<std::string_view, ActionLists (*)(const ScheduleShape&)> byName = {
      {"one_f_one_b", [](const ScheduleShape& s) { return limitedOneForwardOneBackward(s, s.stages); }},
      {"gpipe", breadthFirst},
      {"interleaved_1f1b", [](const ScheduleShape& s) { return depthFirst(s, false); }},
      {"paired_1f1b", [](const ScheduleShape& s) { return depthFirst(s, true); }},
      {"breadth_first", breadthFirst},
      {"zero_bubble",
       [](const ScheduleShape& s) { return lagging(s, s.arguments[0] > 0 ? s.arguments[0] : s.stages, 1); }},
      {"zb_h1", [](const ScheduleShape& s) { return lagging(s, s.stages, 1); }},
      {"zb_h2", [](const ScheduleShape& s) { return lagging(s, 2 * s.stages - 1, 2); }},
      {"zb_v", [](const ScheduleShape& s) { return zeroBubbleV(s); }},
      {"dualpipe", dualPipe},
      {"dualpipe_v", dualPipeV},
  };
  return byName.at(name)(shape);
}

} // namespace planc::passes::listed
