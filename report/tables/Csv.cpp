// The layer rows of a report as CSV, and the numbers of runs: one line per row, numbers in full.
// SPDX-License-Identifier: Apache-2.0
#include "report/tables/Csv.h"

#include "report/Report.h"
#include "report/tables/JsonNumber.h"

#include <cmath>
#include <fmt/core.h>

namespace planc::report {

std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csvRow(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += (i ? "," : "") + csvField(cells[i]);
  return line + "\n";
}

std::string csvNumber(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string csv(const PlanReport& report, bool header) {
  std::string out;
  if (header)
    out = "plan,path,count,stage,forward_s,backward_s,recompute_s,comm_s,exposed_comm_s,flops,bytes,params,"
          "activation_bytes,bound,on_path_s,exposed_on_path_s,slowed_s,launches_s\n";
  for (const cost::LayerRow& row : report.estimate->layers) {
    out += fmt::format("{},{},{},{}", csvField(report.plan->title), csvField(row.layer.str()), row.count, row.stage);
    for (double value : {row.forward, row.backward, row.recompute, row.comm, row.exposed, row.flops, row.bytes,
                         row.params, row.activationBytes})
      out += fmt::format(",{}", csvNumber(value));
    out += fmt::format(",{}", cost::name(row.bound));
    for (double value : {row.onPath, row.exposedOnPath, row.slowed, row.launches})
      out += fmt::format(",{}", csvNumber(value));
    out += "\n";
  }
  return out;
}

std::string runCsv(const PlanReport& report, bool header) {
  constexpr std::string_view kGroup = "run.";
  std::string out;
  if (!report.estimate->run) return out;
  if (header) out = "plan,run,value,low,high\n";
  auto read = [&](const verdict::Metric* metric) {
    const std::optional<double> value = metric ? metric->read(*report.estimate) : std::nullopt;
    return value ? csvNumber(fieldValue(*value, metric->jsonField)) : std::string();
  };
  for (const verdict::Metric* metric : verdict::metrics().rows()) {
    const std::string name(metric->name());
    if (!name.starts_with(kGroup) || name.ends_with(".low") || name.ends_with(".high")) continue;
    out +=
        fmt::format("{},{},{},{},{}\n", csvField(report.plan->title), metric->jsonField.substr(kGroup.size()),
                    read(metric), read(verdict::findMetric(name + ".low")), read(verdict::findMetric(name + ".high")));
  }
  return out;
}

} // namespace planc::report
