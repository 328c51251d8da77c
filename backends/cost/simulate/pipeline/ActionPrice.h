// Shared by both engines of the pipeline: the prices of actions, communication that runs on, and how steps follow.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/pipeline/Pipeline.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace planc::cost {

/// Two moments are one if they are closer than this share of the time before them.
inline constexpr double kOneMoment = 1e-12;

/// The seconds of the actions of one kind on one virtual stage.
struct ActionPrice {
  /// From when its input was sent to its arrival. What the stage makes itself for the gradients of parameters is there
  /// when the stage goes on: minus infinity.
  double latency = 0;
  double receiving = 0; ///< for which the transfer of the input holds the stage
  double seconds = 0;
  double sending = 0;                                    ///< for which the transfer of the result holds the stage
  double transfer = 0;                                   ///< for which that takes the port
  double room = std::numeric_limits<double>::infinity(); ///< as in PassCost, up to here:
  double tail = 0, onStep = 0, onGathers = 0, onSends = 0;
  const LastPass* reductions = nullptr; ///< run in it if it completes the gradients of the step; null: there are none
  bool completes = false;               ///< may complete them
  /// The share of its seconds for which it takes the port of what other passes leave behind.
  double portShare() const { return seconds > 0 ? std::max(0.0, 1 - room / seconds) : 0; }
};

ActionPrice priceOf(const PipelineInput& in, int64_t virtualStage, ir::ActionKind kind);

/// Seconds that communication of the step adds to a pass running at the same time.
struct PassDelay {
  double slowed = 0, exposed = 0;
  double sum() const { return slowed + exposed; }
};

/// Communication that runs on after passes.
struct RunningOn {
  double until = 0;
  double seconds = 0; ///< its own, not shared with a transfer
  double sends = 0;   ///< seconds that transfers added to it, and that nothing has waited for
  /// Pauses while something else takes its port for `takes` seconds from `begin` on. Returns for how long.
  double pause(double begin, double takes) {
    const double paused = until > begin ? std::clamp(begin + takes - (until - seconds), 0.0, takes) : 0;
    until += paused;
    return paused;
  }
};

/// The time in which a pair, or a pass of it, takes a port for a share of its seconds.
struct Beside {
  double begin = 0, end = 0, share = 0;
};

/// The wait of a first forward pass from `start` to `end` for its new parameters, which are there at `gathered`: no
/// layer begins before its own are. `held`: seconds for which passes communicate over the port of the gathers.
PassDelay delayByGathers(const PipelineInput& in, const VirtualStageCost& cost, double gathered, double start,
                         double end, double held);

/// Books `seconds` of waiting while the port of a stage sends on its transfers, by their length. Such a wait also holds
/// what the transfers themselves waited for: returns the seconds beyond all transfers.
double bookPortWaits(const PipelineInput& in, double seconds, bool hasTail, std::vector<HeldStage>& holds);

/// Runs steps until all stages take equally long from `begins` (by stage) to their ends: one step if they wait for all.
std::vector<StageTimes> runSteps(const PipelineInput& in,
                                 llvm::function_ref<std::vector<StageTimes>(const std::vector<double>& begins)> run);

} // namespace planc::cost
