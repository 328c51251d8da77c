// The axes of a mesh on the levels of the cluster: how many devices one step along each axis goes.
// SPDX-License-Identifier: Apache-2.0
#include "report/page/PageParts.h"
#include "report/tables/Svg.h"

#include <fmt/format.h>

namespace planc::report {

std::string meshPicture(const PlanReport& report) {
  const ir::Mesh& mesh = report.program->mesh;
  if (mesh.devices() <= 1) return {};
  constexpr double kLabels = 150, kLane = 24, kTop = 26;
  const double rows = static_cast<double>(mesh.order.size() + mesh.levelSizes.size());
  const PictureAxis across{.name = "",
                           .unit = units::none,
                           .least = 1,
                           .most = static_cast<double>(mesh.devices()),
                           .log = true,
                           .from = kLabels,
                           .to = kPictureWidth - 20};
  Svg svg(kPictureWidth, kTop + rows * kLane + 30, "axes of the mesh on the levels of the cluster");
  drawAcross(svg, across, kTop, kTop + rows * kLane);
  double y = kTop;
  const auto bar = [&](std::string_view label, double from, double to, std::string_view style, const std::string& tip) {
    svg.words(kLabels - 8, y + 16, label, "ink", Anchor::End);
    svg.cell(across.at(from), y + 4, std::max(across.at(to) - across.at(from), 2.0), kLane - 8, style, tip);
    y += kLane;
  };
  double inside = 1;
  for (size_t l = 0; l < mesh.levelSizes.size(); ++l) {
    const double size = static_cast<double>(mesh.levelSizes[l]);
    bar(mesh.levelNames[l].view(), inside, size, "idle",
        fmt::format("level {}: {} devices", mesh.levelNames[l].view(), size));
    inside = size;
  }
  for (const ir::AxisId id : mesh.order) {
    const ir::Axis& axis = mesh.axes[id];
    const double stride = static_cast<double>(axis.stride), size = static_cast<double>(axis.size);
    const size_t level = mesh.levelOf(ir::maskOf(id));
    bar(axis.name.view(), stride, stride * size, level == 0 ? "computes" : "holds",
        fmt::format("{}: {} ranks, one every {} devices; its groups lie in a {}", axis.name.view(), size, stride,
                    mesh.levelNames[level].view()));
  }
  return figure(svg.str());
}

} // namespace planc::report
