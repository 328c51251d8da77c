// Axes of a mesh whose sizes no layer sees: layers are shared across meshes that differ in nothing else (`Lowerings`).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

namespace planc::passes {

/// Axes whose sizes nothing in the layers of a program depends on.
struct UnseenAxes {
  ir::AxisMask unplaced = 0; ///< no placement names them and no node communicates over them, as stage axes
  /// The major one that the samples, and they alone, are split over, everywhere, if it has more ranks than one: each of
  /// its ranks works on as many micro-batches as the axes right of it have ranks, however many it has itself.
  ir::AxisMask samples = 0;
};

/// Those of a program behind the passes over layers.
UnseenAxes unseenAxes(const ir::Program& program);

/// Do the meshes differ in the sizes of these axes alone, and in where they lie?
bool differOnlyIn(const UnseenAxes& axes, const ir::Mesh& a, const ir::Mesh& b);

} // namespace planc::passes
