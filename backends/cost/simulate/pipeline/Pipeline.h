// Event simulation of the pipeline: the input (prices, orders) and the result (times and accounts of the stages).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Task.h"
#include "support/Indexed.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace planc::cost {

/// One micro-batch through one virtual stage in one direction.
struct PassCost {
  double seconds = 0;
  double weight = 0; ///< seconds of the half of a backward pass that makes gradients of parameters
  double tail = 0;   ///< seconds for which comm streams run on after the end
  /// Seconds of this pass during which communication that other passes left behind can run: 0 if the pass begins with
  /// communication of states, less than `seconds` if its layers take the same port.
  double room = std::numeric_limits<double>::infinity();
  double last = 0;      ///< seconds of its last layer
  double onStep = 0;    ///< seconds for which it takes a port that reductions of the step also take
  double onGathers = 0; ///< seconds for which it takes a port that gathers of the step also take
  double onSends = 0;   ///< seconds for which it takes a port that transfers to other stages also take
  double apart = 0;     ///< seconds by which both halves together take longer than the whole pass
  double inputTail = 0; ///< `tail` of the half that makes gradients of inputs; the other half leaves none
  double input() const { return seconds + apart - weight; } ///< seconds of the half that makes gradients of inputs
};

/// Returns by how many seconds a transfer of `seconds` becomes longer if it shares its port with a pass of `pass`
/// seconds. The pass takes the port for `held` of its seconds, spread evenly. Both run together for at most `within`
/// seconds.
inline double takenTurns(double seconds, double held, double pass, double within) {
  if (!(held > 0) || !(within > 0)) return 0;
  const double share = held < pass ? held / pass : 1, alone = within * (1 - share);
  return seconds < alone ? seconds * share / (1 - share) : within * share;
}

/// The gathers of the new parameters of a virtual stage, once per step.
struct StepGathers {
  double inlined = 0; ///< seconds for which inline gathers hold the stage when its step begins
  double total = 0;   ///< seconds of the gathers that run beside passes
  double wait = 0;    ///< seconds that a forward pass waits if it begins with them (`waitForGathers`)
  double beside = 1;  ///< share of `PipelineInput::slowdown` that concurrent computing suffers
};

/// The pass that completes the gradients of a step, with the reductions that run in it (`runLastPass`).
struct LastPass {
  double longer = 0;   ///< extra seconds over other passes: slowed by reductions, held by their inline shares
  double tail = 0;     ///< seconds for which ports run on after it
  double carried = 0;  ///< seconds for which its communication takes the busiest port of reductions; 0: no reductions
  double onSends = 0;  ///< seconds of reductions on a port that transfers to other stages also take
  double reducing = 0; ///< seconds of reductions that may run on after it, on all ports together
};

/// Which kinds of communication of a device share a port.
struct PortsMeet {
  bool tails = false;           ///< transfers to other stages, and communication that passes leave behind
  bool reductions = false;      ///< transfers, and reductions of the step
  bool inlined = false;         ///< transfers, and inline reductions, which begin when everything else has ended
  bool gathers = false;         ///< transfers, and gathers of the step
  bool tailsAndReduced = false; ///< communication that passes leave behind, and reductions of the step
  void add(const PortsMeet& other) {
    tails |= other.tails, reductions |= other.reductions, inlined |= other.inlined, gathers |= other.gathers,
        tailsAndReduced |= other.tailsAndReduced;
  }
};

struct VirtualStageCost {
  PassCost forward, backward;
  StepGathers gathers;        ///< gathers before the first forward pass
  LastPass last, lastWeights; ///< for whole backward passes, and for halves that make gradients of parameters
  double send = 0;            ///< seconds of the transfer to the next virtual stage
  double sendBack = 0;        ///< seconds of the transfer of the gradient to the previous virtual stage
  double joined = 0;          ///< seconds of `send` in which receivers gather scattered parts over links of their own
  double joinedBack = 0;      ///< seconds of `sendBack` in which receivers gather scattered parts
  PortsMeet meets;
};

