// The first forward pass of a virtual stage, layer by layer.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/FirstPass.h"

#include "backends/cost/price/Buckets.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

namespace {

/// In a long run only this many layers at either end are checked one by one. Between equal layers the wait changes by
/// the same amount each time, except for messages that they share: exact while a message holds at most this many
/// layers.
constexpr int64_t kEnds = 512;

/// Messages and the seconds that they take.
struct Filled {
  double messages = 0, seconds = 0;
  void add(const Filled& more, int64_t times) {
    messages += more.messages * static_cast<double>(times), seconds += more.seconds * static_cast<double>(times);
  }
};

/// Messages of one kind.
struct Gathers {
  const ir::StateCollective* like = nullptr;
  Filled all;    ///< of the stage; the last message may be a part of one
  Filled before; ///< of the layers so far,
  Filled each;   ///< and of each layer of the run that is looked at
  /// When the message is there that the last of so many layers ends in.
  double arrived(int64_t layers) const {
    Filled until = before;
    until.add(each, layers);
    const double rest = std::ceil(until.messages - kFull) - until.messages;
    if (!(each.messages > 0) || rest <= 0) return until.seconds;
    return std::min(all.seconds, until.seconds + rest * each.seconds / each.messages);
  }
};

/// Equal layers in a row.
struct Run {
  ir::LayerClassId id;
  double layers = 0;  ///< of an instance
  int64_t count = 0;  ///< all of them
  double seconds = 0; ///< of one
};

class FirstPass {
public:
  FirstPass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage)
      : schedule_(schedule), costs_(costs) {
    for (const auto& [id, count] : stage.classes) {
      if (count <= 0) continue;
      const int64_t layers = layersOf(schedule.program->classes[id]);
      const Run& run = runs_.emplace_back(Run{id, static_cast<double>(layers), layers * count,
                                              costs[id.index].forward->seconds / static_cast<double>(layers)});
      left_ += run.seconds * static_cast<double>(run.count);
      fill(run, [&](Gathers& kind, const Filled& layer) { kind.all.add(layer, run.count); });
    }
  }

  /// The longest from when the messages of a layer have arrived to the end of the pass, over what that computes.
  double wait() {
    const double computing = left_;
    double longest = computing;
    for (const Run& run : runs_) {
      for (Gathers& kind : kinds_) kind.each = {};
      fill(run, [](Gathers& kind, const Filled& layer) { kind.each.add(layer, 1); });
      for (int64_t i = 0; i < run.count; ++i) {
        if (i == kEnds) i = std::max(i, run.count - kEnds);
        longest = std::max(longest, arrived(i + 1) + left_ - run.seconds * static_cast<double>(i));
      }
      left_ -= run.seconds * static_cast<double>(run.count);
      for (Gathers& kind : kinds_) kind.before.add(kind.each, run.count);
    }
    return longest - computing;
  }

private:
  /// Calls `f` with every kind of message, and the part of it that one layer of the run fills.
  template <class F> void fill(const Run& run, F f) {
    const auto& states = schedule_.program->classes[run.id].states;
    for (size_t s = 0; s < states.size(); ++s) {
      const double beside = 1 - schedule_.blockingShare[states[s].cls];
      if (!gathersOnce(states[s]) || beside <= 0) continue;
      const double messages = bucketsOf(schedule_, run.id, states[s]) * static_cast<double>(states[s].times);
      f(kinds_[kindOf(kinds_, states[s])],
        Filled{messages / run.layers, costs_[run.id.index].states[s] * beside / run.layers});
    }
  }
  /// The messages of all kinds for the first so many layers of a run. Kinds take turns on the wire.
  double arrived(int64_t layers) const {
    double seconds = 0;
    bool waits = false;
    for (const Gathers& kind : kinds_) seconds += kind.arrived(layers), waits |= kind.each.messages > 0;
    return waits ? seconds : 0;
  }

  const ir::Schedule& schedule_;
  const std::vector<ClassCost>& costs_;
  std::vector<Run> runs_;
  std::vector<Gathers> kinds_;
  double left_ = 0; ///< seconds that are not computed yet
};

} // namespace

double waitForGathers(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage) {
  return FirstPass(schedule, costs, stage).wait();
}

} // namespace planc::cost
