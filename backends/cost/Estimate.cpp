// The way from a schedule to an estimate: simulate, account memory, write rows and totals; refuse if facts lack.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Estimate.h"

#include "backends/cost/Facts.h"
#include "backends/cost/MemoryUse.h"
#include "backends/cost/Rows.h"
#include "backends/cost/Totals.h"

#include <fmt/format.h>

namespace planc::cost {

PLANC_WARNING(SmallCollectives, 808,
              "{share} of the step is exposed communication in messages below {limit}, where public measurements "
              "differ by a factor of two")

namespace {

/// Below this size sources of collective times disagree (docs/cost-model.md, section 2), which matters if the step
/// depends on them.
constexpr double kSmallMessage = 4 << 20;
constexpr double kSmallShare = 0.1;

void warnOfSmallMessages(const Estimate& e, const ir::Plan& plan, int64_t critical, DiagnosticEngine& diagnostics) {
  double small = 0;
  for (const CollectiveRow& row : e.collectives)
    if (row.stage == critical && row.bytes < kSmallMessage && row.cls != ir::CollectiveClass::Pipeline)
      small += row.onPath;
  if (small <= kSmallShare * e.totals.stepTime) return;
  diagnostics
      .report(SmallCollectives, plan.range,
              {{"share", fmt::format("{:.0f} %", 100 * small / e.totals.stepTime)}, {"limit", "4 MiB"}})
      .help("measure collectives of these sizes on the cluster and give its fabrics the samples");
}

} // namespace

std::unique_ptr<Estimate> estimate(const ir::Schedule& schedule, DiagnosticEngine& diagnostics) {
  const ir::Plan& plan = *schedule.program->plan;
  if (!plan.stack) reportNoSoftware(plan, {}, diagnostics);
  if (!plan.stack || !plan.cluster) return nullptr;
  const std::unique_ptr<CostModel> model = makeCostModel("analytic", *plan.cluster, *plan.stack, diagnostics);
  auto result = std::make_unique<Estimate>();
  const Simulation sim = simulate(schedule, *model);
  result->memory = accountMemory(schedule, sim.pipeline.actions, model->facts());
  result->layers = layerRows(sim);
  result->collectives = collectiveRows(sim, *model);
  result->totals = totals(sim, *model, result->collectives);
  result->stages = stageRows(sim);
  if (!model->complete()) return nullptr;
  warnOfSmallMessages(*result, plan, sim.critical, diagnostics);
  return result;
}

} // namespace planc::cost
