// Layers by what they move and compute, below the peaks of the device.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/DeviceFacts.h"
#include "report/page/PageParts.h"
#include "report/tables/Svg.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace planc::report {
namespace {

const Unit kIntensity = units::flops / units::bytes;

/// One layer: rows of stages that share its name are added.
struct Roof {
  double flops = 0, bytes = 0, seconds = 0;
  cost::Bound bound = cost::Bound::Compute;
};

std::string_view styleOf(cost::Bound bound) {
  switch (bound) {
  case cost::Bound::Compute:
    return "computes";
  case cost::Bound::Memory:
    return "optimizer";
  case cost::Bound::Network:
    return "holds";
  case cost::Bound::Launch:
    break;
  }
  return "launches";
}

constexpr std::pair<std::string_view, std::string_view> kRoofKey[] = {{"computes", "bound by computing"},
                                                                      {"optimizer", "by memory"},
                                                                      {"holds", "by the network"},
                                                                      {"launches", "by the host"}};

} // namespace

std::string roofline(const PlanReport& report) {
  std::map<std::string, Roof> roofs;
  for (const cost::LayerRow& row : report.estimate->layers) {
    const double count = static_cast<double>(row.count);
    Roof& roof = roofs[row.layer.str()];
    const double seconds = row.forward + row.backward + row.recompute;
    if (seconds * count > roof.seconds) roof.bound = row.bound;
    roof.flops += row.flops * count, roof.bytes += row.bytes * count, roof.seconds += seconds * count;
  }
  std::erase_if(roofs,
                [](const auto& r) { return r.second.flops <= 0 || r.second.bytes <= 0 || r.second.seconds <= 0; });
  const ir::Number* memory = report.plan->cluster->device.number(ir::DeviceFact::Bandwidth);
  const double peak = report.estimate->totals.hardwareFlops.peak();
  if (roofs.empty() || !memory || peak <= 0) return {};
  std::vector<double> intensities{peak / memory->value}, rates{peak};
  for (const auto& [layer, r] : roofs) intensities.push_back(r.flops / r.bytes), rates.push_back(r.flops / r.seconds);
  constexpr double kLeft = 110, kBottom = 320;
  PictureAxis across = axisOver(intensities, true, "FLOPs per byte", kIntensity);
  PictureAxis up = axisOver(rates, true, "FLOP/s of a device", units::rate);
  across.from = kLeft, across.to = kPictureWidth - 40, up.from = kBottom, up.to = 20;
  Svg svg(kPictureWidth, kBottom + 44, "layers below the peaks of the device");
  drawUp(svg, up, kLeft, kPictureWidth - 40);
  drawAcross(svg, across, 20, kBottom);
  const auto roof = [&](double intensity) { return std::min(peak, intensity * memory->value); };
  std::vector<std::pair<double, double>> edge;
  for (const double x : {std::max(across.least, up.least / memory->value), peak / memory->value, across.most})
    edge.emplace_back(across.at(x), up.at(std::max(roof(x), up.least)));
  svg.curve(edge, "line",
            fmt::format("peak {}, memory {}", formatQuantity(peak, units::rate),
                        formatQuantity(memory->value, units::bandwidth)));
  for (const auto& [layer, r] : roofs) {
    svg.words(across.at(r.flops / r.bytes) + 8, up.at(r.flops / r.seconds) + 4, layer, "ink small");
    svg.dot(across.at(r.flops / r.bytes), up.at(r.flops / r.seconds), 5, styleOf(r.bound),
            fmt::format("{}: {} FLOPs per byte, {}, bound: {}", layer, formatQuantity(r.flops / r.bytes, units::none),
                        formatQuantity(r.flops / r.seconds, units::rate), name(r.bound)));
  }
  return keyOf(kRoofKey) + figure(svg.str());
}

} // namespace planc::report
