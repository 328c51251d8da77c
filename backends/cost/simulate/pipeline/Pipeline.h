// Event simulation of the pipeline: stages run actions in order, wait to receive, are held by what they send.
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
  double weight = 0; ///< the half that a split backward does later
  double tail = 0;   ///< comm streams run on after the end
  /// For how long what other passes left behind may run on while this one runs: none where it begins with communication
  /// of states, and less than all of it where its layers take the same port.
  double room = std::numeric_limits<double>::infinity();
  double last = 0;      ///< its last layer
  double onStep = 0;    ///< seconds for which it takes a port that reductions of the step take, too,
  double onGathers = 0; ///< one that gathers of the step take, and
  double onSends = 0;   ///< one that transfers to other stages take
  double apart = 0;     ///< by how much its halves take longer than the whole
  double inputTail = 0; ///< `tail` of the half that a split backward does first; the other leaves none
  double input() const { return seconds + apart - weight; } ///< the half that a split backward does first
};

/// How much longer what was issued ahead takes where a pass of `pass` seconds takes its port for `held` of them,
/// evenly, and the two are together for `within`.
inline double takenTurns(double seconds, double held, double pass, double within) {
  if (!(held > 0) || !(within > 0)) return 0;
  const double share = held < pass ? held / pass : 1, alone = within * (1 - share);
  return seconds < alone ? seconds * share / (1 - share) : within * share;
}

/// New parameters of a virtual stage on their way, once per step.
struct StepGathers {
  double inlined = 0; ///< seconds for which inline gathers hold the stage when its step begins
  double total = 0;   ///< seconds of the gathers that run beside passes
  double wait = 0;    ///< seconds that a forward pass waits if it begins with them (`waitForGathers`)
  double beside = 1;  ///< the share of the slowdown that computing beside them suffers
};

/// The pass that completes the gradients of a step, with the reductions that run in it (`runLastPass`).
struct LastPass {
  double longer = 0;   ///< than other passes: slowed by reductions, and held by what of them is inline
  double tail = 0;     ///< ports run on after it
  double carried = 0;  ///< seconds for which its communication takes the port that reductions take for longest; 0: none
  double onSends = 0;  ///< seconds of reductions on a port that transfers to other stages take, too
  double reducing = 0; ///< seconds of reductions that may run on after it, on all ports together
};

/// Which kinds of communication of a device share a port.
struct PortsMeet {
  bool tails = false;           ///< transfers to other stages, and what passes leave behind;
  bool reductions = false;      ///< transfers, and reductions of the step;
  bool inlined = false;         ///< transfers, and those that are inline, which begin when all else has ended;
  bool gathers = false;         ///< transfers, and gathers of the step;
  bool tailsAndReduced = false; ///< what passes leave behind, and reductions of the step
  void add(const PortsMeet& other) {
    tails |= other.tails, reductions |= other.reductions, inlined |= other.inlined, gathers |= other.gathers,
        tailsAndReduced |= other.tailsAndReduced;
  }
};

struct VirtualStageCost {
  PassCost forward, backward;
  StepGathers gathers;        ///< before the first forward
  LastPass last, lastWeights; ///< a backward pass, or the half of it that makes the gradients of parameters
  double send = 0;            ///< forward transfer to the next virtual stage, and
  double sendBack = 0;        ///< of the gradient to the previous one
  double joined = 0;          ///< seconds of `send` in which receivers gather scattered parts over links of their own
  double joinedBack = 0;      ///< the same of `sendBack`
  PortsMeet meets;
};

/// A forward pass and a backward pass of another micro-batch that run together.
struct PairCost {
  double seconds = 0;               ///< of both
  double forward = 0, backward = 0; ///< until the result of either is made
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
  /// Of all virtual stages, route by route.
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
  /// A forward pass of the first virtual stage together with a backward pass of the second; without an entry one runs
  /// after the other.
  std::map<std::pair<int64_t, int64_t>, PairCost> pairs;
  bool waitsForAll = true; ///< a step begins when every stage has ended the one before; else each stage's with its own
  std::vector<double> between; ///< by stage: what holds it between two steps, where they do not wait; empty: nothing
  double inlineSend = 1;       ///< share of a transfer that holds the sender
  double inlineReceive = 0;    ///< and the receiver, who takes it when his stream is free
  double slowdown = 0;         ///< of computing beside gathers of the step
};

/// What holds a device stage outside of its passes, or slows them; each is booked where it arises.
enum class Cause : uint8_t {
  ForwardTail,     ///< waits until the communication that a forward pass left behind has ended,
  BackwardTail,    ///< or that of a backward pass
  Gathers,         ///< waits for the step's new parameters
  Reductions,      ///< for its reductions, after the last pass
  Send,            ///< held by what it hands on,
  SendBack,        ///< and by the gradient that it hands back
  Receive,         ///< held by what it receives,
  ReceiveBack,     ///< and by the gradient
  SlowedByGathers, ///< computing beside the gathers, under a forward pass
  InLastPass,      ///< what reductions add to the backward pass that they run in
};
inline constexpr size_t kCauses = 10;
using Booked = EnumArray<Cause, double, kCauses>;

/// On behalf of one virtual stage that the device stage holds.
struct HeldStage {
  int64_t virtualStage = 0;
  Booked booked{};
  bool lastWeights = false; ///< which half completed its gradients
};

struct StageTimes {
  double begin = 0;             ///< where its step begins: with all others, or when it has ended the one before
  double end = 0;               ///< of its last action, and of the transfer that holds it after
  double busy = 0;              ///< its passes
  double idle = 0;              ///< between `begin` and `end`: waits for other stages
  double trailing = 0;          ///< after `end`: communication of states that found nothing to hide under; booked
  std::vector<HeldStage> holds; ///< by virtual stage and route
  /// By virtual stage of the forward pass and that of the backward pass: pairs, each counted by the share of its saving
  /// that it makes.
  std::map<std::pair<int64_t, int64_t>, double> together;
  double booked(Cause cause) const;
  double booked() const; ///< all causes: end - begin + trailing = busy + idle + booked
};

class KnownPipelines;

/// One step. Where stages do not wait for all it is one of many that follow each other: it begins as staggered as it
/// ends, so that the longest from `begin` to the end of `trailing` and `between` is the period of steps.
/// What the orders repeat is simulated until it goes on as before, and then counted: as long for many micro-batches as
/// for a few. Throws std::logic_error if the orders wait for each other. `known`: what pipelines of one shape share.
std::vector<StageTimes> runPipeline(const PipelineInput& input, KnownPipelines* known = nullptr);

} // namespace planc::cost
