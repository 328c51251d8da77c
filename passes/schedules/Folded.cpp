// Schedules in which a device holds a virtual stage and its mirror: ZB-V, DualPipe, DualPipeV.
// SPDX-License-Identifier: Apache-2.0
#include "passes/schedules/Schedules.h"

#include <algorithm>
#include <array>
#include <deque>

namespace planc::passes::schedules {
using namespace ir;

int64_t foldedDevice(const ScheduleShape& shape, int64_t, int64_t virtualStage) {
  return std::min(virtualStage, 2 * shape.stages - 1 - virtualStage);
}
int64_t mirroredDevice(const ScheduleShape& shape, int64_t route, int64_t virtualStage) {
  return route == 0 ? virtualStage : shape.stages - 1 - virtualStage;
}

namespace {

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
std::vector<Action> zeroBubbleV(int64_t p, int64_t i, int64_t m) {
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
std::vector<Action> dual(Writer w, int64_t ranks, int64_t rank, int64_t m) {
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

} // namespace

Orders zeroBubbleV(const ScheduleShape& shape) {
  return eachStage(shape, [&](int64_t i) { return zeroBubbleV(shape.stages, i, shape.microBatches); });
}

Orders dualPipeV(const ScheduleShape& shape) {
  const int64_t p = shape.stages;
  return eachStage(shape, [&](int64_t i) {
    return dual(Writer({i, 0}, {2 * p - 1 - i, 0}), p, i, shape.microBatches);
  });
}

/// The two halves of the pipeline mirror each other; the early lane of a device is the route that begins at its end.
Orders dualPipe(const ScheduleShape& shape) {
  const int64_t p = shape.stages, m = shape.microBatches / 2;
  return eachStage(shape, [&](int64_t i) {
    const Writer::Lane up{i, 0}, down{p - 1 - i, m};
    const bool front = i < p / 2;
    return dual(front ? Writer(up, down) : Writer(down, up), p / 2, std::min(i, p - 1 - i), m);
  });
}

} // namespace planc::passes::schedules
