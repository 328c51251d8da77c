// An estimate of one plan as a document: its page joins the parts, its sheets have numbers in full.
// SPDX-License-Identifier: Apache-2.0
#include "report/estimate/Estimate.h"

#include "report/estimate/EstimateParts.h"
#include "report/tables/Csv.h"
#include "report/tables/JsonNumber.h"

namespace planc::report {
namespace {

Sheet layerSheet(const PlanReport& report) {
  Sheet sheet{{"plan", "path", "count", "stage", "forward_s", "backward_s", "recompute_s", "comm_s", "exposed_comm_s",
               "flops", "bytes", "params", "activation_bytes", "bound", "on_path_s", "exposed_on_path_s", "slowed_s",
               "launches_s"}};
  for (const cost::LayerRow& row : report.estimate->layers) {
    std::vector<std::string>& cells = sheet.emplace_back();
    cells = {report.plan->title, row.layer.str(), std::to_string(row.count), std::to_string(row.stage)};
    for (double value : {row.forward, row.backward, row.recompute, row.comm, row.exposed, row.flops, row.bytes,
                         row.params, row.activationBytes})
      cells.push_back(csvNumber(value));
    cells.emplace_back(cost::name(row.bound));
    for (double value : {row.onPath, row.exposedOnPath, row.slowed, row.launches}) cells.push_back(csvNumber(value));
  }
  return sheet;
}

Sheet runSheet(const PlanReport& report) {
  constexpr std::string_view kGroup = "run.";
  if (!report.estimate->run) return {};
  Sheet sheet{{"plan", "run", "value", "low", "high"}};
  auto read = [&](const verdict::Metric* metric) {
    const std::optional<double> value = metric ? metric->read(*report.estimate) : std::nullopt;
    return value ? csvNumber(fieldValue(*value, metric->jsonField)) : std::string();
  };
  for (const verdict::Metric* metric : verdict::metrics().rows()) {
    const std::string name(metric->name());
    if (name.starts_with(kGroup) && metric->end == verdict::End::Middle)
      sheet.push_back({report.plan->title, std::string(metric->jsonField.substr(kGroup.size())), read(metric),
                       read(verdict::findMetric(name + ".low")), read(verdict::findMetric(name + ".high"))});
  }
  return sheet;
}

} // namespace

Page estimatePage(const PlanReport& report, const PageOptions& options) {
  Page page = doesNotFitPage(report);
  addPart(page, headingPage(report));
  addPart(page, totalsPage(report));
  addPart(page, runPage(report));
  addPart(page, stagesPage(report));
  addPart(page, layersPage(report, options));
  addPart(page, communicationPage(report));
  addPart(page, memoryPage(report, options));
  addPart(page, recomputePage(report));
  addPart(page, verdictPage(report));
  return page;
}

std::vector<Sheet> estimateSheets(const PlanReport& report) {
  return {layerSheet(report), runSheet(report)};
}

Document estimateDocument(const PlanReport& report, Shown shown, const PageOptions& options) {
  Document out;
  if (shown == Shown::Data) out.data = json(report);
  if (shown == Shown::Page) out.page = estimatePage(report, options);
  if (shown == Shown::Sheets) out.sheets = estimateSheets(report);
  return out;
}

} // namespace planc::report
