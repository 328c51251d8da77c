// Lowers, schedules and prices plans, reusing the results of earlier ones.
// SPDX-License-Identifier: Apache-2.0
#include "search/Engine.h"

#include <algorithm>

namespace planc::search {

namespace {

/// Turns warnings off while it lives, because a plan that reuses layers would miss the warnings of those layers.
class WithoutWarnings {
  DiagnosticEngine& of_;
  bool before_;

public:
  explicit WithoutWarnings(DiagnosticEngine& of) : of_(of), before_(of.wantsWarnings()) { of.ignoreWarnings(); }
  ~WithoutWarnings() { of_.ignoreWarnings(!before_); }
};

} // namespace

std::unique_ptr<ir::Program> Engine::lower(const ir::Plan& plan, DiagnosticEngine& diagnostics) {
  const std::lock_guard guard(turn_);
  const WithoutWarnings silence(diagnostics);
  return lowerings_.lower(plan, diagnostics);
}

std::unique_ptr<ir::Schedule> Engine::schedule(const ir::Program& program) {
  const std::lock_guard guard(turn_);
  return passes::schedule(program);
}

std::unique_ptr<cost::Estimate> Engine::price(const ir::Schedule& schedule, DiagnosticEngine& diagnostics,
                                              cost::Wanted wanted) {
  const std::lock_guard guard(turn_);
  const WithoutWarnings silence(diagnostics);
  auto found = estimator_.estimate(schedule, diagnostics, wanted);
  if (found) noteWork(schedule);
  return found;
}

std::unique_ptr<cost::Estimate> Engine::estimate(const ir::Plan& plan, DiagnosticEngine& diagnostics,
                                                 cost::Wanted wanted) {
  const auto program = lower(plan, diagnostics);
  return program ? price(*schedule(*program), diagnostics, wanted) : nullptr;
}

void Engine::noteWork(const ir::Schedule& schedule) {
  const ir::Program& program = *schedule.program;
  if (!products_) products_ = std::make_unique<const cost::ProductWork>(cost::productWork(program));
  if (!program.rulesOf || work_.find([&](const Work& one) { return one.group == program.rulesOf; })) return;
  if (const auto layers = estimator_.layerWork(schedule)) work_.add({program.rulesOf, *layers});
}

double Engine::layersFloor(const ir::Plan& plan) {
  const auto group = lowerings_.groupOf(plan);
  if (!group) return 0;
  const Work* work = work_.find([&](const Work& one) { return one.group == group; });
  if (!work) return 0;
  const ir::ScheduleKind* kind = plan.pipeline ? passes::scheduleKinds().find(plan.pipeline->schedule.view()) : nullptr;
  return cost::stepFloor(work->layers, plan, kind && kind->pairs);
}

double Engine::productFloor(const ir::Plan& plan) {
  return products_ ? cost::productFloor(*products_, plan) : 0;
}

double Engine::stepFloor(const ir::Plan& plan) {
  const std::lock_guard guard(turn_);
  return std::max(productFloor(plan), layersFloor(plan));
}

double Engine::stepFloor(const ir::Schedule& schedule) {
  const std::lock_guard guard(turn_);
  return estimator_.stepFloor(schedule);
}

std::optional<cost::Memory> Engine::memory(const ir::Schedule& schedule) {
  const std::lock_guard guard(turn_);
  return estimator_.memory(schedule);
}

void Engine::forgetFloors() {
  const std::lock_guard guard(turn_);
  products_.reset();
  work_.clear();
}

} // namespace planc::search
