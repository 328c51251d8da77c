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
PLANC_ERROR(NoOrder, 809, "schedule `{schedule}` has no order that could be simulated")

namespace {

/// Below this size sources of collective times disagree (docs/cost-model.md, section 2), which matters if the step
/// depends on them.
constexpr double kSmallMessage = 4 << 20;
constexpr double kSmallShare = 0.1;

/// The actions of every device stage; without backward ones if nothing is trained.
std::vector<std::vector<ir::Action>> actionsOf(const ir::Schedule& schedule) {
  std::vector<std::vector<ir::Action>> all;
  for (int64_t s = 0; s < schedule.program->stages; ++s) {
    all.push_back(schedule.actions(s));
    if (!schedule.program->plan->workload.train)
      std::erase_if(all.back(), [](const ir::Action& a) { return a.kind != ir::ActionKind::Forward; });
  }
  return all;
}

void warnOfSmallMessages(const Estimate& e, const ir::Plan& plan, int64_t critical, DiagnosticEngine& diagnostics) {
  double small = 0;
  for (const CollectiveRow& row : e.collectives)
    if (row.stage == critical && row.bytes < kSmallMessage && row.cls != ir::CollectiveClass::Pipeline)
      small += row.exposed * row.count;
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
  if (!schedule.kind || !schedule.kind->actions) {
    const std::string_view name = schedule.kind ? schedule.kind->name : std::string_view("none");
    diagnostics.report(NoOrder, plan.pipeline ? plan.pipeline->scheduleRange : plan.range, {{"schedule", name}})
        .help("use `one_f_one_b` or `interleaved_1f1b`");
    return nullptr;
  }
  const std::unique_ptr<CostModel> model = makeCostModel("analytic", *plan.cluster, *plan.stack, diagnostics);
  std::vector<std::vector<ir::Action>> actions = actionsOf(schedule);
  auto result = std::make_unique<Estimate>();
  result->memory = accountMemory(schedule, actions, model->facts());
  const Simulation sim = simulate(schedule, std::move(actions), *model);
  result->totals = totals(sim, *model);
  result->layers = layerRows(sim);
  result->collectives = collectiveRows(sim, *model);
  result->stages = stageRows(sim);
  if (!model->complete()) return nullptr;
  warnOfSmallMessages(*result, plan, sim.critical, diagnostics);
  return result;
}

} // namespace planc::cost
