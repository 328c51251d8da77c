// One plan's report as JSON: the field names of the command-line contract, units in the names, null where there is no
// meaning.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Fixes.h"
#include "backends/report/Report.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace planc::report {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity; whole numbers are written as such.
Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  constexpr double kExact = 9007199254740992.0; // 2^53
  if (std::floor(value) == value && std::abs(value) < kExact) return static_cast<int64_t>(value);
  return value;
}
Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

/// What a field holds, in base units, by the unit its name ends with.
struct FieldScale {
  Unit unit;
  double base;
};
double jsonValue(double value, const Unit& unit) {
  static const FieldScale kScales[] = {
      {units::rate, 1e12}, {units::deviceTime, 3600}, {units::energy, 3.6e6}}; // tflops, device_hours, kwh
  for (const FieldScale& scale : kScales)
    if (scale.unit == unit) return value / scale.base;
  return value;
}

Json intervalCoverage(const cost::Confidence& c) {
  return c.coverage > 0 ? Json(c.coverage) : Json(nullptr);
}

/// What the interval is made of: the stack's own runs, and the records that the step stands on.
Json intervalJson(const cost::Confidence& c) {
  Json out = {{"coverage", intervalCoverage(c)},
              {"low", c.low},
              {"high", c.high},
              {"runs_low", c.runsLow},
              {"runs_high", c.runsHigh},
              {"outside_share", c.outside}};
  out["terms"] = Json::array();
  for (const cost::Term& t : c.terms)
    out["terms"].push_back({{"what", t.what},
                            {"share", t.share},
                            {"error", t.error},
                            {"outside_share", t.outside},
                            {"samples", number(t.samples)}});
  return out;
}

/// The metrics whose field is `GROUP.name`, in the order of the table.
void addMetrics(Json& out, std::string_view group, const cost::Estimate& estimate) {
  for (const verdict::Metric& metric : verdict::metrics()) {
    if (!metric.jsonField.starts_with(group) || metric.jsonField.size() <= group.size() ||
        metric.jsonField[group.size()] != '.')
      continue;
    std::string key(metric.jsonField.substr(group.size() + 1));
    std::optional<double> value = metric.read(estimate);
    if (metric.isBool)
      out[key] = value ? Json(*value != 0) : Json(nullptr);
    else
      out[key] = value ? number(jsonValue(*value, metric.unit)) : Json(nullptr);
    if (metric.name == "step_time.high") out["interval_coverage"] = intervalCoverage(estimate.totals.confidence);
  }
}

/// When a stage is fullest; in the step of the optimizer no pass runs.
Json momentJson(const cost::StageMemory& s) {
  const bool pass = s.phase != ir::Phase::Step;
  return {{"phase", std::string(ir::name(s.phase))},
          {"micro_batch", pass ? Json(s.microBatch) : Json(nullptr)},
          {"chunk", pass ? Json(s.chunk) : Json(nullptr)},
          {"layer", pass ? Json(s.layer) : Json(nullptr)}};
}

Json liveJson(const cost::StageMemory& s) {
  Json out = Json::array();
  for (const cost::LiveBytes& l : s.live) out.push_back({{"what", l.what}, {"bytes", number(l.bytes)}});
  return out;
}

Json memoryJson(const cost::Estimate& estimate) {
  Json out = Json::object();
  addMetrics(out, "memory", estimate);
  out["host_bytes"] = number(estimate.memory.hostPeak);
  out["host_capacity_bytes"] = estimate.memory.hostPeak > 0 ? number(estimate.memory.hostCapacity) : Json(nullptr);
  out["stages"] = Json::array();
  for (const cost::StageMemory& s : estimate.memory.stages)
    out["stages"].push_back({{"stage", s.stage},
                             {"peak_bytes", number(s.peak)},
                             {"allocated_bytes", number(s.allocated)},
                             {"pass_peak_bytes", number(s.passPeak)},
                             {"step_peak_bytes", number(s.stepPeak)},
                             {"host_bytes", number(s.hostBytes)},
                             {"params_bytes", number(s.params)},
                             {"grads_bytes", number(s.grads)},
                             {"optimizer_bytes", number(s.optimizer)},
                             {"activations_bytes", number(s.activations)},
                             {"buffers_bytes", number(s.buffers)},
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
                   {"peak_bytes", number(fix.peak)},
                   {"saved_bytes", number(fix.saved)},
                   {"step_time_s", number(fix.stepTime)},
                   {"slowdown", number(fix.slowdown)}});
  return out;
}

