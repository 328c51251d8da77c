// The head of an estimate: the plan and its inputs, after a warning if the plan does not fit.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Fixes.h"
#include "ir/plan/MeshUse.h"
#include "ir/program/Task.h"
#include "report/estimate/EstimateParts.h"
#include "report/estimate/Lines.h"
#include "report/tables/Cells.h"

#include <algorithm>
#include <fmt/core.h>
#include <iterator>

namespace planc::report {
namespace {

/// Returns `8 (node)`; for an axis that straddles levels the split: `16 (8 node x 2 nodes)`.
std::string axisText(const ir::Mesh& mesh, ir::AxisId id) {
  const ir::Axis& axis = mesh.axes[id];
  std::string text = axis.name.str() + " " + std::to_string(axis.size);
  std::vector<std::pair<int64_t, std::string>> parts;
  int64_t inner = 1;
  for (size_t level = 0; level < mesh.levelSizes.size() && level < mesh.levelNames.size(); ++level) {
    int64_t ranks = mesh.ranksWithin(ir::maskOf(id), level);
    if (ranks > inner) parts.emplace_back(ranks / inner, mesh.levelNames[level].str());
    inner = ranks;
  }
  if (parts.size() == 1) return text + " (" + parts[0].second + ")";
  std::string list;
  for (const auto& [ranks, level] : parts) list += (list.empty() ? "" : " x ") + fmt::format("{} {}", ranks, level);
  return list.empty() ? text : text + " (" + list + ")";
}

std::string meshText(const ir::Mesh& mesh) {
  std::string text;
  for (ir::AxisId id : mesh.order) text += (text.empty() ? "" : ", ") + axisText(mesh, id);
  return text;
}

/// Returns `3 documents of 4096 to 16384 tokens (25 % padding)`.
std::string documentsText(const ir::Plan& plan) {
  const ir::Documents& documents = *plan.workload.documents;
  const double sequence = static_cast<double>(plan.model->dims[plan.model->countedDims().front()].extent);
  const double padding = documents.padding(sequence);
  return documents.str() + (padding > 0 ? fmt::format(" ({} padding)", percentText(padding / sequence)) : "");
}

std::string workloadText(const PlanReport& report) {
  const ir::Workload& w = report.plan->workload;
  std::string text = !w.hasBackward() ? "forward only" : w.adapters || !w.freeze.empty() ? "fine-tune" : "train";
  if (w.adapters) text += fmt::format(", adapters of rank {}", w.adapters->rank);
  for (const auto& [name, extent] : w.extents()) text += fmt::format(", {} {}", name.str(), extent);
  if (w.documents) text += ", " + documentsText(*report.plan);
  if (w.globalBatch > 0) text += fmt::format(", global batch {}", w.globalBatch);
  if (report.program)
    text += fmt::format(", {} of {}",
                        plural(static_cast<double>(report.program->microBatches), "micro-batch", "micro-batches"),
                        w.microBatch);
  if (w.optimizer) text += ", " + w.optimizer->name.str();
  if (w.tableOptimizer) text += ", tables " + w.tableOptimizer->name.str();
  return text;
}

/// Returns the element types that decide memory and traffic. Adjacent equal types are written once.
std::string precisionText(const ir::Precision& p) {
  const std::pair<const char*, ir::DType> parts[] = {{"compute", p.compute},   {"activations", p.activations},
                                                     {"parameters", p.params}, {"gradients", p.grads},
                                                     {"reduction", p.reduce},  {"optimizer", p.optimizer}};
  std::string text;
  for (size_t i = 0; i < std::size(parts); ++i) {
    bool fresh = i > 0 && parts[i - 1].second != parts[i].second;
    text += fmt::format("{}{}", i == 0 ? "" : fresh ? "; " : ", ", parts[i].first);
    if (i + 1 == std::size(parts) || parts[i + 1].second != parts[i].second)
      text += fmt::format(" {}", ir::name(parts[i].second));
  }
  if (p.saved) text += fmt::format("; kept for backward {}", ir::name(*p.saved));
  if (p.frozen) text += fmt::format("; frozen matrices {}", ir::name(*p.frozen));
  for (const auto& [state, type] : p.states) text += fmt::format("; optimizer.{} {}", state.view(), ir::name(type));
  return text;
}

/// Returns `decoder.moe: compute fp8, saved fp8`.
std::string ruleText(const ir::PrecisionRule& rule) {
  std::string text;
  for (const ir::PrecisionFact& fact : rule.facts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", fact.str(), ir::name(fact.type));
  return fmt::format("at {}: {}", rule.selector.str(), text);
}

std::string pipelineText(const PlanReport& report) {
  const ir::Program* program = report.program;
  std::string text = report.plan->pipeline->schedule.str();
  if (program) text += ", " + plural(static_cast<double>(program->stages), "stage", "stages");
  if (program && program->chunks > 1) text += fmt::format(" of {} chunks", program->chunks);
  for (const cost::TriedOrder& order : report.estimate->orders)
    if (order.taken) text += fmt::format(", in the order {}", order.name);
  return text;
}

/// Returns `671.0 B parameters, 37.6 B active`. The active parameters are written only if experts share the tokens.
std::string parametersText(const cost::Totals& totals) {
  std::string text = countText(totals.params) + " parameters";
  if (totals.paramsActive < totals.params) text += fmt::format(", {} active", countText(totals.paramsActive));
  return text;
}

std::string clusterText(const ir::Plan& plan) {
  std::string text = plan.clusterText;
  if (!plan.cluster) return text;
  int64_t devices = plan.mesh.devices();
  text += fmt::format(", {}", plural(static_cast<double>(devices), "device", "devices"));
  if (devices != plan.cluster->devices()) text += fmt::format(" of its {}", plan.cluster->devices());
  return text + " (" + plan.cluster->device.name.str() + ")";
}

} // namespace

std::string setText(const std::vector<ir::SetFact>& facts) {
  std::string text;
  for (const ir::SetFact& set : facts) {
    const std::string_view sign = set.path.ends_with("->") ? " " : " = "; // `decoder.seq -> tp`
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", set.path, sign, set.value);
    text += !set.changed ? " (unchanged)" : set.before.empty() ? "" : fmt::format(" (was {})", set.before);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> headingRows(const PlanReport& report) {
  const ir::Plan& plan = *report.plan;
  std::vector<std::pair<std::string, std::string>> rows = {
      {"model", plan.modelText + ", " + parametersText(report.estimate->totals)},
      {"cluster", clusterText(plan)},
      {"software", plan.softwareText},
      {"workload", workloadText(report)},
      {"precision", precisionText(plan.precision)}};
  for (const ir::PrecisionRule& rule : plan.precisionRules) rows.emplace_back("", ruleText(rule));
  rows.emplace_back("mesh", meshText(plan.mesh));
  if (plan.pipeline && (ir::pipelineOf(plan) || (report.program && report.program->kind->pairs)))
    rows.emplace_back("pipeline", pipelineText(report));
  if (!plan.set.empty()) rows.emplace_back("set", setText(plan.set));
  std::erase_if(rows, [](const auto& row) { return row.second.empty(); });
  return rows;
}

Page headingPage(const PlanReport& report) {
  Table table{"ll"};
  for (const auto& [key, value] : headingRows(report)) table.add({{key, TextStyle::Gutter}, value});
  if (report.program && isBalanced(*report.plan)) {
    std::string key = "balanced";
    for (const CutLine& line : cutLines(*report.program)) {
      table.add({{key, TextStyle::Gutter}, fmt::format("stage {}: {}", line.stages, line.layers)});
      key.clear();
    }
  }
  return pageOf(Heading{report.plan->title}, std::move(table));
}

namespace {

/// The changes with their savings and costs, and the best of them as a plan to paste.
Page fixesPage(const PlanReport& report) {
  if (!report.fixes || report.fixes->empty()) return {};
  Table table{"lrrrll"};
  table.head({"change", "peak", "saves", "step time", "", ""});
  for (const Fix& fix : *report.fixes) {
    std::string change;
    for (const std::string& line : fix.lines) change += (change.empty() ? "" : "; ") + shortStatement(line);
    table.add({change, formatQuantity(fix.peak, units::bytes), formatQuantity(fix.saved, units::bytes),
               fmt::format("{}{:.1f} %", fix.slowdown >= 0 ? "+" : "", 100 * fix.slowdown), fix.fits ? "fits" : "",
               fix.effect});
  }
  const Fix& best = report.fixes->front();
  Page page = pageOf(Remark{best.fits ? "changes that free memory: those that fit come first, the fastest at the top:"
                                      : "changes that free memory, but none of them makes the plan fit:",
                            0},
                     std::move(table));
  if (best.fits) page.push_back(Remark{"plan to paste:", 0}), page.push_back(Code{best.text});
  return page;
}

Remark misfit(const PlanReport& report, const std::string& how) {
  return {fmt::format("✗ {} does not fit: {}", report.plan->title, how), 0, TextStyle::Error};
}

} // namespace

Page doesNotFitPage(const PlanReport& report) {
  const cost::Memory& m = report.estimate->memory;
  if (m.fits) return {};
  if (m.hostPeak > m.hostCapacity && m.peak <= m.capacity)
    return {misfit(report, fmt::format("{} in the host's memory, a device's share of it is {}",
                                       formatQuantity(m.hostPeak, units::bytes),
                                       formatQuantity(m.hostCapacity, units::bytes)))};
  const double over = m.peak - m.capacity;
  const std::string by =
      over > 0 ? fmt::format("{} over ({})", formatQuantity(over, units::bytes), percentText(over / m.capacity))
               : fmt::format("{} remain after memory that the software reserves or loses",
                             formatQuantity(m.room(), units::bytes));
  Table kinds{"lrr"};
  const std::pair<const char*, double> parts[] = {{"parameters", m.params},
                                                  {"gradients", m.grads},
                                                  {"optimizer states", m.optimizer},
                                                  {"activations", m.activations},
                                                  {"buffers", m.buffers}};
  for (const auto& [name, bytes] : parts)
    if (bytes > 0) kinds.add({name, formatQuantity(bytes, units::bytes), shareText(bytes / m.peak)});
  Page page =
      pageOf(misfit(report, fmt::format("{} on stage {}, the device has {}: {}", formatQuantity(m.peak, units::bytes),
                                        m.fullest, formatQuantity(m.capacity, units::bytes), by)),
             std::move(kinds));
  std::ranges::move(fixesPage(report), std::back_inserter(page));
  return page;
}

} // namespace planc::report
