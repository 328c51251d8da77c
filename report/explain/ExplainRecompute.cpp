// Explains what each `recompute` statement frees and costs, what is still kept, and what is recomputed.
// SPDX-License-Identifier: Apache-2.0
#include "report/explain/ExplainParts.h"

#include <algorithm>
#include <fmt/core.h>

namespace planc::report {
namespace {

std::string heldText(double bytes) {
  return formatQuantity(bytes, units::bytes);
}

/// Returns whether the statement reaches the layer in this class of instances. Instances outside its `first` replay
/// nothing.
bool chosenBy(const ir::Recompute& statement, const ir::RangeSet& instances, const std::vector<Symbol>& path) {
  return std::any_of(statement.selectors.begin(), statement.selectors.end(), [&](const ir::Selector& s) {
    const auto& slice = s.steps.empty() ? std::nullopt : s.steps.front().slice;
    return s.matches(path) && (!slice || slice->firstCommon(instances));
  });
}

/// Writes what the replayed layers of a class keep and what they recompute. A replay that stops early has no tasks for
/// nodes that backward does not read.
void explainReplay(ExplainPage& page, const ir::Schedule& schedule, ir::LayerClassId id,
                   const ir::Recompute& statement) {
  const ir::Program& program = *schedule.program;
  const ir::LayerClass& layerClass = program.classes[id];
  const ir::Model& model = program.model;
  std::vector<bool> runs(layerClass.backward.size());
  for (const ir::Task& task : schedule.backward[id.index].tasks) runs[task.node] = true;
  const ir::Layer& layer = model.layers[layerClass.layer];
  const ir::RangeSet instances = layer.atTop(layerClass.instances);
  SumTable kept(page, units::bytes), again(page, units::flops);
  double bytes = 0, flops = 0;
  std::vector<std::string> left;
  for (size_t i = 0; i < layerClass.backward.size(); ++i) {
    const ir::Node& n = layerClass.backward[i];
    if (n.phase != ir::Phase::Recompute || !n.isCompute() || !chosenBy(statement, instances, model.ops[n.op].path))
      continue;
    if (!runs[i]) {
      left.push_back(model.pathOf(n.op));
      continue;
    }
    again.add(model.pathOf(n.op), n.compute().work.flops * n.times);
    flops += n.compute().work.flops * n.times;
  }
  if (flops == 0) return; // the statement does not reach these instances
  for (const ir::Saved& s : layerClass.saved)
    if (chosenBy(statement, instances, model.ops[s.op].path))
      kept.add(model.pathOf(s.value), s.bytes), bytes += s.bytes;
  page.gap();
  page.line(fmt::format("{}, {}", (layer.repeat ? layer.ref(layerClass.instances) : layer.ref()).str(),
                        plural(static_cast<double>(layerClass.instances.count()), "instance", "instances")));
  if (bytes > 0) {
    page.line("values that its layers keep, for one instance and micro-batch", 2, TextStyle::Gutter);
    kept.write(bytes);
  }
  page.line("operators that run again before backward, for one instance and micro-batch", 2, TextStyle::Gutter);
  again.write(flops);
  if (left.empty()) return;
  page.line("operators that do not run again: backward does not read their results", 2, TextStyle::Gutter);
  for (const std::string& path : left) page.line(path, 2);
  page.fact("because", fmt::format("stack `{}` has `early_stop`", program.plan->stack->name.view()));
}

} // namespace

void explainRecompute(ExplainPage& page, const ExplainInput& input) {
  const PlanReport& report = *input.report;
  if (!report.recompute || report.recompute->empty()) {
    page.line("recompute  none: backward runs no operator again");
    return;
  }
  const double peak = report.estimate->memory.peak, step = report.estimate->totals.stepTime;
  for (size_t i = 0; i < report.recompute->size(); ++i) {
    const RecomputeEffect& e = (*report.recompute)[i];
    if (i > 0) page.gap();
    page.line("recompute " + e.statement, 0, TextStyle::Bold);
    page.fact("frees", fmt::format("{}: the fullest stage holds {}, {} in the plan without the statement",
                                   heldText(e.freed), heldText(peak), heldText(e.peakWithout)));
    page.fact("costs", fmt::format("{}: a step takes {}, {} without it", timeText(e.cost), timeText(step),
                                   timeText(e.stepWithout)));
    const auto& classes = report.program->classes;
    for (uint32_t b = 0; b < classes.size(); ++b)
      if (!classes[ir::LayerClassId(b)].boundaryReshard)
        explainReplay(page, *input.schedule, ir::LayerClassId(b), report.plan->recompute[i]);
  }
}

} // namespace planc::report
