// One plan's report as JSON: the field names of the command-line contract, units in the names, null if a value has no
// meaning.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Fixes.h"
#include "ir/plan/MeshUse.h"
#include "ir/plan/PlanFacts.h"
#include "report/Report.h"
#include "report/estimate/Lines.h"
#include "report/tables/JsonNumber.h"
#include "support/text/TextCells.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::report {
namespace {

using Json = nlohmann::ordered_json;

Json intervalCoverage(const cost::Confidence& c) {
  return c.coverage > 0 ? Json(c.coverage) : Json(nullptr);
}

/// Returns the parts of the interval: the stack's own runs, and the records on which the step depends.
Json intervalJson(const cost::Confidence& c) {
  Json out = {{"coverage", intervalCoverage(c)},
              {"low", c.low},
              {"high", c.high},
              {"runs_low", c.runsLow},
              {"runs_high", c.runsHigh},
              {"outside_share", c.outside}};
  out["terms"] = Json::array();
  for (const cost::RecordShare& t : c.terms)
    out["terms"].push_back({{"what", t.what},
                            {"share", t.share},
                            {"error", t.error},
                            {"ends", cost::name(t.ends)},
                            {"outside_share", t.outside},
                            {"samples", jsonNumber(t.samples)}});
  return out;
}

/// Adds the metrics whose field is `GROUP.name`, in the order of the table.
void addMetrics(Json& out, std::string_view group, const cost::Estimate& estimate) {
  for (const verdict::Metric* row : verdict::metrics().rows()) {
    const verdict::Metric& metric = *row;
    if (!metric.jsonField.starts_with(group) || metric.jsonField.size() <= group.size() ||
        metric.jsonField[group.size()] != '.')
      continue;
    std::string key(metric.jsonField.substr(group.size() + 1));
    std::optional<double> value = metric.read(estimate);
    if (metric.isBool)
      out[key] = value ? Json(*value != 0) : Json(nullptr);
    else
      out[key] = value ? jsonNumber(fieldValue(*value, metric.jsonField)) : Json(nullptr);
    if (metric.name() == "step_time.high") out["interval_coverage"] = intervalCoverage(estimate.totals.confidence);
  }
}

/// Returns the moment of a stage's peak. No pass runs in the optimizer's step.
Json momentJson(const cost::StageMemory& s) {
  const bool pass = s.phase != ir::Phase::Step;
  return {{"phase", std::string(ir::name(s.phase))},
          {"micro_batch", pass ? Json(s.microBatch) : Json(nullptr)},
          {"chunk", pass ? Json(s.chunk) : Json(nullptr)},
          {"layer", pass ? Json(cost::runningText(s)) : Json(nullptr)}};
}

Json liveJson(const cost::StageMemory& s) {
  Json out = Json::array();
  for (const cost::LiveBytes& l : s.live) out.push_back({{"what", l.what}, {"bytes", jsonNumber(l.bytes)}});
  return out;
}

Json memoryJson(const cost::Estimate& estimate) {
  Json out = Json::object();
  addMetrics(out, "memory", estimate);
  out["host_bytes"] = jsonNumber(estimate.memory.hostPeak);
  out["reserved_bytes"] = jsonNumber(estimate.memory.reserved);
  out["room_bytes"] = jsonNumber(estimate.memory.room());
  out["host_capacity_bytes"] = estimate.memory.hostPeak > 0 ? jsonNumber(estimate.memory.hostCapacity) : Json(nullptr);
  out["stages"] = Json::array();
  for (const cost::StageMemory& s : estimate.memory.stages)
    out["stages"].push_back({{"stage", s.stage},
                             {"peak_bytes", jsonNumber(s.peak)},
                             {"allocated_bytes", jsonNumber(s.peak)},
                             {"pass_peak_bytes", jsonNumber(s.passPeak)},
                             {"step_peak_bytes", jsonNumber(s.stepPeak)},
                             {"host_bytes", jsonNumber(s.hostBytes)},
                             {"params_bytes", jsonNumber(s.params)},
                             {"grads_bytes", jsonNumber(s.grads)},
                             {"optimizer_bytes", jsonNumber(s.optimizer)},
                             {"activations_bytes", jsonNumber(s.activations)},
                             {"buffers_bytes", jsonNumber(s.buffers)},
                             {"at", momentJson(s)},
                             {"live", liveJson(s)}});
  return out;
}

Json fixesJson(const PlanReport& report) {
  Json out = Json::array();
  if (!report.fixes) return out;
  for (const Fix& fix : *report.fixes)
    out.push_back({{"plan", fix.text},
                   {"fits", fix.fits},
                   {"peak_bytes", jsonNumber(fix.peak)},
                   {"saved_bytes", jsonNumber(fix.saved)},
                   {"step_time_s", jsonNumber(fix.stepTime)},
                   {"slowdown", jsonNumber(fix.slowdown)}});
  return out;
}

Json recomputeJson(const PlanReport& report) {
  Json out = Json::array();
  if (!report.recompute) return out;
  for (const RecomputeEffect& e : *report.recompute)
    out.push_back({{"statement", e.statement},
                   {"freed_bytes", jsonNumber(e.freed)},
                   {"cost_s", jsonNumber(e.cost)},
                   {"peak_without_bytes", jsonNumber(e.peakWithout)},
                   {"step_time_without_s", jsonNumber(e.stepWithout)}});
  return out;
}

Json layersJson(const cost::Estimate& estimate) {
  Json out = Json::array();
  for (const cost::LayerRow& row : estimate.layers)
    out.push_back({{"path", row.layer.str()},
                   {"count", row.count},
                   {"stage", row.stage},
                   {"forward_s", jsonNumber(row.forward)},
                   {"backward_s", jsonNumber(row.backward)},
                   {"recompute_s", jsonNumber(row.recompute)},
                   {"comm_s", jsonNumber(row.comm)},
                   {"exposed_comm_s", jsonNumber(row.exposed)},
                   {"flops", jsonNumber(row.flops)},
                   {"bytes", jsonNumber(row.bytes)},
                   {"params", jsonNumber(row.params)},
                   {"activation_bytes", jsonNumber(row.activationBytes)},
                   {"bound", std::string(cost::name(row.bound))},
                   {"on_path_s", jsonNumber(row.onPath)},
                   {"slowed_s", jsonNumber(row.slowed)},
                   {"launches_s", jsonNumber(row.launches)},
                   {"exposed_on_path_s", jsonNumber(row.exposedOnPath)},
                   {"step_computing_s", jsonNumber(row.inStep.computing)},
                   {"step_slowed_s", jsonNumber(row.inStep.slowed)},
                   {"step_launches_s", jsonNumber(row.inStep.launches)}});
  return out;
}

Json collectivesJson(const cost::Estimate& estimate, const SourceManager& sources) {
  Json out = Json::array();
  for (const cost::CollectiveRow& row : estimate.collectives)
    out.push_back({{"op", row.op},
                   {"class", std::string(ir::name(row.cls))},
                   {"phase", std::string(ir::name(row.phase))},
                   {"axis", row.axis},
                   {"group", row.group},
                   {"level", row.level},
                   {"limit", row.limit.empty() ? Json(nullptr) : Json(row.limit)},
                   {"stage", row.stage},
                   {"bytes", jsonNumber(row.bytes)},
                   {"count", jsonNumber(row.count)},
                   {"time_s", jsonNumber(row.seconds)},
                   {"exposed_s", jsonNumber(row.exposed)},
                   {"on_path_s", jsonNumber(row.onPath)},
                   {"step_exposed_s", jsonNumber(row.inStep)},
                   {"layer", row.layer.steps.empty() ? Json(nullptr) : Json(row.layer.str())},
                   {"because", row.because.valid() ? Json(sources.where(row.because)) : Json(nullptr)}});
  return out;
}

Json stagesJson(const cost::Estimate& estimate) {
  Json out = Json::array();
  for (const cost::StageRow& s : estimate.stages)
    out.push_back({{"stage", s.stage},
                   {"forward_s", jsonNumber(s.forward)},
                   {"backward_s", jsonNumber(s.backward)},
                   {"kind", s.kind},
                   {"computing_s", jsonNumber(s.computing)},
                   {"slowed_s", jsonNumber(s.slowed)},
                   {"launches_s", jsonNumber(s.launches)},
                   {"communicating_s", jsonNumber(s.communicating)},
                   {"idle_s", jsonNumber(s.idle)}});
  return out;
}

/// Returns the stage to which the totals belong, and its work compared with the other stages.
Json criticalJson(const cost::Totals& t) {
  return {{"stage", t.critical},
          {"work_s", jsonNumber(t.work)},
          {"mean_work_s", jsonNumber(t.meanWork)},
          {"imbalance_s", jsonNumber(t.imbalance)}};
}

void addPlace(Json& out, SourceRange range, const SourceManager& sources) {
  out["file"] = range.valid() ? Json(sources.path(range.file)) : Json(nullptr);
  out["line"] = range.valid() ? Json(sources.begin(range).line) : Json(nullptr);
}

Json assertionsJson(const verdict::Results& results, const SourceManager& sources) {
  Json out = Json::array();
  for (const verdict::AssertionResult& r : results.assertions) {
    Json item = {{"text", r.text}, {"ok", r.ok}, {"value", jsonNumber(r.value)}};
    addPlace(item, r.range, sources);
    if (!r.policy.empty()) item["policy"] = r.policy, item["skipped"] = r.skipped;
    out.push_back(std::move(item));
  }
  return out;
}

Json measuredJson(const verdict::Results& results) {
  Json out = Json::array();
  for (const verdict::MeasuredResult& r : results.measured)
    out.push_back({{"metric", r.metric},
                   {"measured", r.known ? jsonNumber(r.measured) : Json(nullptr)},
                   {"predicted", r.known ? jsonNumber(r.predicted) : Json(nullptr)},
                   {"error", r.known ? jsonNumber(r.error) : Json(nullptr)},
                   {"tolerance", jsonNumber(r.tolerance)},
                   {"low", jsonNumber(r.low)},
                   {"high", jsonNumber(r.high)},
                   {"inside", r.inside() ? Json(*r.inside()) : Json(nullptr)},
                   {"ok", r.ok},
                   {"source", r.source}});
  return out;
}

Json setJson(const ir::Plan& plan) {
  Json out = Json::array();
  for (const ir::SetFact& s : plan.set)
    out.push_back({{"path", s.path},
                   {"value", s.value},
                   {"before", s.before.empty() ? Json(nullptr) : Json(s.before)},
                   {"changed", s.changed}});
  return out;
}

/// Returns the position of each axis with more than one device, and what is split over it.
Json axesJson(const ir::Plan& plan) {
  Json out = Json::array();
  for (const auto& [axis, use] : ir::axisUses(plan))
    out.push_back({{"name", plan.mesh.axes[axis].name.str()},
                   {"size", use.size},
                   {"within", use.within},
                   {"splits", use.splits},
                   {"stages", use.stages}});
  return out;
}

Json argumentsJson(const ir::Plan& plan) {
  Json out = Json::object();
  for (const auto& [name, value] : plan.arguments) out[name.str()] = value;
  return out;
}

/// Returns the facts of a plan. Statements have no value.
Json factsJson(const ir::Plan& plan, const SourceManager& sources) {
  Json out = Json::array();
  for (const ir::PlanFact& fact : ir::planFacts(plan))
    out.push_back({{"path", fact.path},
                   {"value", fact.value.empty() ? Json(nullptr) : Json(fact.value)},
                   {"derived", fact.derived},
                   {"where", fact.range.valid() ? Json(sources.where(fact.range)) : Json(nullptr)}});
  return out;
}

Json meshJson(const ir::Mesh& mesh) {
  Json out = Json::object();
  for (ir::AxisId id : mesh.order) out[mesh.axes[id].name.str()] = mesh.axes[id].size;
  return out;
}

} // namespace

