// One micro-batch through one virtual stage: the chain of its instances, with state collectives issued ahead.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Segments.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace planc::cost {

struct StagePass {
  double seconds = 0;        ///< of the compute stream, from start to end
  double alone = 0;          ///< the part that the instances take by themselves
  double last = 0;           ///< the last layer in this direction, alone
  double tail = 0;           ///< comm streams run on for this long after the end
  bool communicates = false; ///< has state collectives: waits until the comm stream is free
  Account account;           ///< where `seconds` go, all instances together
  bool booked = false;       ///< whether it is there
  Account running;           ///< whose communication `tail` is: exposed by whoever waits for it
};

/// Whether a pass in that direction moves the state, once for every micro-batch.
bool everyMicroBatch(const ir::StateCollective& state, bool backward);

/// Whether gradients are reduced, or taken to the host, once per step: in the pass that completes them.
bool reducesOnce(const ir::StateCollective& state);
/// Whether new parameters are gathered once per step.
bool gathersOnce(const ir::StateCollective& state);
/// Whether a state reduces in the pass that completes the gradients of a step: a backward pass, or the half of it that
/// makes the gradients of parameters (`weights`).
bool reducesInLast(const ir::StateCollective& state, bool weights);

/// Adds up by port for how long the collectives inside of the layers of a pass take it,
void addLayersOnPorts(std::vector<double>& ports, const ir::Schedule& schedule, const std::vector<ClassCost>& costs,
                      const ir::StageKind& stage, bool backward);
/// and of those of states the `share` that a pass moves. With both a pass ends no sooner.
void addStatesOnPorts(std::vector<double>& ports, const ir::Schedule& schedule, const std::vector<ClassCost>& costs,
                      const ir::StageKind& stage, llvm::function_ref<double(const ir::StateCollective&)> share);
/// Removes the communication that runs on after a pass, which is not concurrent with it.
void takeRunning(std::vector<double>& ports, const ir::Program& program, const StagePass& pass);

/// Without `account` it is left to `bookAlone` where that is all there is to it.
/// Equal instances are simulated until their rhythm repeats, then multiplied; runs of up to eight are simulated whole.
StagePass runStagePass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                       bool backward, bool account = true);
/// Tells `observer` the tasks of a pass, on the streams of a device (`Streams::watch`). An instance whose nodes neither
/// overlap nor share a port with states is one task. Instances that are only counted do not appear.
void observeStagePass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                      bool backward, SliceObserver& observer);
/// The halves of a backward pass. States move with the first, and what they leave behind runs beside the second.
struct HalfPasses {
  StagePass first, second;
};
/// Both halves of a backward pass; for schedules that split it.
HalfPasses runHalves(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage);
void bookAlone(HalfPasses& halves, const std::vector<ClassCost>& costs, const ir::StageKind& stage);
/// The pass that completes the gradients of a step, with the reductions of the step in it; of a backward pass that is
/// split in two the half that makes the gradients of parameters (`weights`). The account of that half has only what its
/// reductions add.
StagePass runLastPass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                      bool weights);
/// The account of a pass whose instances run alone, if it is not there.
void bookAlone(StagePass& pass, const std::vector<ClassCost>& costs, const ir::StageKind& stage, bool backward);

} // namespace planc::cost
