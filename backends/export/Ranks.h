// Devices of a mesh by rank: their stage, and their place on the axes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <string>
#include <vector>

namespace planc::exports {

/// Returns the device stage of a rank.
int64_t stageOf(const ir::Program& program, int64_t rank);
/// Returns the first rank of a device stage.
int64_t firstRankOf(const ir::Program& program, int64_t stage);
/// Returns the place of a rank on the axes, `tp 1, dp 0`; empty without axes.
std::string placeOf(const ir::Program& program, int64_t rank);
/// Returns the ranks of the group over these axes that a rank belongs to, in order.
std::vector<int64_t> groupOf(const ir::Program& program, ir::AxisMask axes, int64_t rank);
/// Returns the rank at the same place as `rank` on all axes, but on another device stage.
int64_t onStage(const ir::Program& program, int64_t rank, int64_t stage);

} // namespace planc::exports
