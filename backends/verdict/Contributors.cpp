// The largest parts of a metric: one breakdown per family of metrics.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/Contributors.h"

#include <algorithm>
#include <map>

namespace planc::verdict {
namespace {

using cost::Estimate;
using Parts = std::vector<Contributor>;

constexpr size_t kShown = 3;

std::string dashed(std::string text) {
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

/// Time of the critical stage's collectives by axis and operation, in order of appearance.
Parts byCollective(const Estimate& e, double cost::CollectiveRow::*time, const std::string& prefix) {
  Parts parts;
  std::map<std::string, size_t> index;
  int64_t critical = criticalStage(e);
  for (const cost::CollectiveRow& row : e.collectives) {
    if (row.stage != critical) continue;
    std::string name = prefix + row.axis + (row.axis.empty() ? "" : " ") + dashed(row.op);
    auto [it, fresh] = index.emplace(name, parts.size());
    if (fresh) parts.push_back({name, 0});
    parts[it->second].value += row.count * (row.*time);
  }
  return parts;
}

/// The metrics that `whole` is the sum of, by their labels.
Parts sumOf(const Estimate& e, std::string_view whole) {
  Parts parts;
  for (const Metric* metric : partsOf(whole))
    if (metric->whole.name == whole) parts.push_back({std::string(metric->label), metric->read(e).value_or(0)});
  return parts;
}

/// The parts of the step, with exposed communication by collective.
Parts stepParts(const Estimate& e) {
  const Metric* exposed = findMetric("comm.exposed");
  Parts parts = sumOf(e, "step_time");
  const auto at =
      std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.name == exposed->label; });
  Parts collectives = byCollective(e, &cost::CollectiveRow::exposed, "exposed ");
  parts.insert(parts.erase(at), collectives.begin(), collectives.end());
  return parts;
}

Parts runParts(const Estimate& e) {
  return e.run ? sumOf(e, "run.days") : Parts();
}

Parts memoryParts(const Estimate& e) {
  return {{"parameters", e.memory.params},
          {"gradients", e.memory.grads},
          {"optimizer states", e.memory.optimizer},
          {"activations", e.memory.activations},
          {"buffers", e.memory.buffers}};
}

/// A part of the step by layer on the critical stage.
Parts byLayer(const Estimate& e, double cost::LayerRow::*seconds) {
  Parts parts;
  for (const cost::LayerRow& row : e.layers)
    if (row.stage == e.totals.critical) parts.push_back({row.layer.str(), row.*seconds});
  return parts;
}

Parts paramParts(const Estimate& e) {
  Parts parts;
  std::map<ir::LayerRef, size_t> index;
  for (const cost::LayerRow& row : e.layers) {
    auto [it, fresh] = index.emplace(row.layer, parts.size());
    if (fresh) parts.push_back({row.layer.str(), 0});
    parts[it->second].value += row.count * row.params;
  }
  return parts;
}

/// The rows of a breakdown. The unit is that of the parts.
struct Explanation {
  Breakdown of;
  Parts (*parts)(const Estimate&);
  std::string_view title;
  Unit unit;
};
const std::vector<Explanation>& explanations() {
  static const std::vector<Explanation> table = {
      {Breakdown::Run, runParts, "where its time goes", units::time},
      {Breakdown::Step, stepParts, "largest contributors", units::time},
      {Breakdown::Compute, [](const Estimate& e) { return byLayer(e, &cost::LayerRow::onPath); }, "largest layers",
       units::time},
      {Breakdown::Slowed, [](const Estimate& e) { return byLayer(e, &cost::LayerRow::slowed); }, "largest layers",
       units::time},
      {Breakdown::Launches, [](const Estimate& e) { return byLayer(e, &cost::LayerRow::launches); }, "largest layers",
       units::time},
      {Breakdown::Exposed, [](const Estimate& e) { return byCollective(e, &cost::CollectiveRow::exposed, "exposed "); },
       "largest collectives", units::time},
      {Breakdown::Communication, [](const Estimate& e) { return byCollective(e, &cost::CollectiveRow::seconds, ""); },
       "largest collectives", units::time},
      {Breakdown::Params, paramParts, "largest layers", units::none},
      {Breakdown::Memory, memoryParts, "of the fullest stage", units::bytes},
  };
  return table;
}

const Explanation* explanationOf(const Metric& metric) {
  for (const Explanation& e : explanations())
    if (e.of == metric.breakdown) return &e;
  return nullptr;
}

Parts largest(Parts parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.value > b.value; });
  std::erase_if(parts, [](const Contributor& c) { return !(c.value > 0); });
  if (parts.size() > kShown) parts.resize(kShown);
  return parts;
}

} // namespace

int64_t criticalStage(const Estimate& e) {
  return e.totals.critical;
}

std::vector<Contributor> contributors(const Estimate& estimate, const Metric& metric) {
  const Explanation* breakdown = explanationOf(metric);
  return breakdown ? largest(breakdown->parts(estimate)) : Parts();
}

std::vector<std::string> contributorNotes(const Estimate& estimate, const std::vector<const Metric*>& metrics) {
  std::vector<std::string> notes;
  std::vector<Parts (*)(const Estimate&)> seen;
  for (const Metric* metric : metrics) {
    const Explanation* breakdown = explanationOf(*metric);
    if (!breakdown || std::find(seen.begin(), seen.end(), breakdown->parts) != seen.end()) continue;
    seen.push_back(breakdown->parts);
    std::string text;
    for (const Contributor& c : largest(breakdown->parts(estimate)))
      text += (text.empty() ? "" : ", ") + c.name + " " + formatQuantity(c.value, breakdown->unit);
    if (!text.empty()) notes.push_back(std::string(breakdown->title) + ": " + text);
  }
  return notes;
}

} // namespace planc::verdict
