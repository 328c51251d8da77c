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

using ir::OpKind;

/// In the order of the enumeration.
constexpr OperatorEquation kEquations[] = {
    {OpKind::Gemm, gemm},
    {OpKind::GroupedGemm, groupedGemm},
    {OpKind::Scores, scoresProduct},
    {OpKind::Context, scoresProduct},
    {OpKind::Attention, fusedAttention},
    {OpKind::Memory, memoryOperator},
    {OpKind::Lookup, lookup},
    {OpKind::Permute, memoryOperator},
    {OpKind::Carry, carry},
    {OpKind::Cast, cast},
};

constexpr bool complete(std::span<const OperatorEquation> rows) {
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].kind != static_cast<OpKind>(i)) return false;
  return rows.size() == static_cast<size_t>(OpKind::Cast) + 1;
}
static_assert(complete(kEquations), "every kind of ir::OpKind has one row here, in the order of the enumeration");

} // namespace

std::span<const OperatorEquation> operatorEquations() {
  return kEquations;
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
  return kEquations[static_cast<size_t>(pricing.op().kind)].price(pricing);
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
