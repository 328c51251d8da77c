// Estimates of many plans that differ in little: a search, an editor, a service.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/Estimator.h"
#include "backends/cost/simulate/KnownPrices.h"
#include "passes/Lowerings.h"

#include <memory>
#include <mutex>

namespace planc::search {

/// Lowers and prices plan after plan. What a plan shares with those before it is not done again: the layers, their
/// tasks and their prices where only schedule, states or overlap differ. The estimates are those of plans by
/// themselves, bit for bit; warnings are not looked for. Threads may share one: its steps take turns, so that several
/// engines are faster.
class Engine {
public:
  /// `kept`: groups of plans whose layers are kept (`passes::Lowerings`); a loop over sizes, micro-batches and
  /// recomputation comes back to each after all others.
  explicit Engine(size_t kept = 64) : lowerings_(kept) {}

  /// All three steps. Null if the plan breaks a law or lacks a fact (reported). Cuts that are to be balanced must be
  /// settled.
  std::unique_ptr<cost::Estimate> estimate(const ir::Plan& plan, DiagnosticEngine& diagnostics,
                                           cost::Wanted wanted = cost::Wanted::totals());

  /// To level comm; null if the plan, which must outlive the program, breaks a law (reported).
  std::unique_ptr<ir::Program> lower(const ir::Plan& plan, DiagnosticEngine& diagnostics);
  /// To level task, of a program that was lowered here and outlives the schedule.
  std::unique_ptr<ir::Schedule> schedule(const ir::Program& program);
  /// Null if the plan lacks a fact (reported).
  std::unique_ptr<cost::Estimate> price(const ir::Schedule& schedule, DiagnosticEngine& diagnostics,
                                        cost::Wanted wanted = cost::Wanted::totals());

  const passes::Lowerings& lowerings() const { return lowerings_; }

private:
  std::mutex turn_;
  passes::Lowerings lowerings_;
  cost::KnownPrices prices_;
};

} // namespace planc::search
