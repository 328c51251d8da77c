// Zero bubble (arXiv 2401.10241): backward split, so that gradients of weights fill the waits; a greedy simulation
// makes the order.
// SPDX-License-Identifier: Apache-2.0
#include "passes/schedules/Orders.h"

#include <algorithm>
#include <array>
#include <limits>

namespace planc::passes::schedules {
using namespace ir;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Section 3.1 of the paper: forward up to the limit, then backward before forward, and gradients of weights where a
/// stage would wait for longer than `patience` of one, or where only they make room below the limit.
class Greedy {
public:
  Greedy(const ScheduleShape& shape, int64_t limit, double patience)
      : shape_(shape), limit_(limit), patience_(patience), stages_(static_cast<size_t>(shape.stages)),
        orders_(static_cast<size_t>(shape.stages)) {
    for (Stage& s : stages_) s.forward.reserve(static_cast<size_t>(shape.microBatches)), s.input = s.forward;
  }

  /// The stage that can go on first does; each only knows what the others have begun by then.
  double run() {
    for (int64_t s = 0; s < shape_.stages; ++s) choose(s);
    for (;;) {
      auto next = std::min_element(stages_.begin(), stages_.end(),
                                   [](const Stage& a, const Stage& b) { return a.start < b.start; });
      if (next->start == kNever) break;
      const int64_t s = next - stages_.begin();
      perform(s);
      for (int64_t k = std::max<int64_t>(0, s - 1); k <= std::min(shape_.stages - 1, s + 1); ++k) choose(k);
    }
    double longest = 0;
    for (const Stage& s : stages_) longest = std::max(longest, s.free - s.begin);
    return longest;
  }
  Orders orders() { return std::move(orders_); }

private:
  struct Stage {
    double free = 0, begin = 0;
    std::vector<double> forward, input; ///< ends, by micro-batch
    size_t weights = 0;
    ActionKind next = ActionKind::Forward;
    double start = kNever; ///< of what it does next
  };

  PassSeconds seconds(int64_t s) const { return shape_.secondsOf(s); }

  double forwardArrives(int64_t s) const {
    const Stage& stage = stages_[static_cast<size_t>(s)];
    const size_t k = stage.forward.size();
    if (k == static_cast<size_t>(shape_.microBatches)) return kNever;
    if (s == 0) return 0;
    const auto& sent = stages_[static_cast<size_t>(s - 1)].forward;
    return k < sent.size() ? sent[k] + seconds(s - 1).send : kNever;
  }

  double backwardArrives(int64_t s) const {
    const Stage& stage = stages_[static_cast<size_t>(s)];
    const size_t k = stage.input.size();
    if (k >= stage.forward.size()) return kNever;
    if (s == shape_.stages - 1) return stage.forward[k];
    const auto& sent = stages_[static_cast<size_t>(s + 1)].input;
    return k < sent.size() ? sent[k] + seconds(s + 1).sendBack : kNever;
  }

  void choose(int64_t s) {
    Stage& stage = stages_[static_cast<size_t>(s)];
    const bool room = static_cast<int64_t>(stage.forward.size() - stage.weights) < limit_;
    const double forward = room ? forwardArrives(s) : kNever, backward = backwardArrives(s);
    const double earliest = std::max(stage.free, std::min(forward, backward));
    stage.next = backward <= std::max(stage.free, forward) ? ActionKind::BackwardInput : ActionKind::Forward;
    stage.start = earliest;
    if (stage.weights < stage.input.size() && earliest > stage.free + patience_ * seconds(s).weight) {
      stage.next = ActionKind::BackwardWeight;
      stage.start = stage.free;
    }
  }

  void perform(int64_t s) {
    Stage& stage = stages_[static_cast<size_t>(s)];
    const PassSeconds pass = seconds(s);
    size_t microBatch = 0;
    if (stage.next == ActionKind::Forward) {
      if (stage.forward.empty()) stage.begin = stage.start;
      microBatch = stage.forward.size();
      stage.forward.push_back(stage.free = stage.start + pass.forward);
    } else if (stage.next == ActionKind::BackwardInput) {
      microBatch = stage.input.size();
      stage.input.push_back(stage.free = stage.start + pass.input);
    } else {
      microBatch = stage.weights++;
      stage.free = stage.start + pass.weight;
    }
    orders_[static_cast<size_t>(s)].push_back(act(stage.next, s, static_cast<int64_t>(microBatch)));
  }

