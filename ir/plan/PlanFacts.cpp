// Lists the facts of a plan, block by block.
// SPDX-License-Identifier: Apache-2.0
#include "ir/plan/PlanFacts.h"

#include "ir/machine/RecordFacts.h"
#include "ir/plan/MeshUse.h"
#include "ir/plan/Settings.h"
#include "ir/program/Program.h"
#include "support/files/Digest.h"

#include <fmt/format.h>
#include <map>

namespace planc::ir {

namespace {

using Facts = std::vector<PlanFact>;

template <class List, class Text> std::string joined(const List& list, Text text) {
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "" : ", ") + std::string(text(item));
  return out;
}

std::string names(const std::vector<Symbol>& list) {
  return joined(list, [](Symbol s) { return s.view(); });
}

std::string layers(const std::vector<Selector>& list) {
  return joined(list, [](const Selector& s) { return s.str(); });
}

/// The path `decoder.seq` of a rule on `decoder`.
std::string within(const Selector& selector, std::string_view rest) {
  const std::string path = selector.str();
  return path.empty() ? std::string(rest) : path + "." + std::string(rest);
}

void addModel(const Plan& plan, Facts& out) {
  out.push_back({"model", plan.modelText});
  if (!plan.model) return;
  const Model& model = *plan.model;
  std::map<std::string, std::string> extents; // a name may have several extents
  std::vector<std::string> order;
  for (const Dim& d : model.dims) {
    if (d.kind != DimKind::Basic) continue;
    std::string& text = extents[d.name.str()];
    if (text.empty()) order.push_back(d.name.str());
    text += (text.empty() ? "" : ", ") + std::to_string(d.extent);
  }
  for (const std::string& name : order) out.push_back({"model." + name, extents[name], {}, true});
  for (const Layer& layer : model.layers)
    if (layer.repeat)
      out.push_back({"model." + join(layer.path()), fmt::format("{} instances", layer.count), layer.range, true});
  out.push_back({"model.parameters", fmt::format("{}", model.parameterCount()), {}, true});
  out.push_back({"model.operators", fmt::format("{} ({})", model.ops.size(), shortDigestOf(print(model))), {}, true});
}

std::string optimizerText(const Optimizer& o) {
  std::string text = fmt::format("{} ({} states{}", o.name.view(), o.states, o.master ? ", master copy" : "");
  if (o.stateBytes) text += fmt::format(", {} bytes each", *o.stateBytes);
  if (o.factored) text += fmt::format(", {} factored", o.factored);
  if (o.rowStates) text += fmt::format(", {} by row", o.rowStates);
  if (o.orthogonalise) text += fmt::format(", {} iterations{}", o.orthogonalise, o.repeated ? " on every device" : "");
  if (o.onHost) text += ", on the host";
  text += ")";
  if (o.others) text += ", others " + optimizerText(*o.others);
  return text;
}

void addWorkload(const Plan& plan, Facts& out) {
  const Workload& w = plan.workload;
  if (w.section.empty()) return;
  const std::string prefix = w.section.str() + ".";
  out.push_back({"workload", w.section.str(), w.range});
  out.push_back({prefix + "global_batch", std::to_string(w.globalBatch), w.globalBatchRange});
  out.push_back({prefix + "micro_batch", std::to_string(w.microBatch), w.microBatchRange});
  for (const auto& [name, extent] : w.extents()) out.push_back({prefix + name.str(), std::to_string(extent), w.range});
  if (w.documents) out.push_back({prefix + "documents", w.documents->str(), w.documents->range});
  if (w.optimizer) out.push_back({prefix + "optimizer", optimizerText(*w.optimizer), w.optimizer->range});
  if (w.tableOptimizer)
    out.push_back({prefix + "table_optimizer", optimizerText(*w.tableOptimizer), w.tableOptimizer->range});
  for (const SettingRow* row : settingsIn(name(Statement::Train)))
    if (const auto* field = std::get_if<WorkloadField>(&row->field);
        field && w.*field->value != Workload().*field->value)
      out.push_back({prefix + std::string(nameOf(*row)), fmt::format("{}", w.*field->value), w.*field->range});
  if (!w.freeze.empty()) out.push_back({prefix + "freeze", layers(w.freeze), w.freeze[0].range});
  if (w.adapters)
    out.push_back({prefix + "lora", fmt::format("rank {} of {}", w.adapters->rank, layers(w.adapters->targets)),
                   w.adapters->range});
}

void addPrecision(const Plan& plan, Facts& out) {
  const Precision& p = plan.precision;
  const auto add = [&](std::string_view key, DType type) {
    out.push_back({fmt::format("precision.{}", key), std::string(name(type)), p.range});
  };
  add("compute", p.compute);
  add("activations", p.activations);
  add("params", p.params);
  add("grads", p.grads);
  add("reduce", p.reduce);
  add("optimizer", p.optimizer);
  if (p.saved) add("saved", *p.saved);
  if (p.frozen) add("frozen", *p.frozen);
  for (const auto& [state, type] : p.states) add("optimizer." + state.str(), type);
  for (const auto& [op, types] : p.onWire) {
    if (types.result) add(op.str() + ".result", types.result->type);
    if (types.gradient) add(op.str() + ".grad", types.gradient->type);
  }
  for (const PrecisionRule& rule : plan.precisionRules)
    for (const PrecisionFact& fact : rule.facts)
      out.push_back({fmt::format("precision at {}: {}", rule.selector.str(), fact.str()), std::string(name(fact.type)),
                     fact.range});
}

void addMesh(const Plan& plan, Facts& out) {
  std::string order;
  for (AxisId id : plan.mesh.order) {
    const Axis& axis = plan.mesh.axes[id];
    std::string text = std::to_string(axis.size);
    for (const AxisPlace& place : plan.axisPlaces)
      if (place.axis == id)
        text +=
            fmt::format(" {} {}", place.where == AxisPlace::Where::Within ? "within" : "across", place.level.view());
    out.push_back({"mesh." + axis.name.str(), text, axis.range});
    order += (order.empty() ? "" : ", ") + axis.name.str();
  }
  for (const AxisGroup& group : plan.mesh.groups)
    out.push_back({"mesh." + group.name.str(), "[" + plan.mesh.str(group.axes) + "]", group.range});
  // The order of the axes is a statement. It is as important as the axis sizes, because it places axes on the levels.
  out.push_back({"mesh order", order, plan.meshRange});
}

void addRules(const Plan& plan, Facts& out) {
  for (const PlacementRule& r : plan.placements)
    out.push_back({within(r.selector, r.dim.view()) + " ->", effectText(r), r.range});
  for (const StateRule& r : plan.states)
    out.push_back({"states." + within(r.selector, name(r.state)) + " ->", effectText(r), r.range});
}

void addPipeline(const Plan& plan, Facts& out) {
  if (!plan.pipeline) return;
  const Pipeline& p = *plan.pipeline;
  out.push_back({"pipeline", names(p.axes), p.range});
  out.push_back({"pipeline.schedule", p.schedule.str(), p.scheduleRange});
  for (const ScheduleArgument& a : p.arguments)
    out.push_back({"pipeline.schedule." + a.name.str(), std::to_string(a.value), a.range});
  if (p.scatter) out.push_back({"pipeline.scatter", p.scatter->str(), p.scatterRange});
  if (p.cut) out.push_back({"pipeline.stages", cutText(*p.cut), p.cut->range});
  const bool settled = p.cut && p.cut->cut == StageCut::Balanced;
  for (const StageLine& line : p.stages)
    out.push_back({fmt::format("pipeline.stage {}", line.index), layers(line.selectors), line.range, settled});
}

void addStatements(const Plan& plan, Facts& out) {
  for (const Recompute& r : plan.recompute) out.push_back({"recompute " + r.str(), "", r.range});
  for (const Keep& k : plan.keeps)
    out.push_back({"keep " + k.selector.str(),
                   std::string(k.host       ? kHost
                               : k.gathered ? "gathered"
                                            : "split"),
                   k.selector.range});
}

void addOverlap(const Plan& plan, Facts& out) {
  const auto add = [&](const std::string& path, const Number& number) {
    out.push_back({"overlap." + path, exactText(number.value, number.unit), number.range});
  };
  for (const auto& [cls, share] : plan.overlap.blockingShare) add(std::string(name(cls)), share);
  if (plan.overlap.prefetch) add("prefetch", *plan.overlap.prefetch);
  if (plan.overlap.slowdown) add("slowdown", *plan.overlap.slowdown);
  if (plan.overlap.bucket) add("bucket", *plan.overlap.bucket);
}

void addRun(const Plan& plan, Facts& out) {
  if (!plan.run) return;
  const Run& run = *plan.run;
  const std::pair<std::string_view, const OptNumber*> all[] = {
      {"tokens", &run.tokens},           {"samples", &run.samples}, {"mtbf", &run.mtbf},
      {"checkpoint", &run.checkpoint},   {"every", &run.every},     {"restart", &run.restart},
      {"utilisation", &run.utilisation}, {"pue", &run.pue},         {"carbon", &run.carbon}};
  for (const auto& [path, number] : all)
    if (*number)
      out.push_back({fmt::format("run.{}", path), exactText((*number)->value, (*number)->unit), (*number)->range});
}

/// Appends a number to repeated paths, because a plan may repeat a statement.
void tellApart(Facts& facts) {
  std::map<std::string, int> seen;
  for (PlanFact& fact : facts)
    if (const int before = seen[fact.path]++) fact.path += fmt::format(" ({})", before + 1);
}

} // namespace

std::vector<PlanFact> planFacts(const Plan& plan) {
  Facts out;
  for (const auto& [name, value] : plan.arguments) out.push_back({name.str(), value, plan.range});
  addModel(plan, out);
  out.push_back({"cluster", plan.clusterText});
  if (plan.cluster) addFacts(*plan.cluster, out);
  if (plan.stack) addFacts(*plan.stack, out);
  for (const auto add : {addWorkload, addPrecision, addMesh, addRules, addPipeline, addStatements, addOverlap, addRun})
    add(plan, out);
  tellApart(out);
  return out;
}

} // namespace planc::ir
