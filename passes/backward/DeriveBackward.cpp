// derive-backward: adds the backward operators of every class with their reshards, and decides what forward keeps and
// what is replayed (docs/language.md, section 11). A backward operator inherits the placement of the forward operator.
// No operator has a layout rule for backward.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"
#include "passes/backward/Backward.h"
#include "passes/backward/GradientFlow.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace planc::passes {
using namespace ir;

namespace {

/// Derives the backward list of one class.
struct BackwardDerivation {
  ShardedProgram& program;
  ShardedClass& layerClass;
  const std::vector<bool>& wanted;
  Outer& outer;
  const Layer& layer;
  ActivationPolicy policy;
  std::vector<std::vector<Contribution>> gradients = {}; ///< gradients of the result, by operator of the layer
  std::map<ValueId, size_t> uses = {};                   ///< of parameters: their places in the class
  std::set<std::pair<OpId, int>> unpacked = {};          ///< operands that forward unpacks

  const Model& model() const { return program.model; }
  /// Whether the operator computes the gradient of an operand.
  bool wantsGradient(const Op& op, int operand) const {
    const Operand& o = op.operands[operand];
    return wanted[o.value.index] && model().passesGradient(op, o);
  }
  const Placement& placement(OpId op) const { return layerClass.placements[local(layer, op)]; }
  bool inside(ValueId v) const {
    const Value& value = model().values[v];
    return value.kind == ValueKind::Result && model().ops[value.producer].layer == layerClass.layer;
  }

  void derive() {
    gradients.resize(layer.end.index - layer.first.index);
    for (size_t u = 0; u < layerClass.uses.size(); ++u) uses.emplace(layerClass.uses[u].param, u);
    for (const ShardedNode& node : layerClass.forward)
      if (const Computation* c = node.asCompute(); c && c->role == Role::Cast && c->operand >= 0)
        unpacked.emplace(node.op, c->operand);
    layerClass.backward.edit().reserve(layerClass.forward.size() * 2);
    seed();
    for (uint32_t i = layer.end.index; i-- > layer.first.index;)
      if (wanted[model().ops[OpId(i)].result.index] && !gradients[i - layer.first.index].empty()) deriveOp(OpId(i));
  }

  /// Adds the gradients that arrive from outside: the gradient of a loss is 1, and the next instance returns the
  /// gradient of a carried value as this instance will return its own.
  void seed() {
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const ValueId result = model().ops[OpId(i)].result;
      auto& mine = gradients[i - layer.first.index];
      const Layout plain = need(program, placement(OpId(i)), model().ops[OpId(i)].resultDims);
      if (model().isLoss(result)) mine.push_back({plain, -1, OpId()});
      if (llvm::any_of(layer.carries, [&](const Carry& c) { return c.last == result; }))
        mine.push_back({plain, -1, OpId()}); // boundary reshards bring it into this layout
      else
        mine.insert(mine.end(), outer[result.index].begin(), outer[result.index].end());
    }
  }

  int32_t append(ShardedNode node) {
    layerClass.backward.edit().push_back(std::move(node));
    return static_cast<int32_t>(layerClass.backward.size()) - 1;
  }

  NodeHead head(OpId op) const {
    return {.phase = Phase::Backward, .op = op, .times = timesOf(program, model().ops[op])};
  }
  ShardedNode compute(OpId op, Role role, int operand = -1) const {
    return {head(op), Computation{.role = role, .operand = operand}};
  }

  static void depend(NodeHead& node, int32_t on) {
    if (on >= 0 && !llvm::is_contained(node.deps, static_cast<NodeIndex>(on)))
      node.deps.push_back(static_cast<NodeIndex>(on));
  }

