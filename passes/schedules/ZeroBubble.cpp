// Zero bubble (arXiv 2401.10241): backward is split, so that gradients of weights fill the waits. Regular orders, and
// orders of a greedy simulation with the times of the passes.
// SPDX-License-Identifier: Apache-2.0
#include "passes/schedules/Schedules.h"
#include "support/Indexed.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>

namespace planc::passes::schedules {
using namespace ir;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// Most forward passes of all stages, p·m, for the greedy simulation. At this limit its orders take 0.8 s for 64
/// stages. Beyond it the orders differ by at most (p − 1)/m of a step, which is 3 % for 64 stages (p²/131072).
constexpr int64_t kMostGreedy = 1 << 17;

/// The earliest of the stages' next starts, in time that grows with the logarithm of the stages.
class Tournament {
public:
  explicit Tournament(int64_t stages)
      : leaves_(std::bit_ceil(static_cast<size_t>(stages))), least_(2 * leaves_, kNever) {}

  void set(int64_t stage, double start) {
    size_t at = leaves_ + static_cast<size_t>(stage);
    least_[at] = start;
    while (at > 1) {
      const double least = std::min(least_[at], least_[at ^ 1]);
      at /= 2;
      if (least_[at] == least) return;
      least_[at] = least;
    }
  }
  /// The stage with the earliest start, the first of equals.
  int64_t first() const {
    size_t at = 1;
    while (at < leaves_) at = least_[2 * at] == least_[at] ? 2 * at : 2 * at + 1;
    return static_cast<int64_t>(at - leaves_);
  }

private:
  size_t leaves_;
  std::vector<double> least_; ///< node i is the minimum of nodes 2i and 2i + 1; the stages are the leaves
};

/// The heuristic of section 3.1 of the paper: forward up to the limit, then backward before forward. A gradient of
/// weights runs if the stage would wait for longer than `patience` times its duration, or if only it makes room below
/// the limit.
class Greedy {
public:
  Greedy(const ScheduleShape& shape, int64_t limit, double patience)
      : microBatches_(static_cast<size_t>(shape.microBatches)), limit_(limit), patience_(patience),
        stages_(shape.stages), orders_(shape.stages), starts_(shape.stages) {
    for (int64_t s = 0; s < shape.stages; ++s) {
      stages_[s].seconds = shape.secondsOf(s);
      stages_[s].forward.reserve(microBatches_), stages_[s].input.reserve(microBatches_);
      orders_[s].reserve(3 * microBatches_);
    }
  }

  /// Returns the orders. The stage that can start first acts first, and it knows only what other stages have begun by
  /// then.
  Orders run() {
    const auto last = static_cast<int64_t>(stages_.size()) - 1;
    for (int64_t s = 0; s <= last; ++s) choose(s);
    for (;;) {
      const int64_t s = starts_.first();
      const Stage& stage = stages_[s];
      if (stage.start == kNever) break;
      const ActionKind kind = stage.next;
      const size_t microBatch = perform(s);
      choose(s);
      // A neighbour has a new choice only if it lacked this result.
      if (kind == ActionKind::Forward && s < last && stages_[s + 1].forward.size() == microBatch) choose(s + 1);
      if (kind == ActionKind::BackwardInput && s > 0 && stages_[s - 1].input.size() == microBatch) choose(s - 1);
    }
    return std::move(orders_);
  }

private:
  struct Stage {
    PassSeconds seconds;
    double free = 0;
    std::vector<double> forward, input; ///< ends, by micro-batch
    size_t weights = 0;
    ActionKind next = ActionKind::Forward;
    double start = kNever; ///< of its next action
  };

  double forwardArrives(int64_t s) const {
    const size_t k = stages_[s].forward.size();
    if (k == microBatches_) return kNever;
    if (s == 0) return 0;
    const Stage& sender = stages_[s - 1];
    return k < sender.forward.size() ? sender.forward[k] + sender.seconds.send : kNever;
  }

  double backwardArrives(int64_t s) const {
    const Stage& stage = stages_[s];
    const size_t k = stage.input.size();
    if (k >= stage.forward.size()) return kNever;
    if (static_cast<size_t>(s) + 1 == stages_.size()) return stage.forward[k];
    const Stage& sender = stages_[s + 1];
    return k < sender.input.size() ? sender.input[k] + sender.seconds.sendBack : kNever;
  }

  void choose(int64_t s) {
    Stage& stage = stages_[s];
    const bool room = static_cast<int64_t>(stage.forward.size() - stage.weights) < limit_;
    const double forward = room ? forwardArrives(s) : kNever, backward = backwardArrives(s);
    const double earliest = std::max(stage.free, std::min(forward, backward));
    stage.next = backward <= std::max(stage.free, forward) ? ActionKind::BackwardInput : ActionKind::Forward;
    stage.start = earliest;
    if (stage.weights < stage.input.size() && earliest > stage.free + patience_ * stage.seconds.weight) {
      stage.next = ActionKind::BackwardWeight;
      stage.start = stage.free;
    }
    starts_.set(s, stage.start);
  }

