// What the layers of a plan take by themselves: a floor of its step, whatever its schedule.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/KnownPrices.h"
#include "ir/program/Program.h"
#include "ir/program/Task.h"

#include <optional>

namespace planc::cost {

/// Seconds that one micro-batch keeps compute streams busy, through all layers, forward and backward together.
struct LayerWork {
  double alone = 0;     ///< instance behind instance, with the communication that they wait for
  double computing = 0; ///< without any communication: what is left where passes run beside each other
};

/// Of the layers of a program at level comm, by prices that are known; nothing if one of them is not.
std::optional<LayerWork> layerWork(const ir::Program& program, const KnownPrices& prices);

/// A floor of the step time of a plan that trains, whose layers take so much: a step takes no less than its busiest
/// stage, and that is busy no less than the mean of all (docs/cost-model.md, section 3). 0 where nothing is known.
/// `pairs`: its schedule runs passes beside each other.
double stepFloor(const LayerWork& work, const ir::Plan& plan, bool pairs);

/// A closer floor of the step of a program at level comm: a device computes all that it holds, after what the first
/// micro-batch needs to reach it, before what the last one needs to come back. 0 where prices are not known, and with
/// several routes.
double pipelineFloor(const ir::Program& program, const KnownPrices& prices, const ir::ScheduleKind& kind);

} // namespace planc::cost
