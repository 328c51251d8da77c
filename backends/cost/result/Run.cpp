// Totals of a plan's `run`: days, device-hours, money, energy, carbon, failures (docs/cost-model.md, section 8).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/Run.h"

#include "backends/cost/price/Buckets.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/program/States.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace planc::cost {

PLANC_ERROR(NoProgress, 958, "the run of plan `{plan}` never ends: less than {least} of its time is productive")
PLANC_ERROR(SavingTooSlow, 959, "a checkpoint every {every} takes {checkpoint}")

namespace {

/// Least productive share of the time in which the job runs (docs/language.md, section 9). No run below it is priced,
/// because the expectations grow as e^(segment / time between failures) and soon overflow.
constexpr double kLeastGoodput = 0.01;
/// Part of a step that rounding may add: it must not count as one more step.
constexpr double kPartOfStep = 1e-6;

double valueOr(const ir::OptNumber& number, double otherwise) {
  return number ? number->value : otherwise;
}

/// Returns the number of devices that hold different parts of a parameter: over the axes of its layout and `beyond`.
double holders(const ir::Program& program, const ir::ParamState& p, ir::AxisMask beyond) {
  const ir::AxisMask axes = beyond | p.layout.axes();
  return static_cast<double>(program.mesh.size(axes));
}

/// Returns the steps of the run, a whole number.
double stepsOf(const ir::Run& run, const Totals& totals) {
  const double perStep = run.tokens ? totals.tokensPerSecond.value_or(0) : totals.samplesPerSecond;
  const double amount = valueOr(run.tokens ? run.tokens : run.samples, 0);
  return std::max(1.0, std::ceil(amount / (perStep * totals.stepTime) - kPartOfStep));
}

RunAmounts amounts(const RunTerms& terms, const ir::Plan& plan) {
  RunAmounts a;
  a.times = runTimes(terms);
  a.deviceTime = a.times.time() * static_cast<double>(plan.mesh.devices());
  if (const ir::Number* price = plan.cluster->priceOfDevice()) a.cost = price->value * a.deviceTime;
  if (const auto power = plan.cluster->powerOfDevice()) {
    a.energyJoules = *power * a.deviceTime * valueOr(plan.run->pue, 1);
    if (plan.run->carbon) a.carbonGrams = plan.run->carbon->value * *a.energyJoules;
  }
  return a;
}

} // namespace

double checkpointBytes(const ir::Program& program) {
  std::map<ir::ValueId, ir::LayerId> homes; // first layer of each storage that layers on several stages share
  double sum = 0;
  for (const ir::VirtualStage& vs : program.virtualStages)
    for (const auto& [id, count] : instancesOf(program.kindOf(vs.index)))
      for (const ir::ParamState& p : program.classes[id].params) {
        if (!p.owner || !p.trainable) continue;
        const ir::LayerId layer = program.classes[id].layer;
        if (homes.try_emplace(program.model->values[p.param].storage, layer).first->second != layer) continue;
        const ir::StateBytes bytes = ir::stateBytes(program, p);
        sum += static_cast<double>(count) *
               (bytes.params * holders(program, p, p.params) + bytes.optimizer() * holders(program, p, p.optimizer));
      }
  return sum;
}

std::optional<Run> runOf(const ir::Program& program, const Totals& totals) {
  const ir::Plan& plan = *program.plan;
  if (!plan.run) return std::nullopt;
  const ir::Run& stated = *plan.run;
  Run run;
  run.steps = stepsOf(stated, totals);
  run.checkpointBytes = checkpointBytes(program);
  RunTerms& terms = run.terms;
  terms.work = run.steps * totals.stepTime;
  terms.utilisation = valueOr(stated.utilisation, 1);
  terms.restart = valueOr(stated.restart, 0);
  if (stated.mtbf) terms.mtbf = stated.mtbf->value / static_cast<double>(plan.mesh.devices());
  if (stated.every || stated.mtbf) {
    const ir::Number* storage = plan.cluster->number(ir::ClusterFact::Storage);
    terms.checkpoint = stated.checkpoint ? stated.checkpoint->value
                       : storage         ? run.checkpointBytes / storage->value
                                         : 0;
    // A checkpoint is taken between two steps, so never before one is done.
    terms.every =
        std::max(stated.every ? stated.every->value : bestInterval(terms.checkpoint, terms.mtbf), totals.stepTime);
  }
  run.middle = amounts(terms, plan);
  auto at = [&](const std::optional<double>& stepTime) {
    RunTerms end = terms;
    end.work = run.steps * *stepTime;
    return amounts(end, plan);
  };
  if (totals.stepTimeLow()) run.low = at(totals.stepTimeLow()), run.high = at(totals.stepTimeHigh());
  return run;
}

bool checkRun(const Run& run, const ir::Plan& plan, DiagnosticEngine& diagnostics) {
  const ir::Number* storage = plan.cluster->number(ir::ClusterFact::Storage);
  if (const ir::OptNumber& every = plan.run->every;
      every && !plan.run->checkpoint && every->value < run.terms.checkpoint) {
    diagnostics
        .report(SavingTooSlow, every->range,
                {{"every", formatQuantity(every->value, units::time)},
                 {"checkpoint", formatQuantity(run.terms.checkpoint, units::time)}})
        .label(storage->range,
               fmt::format("{} of states go this way", formatQuantity(run.checkpointBytes, units::bytes)))
        .help("save less often, or remove `every` to use the best interval");
    return false;
  }
  const double goodput = run.middle.times.goodput();
  if (goodput >= kLeastGoodput * run.terms.utilisation) return true; // false also for NaN
  const RunTerms& t = run.terms;
  diagnostics
      .report(NoProgress, plan.run->range,
              {{"plan", plan.name.str()}, {"least", fmt::format("{:g} %", 100 * kLeastGoodput)}})
      .note(fmt::format(
          "one of {:.0f} devices fails every {}; between two checkpoints there are {} of work and {} of saving",
          static_cast<double>(plan.mesh.devices()), formatQuantity(t.mtbf, units::time),
          formatQuantity(t.segment(), units::time), formatQuantity(t.checkpoint, units::time)))
      .help("save more often (`every`), or faster (`checkpoint`, the cluster's `storage`), or use fewer devices");
  return false;
}

} // namespace planc::cost