  /// Sums gradients of equal layout and reshards each sum to the layout that the operator needs. Returns the nodes that
  /// provide dy, and adds the axes that stay pending to `pending`.
  std::vector<int32_t> gather(OpId id, AxisMask& pending) {
    const Op& op = model().ops[id];
    const Layout target = need(program, placement(id), op.resultDims);
    AxisMask lazy = 0;
    for (DimId d : op.along)
      lazy |= maskOf(placement(id).axesOf(d)) & ~target.axes(); // nothing stays pending where the result is split
    const auto& contributions = gradients[local(layer, id)];
    std::vector<int32_t> ready;
    std::vector<bool> done(contributions.size());
    for (size_t i = 0; i < contributions.size(); ++i) {
      if (done[i]) continue;
      Layout wantedLayout = target;
      wantedLayout.partial = contributions[i].layout.partial & lazy;
      pending |= wantedLayout.partial;
      NodeHead node = head(id);
      for (size_t k = i; k < contributions.size(); ++k)
        if (contributions[k].layout == contributions[i].layout) done[k] = true, depend(node, contributions[k].node);
      if (sameLayout(program.unordered(op.resultDims), contributions[i].layout, wantedLayout)) {
        for (NodeIndex d : node.deps) ready.push_back(static_cast<int32_t>(d));
        continue;
      }
      const Traveller dy{.value = op.result, .gradient = true, .source = contributions[i].source};
      ready.push_back(append({std::move(node), Reshard{dy, contributions[i].layout, std::move(wantedLayout)}}));
    }
    return ready;
  }

  void deriveOp(OpId id) {
    const Op& op = model().ops[id];
    AxisMask pending = 0;
    std::vector<int32_t> dy = gather(id, pending);
    if (op.kind == OpKind::Carry || op.kind == OpKind::Cast) { // the gradient passes through
      contribute(id, 0, dy.empty() ? -1 : dy.back(), pending);
      return;
    }
    policy.replay(id, layerClass.backward.edit());
    if (isContraction(op.kind)) {
      deriveContraction(id, dy, pending);
      return;
    }
    std::vector<bool> covered(op.operands.size());
    for (const BackwardSpec& spec : op.backwards) deriveNode(id, spec.operands, dy, pending, covered);
    std::vector<int> rest;
    for (size_t i = 0; i < op.operands.size(); ++i)
      if (!covered[i]) rest.push_back(static_cast<int>(i));
    deriveNode(id, rest, dy, pending, covered);
  }

  /// Adds one backward node that computes the gradients of some operands.
  void deriveNode(OpId id, const std::vector<int>& operands, const std::vector<int32_t>& dy, AxisMask pending,
                  std::vector<bool>& covered) {
    const Op& op = model().ops[id];
    if (llvm::none_of(operands, [&](int i) { return wantsGradient(op, i); })) return;
    ShardedNode node = compute(id, Role::Backward, operands.front());
    for (int32_t d : dy) depend(node, d);
    for (int32_t d : policy.read(id, layerClass.backward.edit())) depend(node, d);
    const int32_t at = append(std::move(node));
    for (int i : operands) {
      covered[static_cast<size_t>(i)] = true;
      contribute(id, i, at, pending);
    }
  }

  /// Adds input gradients first, then weight gradients, as every framework issues them. Each reads the other operands.
  void deriveContraction(OpId id, std::vector<int32_t> dy, AxisMask pending) {
    const Op& op = model().ops[id];
    if (width(program.dtypeOf(op.result)) > width(program.computeType(op))) {
      ShardedNode cast = compute(id, Role::Cast);
      for (int32_t d : dy) depend(cast, d);
      dy = {append(std::move(cast))};
    }
    policy.read(id, layerClass.backward.edit());
    for (const Role role : {Role::DGrad, Role::WGrad})
      for (size_t i = 0; i < op.operands.size(); ++i) {
        const bool parameter = model().values[op.operands[i].value].kind == ValueKind::Param;
        if (parameter != (role == Role::WGrad) || !wantsGradient(op, static_cast<int>(i))) continue;
        if (op.bias == static_cast<int>(i)) { // summed inside wgrad: no work of its own
          contribute(id, static_cast<int>(i), dy.empty() ? -1 : dy.back(), pending);
          continue;
        }
        ShardedNode node = compute(id, role, static_cast<int>(i));
        for (int32_t d : dy) depend(node, d);
        for (int32_t d : policy.readOthers(id, static_cast<int>(i))) depend(node, d);
        if (role == Role::DGrad)
          for (int32_t d : unpackOthers(id, i)) depend(node, d);
        contribute(id, static_cast<int>(i), append(std::move(node)), pending);
      }
  }

