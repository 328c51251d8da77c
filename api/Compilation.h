// One plan with the results of each compilation stage: program, schedule, estimate, verdicts and diagnostics.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/Estimator.h"
#include "backends/lint/Fixes.h"
#include "backends/verdict/Verdict.h"
#include "ir/plan/PlanEdit.h"
#include "passes/Passes.h"
#include "report/Report.h"

#include <memory>
#include <string>
#include <vector>

namespace planc::search {
class Engine;
}

namespace planc::api {

/// How a plan was requested.
struct PlanRequest {
  std::string named{}; ///< the name by which another plan extends it, with arguments if it was chosen with arguments
  std::string label{}; ///< the label of its line in a comparison; empty if it is not in one
  SourceRange range{}; ///< the place where the plan or the label is named
};

/// A plan and the levels that were reached. Each level points into the level before it, so a Compilation owns all of
/// them.
class Compilation {
public:
  /// `source` holds the text that the plan's source ranges point into. The Compilation keeps it alive.
  explicit Compilation(ir::Plan plan, PlanRequest asked = {}, std::shared_ptr<const SourceManager> source = nullptr);

  /// Returns a copy of the plan with a change applied, not lowered yet. If the change does not fit, the copy's
  /// diagnostics say so, and `lower` and `priceAlone` fail. All compilations made from one compilation share an engine
  /// (search/Engine.h), so that each further price costs little more than the layers that differ. Use each compilation
  /// from one thread at a time.
  std::unique_ptr<Compilation> with(const ir::PlanEdit& edit) const;
  /// Returns a compilation of another plan that was requested in the same way and shares the engine.
  std::unique_ptr<Compilation> beside(ir::Plan plan) const;

  const PlanRequest& asked() const { return asked_; }
  /// Returns whether `with` made it. Its plan then differs from the plan in the source text.
  bool changed() const { return changed_; }
  /// The text that source ranges point into; null if the constructor got none.
  const SourceManager* sources() const { return source_.get(); }
  const ir::Plan& plan() const { return *plan_; }
  /// These functions return null until their level is reached.
  const ir::ShardedProgram* sharded() const { return sharded_.get(); }
  const ir::Program* program() const { return program_.get(); }
  const ir::Schedule* schedule() const { return schedule_.get(); }
  const cost::Estimate* estimate() const { return estimate_.get(); }
  const verdict::Results& results() const { return results_; }
  /// Everything found wrong so far, including errors in the plan itself.
  DiagnosticEngine& diagnostics() { return diagnostics_; }
  const DiagnosticEngine& diagnostics() const { return diagnostics_; }

  /// Each function takes the plan one level further and returns whether it succeeded. `makeSchedule` requires `lower`.
  bool shard(const passes::PassObserver& observer = {});
  bool lower(const passes::PassObserver& observer = {});
  bool makeSchedule(const passes::PassObserver& observer = {});
  /// Checks the types of assertions and `measured` lines. Returns false after errors.
  bool checkVerdict();
  /// Checks that the plan has what prices need: a cluster, a software stack and a workload. Returns false after errors.
  bool checkParts();
  /// Lowers, schedules, prices and judges the plan, and adds warnings about cheaper alternatives (backends/lint).
  bool price();
  /// Prices the plan without assertions, `measured` lines and warnings. Returns false without a diagnostic if the plan
  /// has no software stack. If `wanted` has no rows, results that the engine caches from earlier plans are reused.
  bool priceAlone(cost::Wanted wanted = {});

  /// Records in the plan's allowances that every warning up to `reached` had its chance to arise. Call it for plans of
  /// the file only, and not for tests with their own arguments. An allowance that several plans share counts as priced
  /// only if each of them was priced.
  void settleAllowances(Reached reached) const;

  /// Prices changes that may make the plan fit if it does not fit in memory. `set`: the facts that were overridden.
  void findFixes(const ir::PlanEdit& set);
  /// The priced changes, best first; empty unless `findFixes` was called.
  const std::vector<lint::Fix>& fixes() const { return fixes_; }
  /// Prices the plan without each of its `recompute` statements.
  void findRecomputeEffects();
  const std::vector<lint::RecomputeEffect>& recomputeEffects() const { return recomputeEffects_; }

  /// Frees everything except `asked()` and the diagnostics, because a file may hold thousands of plans. Afterwards only
  /// these and `estimate()`, which then returns null, may be called.
  void release();

  /// The engine that this compilation shares with all compilations made from it.
  search::Engine& engine() const { return *engine_; }
  /// Frees what the engine caches from other plans. The next price starts with an empty engine.
  void freeEngine();

private:
  Compilation(ir::Plan plan, PlanRequest asked, std::shared_ptr<const SourceManager> source,
              std::shared_ptr<search::Engine> engine);
  bool prepare();
  void settleStages();
  void offerStages();
  void lint();
  /// PLAN0825: the stack has no run of the plan's kind.
  void warnOfReach();
  bool priceWhole(cost::Wanted wanted);
  bool priceOverEngine(cost::Wanted wanted);

  PlanRequest asked_;
  std::shared_ptr<const SourceManager> source_;
  std::shared_ptr<search::Engine> engine_;
  std::unique_ptr<ir::Plan> plan_;
  std::unique_ptr<ir::ShardedProgram> sharded_; ///< set by `shard` only
  std::unique_ptr<ir::Program> program_;
  std::unique_ptr<ir::Schedule> schedule_;
  std::unique_ptr<cost::Estimate> estimate_;
  verdict::Results results_;
  std::vector<lint::Fix> fixes_;
  std::vector<lint::RecomputeEffect> recomputeEffects_;
  DiagnosticEngine diagnostics_;
  bool changed_ = false; ///< `with` made it
  bool refused_ = false; ///< the change given to `with` did not fit
};

/// Turns on the IR verifier after every pass, for all compilations of the process from now on. Builds without NDEBUG
/// always verify. A finding is a bug in planc and throws an InternalError that names the pass.
void verifyPasses();

} // namespace planc::api
