// One micro-batch through one virtual stage: the chain of its instances, with state collectives issued ahead.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Segments.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace planc::cost {

struct StagePass {
  double seconds = 0;        ///< seconds of the compute stream from start to end
  double alone = 0;          ///< seconds that the instances take if they run alone
  double last = 0;           ///< seconds of the last layer in this direction if it runs alone
  double tail = 0;           ///< seconds for which comm streams run on after the end
  bool communicates = false; ///< has state collectives, so it waits until the comm stream is free
  Account account;           ///< `seconds` by class, all instances together
  bool booked = false;       ///< whether `account` is filled
  Account running;           ///< communication of `tail` by class and state; exposed if an action waits for it
};

/// Returns whether each pass in the given direction moves the state, once per micro-batch.
bool everyMicroBatch(const ir::StateCollective& state, bool backward);

/// Returns whether a collective reduces gradients, or copies them to the host, once per step. It then runs in the pass
/// that completes the gradients.
bool reducesOnce(const ir::StateCollective& state);
/// Returns whether a collective gathers new parameters once per step.
bool gathersOnce(const ir::StateCollective& state);
/// Returns whether a collective reduces gradients in the pass that completes the gradients of a step. That pass is a
/// backward pass or, if `weights` is true, the half of it that makes the gradients of parameters.
bool reducesInLast(const ir::StateCollective& state, bool weights);

/// Adds to `ports` the seconds for which the collectives inside the layers of a pass take each port.
void addLayersOnPorts(std::vector<double>& ports, const ir::Schedule& schedule, const std::vector<ClassCost>& costs,
                      const ir::StageKind& stage, bool backward);
/// Adds to `ports` the seconds of state collectives. `share` returns the share of a collective that a pass moves. A
/// pass, with the communication that runs on after it, takes at least the sum of both on each port.
void addStatesOnPorts(std::vector<double>& ports, const ir::Schedule& schedule, const std::vector<ClassCost>& costs,
                      const ir::StageKind& stage, llvm::function_ref<double(const ir::StateCollective&)> share);
/// Subtracts from `ports` the seconds of communication that runs on after a pass, because that communication is not
/// concurrent with the pass.
void takeRunning(std::vector<double>& ports, const ir::Program& program, const StagePass& pass);

/// Simulates a pass. If `account` is false and no states move with the pass, its account stays empty until `bookAlone`
/// fills it. Equal instances are simulated until their rhythm repeats, and are then multiplied. Runs of up to eight
/// instances are simulated one by one.
StagePass runStagePass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                       bool backward, bool account = true);
/// Passes every layer of a pass to `observer`, also the layers that a simulation skips: the seconds of its compute
/// stream, and its tasks on comm streams (`Streams::watch`). Both add up to the account of the pass. Communication that
/// runs on after the pass is left out.
void observeStagePass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                      ir::ActionKind kind, SliceObserver& observer);
/// The halves of a backward pass. States move in the first half. Communication that they leave behind runs during the
/// second half.
struct HalfPasses {
  StagePass first, second;
};
/// Simulates both halves of a backward pass. Only for schedules that split backward passes.
HalfPasses runHalves(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage);
void bookAlone(HalfPasses& halves, const std::vector<ClassCost>& costs, const ir::StageKind& stage);
/// Simulates the pass that completes the gradients of a step, with the reductions of the step in it. If `weights` is
/// true, this is the half of a split backward pass that makes the gradients of parameters. The account of that half
/// has only the seconds that its reductions add.
StagePass runLastPass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                      bool weights);
/// Fills the account of a pass whose instances run alone, unless the account is filled already.
void bookAlone(StagePass& pass, const std::vector<ClassCost>& costs, const ir::StageKind& stage, bool backward);

} // namespace planc::cost
