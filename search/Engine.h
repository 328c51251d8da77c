// Estimates of many plans that differ in little: a search, an editor, a service.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/Estimator.h"
#include "backends/cost/bounds/KnownMemory.h"
#include "backends/cost/bounds/LayerWork.h"
#include "backends/cost/bounds/ProductWork.h"
#include "backends/cost/simulate/KnownPrices.h"
#include "passes/Lowerings.h"

#include <list>
#include <memory>
#include <mutex>

namespace planc::search {

/// Lowers and prices plan after plan. What a plan shares with those before it is not done again: the layers, their
/// tasks and their prices where only schedule, states or overlap differ. The estimates are those of plans by
/// themselves, bit for bit; warnings are not looked for. Threads may share one: its steps take turns, so that several
/// engines are faster.
class Engine {
public:
  /// Machines whose prices are kept: a walk over a space that varies the machine comes back to each.
  static constexpr size_t kMachines = 8;

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

  /// No estimate of the plan has a shorter step; found without lowering it, from estimates since the last
  /// `forgetFloors`: of plans of its model, closer where one shared its layers. 0 where there are none.
  double stepFloor(const ir::Plan& plan);
  /// The same of all plans of the model on as many of the same devices, with the same batch.
  double productFloor(const ir::Plan& plan);
  /// The same of a program that was lowered here, closer.
  double stepFloor(const ir::Schedule& schedule);
  /// What the devices hold, as the estimate says; nothing where that depends on times.
  std::optional<cost::Memory> memory(const ir::Schedule& schedule);
  /// Was anything estimated since then?
  bool knowsFloors() const { return products_ != nullptr; }
  /// Tokens of a sample, where floors are known.
  std::optional<double> tokensPerSample() const { return products_ ? products_->tokensPerSample : std::nullopt; }
  /// Floors hold for plans of one model, workload and stack: to be called before others.
  void forgetFloors();

  const passes::Lowerings& lowerings() const { return lowerings_; }

private:
  cost::KnownPrices& pricesOf(const ir::Plan& plan);
  void noteWork(const ir::Program& program);
  double layersFloor(const ir::Plan& plan);

  std::mutex turn_;
  passes::Lowerings lowerings_;
  std::list<cost::KnownPrices> prices_; ///< by machine and stack, the last one met first
  struct Work {
    std::shared_ptr<const ir::Plan> group;
    cost::LayerWork layers;
  };
  std::list<Work> work_; ///< by group of plans, the last one met first
  std::unique_ptr<const cost::ProductWork> products_;
};

} // namespace planc::search
