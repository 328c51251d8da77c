// Prices a plan twice, the second time with another `unattributed`, to measure how far that moves the step.
// SPDX-License-Identifier: Apache-2.0
#include "api/calibrated/StepRuns.h"

#include "api/Library.h"
#include "backends/cost/Estimator.h"
#include "backends/cost/result/Confidence.h"
#include "backends/cost/result/Distance.h"
#include "ir/facts/StackFacts.h"

#include <cmath>

namespace planc::api {

namespace {

/// Returns the step time that a `measured` line implies, given the same line under another factor. Metrics that are
/// proportional to the step time (step_time, device_hours) or to its inverse (tokens_per_second, mfu) determine it;
/// others return nothing. Metrics are recognised by their values and not by name.
std::optional<double> stepBy(const verdict::MeasuredResult& line, const verdict::MeasuredResult& moved, double step,
                             double movedStep) {
  constexpr double kDigits = 1e-9;
  if (!line.known || !moved.known || line.measured <= 0 || line.predicted <= 0 || moved.predicted <= 0)
    return std::nullopt;
  const double metric = moved.predicted / line.predicted, time = movedStep / step;
  if (std::abs(metric / time - 1) < kDigits) return step * line.measured / line.predicted;
  if (std::abs(metric * time - 1) < kDigits) return step * line.predicted / line.measured;
  return std::nullopt;
}

} // namespace

std::optional<calibrate::StepRun> stepRun(Compilation& plan) {
  if (!plan.checkVerdict() || !plan.checkParts()) return std::nullopt;
  if (!plan.priceAlone() || !plan.plan().stack->has(ir::StackFact::Unattributed))
    return std::nullopt;  // pricing reported the missing fact
  DiagnosticEngine aside; // discards reports of lines out of tolerance, because those are fitted
  const double factor = plan.plan().stack->number(ir::StackFact::Unattributed)->value;
  const double step = plan.estimate()->totals.stepTime;
  calibrate::StepRun run{plan.plan().title, plan.plan().softwareText, 0, step, factor, 0, {}, {}};
  if (plan.plan().cluster) {
    run.architecture = plan.plan().cluster->device.architecture;
    run.device = Library::partOf(plan.plan().cluster->device);
  }
  run.devices = static_cast<double>(plan.program()->mesh.devices());
  run.experts = cost::hasExperts(*plan.plan().model);
  run.sequence = cost::longestKeys(*plan.program());
  const cost::Confidence& sure = plan.estimate()->totals.confidence;
  const double both = cost::termsWidth(sure, cost::Ends::Both); // a term of one end says nothing of the other
  if (sure.coverage > 0)
    run.believed = (std::hypot(std::log(sure.runsLow), both) + std::hypot(std::log(sure.runsHigh), both)) / 2 /
                   cost::kNinetyPercent;
  run.terms = cost::termsWidth(sure, cost::Ends::Both, false);
  const verdict::Results results = verdict::evaluate(plan.plan(), *plan.estimate(), aside);
  ir::Plan doubled = plan.plan();
  edit(doubled.stack).number(ir::StackFact::Unattributed)->value *= 2;
  const auto moved = plan.beside(std::move(doubled));
  if (!moved->priceAlone() || moved->estimate()->totals.stepTime <= step) return std::nullopt;
  const double movedStep = moved->estimate()->totals.stepTime;
  run.slope = (movedStep - step) / factor;
  const verdict::Results other = verdict::evaluate(plan.plan(), *moved->estimate(), aside);
  for (size_t i = 0; i < results.measured.size(); ++i) {
    const verdict::MeasuredResult& line = results.measured[i];
    if (const auto wanted = stepBy(line, other.measured[i], step, movedStep)) {
      run.measured = *wanted;
      run.source = line.source;
      run.range = line.range;
      return run;
    }
  }
  return std::nullopt;
}

} // namespace planc::api