  const ScheduleShape& shape_;
  int64_t limit_;
  double patience_;
  std::vector<Stage> stages_;
  Orders orders_;
};

/// 1F1B whose gradients of weights lag behind by as many micro-batches as there are stages before: then every stage
/// holds p (section 2.1).
Orders lagging(const ScheduleShape& shape) {
  return eachStage(shape, [&](int64_t stage) {
    std::vector<Action> order;
    const int64_t m = shape.microBatches, warmUp = std::min(m, shape.stages - 1 - stage);
    for (int64_t k = 0; k < warmUp; ++k) order.push_back(act(ActionKind::Forward, stage, k));
    for (int64_t k = 0; k < m; ++k) {
      if (k + warmUp < m) order.push_back(act(ActionKind::Forward, stage, k + warmUp));
      order.push_back(act(ActionKind::BackwardInput, stage, k));
      if (k >= stage) order.push_back(act(ActionKind::BackwardWeight, stage, k - stage));
    }
    for (int64_t k = std::max<int64_t>(0, m - stage); k < m; ++k)
      order.push_back(act(ActionKind::BackwardWeight, stage, k));
    return order;
  });
}

/// How long the stage that takes longest takes.
double longest(const ScheduleShape& shape, const Orders& orders) {
  const size_t p = orders.size(), m = static_cast<size_t>(shape.microBatches);
  std::vector<double> forward(p * m, kNever), input(p * m, kNever), free(p, 0), begin(p, kNever);
  std::vector<size_t> next(p, 0);
  auto arrival = [&](const Action& a) {
    const size_t s = a.virtualStage, here = s * m + a.microBatch;
    if (a.kind == ActionKind::Forward)
      return s == 0 ? 0 : forward[here - m] + shape.secondsOf(static_cast<int64_t>(s) - 1).send;
    if (a.kind == ActionKind::BackwardWeight) return input[here];
    return s + 1 == p ? forward[here] : input[here + m] + shape.secondsOf(static_cast<int64_t>(s) + 1).sendBack;
  };
  for (bool moved = true, upward = true; moved || !upward; upward = !upward) {
    moved = false;
    for (size_t k = 0; k < p; ++k) {
      const size_t s = upward ? k : p - 1 - k;
      const PassSeconds pass = shape.secondsOf(static_cast<int64_t>(s));
      for (; next[s] < orders[s].size(); ++next[s], moved = true) {
        const Action& a = orders[s][next[s]];
        const double start = std::max(free[s], arrival(a));
        if (start == kNever) break;
        begin[s] = std::min(begin[s], start);
        free[s] = start + (a.kind == ActionKind::Forward         ? pass.forward
                           : a.kind == ActionKind::BackwardInput ? pass.input
                                                                 : pass.weight);
        if (a.kind == ActionKind::Forward) forward[s * m + a.microBatch] = free[s];
        if (a.kind == ActionKind::BackwardInput) input[s * m + a.microBatch] = free[s];
      }
    }
  }
  double most = 0;
  for (size_t s = 0; s < p; ++s) most = std::max(most, free[s] - begin[s]);
  return most;
}

/// The best of a few patiences, as the paper searches over its heuristic's parameters, and of the pattern above if the
/// limit admits it.
Orders best(const ScheduleShape& shape, int64_t limit) {
  static constexpr std::array<double, 5> kPatience{0, .25, .5, .75, 1};
  Orders orders;
  double shortest = kNever;
  if (limit >= shape.stages) {
    orders = lagging(shape);
    shortest = longest(shape, orders);
  }
  for (double patience : kPatience) {
    Greedy greedy(shape, limit, patience);
    const double taken = greedy.run();
    if (taken >= shortest * (1 - 1e-9)) continue;
    shortest = taken;
    orders = greedy.orders();
  }
  return orders;
}

} // namespace

Orders zeroBubbleH1(const ScheduleShape& shape) {
  return lagging(shape);
}
Orders zeroBubbleH2(const ScheduleShape& shape) {
  return best(shape, 2 * shape.stages - 1);
}
Orders zeroBubble(const ScheduleShape& shape) {
  const int64_t inFlight = shape.arguments.at(0);
  return best(shape, inFlight > 0 ? inFlight : shape.stages);
}

} // namespace planc::passes::schedules