Json layersJson(const cost::Estimate& estimate) {
  Json out = Json::array();
  for (const cost::LayerRow& row : estimate.layers)
    out.push_back({{"path", row.path},
                   {"count", row.count},
                   {"stage", row.stage},
                   {"forward_s", number(row.forward)},
                   {"backward_s", number(row.backward)},
                   {"recompute_s", number(row.recompute)},
                   {"comm_s", number(row.comm)},
                   {"exposed_comm_s", number(row.exposed)},
                   {"flops", number(row.flops)},
                   {"bytes", number(row.bytes)},
                   {"params", number(row.params)},
                   {"activation_bytes", number(row.activationBytes)},
                   {"bound", std::string(cost::name(row.bound))},
                   {"on_path_s", number(row.onPath)},
                   {"slowed_s", number(row.slowed)},
                   {"launches_s", number(row.launches)},
                   {"exposed_on_path_s", number(row.exposedOnPath)}});
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
                   {"bytes", number(row.bytes)},
                   {"count", number(row.count)},
                   {"time_s", number(row.seconds)},
                   {"exposed_s", number(row.exposed)},
                   {"on_path_s", number(row.onPath)},
                   {"layer", row.layer.empty() ? Json(nullptr) : Json(row.layer)},
                   {"because", row.because.valid() ? Json(sources.where(row.because)) : Json(nullptr)}});
  return out;
}

Json stagesJson(const cost::Estimate& estimate) {
  Json out = Json::array();
  for (const cost::StageRow& s : estimate.stages)
    out.push_back({{"stage", s.stage},
                   {"forward_s", number(s.forward)},
                   {"backward_s", number(s.backward)},
                   {"kind", s.kind},
                   {"computing_s", number(s.computing)},
                   {"slowed_s", number(s.slowed)},
                   {"launches_s", number(s.launches)},
                   {"communicating_s", number(s.communicating)},
                   {"idle_s", number(s.idle)}});
  return out;
}

/// The stage whose times the totals are, and how its work compares with that of the others.
Json criticalJson(const cost::Totals& t) {
  return {{"stage", t.critical},
          {"work_s", number(t.work)},
          {"mean_work_s", number(t.meanWork)},
          {"imbalance_s", number(t.imbalance)}};
}

void addPlace(Json& out, SourceRange range, const SourceManager& sources) {
  out["file"] = range.valid() ? Json(sources.path(range.file)) : Json(nullptr);
  out["line"] = range.valid() ? Json(sources.begin(range).line) : Json(nullptr);
}

Json assertionsJson(const verdict::Results& results, const SourceManager& sources) {
  Json out = Json::array();
  for (const verdict::AssertionResult& r : results.assertions) {
    Json item = {{"text", r.text}, {"ok", r.ok}, {"value", number(r.value)}};
    addPlace(item, r.range, sources);
    out.push_back(std::move(item));
  }
  return out;
}

Json measuredJson(const verdict::Results& results) {
  Json out = Json::array();
  for (const verdict::MeasuredResult& r : results.measured)
    out.push_back({{"metric", r.metric},
                   {"measured", r.known ? number(r.measured) : Json(nullptr)},
                   {"predicted", r.known ? number(r.predicted) : Json(nullptr)},
                   {"error", r.known ? number(r.error) : Json(nullptr)},
                   {"tolerance", number(r.tolerance)},
                   {"ok", r.ok},
                   {"source", r.source}});
  return out;
}

Json meshJson(const ir::Mesh& mesh) {
  Json out = Json::object();
  for (ir::AxisId id : mesh.order) out[mesh.axes[id].name.str()] = mesh.axes[id].size;
  return out;
}

} // namespace

Json json(const PlanReport& report, const SourceManager& sources) {
  const ir::Plan& plan = *report.plan;
  Json out;
  out["name"] = plan.title;
  out["file"] = report.file;
  out["model"] = plan.modelText;
  out["cluster"] = plan.clusterText;
  out["software"] = plan.stack ? Json(plan.stack->name.str()) : Json(nullptr);
  out["devices"] = plan.mesh.devices();
  out["mesh"] = meshJson(plan.mesh);
  out["totals"] = Json::object();
  addMetrics(out["totals"], "totals", *report.estimate);
  out["critical"] = criticalJson(report.estimate->totals);
  out["interval"] = intervalJson(report.estimate->totals.confidence);
  out["memory"] = memoryJson(*report.estimate);
  out["memory"]["fixes"] = fixesJson(report);
  out["layers"] = layersJson(*report.estimate);
  out["collectives"] = collectivesJson(*report.estimate, sources);
  out["stages"] = stagesJson(*report.estimate);
  out["inference"] = nullptr; // no `infer` workload in this version
  out["assertions"] = report.results ? assertionsJson(*report.results, sources) : Json::array();
  out["measured"] = report.results ? measuredJson(*report.results) : Json::array();
  return out;
}

} // namespace planc::report
