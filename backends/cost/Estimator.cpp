// The way from a schedule to an estimate: simulate, account memory, write rows and totals; refuse if facts lack.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Estimator.h"

#include "backends/cost/facts/Facts.h"
#include "backends/cost/memory/MemoryUse.h"
#include "backends/cost/result/Doubts.h"
#include "backends/cost/result/Rows.h"
#include "backends/cost/result/Run.h"
#include "backends/cost/result/Totals.h"
#include "backends/cost/simulate/Simulation.h"

#include <algorithm>
#include <fmt/core.h>

namespace planc::cost {

PLANC_ERROR(NoSoftware, 801, "plan `{plan}` has no `software`, so it cannot be priced")

void reportNoSoftware(const ir::Plan& plan, const std::vector<std::string>& known, DiagnosticEngine& diagnostics) {
  auto report = diagnostics.report(NoSoftware, plan.range, {{"plan", plan.name.str()}});
  report.help("name the stack that runs it: `software = …`");
  constexpr size_t kMost = 3;
  for (size_t i = 0; i < std::min(kMost, known.size()); ++i) report.note(known[i]);
  if (known.size() > kMost)
    report.note(fmt::format("and {} more: `planc show std.stacks` lists all", known.size() - kMost));
}

namespace {

std::unique_ptr<Estimate> estimateWith(Memos* memos, const ir::Schedule& schedule, DiagnosticEngine& diagnostics,
                                       Wanted wanted) {
  const ir::Plan& plan = *schedule.program->plan;
  if (!plan.stack) reportNoSoftware(plan, {}, diagnostics);
  if (!plan.stack || !plan.cluster) return nullptr;
  Facts facts(*plan.cluster, *plan.stack, memos);
  const std::unique_ptr<CostModel> model = makeCostModel(facts, diagnostics);
  auto result = std::make_unique<Estimate>();
  const Simulation sim = simulate(schedule, *model, facts, {.even = wanted.rows, .accounts = wanted.rows});
  result->memory = accountMemory(schedule, sim.pipeline.actions, facts, wanted.rows);
  if (wanted.rows) {
    result->layers = layerRows(sim);
    result->collectives = collectiveRows(sim, *model);
    result->stages = stageRows(sim);
  }
  result->totals = totals(sim, *model, facts, result->collectives, wanted);
  result->orders = sim.orders;
  if (!model->complete() || !checkFinite(*result, plan, diagnostics)) {
    if (memos) memos->clear(); // they hold prices from the value assumed for a missing fact
    return nullptr;
  }
  result->run = runOf(*schedule.program, result->totals);
  if (result->run && !checkRun(*result->run, plan, diagnostics)) return nullptr;
  if (!diagnostics.wantsWarnings()) return result;
  if (wanted.rows) warnOfSmallMessages(*result, plan, sim.critical, diagnostics);
  warnOfDenseTables(sim, *model, diagnostics);
  warnOfFastKernel(sim, *model, facts.device, facts.stack, diagnostics);
  return result;
}

} // namespace

std::unique_ptr<Estimate> estimate(const ir::Schedule& schedule, DiagnosticEngine& diagnostics, Wanted wanted) {
  return estimateWith(nullptr, schedule, diagnostics, wanted);
}

Memos& Estimator::memosOf(const ir::Schedule& schedule) {
  const ir::Plan& plan = *schedule.program->plan;
  Machine* machine =
      machines_.find([&](const Machine& m) { return m.cluster == plan.cluster && m.stack == plan.stack; });
  return (machine ? *machine : machines_.add({plan.cluster, plan.stack, {}})).memos;
}

std::unique_ptr<Estimate> Estimator::estimate(const ir::Schedule& schedule, DiagnosticEngine& diagnostics,
                                              Wanted wanted) {
  return estimateWith(&memosOf(schedule), schedule, diagnostics, wanted);
}

std::optional<Memory> Estimator::memory(const ir::Schedule& schedule) {
  const ir::Plan& plan = *schedule.program->plan;
  if (!plan.stack || !plan.cluster || schedule.kind->makeOthers) return std::nullopt;
  Facts facts(*plan.cluster, *plan.stack, &memosOf(schedule));
  ir::Orders actions = ownOrders(schedule, facts);
  if (actions.empty()) return std::nullopt;
  if (!plan.workload.hasBackward()) actions = actions.forwardOnly();
  return accountMemory(schedule, actions, facts, false);
}

double Estimator::stepFloor(const ir::Schedule& schedule) {
  return pipelineFloor(schedule, memosOf(schedule));
}

std::optional<LayerWork> Estimator::layerWork(const ir::Schedule& schedule) {
  return cost::layerWork(schedule, memosOf(schedule));
}

} // namespace planc::cost
