// One plan on its way down, from its elaborated form to verdicts on its estimate, with all that was made of it.
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

/// How a plan was asked for.
struct Asked {
  std::string named{}; ///< as a plan that extends it names it: with its arguments, if it was chosen with some
  std::string label{}; ///< of the line of a comparison that it is
  SourceRange range{}; ///< where it is named: that of the label or of the plan
};

/// A plan and the levels that were reached. What a level points into belongs to the one before it: they live and end
/// here together.
class Compilation {
public:
  /// `source`: what the places of the plan point into, held as long as this.
  explicit Compilation(ir::Plan plan, Asked asked = {}, std::shared_ptr<const SourceManager> source = nullptr);

  /// The plan with a change, nothing of it lowered yet. Where the change does not fit, that is in its diagnostics, and
  /// it goes no step further. All that are made of one compilation share an engine (search/Engine.h), so that the
  /// totals of many changes take little longer than what is different about them; each belongs to one thread at a time.
  std::unique_ptr<Compilation> with(const ir::PlanEdit& edit) const;
  /// Another plan beside this one, asked for in the same way, over the same engine.
  std::unique_ptr<Compilation> beside(ir::Plan plan) const;

  const Asked& asked() const { return asked_; }
  /// Was it made by `with`? Then its plan is not the one that a text names.
  bool changed() const { return changed_; }
  /// What places point into; null if that was not said.
  const SourceManager* sources() const { return source_.get(); }
  const ir::Plan& plan() const { return *plan_; }
  /// Null where it was not reached.
  const ir::ShardedProgram* sharded() const { return sharded_.get(); }
  const ir::Program* program() const { return program_.get(); }
  const ir::Schedule* schedule() const { return schedule_.get(); }
  const cost::Estimate* estimate() const { return estimate_.get(); }
  const verdict::Results& results() const { return results_; }
  /// What was found wrong on the way, the plan's own mistakes included.
  DiagnosticEngine& diagnostics() { return diagnostics_; }
  const DiagnosticEngine& diagnostics() const { return diagnostics_; }

  /// Each goes one step further and says whether it arrived. `schedule` lowers first where that was not done.
  bool shard(const passes::PassObserver& observer = {});
  bool lower(const passes::PassObserver& observer = {});
  bool makeSchedule(const passes::PassObserver& observer = {});
  /// Types of assertions and measured lines.
  bool checkVerdict();
  /// Whether it names what prices come from, cluster and software.
  bool checkParts();
  /// All the way: lowers, schedules, prices, judges, and warns of what it could have for less (backends/lint).
  bool price();
  /// The same without assertions and measured lines, and where the stack is not known without a word about it. Without
  /// rows no warnings are looked for either, and what earlier plans over the same engine left is taken from there.
  bool priceAlone(cost::Wanted wanted = {});

  /// Says of what it allows that all warnings up to `reached` had their chance: of a plan that its file has, which a
  /// test with arguments of its own is not. What several plans allow is known as far as each of them came.
  void settleAllowances(Reached reached) const;

  /// Prices changes that may make it fit, where it does not: its own text with what was set beside it.
  void findFixes(const ir::PlanEdit& set);
  /// Best first; empty where they were not asked for.
  const std::vector<lint::Fix>& fixes() const { return fixes_; }
  /// Prices it without each of its `recompute` statements.
  void findRecomputeEffects();
  const std::vector<lint::RecomputeEffect>& recomputeEffects() const { return recomputeEffects_; }

  /// Gives back all but how it was asked for and its diagnostics: a file may hold thousands of plans. Nothing else may
  /// be asked afterwards, but for `estimate`, which is null.
  void release();

  /// Of this compilation and all that were made of it.
  search::Engine& engine() const { return *engine_; }
  /// Frees what pricing other plans over the engine left; one that is asked again begins anew.
  void freeEngine();

private:
  Compilation(ir::Plan plan, Asked asked, std::shared_ptr<const SourceManager> source,
              std::shared_ptr<search::Engine> engine);
  bool prepare();
  void settleStages();
  void offerStages();
  void lint();
  /// PLAN0825: the stack has no run of the plan's kind.
  void warnOfReach();
  bool priceWhole(cost::Wanted wanted);
  bool priceOverEngine(cost::Wanted wanted);

  Asked asked_;
  std::shared_ptr<const SourceManager> source_;
  std::shared_ptr<search::Engine> engine_;
  std::unique_ptr<ir::Plan> plan_;
  std::unique_ptr<ir::ShardedProgram> sharded_; ///< of `shard` alone
  std::unique_ptr<ir::Program> program_;
  std::unique_ptr<ir::Schedule> schedule_;
  std::unique_ptr<cost::Estimate> estimate_;
  verdict::Results results_;
  std::vector<lint::Fix> fixes_;
  std::vector<lint::RecomputeEffect> recomputeEffects_;
  DiagnosticEngine diagnostics_;
  bool changed_ = false; ///< by an edit, or what it was made of was
  bool refused_ = false; ///< a change did not fit
};

/// Lets a verifier check what every pass leaves, in all compilations of the process from now on; builds without NDEBUG
/// always do. What it finds is a bug in planc: an InternalError that names the pass.
void verifyPasses();

} // namespace planc::api
