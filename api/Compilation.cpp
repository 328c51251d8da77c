// Runs passes and backends in order: plan -> program -> schedule -> estimate -> verdicts.
// SPDX-License-Identifier: Apache-2.0
#include "api/Compilation.h"

#include "api/Library.h"
#include "api/MemoryFixes.h"
#include "api/RecomputeEffects.h"
#include "api/calibrated/CalibratedParts.h"
#include "backends/cost/Estimator.h"
#include "backends/cost/result/Distance.h"
#include "backends/cost/result/Doubts.h"
#include "backends/lint/Lint.h"
#include "passes/Passes.h"
#include "search/BalanceStages.h"
#include "search/Engine.h"
#include "support/Step.h"

namespace planc::api {

PLANC_ERROR(NoCluster, 810, "plan `{plan}` has no `cluster`, so it cannot be priced")

namespace {

bool balanced(const ir::Plan& plan) {
  return plan.pipeline && plan.pipeline->cut && plan.pipeline->cut->cut == ir::StageCut::Balanced;
}

} // namespace

Compilation::Compilation(ir::Plan plan, PlanRequest asked, std::shared_ptr<const SourceManager> source)
    : Compilation(std::move(plan), std::move(asked), std::move(source), std::make_shared<search::Engine>()) {}

Compilation::Compilation(ir::Plan plan, PlanRequest asked, std::shared_ptr<const SourceManager> source,
                         std::shared_ptr<search::Engine> engine)
    : asked_(std::move(asked)), source_(std::move(source)), engine_(std::move(engine)),
      plan_(std::make_unique<ir::Plan>(std::move(plan))) {
  diagnostics_.allow(plan_->allowances);
}

std::unique_ptr<Compilation> Compilation::with(const ir::PlanEdit& edit) const {
  auto made = beside(*plan_);
  made->changed_ = true;
  made->refused_ = !ir::apply(edit, *made->plan_, made->diagnostics_);
  return made;
}

std::unique_ptr<Compilation> Compilation::beside(ir::Plan plan) const {
  return std::unique_ptr<Compilation>(new Compilation(std::move(plan), asked_, source_, engine_));
}

bool Compilation::shard(const passes::PassObserver& observer) {
  if (!prepare()) return false;
  Step step("lowering");
  sharded_ = passes::shard(*plan_, diagnostics_, observer);
  return sharded_ != nullptr;
}

bool Compilation::lower(const passes::PassObserver& observer) {
  if (!prepare()) return false;
  Step step("lowering");
  program_ = passes::lower(*plan_, diagnostics_, observer);
  return program_ != nullptr;
}

/// Settles what no pass knows, and drops what points into a program that is made anew.
bool Compilation::prepare() {
  if (refused_) return false;
  settleStages();
  offerStages();
  estimate_.reset(), schedule_.reset();
  return true;
}

/// Balancing a cut needs prices, which the passes do not have, so it happens before lowering.
void Compilation::settleStages() {
  Step step("balancing");
  search::settleStages(*plan_, engine());
}

/// The report of an invalid cut offers balanced stages, which need prices, too.
void Compilation::offerStages() {
  if (!plan_->pipeline || balanced(*plan_) || !plan_->pipeline->stages.empty() || !plan_->pipeline->offered.empty())
    return;
  Step step("balancing");
  if (!passes::canCutStages(*plan_)) plan_->pipeline->offered = search::balancedStages(*plan_, engine());
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

bool Compilation::checkParts() {
  if (!plan_->cluster)
    diagnostics_.report(NoCluster, plan_->range, {{"plan", plan_->name.str()}})
        .help("name a cluster: `cluster = …`; `planc show std.clusters` lists some");
  if (!plan_->stack) cost::reportNoSoftware(*plan_, Library::stacksFor(*plan_), diagnostics_);
  const bool idle = cost::reportNoWorkload(*plan_, diagnostics_);
  return plan_->cluster && plan_->stack && !idle;
}

bool Compilation::price() {
  Step step("pricing");
  bool typed = checkVerdict();
  if (!checkParts()) return false;
  if (!priceAlone()) return false;
  lint();
  if (!typed) return true; // report type errors first, without remarks on how far the price can be trusted
  warnOfReach();
  if (source_ && diagnostics_.wantsWarnings()) warnOfCalibratedParts(*plan_, *source_, diagnostics_);
  results_ = verdict::evaluate(*plan_, *estimate_, diagnostics_);
  return true;
}

void Compilation::lint() {
  const auto withoutRecompute = [this](size_t statement) -> std::optional<lint::Other> {
    const auto without = api::withoutRecompute(*this, statement);
    if (!without) return std::nullopt;
    const cost::Estimate& estimate = *without->estimate();
    return lint::Other{estimate.memory.peak, estimate.totals.stepTime};
  };
  lint::lint({*program_, *estimate_, withoutRecompute}, diagnostics_);
}

void Compilation::warnOfReach() {
  if (!diagnostics_.wantsWarnings() || cost::unseenKinds(*plan_).empty()) return;
  cost::warnOfUnseenKinds(*plan_, Library::stacksThatRan(*plan_), diagnostics_);
}

bool Compilation::priceAlone(cost::Wanted wanted) {
  Step step("pricing");
  if (!plan_->stack || cost::reportNoWorkload(*plan_, diagnostics_)) return false;
  return wanted.rows ? priceWhole(wanted) : priceOverEngine(wanted);
}

bool Compilation::priceWhole(cost::Wanted wanted) {
  if (!lower() || !makeSchedule()) return false;
  estimate_ = cost::estimate(*schedule_, diagnostics_, wanted);
  return estimate_ != nullptr;
}

bool Compilation::priceOverEngine(cost::Wanted wanted) {
  if (refused_) return false;
  settleStages();
  estimate_.reset(), schedule_.reset();
  DiagnosticEngine found;
  program_ = engine().lower(*plan_, found);
  if (!program_) { // lower again to report the error with offered stages
    offerStages();
    engine().lower(*plan_, diagnostics_);
    return false;
  }
  schedule_ = engine().schedule(*program_);
  estimate_ = engine().price(*schedule_, diagnostics_, wanted);
  return estimate_ != nullptr;
}

void Compilation::settleAllowances(Reached reached) const {
  for (const auto& allowance : plan_->allowances) {
    const bool before = allowance->priced || !allowance->checked;
    allowance->priced = before && reached == Reached::Priced;
    allowance->checked = true;
  }
}

void Compilation::freeEngine() {
  engine_ = std::make_shared<search::Engine>();
}

void Compilation::release() {
  results_ = {};
  estimate_.reset(), schedule_.reset(), program_.reset(), sharded_.reset(), plan_.reset(), engine_.reset();
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
