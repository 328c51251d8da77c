// Ranks as coordinates on the axes of a mesh.
// SPDX-License-Identifier: Apache-2.0
#include "backends/export/Ranks.h"

#include <fmt/format.h>

namespace planc::exports {

namespace {

int64_t coordinate(const ir::Axis& axis, int64_t rank) {
  return rank / axis.stride % axis.size;
}

} // namespace

int64_t stageOf(const ir::Program& program, int64_t rank) {
  int64_t stage = 0;
  for (const ir::AxisId id : program.mesh.list(program.stageAxes)) {
    const ir::Axis& axis = program.mesh.axes[id];
    stage = stage * axis.size + coordinate(axis, rank);
  }
  return stage;
}

int64_t onStage(const ir::Program& program, int64_t rank, int64_t stage) {
  const ir::AxisList axes = program.mesh.list(program.stageAxes);
  for (size_t i = axes.size(); i-- > 0;) {
    const ir::Axis& axis = program.mesh.axes[axes[i]];
    rank += (stage % axis.size - coordinate(axis, rank)) * axis.stride;
    stage /= axis.size;
  }
  return rank;
}

std::vector<int64_t> groupOf(const ir::Program& program, ir::AxisMask axes, int64_t rank) {
  const ir::AxisList list = program.mesh.list(axes);
  for (const ir::AxisId id : list) rank -= coordinate(program.mesh.axes[id], rank) * program.mesh.axes[id].stride;
  std::vector<int64_t> ranks{rank};
  for (const ir::AxisId id : list) {
    const ir::Axis& axis = program.mesh.axes[id];
    std::vector<int64_t> finer;
    for (const int64_t first : ranks)
      for (int64_t i = 0; i < axis.size; ++i) finer.push_back(first + i * axis.stride);
    ranks = std::move(finer);
  }
  return ranks;
}

int64_t firstRankOf(const ir::Program& program, int64_t stage) {
  return onStage(program, 0, stage);
}

std::string placeOf(const ir::Program& program, int64_t rank) {
  std::string text;
  for (const ir::AxisId id : program.mesh.order) {
    const ir::Axis& axis = program.mesh.axes[id];
    if (axis.size > 1)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis.name.str(), coordinate(axis, rank));
  }
  return text;
}

} // namespace planc::exports
