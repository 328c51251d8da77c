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

/// Two moments count as equal if they differ by less than this share of the time before them.
inline constexpr double kOneMoment = 1e-12;

/// The seconds of the actions of one kind on one virtual stage.
struct ActionPrice {
  /// Seconds from the sending of the input to its arrival. Minus infinity for gradients of parameters, because the
  /// stage makes their input itself, so the input is available when the stage goes on.
  double latency = 0;
  double receiving = 0; ///< seconds for which the transfer of the input holds the stage
  double seconds = 0;
  double sending = 0;                                    ///< seconds for which sending the result holds the stage
  double transfer = 0;                                   ///< seconds for which sending the result takes the port
  double room = std::numeric_limits<double>::infinity(); ///< `room` to `onSends`: as in `PassCost`
  double tail = 0, onStep = 0, onGathers = 0, onSends = 0;
  const LastPass* reductions = nullptr; ///< reductions in it if it completes the step's gradients; null: no reductions
  bool completes = false;               ///< whether it can complete the gradients of the step
  /// Returns the share of its seconds for which it takes the port of communication that other passes leave behind.
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
  double sends = 0;   ///< seconds that transfers added to it, less the seconds already waited for
  /// Pauses while other communication takes its port for `takes` seconds from `begin` on. Returns the seconds of the
  /// pause.
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

/// Returns the delay of a first forward pass, from `start` to `end`, that waits for its new parameters. All of them
/// have arrived at `gathered`. No layer begins before its own parameters have arrived. `held`: seconds for which
/// passes communicate over the port of the gathers.
PassDelay delayByGathers(const PipelineInput& in, const VirtualStageCost& cost, double gathered, double start,
                         double end, double held);

/// Books `seconds` of waiting for the sending port of a stage on the stage's transfers, in proportion to their length.
/// Such a wait can include communication that the transfers themselves waited for. Returns the seconds that exceed all
/// transfers.
double bookPortWaits(const PipelineInput& in, double seconds, bool hasTail, std::vector<HeldStage>& holds);

/// Runs steps until all stages take equally long from `begins` (by stage) to their ends: one step if they wait for all.
std::vector<StageTimes> runSteps(const PipelineInput& in,
                                 llvm::function_ref<std::vector<StageTimes>(const std::vector<double>& begins)> run);

} // namespace planc::cost
