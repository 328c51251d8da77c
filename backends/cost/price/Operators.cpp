// The operator table, and which row prices a node: by role where the role decides, by kind otherwise.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Operators.h"

#include <functional>

namespace planc::cost {

namespace {

Priced carry(const Pricing& p) {
  p.free("it names what is there already");
  Priced free;
  free.launches = 0;
  return free;
}

bool holds(const std::vector<ir::Node>& list, const ir::Node* node) {
  const std::less<const ir::Node*> before;
  return !list.empty() && !before(node, list.data()) && before(node, list.data() + list.size());
}

} // namespace

const std::vector<OperatorEquation>& operatorEquations() {
  using ir::OpKind;
  static const std::vector<OperatorEquation> table = {
      {OpKind::Gemm, gemm},
      {OpKind::GroupedGemm, groupedGemm},
      {OpKind::Scores, scoresProduct},
      {OpKind::Context, scoresProduct},
      {OpKind::Attention, fusedAttention},
      {OpKind::Memory, memoryOperator},
      {OpKind::Permute, memoryOperator},
      {OpKind::Lookup, lookup},
      {OpKind::Carry, carry},
      {OpKind::Cast, cast},
  };
  return table;
}

Priced priceNode(const Pricing& pricing) {
  if (pricing.node.kind == ir::NodeKind::Copy) return copy(pricing);
  switch (pricing.node.role) {
  case ir::Role::Accumulate:
    return accumulate(pricing);
  case ir::Role::Cast:
  case ir::Role::Save:
    return cast(pricing);
  default:
    break;
  }
  for (const OperatorEquation& row : operatorEquations())
    if (row.kind == pricing.op().kind) return row.price(pricing);
  return carry(pricing);
}

const ir::LocalWork& forwardWork(const Pricing& pricing) {
  const ir::Node& node = pricing.node;
  if (node.role == ir::Role::Forward) return node.work;
  const ir::Node* found = nullptr;
  for (const ir::LayerClass& layerClass : pricing.program.classes) {
    if (layerClass.boundaryReshard || layerClass.layer != pricing.op().layer) continue;
    const bool home = holds(layerClass.backward, &node) || holds(layerClass.forward, &node);
    if (found && !home) continue;
    for (const ir::Node& n : layerClass.forward)
      if (n.kind == ir::NodeKind::Compute && n.op == node.op && n.role == ir::Role::Forward) found = &n;
    if (home) break;
  }
  return found ? found->work : node.work;
}

} // namespace planc::cost