  /// Unpacks packed parameters again for the gradient of the operand that they multiply.
  std::vector<int32_t> unpackOthers(OpId id, size_t operand) {
    std::vector<int32_t> ready;
    const Op& op = model().ops[id];
    for (size_t k = 0; k < op.operands.size() && k < 2; ++k)
      if (k != operand && unpacked.contains({id, static_cast<int>(k)}))
        ready.push_back(append(compute(id, Role::Cast, static_cast<int>(k))));
    return ready;
  }

  /// Adds the gradient of an operand, in the layout of the rule `produced`, or as placed for operators that pass it on.
  void contribute(OpId id, int operand, int32_t node, AxisMask pending) {
    const Op& op = model().ops[id];
    const Operand& o = op.operands[operand];
    if (!wantsGradient(op, operand)) return;
    // If an addend lacks dimensions of the sum, its gradient is the sum over them, which is pending where they are
    // split.
    const bool whole = llvm::all_of(op.resultDims, [&](DimId d) { return llvm::is_contained(o.dims, d); });
    const bool passes = (op.linear && whole) || op.kind == OpKind::Carry || op.kind == OpKind::Cast;
    Layout layout = passes && model().values[o.value].kind != ValueKind::Param
                        ? need(program, placement(id), o.dims)
                        : produced(program, op, placement(id), o.dims);
    for (const PlacedDim& p : placement(id).dims)
      if (p.ring && llvm::is_contained(o.dims, p.dim))
        layout.partial &= ~maskOf(p.axes); // summed while it travels around the ring
    layout.partial |= pending & ~layout.axes();
    if (model().values[o.value].kind == ValueKind::Param)
      addToParameter(id, operand, layout.partial, node);
    else if (inside(o.value))
      gradients[local(layer, model().values[o.value].producer)].push_back({std::move(layout), node, id});
    else if (!carriedIn(op) ||
             layerClass.instances.contains(layer.from)) // of a carried value only what leaves the first instance
      outer[o.value.index].push_back({std::move(layout), -1, id});
  }

  bool carriedIn(const Op& op) const {
    return op.kind == OpKind::Carry &&
           llvm::any_of(layer.carries, [&](const Carry& c) { return c.inside == op.result; });
  }

  void addToParameter(OpId id, int operand, AxisMask partial, int32_t node) {
    const ValueId param = model().ops[id].operands[operand].value;
    if (const auto use = uses.find(param); use != uses.end()) layerClass.uses.edit()[use->second].partial |= partial;
    ShardedNode accumulate = compute(id, Role::Accumulate, operand);
    accumulate.compute().value = param;
    depend(accumulate, node);
    append(std::move(accumulate));
  }
};

} // namespace

void deriveClass(ShardedProgram& program, ShardedClass& layerClass, const std::vector<bool>& wanted,
                 const Checkpoints& checkpoints, Outer& outer) {
  const Layer& layer = program.model->layers[layerClass.layer];
  BackwardDerivation derivation{program, layerClass, wanted,
                                outer,   layer,      ActivationPolicy(program, layerClass, wanted, checkpoints)};
  derivation.derive();
  derivation.policy.finish();
}

bool deriveBackward(ShardedProgram& program, DiagnosticEngine& diagnostics) {
  program.withGradient = valuesWithGradient(program);
  const std::vector<std::vector<bool>>& wanted = program.withGradient;
  std::vector<Checkpoints> checkpoints;
  for (const ShardedClass& layerClass : program.classes) {
    checkpoints.push_back(findCheckpoints(program, layerClass, diagnostics));
    if (!checkpoints.back().ok) return false;
  }
  if (!checkKeeps(program, diagnostics)) return false;
  Outer outer(program.model->values.size());
  if (program.plan->workload.hasBackward() && program.model->loss.valid()) // without `train` the plan is a forward pass
    for (uint32_t b = program.classes.size(); b-- > 0;)
      deriveClass(program, program.classes[LayerClassId(b)], wanted[b], checkpoints[b], outer);
  if (diagnostics.wantsWarnings()) warnOfIdleSavings(program, wanted, outer, diagnostics);
  std::vector<std::vector<BoundaryGradient>> leaving(outer.size());
  for (size_t v = 0; v < outer.size(); ++v)
    for (const Contribution& c : outer[v]) leaving[v].push_back({c.layout, c.source});
  addBoundaryReshards(program, leaving);
  for (ShardedClass& layerClass : program.classes) measureWorkingSet(program, layerClass);
  return true;
}

} // namespace planc::passes
