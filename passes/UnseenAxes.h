// Mesh axes whose sizes no layer depends on. Meshes that differ only in these sizes share their layers (`Lowerings`).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

namespace planc::passes {

/// The axes whose sizes do not affect the layers of a program.
struct UnseenAxes {
  ir::AxisMask unplaced = 0; ///< stage axes and others that no placement names and no node communicates over
  /// The major axis of those that split the samples and nothing else, everywhere, if it has more than one rank. Each of
  /// its ranks works on as many micro-batches as the axes right of it have ranks, independent of its own size.
  ir::AxisMask samples = 0;
};

/// Returns the unseen axes of a program after the passes over layers.
UnseenAxes unseenAxes(const ir::Program& program);

/// Returns whether the meshes differ only in the sizes of these axes and in the positions that follow from them.
bool differOnlyIn(const UnseenAxes& axes, const ir::Mesh& a, const ir::Mesh& b);

} // namespace planc::passes
