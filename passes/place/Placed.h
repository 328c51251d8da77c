// Walks the operators of a placed program, and places a program by changed rules.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "passes/Steps.h"

#include <functional>
#include <vector>

namespace planc::passes {

/// Calls `f(op, placement)` for every operator of every class. Boundary reshards are skipped, because they have no
/// operators of their own.
template <class F> void eachPlaced(const ir::ProgramHead& program, F f) {
  for (const ir::ClassHead& layerClass : program.heads()) {
    if (layerClass.boundaryReshard) continue;
    const ir::Layer& layer = program.model->layers[layerClass.layer];
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i)
      f(program.model->ops[ir::OpId(i)], layerClass.placements[local(layer, ir::OpId(i))]);
  }
}

/// A copy of a program that is placed again with the rules of its plan as edited by `change`.
struct Tried {
  ir::Plan plan;
  ir::ShardedProgram program;
  bool placed; ///< false: a law of placement rejects it

  Tried(const ir::ShardedProgram& from, const std::function<void(std::vector<ir::PlacementRule>&)>& change);
  Tried(const Tried&) = delete; // the program refers to the plan
  Tried& operator=(const Tried&) = delete;
};

} // namespace planc::passes
