// Estimates many similar plans for searches, editors and services.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/Estimator.h"
#include "backends/cost/bounds/ProductWork.h"
#include "passes/Lowerings.h"

#include <memory>
#include <mutex>

namespace planc::search {

/// Lowers and prices plans, and reuses the results of earlier plans: layers, tasks and prices are computed once for
/// plans that differ only in schedule, states or overlap. Each estimate is bit-identical to an estimate without an
/// engine. An engine does not look for warnings. Threads may share an engine, but its calls run one at a time; one
/// engine per thread is faster.
class Engine {
public:
  /// `kept`: groups of plans whose layers are cached (`passes::Lowerings`). A walk over sizes, micro-batches and
  /// recomputation returns to each group after all others.
  explicit Engine(size_t kept = 64) : lowerings_(kept), work_(kept) {}

  /// Lowers, schedules and prices a plan. Returns null if the plan breaks a law or lacks a fact, which is reported.
  /// Balanced cuts must be settled before.
  std::unique_ptr<cost::Estimate> estimate(const ir::Plan& plan, DiagnosticEngine& diagnostics,
                                           cost::Wanted wanted = cost::Wanted::totals());

  /// Lowers to level comm. The plan must outlive the program. Returns null if the plan breaks a law, which is reported.
  std::unique_ptr<ir::Program> lower(const ir::Plan& plan, DiagnosticEngine& diagnostics);
  /// Schedules to level task. The program must come from this engine and outlive the schedule.
  std::unique_ptr<ir::Schedule> schedule(const ir::Program& program);
  /// Returns null if the plan lacks a fact, which is reported.
  std::unique_ptr<cost::Estimate> price(const ir::Schedule& schedule, DiagnosticEngine& diagnostics,
                                        cost::Wanted wanted = cost::Wanted::totals());

  /// Returns a lower bound of the plan's step time in seconds, without lowering the plan. It is derived from estimates
  /// made since the last `forgetFloors`, and tighter if one of them shared the plan's layers. 0 if no estimate was
  /// made.
  double stepFloor(const ir::Plan& plan);
  /// Returns a lower bound of the step time of all plans of the model with the same batch on the same number of these
  /// devices.
  double productFloor(const ir::Plan& plan);
  /// Returns a tighter bound for a program that was lowered by this engine.
  double stepFloor(const ir::Schedule& schedule);
  /// Returns the memory of the devices as the estimate computes it; nothing if it depends on times.
  std::optional<cost::Memory> memory(const ir::Schedule& schedule);
  /// Returns whether anything was estimated since the last `forgetFloors`.
  bool knowsFloors() const { return products_ != nullptr; }
  /// Tokens of a sample, if floors are known.
  std::optional<double> tokensPerSample() const { return products_ ? products_->tokensPerSample : std::nullopt; }
  /// Call it before plans of another model, workload or stack, because floors are valid for one of each only.
  void forgetFloors();

  const passes::Lowerings& lowerings() const { return lowerings_; }

private:
  void noteWork(const ir::Schedule& schedule);
  double layersFloor(const ir::Plan& plan);

  std::mutex turn_;
  passes::Lowerings lowerings_;
  cost::Estimator estimator_;
  struct Work {
    std::shared_ptr<const ir::Plan> group;
    cost::LayerWork layers;
  };
  Latest<Work> work_;
  std::unique_ptr<const cost::ProductWork> products_;
};

} // namespace planc::search
