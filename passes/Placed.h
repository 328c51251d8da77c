// Walks the operators of a program that has been placed.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "passes/Lowering.h"

namespace planc::passes {

/// Calls `f(op, placement)` for every operator of every class; boundary reshards, which have none of their own, are
/// passed over.
template <class F> void eachPlaced(const ir::Program& program, F f) {
  for (const ir::LayerClass& layerClass : program.classes) {
    if (layerClass.boundaryReshard) continue;
    const ir::Layer& layer = program.model->layers[layerClass.layer];
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i)
      f(program.model->ops[ir::OpId(i)], layerClass.placements[local(layer, ir::OpId(i))]);
  }
}

} // namespace planc::passes