std::string planName(const ir::Plan& plan) {
  std::string arguments;
  for (const auto& [name, value] : plan.arguments)
    arguments += fmt::format("{}{} = {}", arguments.empty() ? "" : ", ", name.view(), printable(value));
  return plan.name.str() + (arguments.empty() ? "" : "(" + arguments + ")");
}

std::string planId(std::string_view file, const ir::Plan& plan) {
  return fmt::format("{}#{}", file, planName(plan));
}

Json json(const PlanReport& report) {
  const SourceManager& sources = *report.sources;
  const ir::Plan& plan = *report.plan;
  Json out;
  out["id"] = planId(report.file, plan);
  out["name"] = plan.title;
  out["arguments"] = argumentsJson(plan);
  out["file"] = report.file;
  out["model"] = plan.modelText;
  out["cluster"] = plan.clusterText;
  out["software"] = plan.stack ? Json(plan.stack->name.str()) : Json(nullptr);
  out["set"] = setJson(plan);
  out["facts"] = factsJson(plan, sources);
  out["devices"] = plan.mesh.devices();
  out["mesh"] = meshJson(plan.mesh);
  out["order"] = nullptr; // only for a schedule with several orders
  for (const cost::TriedOrder& order : report.estimate->orders)
    if (order.taken) out["order"] = order.name;
  out["axes"] = axesJson(plan);
  if (report.program && isBalanced(plan)) {
    out["balanced"] = Json::array();
    for (const ir::StageLine& line : plan.pipeline->stages) {
      std::vector<std::string> layers;
      for (const ir::Selector& s : line.selectors) layers.push_back(s.str());
      out["balanced"].push_back(layers);
    }
  }
  out["totals"] = Json::object();
  addMetrics(out["totals"], "totals", *report.estimate);
  out["run"] = nullptr;
  if (report.estimate->run) addMetrics(out["run"] = Json::object(), "run", *report.estimate);
  out["critical"] = criticalJson(report.estimate->totals);
  out["interval"] = intervalJson(report.estimate->totals.confidence);
  out["memory"] = memoryJson(*report.estimate);
  out["memory"]["fixes"] = fixesJson(report);
  out["recompute"] = recomputeJson(report);
  out["layers"] = layersJson(*report.estimate);
  out["collectives"] = collectivesJson(*report.estimate, sources);
  out["stages"] = stagesJson(*report.estimate);
  out["inference"] = nullptr; // this version has no `infer` workload
  out["assertions"] = report.results ? assertionsJson(*report.results, sources) : Json::array();
  out["measured"] = report.results ? measuredJson(*report.results) : Json::array();
  return out;
}

} // namespace planc::report
