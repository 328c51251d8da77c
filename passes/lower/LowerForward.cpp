// lower-forward: determines the layout of every result, and adds an explicit reshard if an operator needs another
// layout than the one produced (docs/language.md, section 10).
// SPDX-License-Identifier: Apache-2.0
#include "ir/print/Names.h"
#include "ir/program/States.h"
#include "passes/Steps.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <utility>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(TwoParameterLayouts, 636, "parameter `{param}` is needed as {first} by `{a}` and as {second} by `{b}`")

namespace {

/// Lowers one class, operator by operator.
struct ForwardLowering {
  ShardedProgram& program;
  ShardedClass& layerClass;
  DiagnosticEngine& diagnostics;
  const Layer& layer;
  Multipliers multipliers;
  std::vector<int32_t> sources = {}; ///< by operator of the layer: the node whose end makes its result ready, or -1
  struct FirstUse {
    OpId op;
    size_t place = 0; ///< among the parameters of the class
  };
  std::map<ValueId, FirstUse> parameters = {}; ///< the layout of a parameter is that of its first use
  struct Reader {
    OpId op;
    size_t operand = 0;
  };
  std::map<ValueId, std::vector<Reader>> readers = {};   ///< in the layer; made when a pending sum needs them
  std::map<ValueId, std::vector<int32_t>> reshards = {}; ///< nodes that reshard a value
  bool ok = true;

  const Model& model() const { return program.model; }
  const Placement& placement(OpId op) const { return layerClass.placements[local(layer, op)]; }
  bool inside(ValueId v) const {
    const Value& value = model().values[v];
    return value.kind == ValueKind::Result && model().ops[value.producer].layer == layerClass.layer;
  }
  /// Returns whether the operator begins an instance of a repeat. Its operand is carried and resharded by boundary
  /// reshards, not here.
  bool entersRepeat(const Op& op) const {
    return op.kind == OpKind::Carry &&
           llvm::any_of(layer.carries, [&](const Carry& c) { return c.inside == op.result; });
  }

  Layout layoutOfValue(ValueId v) const {
    return inside(v) ? layerClass.results[local(layer, model().values[v].producer)] : layoutOf(program, v);
  }

  /// Returns the axes over which all operands of a linear operator are pending sums and which it does not use itself.
  /// This is the only case in which a sum stays pending through an operator.
  AxisMask pendingThrough(const Op& op) const {
    if (!op.linear) return 0;
    AxisMask pending = ~AxisMask(0);
    for (const Operand& o : op.operands) {
      if (model().values[o.value].kind != ValueKind::Result) return 0;
      const AxisMask p = layoutOfValue(o.value).partial;
      if (pending == ~AxisMask(0)) pending = p;
      if (p != pending) return 0;
    }
    const Layout wanted = need(program, placement(model().values[op.result].producer), op.resultDims);
    return (wanted.axes() & pending) ? 0 : pending;
  }

  void lower() {
    const uint32_t count = layer.end.index - layer.first.index;
    layerClass.results.edit().resize(count);
    layerClass.brought.edit().resize(count);
    layerClass.forward.edit().reserve(size_t(count) * 3 / 2);
    sources.assign(count, -1);
    for (uint32_t i = 0; i < count; ++i) lowerOp(OpId(layer.first.index + i));
    for (const ValueId loss : model().losses) reduceLoss(loss);
  }

  /// Reduces a loss that is a pending sum where it is produced, because backward begins at the loss itself.
  void reduceLoss(ValueId loss) {
    if (!inside(loss)) return;
    const OpId producer = model().values[loss].producer;
    Layout whole = layerClass.results[local(layer, producer)];
    if (!std::exchange(whole.partial, 0)) return;
    addReshard(producer, loss, layerClass.results[local(layer, producer)], whole, -1);
  }

