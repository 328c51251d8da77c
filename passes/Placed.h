// Walks the operators of a program that has been placed.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "passes/Lowering.h"

namespace planc::passes {

/// Calls `f(op, placement)` for every operator of every body; seams, which have none of their own, are passed over.
template <class F> void eachPlaced(const ir::Program& program, F f) {
  for (const ir::Body& body : program.bodies) {
    if (body.seam) continue;
    const ir::Unit& unit = program.model.units[body.unit];
    for (uint32_t i = unit.first.index; i < unit.end.index; ++i)
      f(program.model.ops[ir::OpId(i)], body.placements[local(unit, ir::OpId(i))]);
  }
}

} // namespace planc::passes
