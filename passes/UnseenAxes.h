// Axes of a mesh whose sizes no layer sees: layers are shared across meshes that differ in nothing else (`Lowerings`).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Program.h"

namespace planc::passes {

/// Of a program behind the passes over layers: the axes of more than one rank whose sizes nothing in its layers depends
/// on. That are those that no placement names and no node communicates over, as stage axes; and the one axis that the
/// samples alone are split over, everywhere: each of its ranks works on one micro-batch, however many there are.
ir::AxisMask unseenAxes(const ir::Program& program);

/// Do the meshes differ in the sizes of these axes alone, and in where they lie?
bool differOnlyIn(ir::AxisMask axes, const ir::Mesh& a, const ir::Mesh& b);

} // namespace planc::passes