  void lowerOp(OpId id) {
    const Op& op = model().ops[id];
    const AxisMask pending = pendingThrough(op);
    ShardedNode compute({.op = id, .times = timesOf(program, op)}, Computation{});
    auto& brought = layerClass.brought.edit()[local(layer, id)];
    for (size_t i = 0; i < op.operands.size(); ++i) {
      brought.push_back(-1);
      const Operand& operand = op.operands[i];
      Layout wanted = need(program, placement(id), operand.dims);
      wanted.partial = pending;
      if (model().values[operand.value].kind == ValueKind::Param) {
        useParameter(id, operand, wanted);
        if (isContraction(op.kind) && i < 2 && isPackedHere(operand.value)) unpack(id, i, compute);
        continue;
      }
      const int32_t node = entersRepeat(op) ? -1 : bring(id, operand, wanted);
      brought.back() = node;
      const int32_t source = node >= 0               ? node
                             : inside(operand.value) ? sources[local(layer, model().values[operand.value].producer)]
                                                     : -1;
      if (source >= 0 && !llvm::is_contained(compute.deps, static_cast<NodeIndex>(source)))
        compute.deps.push_back(static_cast<NodeIndex>(source));
    }
    layerClass.results.edit()[local(layer, id)] = resultLayout(id, op, pending);
    if (op.kind == OpKind::Carry) { // an identity: ready when its operand is
      sources[local(layer, id)] = compute.deps.empty() ? -1 : static_cast<int32_t>(compute.deps.back());
      return;
    }
    layerClass.forward.edit().push_back(std::move(compute));
    sources[local(layer, id)] = static_cast<int32_t>(layerClass.forward.size()) - 1;
  }

  /// Unpacks a parameter that is stored narrower than the contraction computes.
  void unpack(OpId id, size_t operand, ShardedNode& compute) {
    layerClass.forward.edit().emplace_back(NodeHead{.op = id, .times = timesOf(program, model().ops[id])},
                                           Computation{.role = Role::Cast, .operand = static_cast<int>(operand)});
    compute.deps.push_back(static_cast<NodeIndex>(layerClass.forward.size() - 1));
  }

  Layout resultLayout(OpId id, const Op& op, AxisMask pending) const {
    Layout layout = produced(program, op, placement(id), op.resultDims);
    for (const PlacedDim& p : placement(id).dims) {
      if (p.ring) layout.partial &= ~maskOf(p.axes); // every device has processed all of it
      // A memory operator's statistics are reduced inside it, so its result is complete.
      if (op.kind == OpKind::Memory && llvm::any_of(op.reduces, [&](const Reduce& r) { return r.dim == p.dim; }))
        layout.partial &= ~maskOf(p.axes);
    }
    layout.partial |= pending;
    return layout;
  }

  bool isPackedHere(ValueId param) const {
    const ParamUse& use = layerClass.uses[parameters.at(param).place];
    return isPacked(program, use, multipliers.of(use));
  }

  void twoLayouts(OpId user, const ParamUse& state, const Layout& wanted) {
    ok = false;
    const OpId first = parameters.at(state.param).op;
    auto text = [&](const Layout& l) { return layoutText(program.mesh, model(), model().values[state.param].dims, l); };
    diagnostics
        .report(TwoParameterLayouts, model().ops[user].range,
                {{"param", model().pathOf(state.param)},
                 {"first", text(state.layout)},
                 {"a", model().pathOf(first)},
                 {"second", text(wanted)},
                 {"b", model().pathOf(user)}})
        .label(model().values[state.param].range, "the parameter")
        .label(model().ops[first].range, "the operator that uses it first")
        .help("place the dimensions of the parameter equally in both operators");
  }

  void useParameter(OpId user, const Operand& operand, const Layout& wanted) {
    const auto [known, fresh] = parameters.try_emplace(operand.value, FirstUse{user, layerClass.uses.size()});
    if (!fresh) {
      const ParamUse& p = layerClass.uses[known->second.place];
      if (p.layout != wanted) twoLayouts(user, p, wanted);
      return;
    }
    ParamUse state;
    state.param = operand.value;
    state.layout = wanted;
    state.region = model().ops[user].region;
    state.elements =
        localElements(program, model().values[operand.value].dims, wanted) * timesOf(program, model().ops[user]);
    state.trainable = program.plan->workload.hasBackward() ? trains(program, layerClass, operand.value)
                                                           : model().values[operand.value].trainable;
    layerClass.uses.edit().push_back(std::move(state));
  }