/// A forward pass and a backward pass of another micro-batch that run together.
struct PairCost {
  double seconds = 0;               ///< seconds of both passes together
  double forward = 0, backward = 0; ///< seconds until the result of each is made
};

/// The device stage that runs a virtual stage, on each route.
class StageDevices {
public:
  void add(std::span<const int64_t> devices) {
    routes_ = devices.size();
    all_.insert(all_.end(), devices.begin(), devices.end());
  }
  size_t size() const { return all_.size() / routes_; } ///< virtual stages
  size_t routes() const { return routes_; }
  std::span<const int64_t> operator[](std::integral auto virtualStage) const {
    return std::span(all_).subspan(static_cast<size_t>(virtualStage) * routes_, routes_);
  }
  /// Returns the devices of all virtual stages. The devices of one virtual stage are adjacent, one per route.
  std::span<const int64_t> all() const { return all_; }
  bool operator==(const StageDevices&) const = default;

private:
  size_t routes_ = 1;
  std::vector<int64_t> all_;
};

struct PipelineInput {
  int64_t stages = 1, microBatches = 1;
  Indexed<VirtualStageCost> virtualStages;
  StageDevices devices;
  ir::Orders actions;
  /// By virtual stage of the forward pass and of the backward pass of a pair. Passes without an entry run one after the
  /// other.
  std::map<std::pair<int64_t, int64_t>, PairCost> pairs;
  bool waitsForAll = true;     ///< a stage waits for the previous step of all stages; false: only for its own
  std::vector<double> between; ///< by stage: seconds that hold it between two of its steps; empty: 0
  double inlineSend = 1;       ///< share of a transfer that holds the sender
  double inlineReceive = 0;    ///< share that holds the receiver, once its stream is free
  double slowdown = 0;         ///< share of computing speed that gathers of the step take
};

/// Causes that hold a device stage outside of its passes, or slow them. Each second is booked where it arises.
enum class Cause : uint8_t {
  ForwardTail,     ///< waits for communication that a forward pass left behind
  BackwardTail,    ///< waits for communication that a backward pass left behind
  Gathers,         ///< waits for the step's new parameters
  Reductions,      ///< waits for the step's reductions, after the last pass
  Send,            ///< held by a transfer to the next virtual stage
  SendBack,        ///< held by a transfer of a gradient to the previous virtual stage
  Receive,         ///< held by a transfer that it receives
  ReceiveBack,     ///< held by a transfer of a gradient that it receives
  SlowedByGathers, ///< a forward pass that is slowed beside gathers of the step
  InLastPass,      ///< a backward pass that is longer by the reductions that run in it
};
inline constexpr size_t kCauses = 10;
using Booked = EnumArray<Cause, double, kCauses>;

/// The seconds that a device stage books on behalf of one of its virtual stages.
struct HeldStage {
  int64_t virtualStage = 0;
  Booked booked{};
  bool lastWeights = false; ///< the half that makes gradients of parameters completed them
};

struct StageTimes {
  double begin = 0;             ///< the moment at which its step begins
  double end = 0;               ///< the moment at which its last action, and the transfer that holds it then, has ended
  double busy = 0;              ///< seconds of its passes
  double idle = 0;              ///< seconds of waiting for other stages between `begin` and `end`
  double trailing = 0;          ///< seconds after `end` for which communication runs on; part of `booked()`
  std::vector<HeldStage> holds; ///< by virtual stage and route
  /// Number of pairs, by virtual stage of the forward pass and of the backward pass. A pair counts as the share of its
  /// full saving that it reaches.
  std::map<std::pair<int64_t, int64_t>, double> together;
  double booked(Cause cause) const;
  double booked() const; ///< all causes: end - begin + trailing = busy + idle + booked
};

/// Simulates one step with the fast engine, which skips repeated periods; `runTimeline` is its reference. If
/// `waitsForAll` is false, this is one of many steps in a row: the stages begin it as staggered as they end it, so
/// that the longest time from `begin` to the end of `trailing` and `between` is the period of steps. Throws
/// std::logic_error if the orders wait for each other.
std::vector<StageTimes> runPipeline(const PipelineInput& input);

} // namespace planc::cost
