// The operator table and the choice of a row: by role if the role decides the price, else by kind.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Operators.h"

#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>

namespace planc::cost {

namespace {

Priced carry(const Pricing& p) {
  p.free("it is another name for an existing value");
  Priced free;
  free.launches = 0;
  return free;
}

bool holds(const std::vector<ir::Node>& list, const ir::Node* node) {
  const std::less<const ir::Node*> before;
  return !list.empty() && !before(node, list.data()) && before(node, list.data() + list.size());
}

/// All members of a node's work are numbers, except the last two, which share a word.
constexpr size_t kWorkNumbers = offsetof(ir::LocalWork, sequenceSplit) / sizeof(double);
static_assert(std::is_trivially_copyable_v<ir::LocalWork> &&
              sizeof(ir::LocalWork) == (kWorkNumbers + 1) * sizeof(double));
void add(Reads& reads, const ir::LocalWork& work) {
  std::array<uint64_t, kWorkNumbers + 1> words;
  std::memcpy(words.data(), &work, kWorkNumbers * sizeof(double));
  words.back() = 2 * static_cast<uint64_t>(work.dtype) + (work.sequenceSplit ? 1 : 0);
  reads << std::span<const uint64_t>(words);
}

/// Multiplies the launches of an operator by its `kernels` in the stack (docs/cost-model.md, section 1.7). Launches,
/// like `launch`, are work of the host and no term of the operator's own time.
Priced inKernels(const Pricing& p, Priced priced) {
  const bool forward = p.compute().role == ir::Role::Forward;
  const auto fact = forward ? ir::StackFact::KernelsForward : ir::StackFact::KernelsBackward;
  if (const ir::Number* kernels = p.facts.stack.number(fact, p.op().name)) priced.launches *= kernels->value;
  return priced;
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

Term kernelRate(const Pricing& p) {
  return p.facts.stack.has(ir::StackFact::RatesForward, p.op().name)
             ? p.fact(ir::StackFact::RatesForward, p.op().name, "kernel")
             : 1;
}

std::optional<Term> kernelRatio(const Pricing& p) {
  if (!p.facts.stack.has(ir::StackFact::RatesBackward, p.op().name)) return std::nullopt;
  return p.fact(ir::StackFact::RatesBackward, p.op().name, "factor");
}

Priced priceNode(const Pricing& pricing) {
  const ir::Compute* compute = pricing.node.asCompute();
  if (!compute) return copy(pricing);
  switch (compute->role) {
  case ir::Role::Accumulate:
    return accumulate(pricing);
  case ir::Role::Cast:
  case ir::Role::Save:
    return cast(pricing);
  default:
    break;
  }
  return inKernels(pricing, kEquations[static_cast<size_t>(pricing.op().kind)].price(pricing));
}

bool readsProgram(const ir::Node& node) {
  return node.isCompute() && node.compute().role == ir::Role::Accumulate;
}

Reads readByOperator(const Pricing& pricing) {
  Reads reads;
  reads << pricing.node.does.index();
  const ir::Compute* compute = pricing.node.asCompute();
  if (!compute) return reads << pricing.node.copy().bytes;
  reads << compute->role << (compute->operand < 0);
  add(reads, compute->work);
  if (!pricing.hasOp()) return reads;
  const ir::Op& op = pricing.op();
  reads << op.kind << reinterpret_cast<uintptr_t>(op.name.key());
  const ir::Role role = compute->role;
  const bool product = op.kind == OpKind::Gemm || op.kind == OpKind::GroupedGemm;
  const bool alone = product && role != ir::Role::Cast && role != ir::Role::Save; // its price reads no other node
  if (!alone && role != ir::Role::Forward) add(reads, forwardWork(pricing));
  return reads;
}

namespace {

/// Returns the forward node of an operator; null if there is none. Nodes are in the order of their operators, but for
/// casts and sums that were added at the end.
const ir::Compute* forwardOf(const std::vector<ir::Node>& nodes, ir::OpId op) {
  const auto isIt = [&](const ir::Node& n) {
    const ir::Compute* c = n.asCompute();
    return c && n.op == op && c->role == ir::Role::Forward;
  };
  const auto before = [](const ir::Node& n, ir::OpId id) { return n.op < id; };
  auto at = std::lower_bound(nodes.begin(), nodes.end(), op, before);
  while (at != nodes.end() && at->op == op && !isIt(*at)) ++at;
  if (at == nodes.end() || !isIt(*at)) at = std::find_if(nodes.begin(), nodes.end(), isIt);
  return at == nodes.end() ? nullptr : at->asCompute();
}

} // namespace

const ir::LocalWork& forwardWork(const Pricing& pricing) {
  const ir::Node& node = pricing.node;
  const ir::Compute& compute = node.compute();
  if (compute.role == ir::Role::Forward) return compute.work;
  const ir::Compute* found = nullptr;
  for (const ir::LayerClass& layerClass : pricing.program.classes) {
    if (layerClass.boundaryReshard || layerClass.layer != pricing.op().layer) continue;
    const bool home = holds(layerClass.backward, &node) || holds(layerClass.forward, &node);
    if (found && !home) continue;
    if (const ir::Compute* c = forwardOf(layerClass.forward, node.op)) found = c;
    if (home) break;
  }
  return found ? found->work : compute.work;
}

} // namespace planc::cost