  /// Returns the node that reshards a value to a layout. Equal nodes of a class are shared. Returns -1 if none is
  /// needed.
  int32_t bring(OpId user, const Operand& operand, const Layout& wanted) {
    const Value& value = model().values[operand.value];
    const std::vector<bool> unordered = program.unordered(value.dims);
    Layout from = layoutOfValue(operand.value);
    if (sameLayout(unordered, from, wanted)) return -1;
    int32_t resolved = -1;
    for (const int32_t n : reshards[operand.value]) {
      const Reshard& r = layerClass.forward[n].reshard();
      if (sameLayout(unordered, r.to, wanted)) return n;
      if (r.from.partial && !r.to.partial) resolved = n;
    }
    // A pending sum is resolved once, to the most split layout that any user in this class wants. Other layouts start
    // from there.
    if (from.partial && !wanted.partial) {
      if (resolved < 0) {
        const Layout split = mostSplit(operand.value, wanted);
        resolved = addReshard(user, operand.value, from, split, -1);
        if (sameLayout(unordered, split, wanted)) return resolved;
      }
      from = layerClass.forward[resolved].reshard().to;
    }
    return addReshard(user, operand.value, from, wanted, resolved);
  }

  Layout mostSplit(ValueId v, const Layout& wanted) {
    Layout best = wanted;
    const auto& dims = model().values[v].dims;
    double least = localElements(program, dims, wanted);
    if (readers.empty()) findReaders();
    for (const Reader& reader : readers[v]) {
      const Op& op = model().ops[reader.op];
      if (pendingThrough(op)) continue;
      Layout layout = need(program, placement(reader.op), op.operands[reader.operand].dims);
      const double elements = localElements(program, dims, layout);
      if (elements < least) least = elements, best = std::move(layout);
    }
    return best;
  }

  void findReaders() {
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const Op& op = model().ops[OpId(i)];
      for (size_t k = 0; k < op.operands.size(); ++k) readers[op.operands[k].value].push_back({OpId(i), k});
    }
  }

  int32_t addReshard(OpId user, ValueId v, const Layout& from, const Layout& to, int32_t after) {
    const OpId maker = model().values[v].kind == ValueKind::Result ? model().values[v].producer : OpId();
    NodeHead node{.op = user};
    const Op& op = model().ops[user];
    // The operand of a nested repeat is resharded once per run of the repeat, not once per instance.
    node.times = op.kind == OpKind::Carry && op.region.valid() && op.region != layer.region
                     ? timesOf(program, op) / static_cast<double>(model().regions[op.region].count)
                     : timesOf(program, op);
    const int32_t source = after >= 0 ? after : inside(v) ? sources[local(layer, model().values[v].producer)] : -1;
    if (source >= 0) node.deps.push_back(static_cast<NodeIndex>(source));
    layerClass.forward.edit().emplace_back(std::move(node), Reshard{{.value = v, .source = maker}, from, to});
    reshards[v].push_back(static_cast<int32_t>(layerClass.forward.size()) - 1);
    return reshards[v].back();
  }
};

} // namespace

bool lowerForward(ShardedProgram& program, DiagnosticEngine& diagnostics) {
  bool ok = true;
  for (ShardedClass& layerClass :
       program.classes) { // in the order of the layers: producers are lowered before their users
    ForwardLowering lowering{program, layerClass, diagnostics, program.model->layers[layerClass.layer],
                             Multipliers(program.model, layerClass.layer)};
    lowering.lower();
    ok &= lowering.ok;
  }
  return ok;
}

} // namespace planc::passes
