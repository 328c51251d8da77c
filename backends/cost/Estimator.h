// Prices a schedule: the entry point of the cost backend.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/bounds/LayerWork.h"
#include "backends/cost/result/Estimate.h"
#include "ir/program/Task.h"
#include "support/Diagnostics.h"
#include "support/Memo.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace planc::cost {

/// PLAN0801: a plan that names no software cannot be priced; `known`: the stacks that it could name.
void reportNoSoftware(const ir::Plan& plan, const std::vector<std::string>& known, DiagnosticEngine& diagnostics);

/// Prices a schedule: simulates it, accounts memory, fills the report. Reports PLAN08xx for facts that the plan's
/// device, fabric or stack lacks; returns null then.
std::unique_ptr<Estimate> estimate(const ir::Schedule& schedule, DiagnosticEngine& diagnostics, Wanted wanted = {});

/// Prices many schedules. Keeps the prices for the last few machines with their software, so that a layer that several
/// schedules share is priced once. The results are the same as if each schedule were priced alone.
class Estimator {
public:
  /// Returns the same as the function `estimate`. Layers whose prices are cached give no warnings.
  std::unique_ptr<Estimate> estimate(const ir::Schedule& schedule, DiagnosticEngine& diagnostics, Wanted wanted = {});
  /// Returns the memory of the devices, bit-identical to the memory in the estimate. Returns nullopt if the memory
  /// depends on simulated times, because the schedule chooses between several orders by time.
  std::optional<Memory> memory(const ir::Schedule& schedule);
  /// Return `pipelineFloor` and `layerWork` of a schedule, with the prices that estimates have cached so far.
  double stepFloor(const ir::Schedule& schedule);
  std::optional<LayerWork> layerWork(const ir::Schedule& schedule);

private:
  struct Machine {
    std::shared_ptr<const ir::Cluster> cluster;
    std::shared_ptr<const ir::Stack> stack;
    Memos memos;
  };
  Memos& memosOf(const ir::Schedule& schedule);

  Latest<Machine> machines_; ///< several, because a search that varies the machine alternates between machines
};

} // namespace planc::cost
