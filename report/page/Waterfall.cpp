// The parts of a step, one behind the other.
// SPDX-License-Identifier: Apache-2.0
#include "report/estimate/Lines.h"
#include "report/page/PageParts.h"
#include "report/tables/Svg.h"

#include <fmt/format.h>

namespace planc::report {

std::string waterfall(const PlanReport& report) {
  const cost::Totals& t = report.estimate->totals;
  std::vector<StepPart> parts = stepParts(*report.estimate);
  std::erase_if(parts, [](const StepPart& part) { return part.inside; });
  if (t.stepTime <= 0 || parts.empty()) return {};
  // Computing is divided into what the model asks for at the peak of the device, and the rest.
  const double ideal = t.modelFlops.sum() > 0 && t.mfu > 0 ? t.mfu * t.stepTime : 0;
  if (ideal > 0 && ideal < parts.front().seconds) {
    parts.front().seconds -= ideal;
    parts.front().label += " beyond the peak";
    parts.insert(parts.begin(), {"model FLOPs at the peak", ideal, false});
  }
  constexpr double kLabels = 190, kRow = 22, kNumbers = 120;
  const double scale = (kPictureWidth - kLabels - kNumbers) / t.stepTime;
  Svg svg(kPictureWidth, kRow * static_cast<double>(parts.size() + 1) + 6, "where the step goes");
  double at = 0, y = 4;
  const auto row = [&](const std::string& label, double from, double seconds, std::string_view colour) {
    const std::string number = formatQuantity(seconds, units::time);
    svg.words(kLabels - 8, y + 14, label, "ink", Anchor::End);
    svg.cell(kLabels + from * scale, y + 2, std::max(seconds * scale, 1.0), kRow - 6, colour, label + ": " + number);
    svg.words(kLabels + (from + seconds) * scale + 6, y + 14,
              fmt::format("{} ({:.1f} %)", number, 100 * seconds / t.stepTime), "ink small");
    y += kRow;
  };
  for (const StepPart& part : parts) {
    row(part.label, at, part.seconds, at == 0 ? "computes" : "holds");
    at += part.seconds;
  }
  row("step", 0, t.stepTime, "idle");
  return figure(svg.str());
}

} // namespace planc::report
