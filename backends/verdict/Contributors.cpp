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

Parts stepParts(const Estimate& e) {
  Parts parts = {{"compute", e.totals.compute}};
  for (Contributor& c : byCollective(e, &cost::CollectiveRow::exposed, "exposed ")) parts.push_back(std::move(c));
  parts.push_back({"slowed by communication", e.totals.slowed});
  parts.push_back({"host launches", e.totals.launches});
  parts.push_back({"pipeline bubble", e.totals.bubble});
  parts.push_back({"optimizer", e.totals.optimizer});
  parts.push_back({"overhead", e.totals.overhead});
  if (e.totals.straggler) parts.push_back({"straggler", *e.totals.straggler});
  return parts;
}

Parts runParts(const Estimate& e) {
  if (!e.run) return {};
  const cost::RunTimes& t = e.run->middle.times;
  return {{"productive", t.productive},
          {"checkpointing", t.checkpointing},
          {"lost", t.lost},
          {"restarting", t.restarting},
          {"not running", t.unused}};
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

/// Which breakdown explains a metric. The unit is that of the parts.
struct Breakdown {
  std::string_view prefix; ///< of the metric's name
  Parts (*parts)(const Estimate&);
  std::string_view title;
  Unit unit;
};
const std::vector<Breakdown>& breakdowns() {
  static const std::vector<Breakdown> table = {
      {"run.", runParts, "where its time goes", units::time},
      {"step_time", stepParts, "largest contributors", units::time},
      {"tokens_per_second", stepParts, "largest contributors", units::time},
      {"samples_per_second", stepParts, "largest contributors", units::time},
      {"model_rate", stepParts, "largest contributors", units::time},
      {"hardware_rate", stepParts, "largest contributors", units::time},
      {"mfu", stepParts, "largest contributors", units::time},
      {"hfu", stepParts, "largest contributors", units::time},
      {"device_hours", stepParts, "largest contributors", units::time},
      {"cost", stepParts, "largest contributors", units::time},
      {"energy", stepParts, "largest contributors", units::time},
      {"compute", [](const Estimate& e) { return byLayer(e, &cost::LayerRow::onPath); }, "largest layers", units::time},
      {"slowed", [](const Estimate& e) { return byLayer(e, &cost::LayerRow::slowed); }, "largest layers", units::time},
      {"launches", [](const Estimate& e) { return byLayer(e, &cost::LayerRow::launches); }, "largest layers",
       units::time},
      {"comm.exposed", [](const Estimate& e) { return byCollective(e, &cost::CollectiveRow::exposed, "exposed "); },
       "largest collectives", units::time},
      {"comm.total", [](const Estimate& e) { return byCollective(e, &cost::CollectiveRow::seconds, ""); },
       "largest collectives", units::time},
      {"params", paramParts, "largest layers", units::none},
      {"memory.capacity", nullptr, "", units::none},
      {"memory", memoryParts, "of the fullest stage", units::bytes},
  };
  return table;
}

const Breakdown* breakdownOf(const Metric& metric) {
  for (const Breakdown& b : breakdowns()) {
    bool match = metric.name().starts_with(b.prefix);
    if (match) return b.parts ? &b : nullptr;
  }
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
  const Breakdown* breakdown = breakdownOf(metric);
  return breakdown ? largest(breakdown->parts(estimate)) : Parts();
}

std::vector<std::string> contributorNotes(const Estimate& estimate, const std::vector<const Metric*>& metrics) {
  std::vector<std::string> notes;
  std::vector<Parts (*)(const Estimate&)> seen;
  for (const Metric* metric : metrics) {
    const Breakdown* breakdown = breakdownOf(*metric);
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
