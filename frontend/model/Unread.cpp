// Finds parameters and layers that nothing reads, and losses that are read into others: legal dataflow, but hardly ever
// intended.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Unread.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace planc::frontend {

PLANC_ERROR(UnreadParameter, 461, "parameter `{param}` is not used")
PLANC_WARNING(UnreadLayer, 462, "`{layer}` is not used: the loss does not depend on it")
PLANC_WARNING(NoGradient, 467, "parameter `{param}` is trained, but no loss has a gradient for it")
PLANC_WARNING(LossOfLoss, 473, "`{loss}` counts twice: as a loss of its own, and in `{other}`")

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

/// Returns whether a result that depends on the value is read by nothing: warnOfLayers reports it.
bool endsUnread(const ir::Model& model, const std::vector<bool>& read, ir::ValueId value) {
  std::vector<bool> depends(model.values.size());
  depends[value.index] = true;
  for (const ir::Op& op : model.ops) {
    if (std::none_of(op.operands.begin(), op.operands.end(), [&](const auto& o) { return depends[o.value.index]; }))
      continue;
    depends[op.result.index] = true;
    if (!read[op.result.index] && !model.isLoss(op.result) && op.kind != ir::OpKind::Carry) return true;
  }
  return false;
}

void warnOfLayers(const ir::Model& model, const std::vector<bool>& read, Context& context) {
  if (!model.loss.valid()) return; // without a loss every end of the forward pass may be its result
  for (const ir::Op& op : model.ops) {
    if (op.kind == ir::OpKind::Carry || model.isLoss(op.result) || read[op.result.index]) continue;
    const ir::Layer& layer = model.layers[op.layer]; // the operator of a plain layer may be in a library block
    context.report(UnreadLayer, layer.repeat ? op.range : layer.range, {{"layer", ir::join(op.path)}})
        .label(op.range, "the operator")
        .help("use it in a later layer, or remove it: it is computed in every step without effect on training");
  }
}

/// Returns a loss of integers in a layer or block around the parameter; invalid if there is none.
ir::ValueId integerLoss(const ir::Model& model, const ir::Value& param) {
  for (const ir::ValueId id : model.losses) {
    const ir::Value& loss = model.values[id];
    const size_t around = loss.path.size() - 1;
    if (loss.dtype && !ir::isFloat(*loss.dtype) && around < param.path.size() &&
        std::equal(loss.path.begin(), loss.path.begin() + static_cast<ptrdiff_t>(around), param.path.begin()))
      return id;
  }
  return {};
}

/// Returns how a parameter gets a gradient, or needs none.
std::string gradientHelp(const ir::Model& model, const ir::Value& param) {
  if (const ir::ValueId loss = integerLoss(model, param); loss.valid())
    return fmt::format("`{}` has integers, which have no gradient: compute it in floating point, or declare the "
                       "parameter `frozen param`",
                       model.pathOf(loss));
  return "integers and detached operands end a gradient: declare it `frozen param`, or give what it computes a loss, a "
         "value named `loss` in the layer or block";
}

/// Warns of trained parameters that the loss depends on only through integers or detached values. Parameters of layers
/// that nothing reads have their own warning.
void warnOfParameters(const ir::Model& model, const std::vector<bool>& read, Context& context) {
  if (!model.loss.valid()) return;
  const std::vector<bool> reaches = model.reachesLoss();
  std::vector<bool> trained = reaches; // a gradient of one of the parameters that share a storage trains it
  for (const ir::ValueId p : model.params)
    if (reaches[p.index]) trained[model.values[p].storage.index] = true;
  for (const ir::ValueId p : model.params) {
    const ir::Value& param = model.values[p];
    if (!param.trainable || trained[param.storage.index] || !read[p.index] || endsUnread(model, read, p)) continue;
    context.report(NoGradient, param.range, {{"param", model.pathOf(p)}}).help(gradientHelp(model, param));
  }
}

/// Returns another loss that passes a gradient to this one; invalid if there is none.
ir::ValueId lossAbove(const ir::Model& model, ir::ValueId loss) {
  std::vector<bool> from(model.values.size());
  from[loss.index] = true;
  for (const ir::Op& op : model.ops) {
    if (std::none_of(op.operands.begin(), op.operands.end(),
                     [&](const auto& o) { return from[o.value.index] && model.passesGradient(op, o); }))
      continue;
    if (op.result != loss && model.isLoss(op.result)) return op.result;
    from[op.result.index] = true;
  }
  return {};
}

/// Warns of losses of layers and blocks from which another loss is computed. They add up, so their gradient is twice
/// what was meant.
void warnOfLosses(const ir::Model& model, Context& context) {
  if (model.losses.size() < 2) return;
  for (const ir::ValueId loss : model.losses) {
    const ir::ValueId other = lossAbove(model, loss);
    if (!other.valid()) continue;
    context.report(LossOfLoss, model.values[loss].range, {{"loss", model.pathOf(loss)}, {"other", model.pathOf(other)}})
        .label(model.values[other].range, "it is read here")
        .help("values named `loss` add up: give it another name, or do not use it in the other one");
  }
}

} // namespace

bool checkRead(const ir::Model& model, Context& context) {
  std::vector<bool> read(model.values.size());
  for (const ir::Op& op : model.ops)
    for (const ir::Operand& o : op.operands) read[o.value.index] = true;
  warnOfLayers(model, read, context);
  warnOfParameters(model, read, context);
  warnOfLosses(model, context);
  return checkParameters(model, read, context);
}

} // namespace planc::frontend
