// The one wiring of passes and backends: plan -> program -> schedule -> estimate -> verdicts.
// SPDX-License-Identifier: Apache-2.0
#include "api/Compilation.h"

#include "api/BalanceStages.h"
#include "api/Library.h"
#include "api/MemoryFixes.h"
#include "api/RecomputeEffects.h"
#include "backends/cost/Estimator.h"
#include "backends/cost/result/Doubts.h"
#include "passes/Passes.h"
#include "support/Step.h"

namespace planc::api {

Compilation::Compilation(ir::Plan plan, Asked asked, std::shared_ptr<const SourceManager> source)
    : asked_(std::move(asked)), source_(std::move(source)), plan_(std::make_unique<ir::Plan>(std::move(plan))) {}

std::unique_ptr<Compilation> Compilation::with(const ir::PlanEdit& edit) const {
  auto made = std::make_unique<Compilation>(*plan_, asked_, source_);
  made->refused_ = !ir::apply(edit, *made->plan_, made->diagnostics_);
  return made;
}

bool Compilation::lower(ir::Level level, const passes::PassObserver& observer) {
  if (refused_) return false;
  settleStages();
  Step step("lowering");
  estimate_.reset(), schedule_.reset(); // they point into what is made anew
  program_ = passes::lower(*plan_, level, diagnostics_, observer);
  return program_ != nullptr;
}

/// A balanced cut needs prices, which no pass knows; so does what the report of a cut that fails offers.
void Compilation::settleStages() {
  if (!plan_->pipeline || !plan_->pipeline->stages.empty()) return;
  Step step("balancing");
  ir::Pipeline& pipeline = *plan_->pipeline;
  if (pipeline.cut && pipeline.cut->cut == ir::StageCut::Balanced)
    pipeline.stages = balancedStages(*plan_);
  else if (pipeline.offered.empty() && !passes::canCutStages(*plan_))
    pipeline.offered = balancedStages(*plan_);
}

bool Compilation::makeSchedule(const passes::PassObserver& observer) {
  Step step("scheduling");
  schedule_ = passes::schedule(*program_, observer);
  return schedule_ != nullptr;
}

bool Compilation::checkVerdict() {
  size_t before = diagnostics_.errorCount();
  verdict::check(*plan_, diagnostics_);
  return diagnostics_.errorCount() == before;
}

bool Compilation::price() {
  Step step("pricing");
  bool typed = checkVerdict();
  if (!plan_->stack) {
    cost::reportNoSoftware(*plan_, Library::stacksFor(*plan_), diagnostics_);
    return false;
  }
  if (!priceAlone()) return false;
  if (typed) results_ = verdict::evaluate(*plan_, *estimate_, diagnostics_);
  return true;
}

bool Compilation::priceAlone(cost::Wanted wanted) {
  Step step("pricing");
  if (!wanted.rows) diagnostics_.ignoreWarnings();
  if (!plan_->stack || cost::reportNoWorkload(*plan_, diagnostics_) || !lower(ir::Level::Comm) || !makeSchedule())
    return false;
  estimate_ = cost::estimate(*schedule_, diagnostics_, wanted);
  return estimate_ != nullptr;
}

void Compilation::release() {
  results_ = {};
  estimate_.reset(), schedule_.reset(), program_.reset(), plan_.reset();
  fixes_ = {};
  recomputeEffects_ = {};
}

void Compilation::findFixes(const ir::PlanEdit& set) {
  if (source_) fixes_ = memoryFixes(*this, *source_, set);
}

void Compilation::findRecomputeEffects() {
  recomputeEffects_ = api::recomputeEffects(*this);
}

void verifyPasses() {
  passes::setVerifying(true);
}

} // namespace planc::api
