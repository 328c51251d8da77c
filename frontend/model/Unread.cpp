// Finds parameters and layers that nothing reads: legal dataflow, but hardly ever intended.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Unread.h"

#include <vector>

namespace planc::frontend {

PLANC_ERROR(UnreadParameter, 461, "parameter `{param}` is not used")
PLANC_WARNING(UnreadLayer, 462, "`{layer}` is not used: the loss does not depend on it")

namespace {

bool checkParameters(const ir::Model& model, const std::vector<bool>& read, Context& context) {
  std::vector<bool> stored = read; // a parameter whose storage others share is read through them
  for (ir::ValueId p : model.params)
    if (read[p.index]) stored[model.values[p].storage.index] = true;
  bool ok = true;
  for (ir::ValueId p : model.params) {
    if (stored[p.index]) continue;
    ok = false;
    context.report(UnreadParameter, model.values[p].range, {{"param", model.pathOf(p)}})
        .help("use it in a layer, or remove it: it would count as a trained parameter, but no device would hold it");
  }
  return ok;
}

void warnOfLayers(const ir::Model& model, const std::vector<bool>& read, Context& context) {
  if (!model.loss.valid()) return; // without a loss every end of the forward pass may be its result
  for (const ir::Op& op : model.ops) {
    if (op.kind == ir::OpKind::Carry || op.result == model.loss || read[op.result.index]) continue;
    const ir::Layer& layer = model.layers[op.layer]; // the operator of a plain layer may be in a library block
    context.report(UnreadLayer, layer.repeat ? op.range : layer.range, {{"layer", ir::join(op.path)}})
        .label(op.range, "the operator")
        .help("use it in a later layer, or remove it: it is computed in every step without effect on training");
  }
}

} // namespace

bool checkRead(const ir::Model& model, Context& context) {
  std::vector<bool> read(model.values.size());
  for (const ir::Op& op : model.ops)
    for (const ir::Operand& o : op.operands) read[o.value.index] = true;
  warnOfLayers(model, read, context);
  return checkParameters(model, read, context);
}

} // namespace planc::frontend
