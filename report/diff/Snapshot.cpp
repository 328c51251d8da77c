// Writes the sections of a snapshot. Each list has a fixed order.
// SPDX-License-Identifier: Apache-2.0
#include "report/diff/Snapshot.h"

#include "ir/print/Names.h"
#include "report/tables/Cells.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace planc::report {

namespace {

constexpr std::string_view kSnapshotHead =
    "# What these plans come to: written by `planc snapshot`, held by `planc snapshot --check`.\n";

/// The totals of a snapshot; totals without a value are left out.
constexpr std::string_view kTotals[] = {"step_time",
                                        "tokens_per_second_per_device",
                                        "samples_per_second",
                                        "mfu",
                                        "compute",
                                        "comm.exposed",
                                        "bubble",
                                        "optimizer",
                                        "memory.peak",
                                        "memory.capacity",
                                        "params",
                                        "cost"};

void addLine(std::string& out, const std::string& line) {
  out += "  " + line + "\n";
}

void addMachine(const PlanReport& report, std::string& out) {
  const ir::Plan& plan = *report.plan;
  addLine(out, fmt::format("model {}", plan.model ? plan.model->name.view() : "-"));
  std::string levels;
  if (plan.cluster)
    for (const ir::ClusterLevel& level : plan.cluster->levels)
      levels += fmt::format(", {} of {}", level.name.view(), level.count);
  addLine(out, fmt::format("cluster {}{}", plan.cluster ? plan.cluster->device.name.view() : "-", levels));
  addLine(out, fmt::format("software {}", plan.stack ? plan.stack->name.view() : "-"));
  std::string axes;
  for (const ir::AxisId id : plan.mesh.order)
    axes += fmt::format("{}{} {}", axes.empty() ? "" : ", ", plan.mesh.axes[id].name.view(), plan.mesh.axes[id].size);
  addLine(out, "mesh " + (axes.empty() ? "-" : axes));
}

std::string stored(const ir::Mesh& mesh, const ir::ParamState& p) {
  std::string text;
  const auto add = [&](const char* what, ir::AxisMask axes, bool host) {
    if (axes || host)
      text += fmt::format("; {} {}{}{}", what, mesh.str(axes), axes && host ? ", " : "", host ? "host" : "");
  };
  add("params", p.params, p.host[0]);
  add("grads", p.grads, p.host[1]);
  add("optimizer", p.optimizer, p.host[2]);
  return text;
}

/// Adds a line per parameter and result of each class, with the layers that have it.
void addLayouts(const PlanReport& report, std::string& out) {
  const ir::Program& program = *report.program;
  const ir::Model& model = *program.model;
  std::map<std::string, std::set<std::string>> lines; // by value
  for (const ir::LayerClass& c : program.classes) {
    const ir::Layer& layer = model.layers[c.layer];
    if (c.boundaryReshard) continue;
    for (size_t i = 0; i < c.results.size(); ++i) {
      const ir::Op& op = model.ops[ir::OpId(layer.first.index + static_cast<uint32_t>(i))];
      lines[ir::join(op.path)].insert(ir::layoutText(program.mesh, model, op.resultDims, c.results[i]));
    }
    for (const ir::ParamState& p : c.params)
      lines[ir::join(model.values[p.param].path)].insert(
          ir::layoutText(program.mesh, model, model.values[p.param].dims, p.layout) + stored(program.mesh, p));
  }
  addLine(out, "layouts");
  for (const auto& [value, layouts] : lines)
    for (const std::string& layout : layouts) addLine(out, fmt::format("  {} {}", value, layout));
}

/// Adds equal collectives of all layers of a kind and all stages, per step.
void addCollectives(const PlanReport& report, std::string& out) {
  struct Sum {
    double count = 0, bytes = 0;
  };
  std::map<std::string, Sum> sums;
  for (const cost::CollectiveRow& row : report.estimate->collectives) {
    Sum& sum = sums[fmt::format("{} {} over {}({}) at {}, {} of {}", row.op, ir::name(row.cls), row.axis, row.group,
                                row.level, ir::name(row.phase), ir::join(row.layer.names()))];
    sum.count += row.count;
    sum.bytes += row.count * row.bytes;
  }
  addLine(out, "collectives");
  for (const auto& [what, sum] : sums)
    addLine(out, fmt::format("  {}: {} of {}", what, countText(sum.count),
                             formatQuantity(sum.count > 0 ? sum.bytes / sum.count : 0, units::bytes)));
}

void addTotals(const PlanReport& report, std::string& out) {
  addLine(out, "totals");
  for (const std::string_view name : kTotals) {
    const verdict::Metric* metric = verdict::findMetric(name);
    const auto value = metric && !metric->ofLayer() ? metric->read(*report.estimate) : std::nullopt;
    if (value) addLine(out, fmt::format("  {} {}", name, formatQuantity(*value, metric->unit)));
  }
  addLine(out, fmt::format("  memory.fits {}", report.estimate->memory.fits));
}

} // namespace

std::string snapshotText(const PlanReport& report) {
  std::string out = "plan " + planName(*report.plan) + "\n";
  addMachine(report, out);
  addLayouts(report, out);
  addCollectives(report, out);
  addTotals(report, out);
  return out;
}

bool isSnapshot(std::string_view text) {
  return text.starts_with(kSnapshotHead);
}

std::string snapshotFile(std::vector<std::string> sections) {
  std::sort(sections.begin(), sections.end());
  sections.erase(std::unique(sections.begin(), sections.end()), sections.end());
  std::string out(kSnapshotHead);
  for (const std::string& section : sections) out += "\n" + section;
  return out;
}

} // namespace planc::report
