// Memory of the stages over time, by kind.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/DeviceFacts.h"
#include "report/page/PageParts.h"
#include "report/tables/Svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace planc::report {
namespace {

using timeline::MemoryKind;

/// A line moves by more pixels, or it is flat.
constexpr double kFlat = 0.05;
constexpr double kMemoryLabels = 90, kMemoryHeight = 150, kMemoryTop = 14;

constexpr std::pair<std::string_view, std::string_view> kMemoryKey[] = {
    {"parameters", "parameters"},   {"gradients", "gradients"}, {"optimizer-states", "optimizer states"},
    {"activations", "activations"}, {"working", "working set"}, {"buffers", "buffers"}};

/// The moments to draw: the fullest one of each two pixels.
std::vector<const timeline::MemoryPoint*> shownOf(const timeline::StageLine& stage, const PictureAxis& across) {
  std::vector<const timeline::MemoryPoint*> out;
  int pixel = -1;
  for (const timeline::MemoryPoint& point : stage.memory) {
    const int at = static_cast<int>(across.at(point.at) / 2);
    if (at != pixel)
      out.push_back(&point), pixel = at;
    else if (point.sum() > out.back()->sum())
      out.back() = &point;
  }
  return out;
}

/// Draws a kind with all kinds below it, which are drawn over it.
void drawKind(Svg& svg, const PictureAxis& across, const PictureAxis& up, size_t kind,
              const std::vector<const timeline::MemoryPoint*>& points, double end) {
  std::vector<std::pair<double, double>> steps;
  double most = 0;
  for (const timeline::MemoryPoint* point : points) {
    double below = 0;
    for (size_t k = 0; k <= kind; ++k) below += point->bytes[static_cast<MemoryKind>(k)];
    most = std::max(most, point->bytes[static_cast<MemoryKind>(kind)]);
    if (steps.empty() || std::abs(steps.back().second - up.at(below)) > kFlat)
      steps.emplace_back(across.at(point->at), up.at(below));
  }
  if (most <= 0) return;
  steps.emplace_back(across.at(end), steps.back().second);
  svg.steps(steps, up.at(0), kMemoryKey[kind].first,
            fmt::format("{}: at most {}", kMemoryKey[kind].second, formatQuantity(most, units::bytes)));
}

} // namespace

std::string memoryPicture(const PlanReport& report, const timeline::Timeline& line) {
  const ir::Number* capacity = report.plan->cluster->device.number(ir::DeviceFact::Memory);
  std::string out;
  std::vector<std::string> seen; // equal stages are drawn once
  for (size_t s = 0; s < line.stages.size(); ++s) {
    const timeline::StageLine& stage = line.stages[s];
    if (stage.memory.empty() || line.stepTime <= 0) continue;
    const PictureAxis across{.name = "",
                             .unit = units::time,
                             .least = 0,
                             .most = line.stepTime,
                             .log = false,
                             .from = kMemoryLabels,
                             .to = kPictureWidth - 20};
    double most = capacity ? capacity->value : 0;
    for (const timeline::MemoryPoint& point : stage.memory) most = std::max(most, point.sum());
    const PictureAxis up{.name = "",
                         .unit = units::bytes,
                         .least = 0,
                         .most = most * 1.05,
                         .log = false,
                         .from = kMemoryTop + kMemoryHeight,
                         .to = kMemoryTop};
    Svg svg(kPictureWidth, kMemoryTop + kMemoryHeight + 30, "memory over time");
    drawUp(svg, up, kMemoryLabels, kPictureWidth - 20);
    drawAcross(svg, across, kMemoryTop, kMemoryTop + kMemoryHeight);
    const auto points = shownOf(stage, across);
    for (size_t k = timeline::kMemoryKinds; k-- > 0;) drawKind(svg, across, up, k, points, line.stepTime);
    if (capacity)
      svg.line(kMemoryLabels, up.at(capacity->value), kPictureWidth - 20, up.at(capacity->value), "line dash",
               "capacity: " + formatQuantity(capacity->value, units::bytes));
    std::string picture = figure(svg.str(), true);
    if (std::ranges::find(seen, picture) != seen.end()) continue;
    out += fmt::format("<h3>stage {}</h3>\n{}", s, picture);
    seen.push_back(std::move(picture));
  }
  return out.empty() ? out : keyOf(kMemoryKey) + out;
}

} // namespace planc::report
