// size-gradients: a gradient is accumulated in the layout that it is stored in.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"

namespace planc::passes {
using namespace ir;

bool sizeGradients(Program& program, DiagnosticEngine&) {
  for (LayerClass& layerClass : program.classes)
    for (const ParamState& p : layerClass.params) {
      const int64_t shards = program.mesh.size(p.grads & p.partial);
      if (shards == 1) continue;
      for (Node& node : layerClass.backward.edit())
        if (node.kind == NodeKind::Compute && node.role == Role::Accumulate && node.value == p.param)
          node.work.elements /= static_cast<double>(shards);
    }
  return true;
}

} // namespace planc::passes
