// The plan's text with the communication that its lines cause.
// SPDX-License-Identifier: Apache-2.0
#include "report/page/PageParts.h"
#include "report/tables/Svg.h"

#include <fmt/format.h>
#include <map>

namespace planc::report {

std::string sourceText(const PlanReport& report) {
  const SourceManager& sources = *report.sources;
  const FileId file = report.plan->range.file;
  std::map<uint32_t, double> seconds; // of layers and of exposed communication, by line of the plan's file
  for (const cost::CollectiveRow& row : report.estimate->collectives)
    if (row.because.valid() && row.because.file == file && row.onPath > 0)
      seconds[sources.begin(row.because).line] += row.onPath;
  for (const cost::LayerRow& row : report.estimate->layers)
    for (const ir::Layer& layer : report.program->model->layers)
      if (layer.range.file == file && layer.path().front() == row.layer.steps.front().name) {
        seconds[sources.begin(layer.range).line] += row.onPath + row.slowed + row.launches;
        break;
      }
  const std::string_view text = sources.text(file);
  std::string out = "<table class=\"source\">\n";
  uint32_t line = 1;
  for (size_t at = 0; at < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const auto own = seconds.find(line);
    out += fmt::format("<tr><td class=\"r\">{}</td><td>{}</td></tr>\n",
                       own == seconds.end() ? "" : formatQuantity(own->second, units::time),
                       xmlText(text.substr(at, end - at)));
    at = end + 1;
  }
  return out + "</table>\n";
}

} // namespace planc::report