  /// Runs the next action of a stage and returns its micro-batch.
  size_t perform(int64_t s) {
    Stage& stage = stages_[s];
    size_t microBatch = 0;
    if (stage.next == ActionKind::Forward) {
      microBatch = stage.forward.size();
      stage.forward.push_back(stage.free = stage.start + stage.seconds.forward);
    } else if (stage.next == ActionKind::BackwardInput) {
      microBatch = stage.input.size();
      stage.input.push_back(stage.free = stage.start + stage.seconds.input);
    } else {
      microBatch = stage.weights++;
      stage.free = stage.start + stage.seconds.weight;
    }
    orders_[s].push_back(act(stage.next, s, static_cast<int64_t>(microBatch)));
    return microBatch;
  }

  size_t microBatches_;
  int64_t limit_;
  double patience_;
  Indexed<Stage> stages_;
  ActionLists orders_;
  Tournament starts_;
};

/// Orders with one or two warm-up forwards per later stage, and with gradients of weights that lag by one or two
/// micro-batches per earlier stage, within the limit of micro-batches in flight. With one, every stage holds p
/// micro-batches (section 2.1), with two, 2p - 1 (section 2.2).
Orders lagging(const ScheduleShape& shape, int64_t limit, int64_t perStage) {
  return eachStage(shape, [&](Orders& orders, int64_t stage) {
    const int64_t m = shape.microBatches, room = limit - 1;
    const int64_t ahead = std::min(perStage * (shape.stages - 1 - stage), room), warmUp = std::min(m, ahead);
    const int64_t lag = std::min(m, std::min(perStage * stage, room - ahead));
    orders.add({act(ActionKind::Forward, stage, 0)}, warmUp);
    // The turns at which forwards end and gradients of weights begin.
    const int64_t forwards = m - warmUp;
    std::array<int64_t, 4> turns{0, std::min(forwards, lag), std::max(forwards, lag), m};
    for (size_t part = 0; part < 3; ++part) {
      const int64_t k = turns[part];
      std::array<Action, 3> actions;
      size_t n = 0;
      if (k < forwards) actions[n++] = act(ActionKind::Forward, stage, k + warmUp);
      actions[n++] = act(ActionKind::BackwardInput, stage, k);
      if (k >= lag) actions[n++] = act(ActionKind::BackwardWeight, stage, k - lag);
      orders.add(std::span(actions).first(n), turns[part + 1] - k);
    }
    orders.add({act(ActionKind::BackwardWeight, stage, m - lag)}, lag);
  });
}

// The limits of micro-batches in flight for the rows of the table.
int64_t one(const ScheduleShape& shape) {
  return shape.stages;
}
int64_t two(const ScheduleShape& shape) {
  return 2 * shape.stages - 1;
}
int64_t given(const ScheduleShape& shape) {
  const int64_t inFlight = shape.arguments.at(0);
  return inFlight > 0 ? inFlight : shape.stages;
}

using Limit = int64_t (*)(const ScheduleShape& shape);

template <Limit limit, int perStage> Orders regular(const ScheduleShape& shape) {
  return lagging(shape, limit(shape), perStage);
}
template <Limit limit> Orders whole(const ScheduleShape& shape) {
  return limitedOneForwardOneBackward(shape, limit(shape));
}
/// The paper also searches over the parameters of its heuristic. `percent` of a gradient of weights is the patience.
template <Limit limit, int percent> Orders greedy(const ScheduleShape& shape) {
  if (shape.stages * shape.microBatches > kMostGreedy) return {};
  return Greedy(shape, limit(shape), percent / 100.).run();
}
template <Limit limit> void addGreedy(std::vector<NamedOrder>& to) {
  to.insert(to.end(), {{"greedy, fills every wait", greedy<limit, 0>},
                       {"greedy, fills waits of 25 % of a W", greedy<limit, 25>},
                       {"greedy, fills waits of 50 % of a W", greedy<limit, 50>},
                       {"greedy, fills waits of 75 % of a W", greedy<limit, 75>},
                       {"greedy, fills waits of a W", greedy<limit, 100>}});
}

} // namespace

Orders zeroBubbleH1(const ScheduleShape& shape) {
  return regular<one, 1>(shape);
}
Orders zeroBubbleH2(const ScheduleShape& shape) {
  return regular<two, 2>(shape);
}
Orders zeroBubble(const ScheduleShape& shape) {
  return regular<given, 1>(shape);
}
std::vector<NamedOrder> zeroBubbleH2Others() {
  std::vector<NamedOrder> others{{"ZB-H1", regular<two, 1>}, {"1F1B, backward whole", whole<two>}};
  addGreedy<two>(others);
  return others;
}
std::vector<NamedOrder> zeroBubbleOthers() {
  std::vector<NamedOrder> others{{"ZB-H2 within `in_flight`", regular<given, 2>},
                                 {"1F1B, backward whole", whole<given>}};
  addGreedy<given>(others);
  return others;
}

} // namespace planc::passes::schedules
