// size-gradients: gives each gradient accumulation the size of the layout in which the gradient is stored.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"
#include "passes/place/MoveStates.h"
#include "support/Memo.h"

namespace planc::passes {
using namespace ir;

namespace {

void size(const Program& program, LayerClass& layerClass) {
  for (const ParamState& p : layerClass.params) {
    const int64_t shards = program.mesh.size(p.grads & p.partial);
    if (shards == 1) continue;
    for (Node& node : layerClass.backward.edit())
      if (Compute* c = node.asCompute(); c && c->role == Role::Accumulate && c->value == p.param)
        c->work.elements /= static_cast<double>(shards);
  }
}

} // namespace

bool sizeGradients(Program& program, DiagnosticEngine&) {
  Memos* const memos = memosOfMoves(program);
  for (LayerClass& layerClass : program.classes)
    layerClass.backward = remember(memos, Reads() << layerClass.params << layerClass.backward, [&] {
      size(program, layerClass);
      return layerClass.backward;
    });
  return true;
}

} // namespace planc::passes
