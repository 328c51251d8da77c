// lower-reshards: from level sharded to level comm. Every reshard becomes the collectives of its steps; statistics over
// a split dimension and rotated operands, which stand inside an operator, become collectives too.
// SPDX-License-Identifier: Apache-2.0
#include "ir/Routed.h"
#include "passes/Steps.h"
#include "passes/WireTypes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

namespace planc::passes {
using namespace ir;

namespace {

/// Are `axes` the major ones of `split`, and does each lie outside of the next in the mesh?
bool inOrder(const Mesh& mesh, std::span<const Digit> split, AxisMask axes) {
  AxisMask taken = 0;
  auto outer = mesh.order.end();
  for (const Digit& digit : split) {
    if (taken == axes) break;
    const auto at = llvm::find(mesh.order, digit.axis);
    if (at >= outer) return false;
    outer = at;
    taken |= maskOf(digit.axis);
  }
  return axes != 0 && taken == axes;
}

/// Rewrites one list of nodes; `last` maps an old node to the new one whose end is its end.
struct Rewriter {
  const Program& program;
  const LayerClass& layerClass;
  std::vector<Node> out = {};
  std::vector<NodeList> ends = {};

  const Model& model() const { return program.model; }
  const Layer& unit() const { return model().layers[layerClass.layer]; }

  NodeList translated(const NodeList& deps) const {
    NodeList result;
    for (NodeIndex d : deps)
      for (NodeIndex e : ends[d])
        if (!llvm::is_contained(result, e)) result.push_back(e);
    return result;
  }

  NodeIndex append(Node node) {
    out.push_back(std::move(node));
    return static_cast<NodeIndex>(out.size() - 1);
  }

  void rewrite(const std::vector<Node>& nodes) {
    out.reserve(nodes.size() * 3 / 2);
    ends.reserve(nodes.size());
    for (const Node& node : nodes) {
      ends.emplace_back();
      const NodeList deps = translated(node.deps);
      if (node.kind == NodeKind::Reshard)
        ends.back() = lowerReshard(node, deps);
      else
        ends.back() = lowerCompute(node, deps);
    }
  }

  NodeList lowerReshard(const Node& node, NodeList deps) {
    const Value& value = model().values[node.value];
    const auto steps =
        ir::reshard(program.mesh, program.extents(value.dims), program.unordered(node), node.from, node.to);
    Layout before = node.from;
    for (const ReshardStep& step : steps) {
      const Layout from = std::exchange(before, step.after);
      if (step.kind == CollectiveKind::Slice) continue; // local, a view
      Node c = node;
      c.kind = NodeKind::Collective;
      c.from = from;
      c.to = step.after;
      c.deps = std::move(deps);
      c.collective = step.kind;
      c.axes = step.axes;
      c.group = program.mesh.size(step.axes);
      c.level = program.mesh.levelOf(step.axes);
      c.bytes = step.elements * overExtents(model(), value.dims) * wireWidth(node) *
                std::max(program.skew(value.dims, from), program.skew(value.dims, step.after));
      c.strided = step.strided;
      c.cls = classOf(node, step.kind);
      c.copies = step.kind == CollectiveKind::AllToAll ? copiesOf(node) : 1;
      if (c.copies > 1) {
        c.groupLimit = groupLimitOf(node, step.axes);
        c.places = placesFor(node);
      }
      explain(node, step.axes, c);
      deps = {append(c)};
      if (step.strided) deps = {copyAfter(c, deps)};
    }
    return deps;
  }

  /// A strided intermediate state is packed by a local copy: read and written once.
  NodeIndex copyAfter(const Node& collective, const NodeList& deps) {
    Node copy = collective;
    copy.kind = NodeKind::Copy;
    copy.deps = deps;
    return append(std::move(copy));
  }

  /// The type that travels: the value's, unless the plan says otherwise (`precision { dispatch = fp8 }`).
  double wireWidth(const Node& node) const {
    const WireTypes::Said* stated = wireTypeOf(program, node);
    return stated ? width(stated->type) : program.widthOf(node.value);
  }

  bool routed(ValueId v) const {
    return llvm::any_of(model().values[v].dims, [&](DimId d) { return model().dims[d].kind == DimKind::Routed; });
  }

  CollectiveClass classOf(const Node& node, CollectiveKind kind) const {
    if (node.cls == CollectiveClass::Regather) return node.cls;
    if (kind == CollectiveKind::AllToAll && routed(node.value)) return CollectiveClass::Exchange;
    if (kind == CollectiveKind::AllGather && !node.gradient && model().ops[node.op].kind == OpKind::Attention)
      return CollectiveClass::Ring;
    return CollectiveClass::Activation;
  }

  /// How many places an element of a routed value is sent to; padded slots travel as they are.
  double copiesOf(const Node& node) const {
    const Op* op = unpaddedRouter(node);
    return op ? op->copies->evaluate([&](DimId d) { return sizeOf(model(), d); }, [](int) { return 1.0; }) : 1;
  }

  const Op* unpaddedRouter(const Node& node) const {
    const Op* op = routerOf(model(), node);
    return op && op->capacity == 0 ? op : nullptr;
  }

  /// Groups of places lie on devices in order where the places are split over these axes first, the outer ones of the
  /// mesh before the inner.
  GroupLimit groupLimitOf(const Node& node, AxisMask axes) const {
    for (const Layout* layout : {&node.from, &node.to})
      if (inOrder(program.mesh, placesOf(node, *layout), axes)) return unpaddedRouter(node)->groupLimit;
    return {};
  }

  /// The extent of the dimension that the data of a routed value chooses along: experts.
  double placesFor(const Node& node) const {
    for (DimId d : model().values[node.value].dims)
      if (model().dims[d].kind == DimKind::Routed && model().dims[d].chosen.valid())
        return sizeOf(model(), model().dims[d].chosen);
    return 0;
  }

  /// How the dimension is split that the data of a routed value chooses along.
  std::span<const Digit> placesOf(const Node& node, const Layout& layout) const {
    const std::vector<DimId>& dims = model().values[node.value].dims;
    for (DimId d : dims)
      if (model().dims[d].kind == DimKind::Routed)
        for (size_t i = 0; i < dims.size() && i < layout.shard.size(); ++i)
          if (dims[i] == model().dims[d].chosen) return layout.shard[i];
    return {};
  }

  /// The rule of the consumer that takes the axes, and that of the producer that held them.
  void explain(const Node& node, AxisMask axes, Node& c) const {
    auto ruleOf = [&](OpId id) -> const PlacementRule* {
      if (!id.valid()) return nullptr;
      const Op& op = model().ops[id];
      for (const LayerClass& other : program.classes) {
        if (other.layer != op.layer || other.boundaryReshard) continue;
        for (const PlacedDim& p : other.placements[local(model().layers[op.layer], id)].dims)
          if (p.rule && (maskOf(p.axes) & axes)) return p.rule;
      }
      return nullptr;
    };
    const PlacementRule* consumer = ruleOf(node.op);
    const PlacementRule* producer = ruleOf(node.source);
    if (consumer) c.because = consumer->range;
    if (producer) (consumer ? c.becauseOf : c.because) = producer->range;
  }

  NodeList lowerCompute(const Node& node, const NodeList& deps) {
    Node compute = node;
    compute.deps = deps;
    const bool backward = node.role == Role::Backward;
    NodeList done;
    if (node.role == Role::Forward || backward)
      if (auto ring = ringOf(node, deps)) done.push_back(append(*ring)); // runs beside the operator
    NodeIndex at = append(std::move(compute));
    if (node.role == Role::Forward || backward) at = addStatistics(node, at);
    done.push_back(at);
    return done;
  }

  /// Keys and values travel once around forward; backward they travel again, and their gradients all the way home.
  std::optional<Node> ringOf(const Node& node, const NodeList& deps) const {
    const Op& op = model().ops[node.op];
    const Placement& placement = layerClass.placements[local(unit(), node.op)];
    for (const PlacedDim& p : placement.dims) {
      if (!p.ring || p.axes.empty()) continue;
      double bytes = 0;
      for (const Operand& o : op.operands)
        if (llvm::is_contained(o.dims, p.dim))
          bytes += localElements(program, model().values[o.value].dims, need(program, placement, o.dims)) *
                   program.widthOf(o.value);
      const double n = static_cast<double>(program.mesh.size(p.axes));
      Node ring = node;
      ring.kind = NodeKind::Collective;
      ring.deps = deps;
      ring.ring = true;
      ring.collective = CollectiveKind::SendRecv;
      ring.cls = CollectiveClass::Ring;
      ring.value = op.operands.back().value;
      ring.axes = maskOf(p.axes);
      ring.group = program.mesh.size(p.axes);
      ring.level = program.mesh.levelOf(ring.axes);
      ring.bytes = bytes * (n - 1) + (node.role == Role::Backward ? bytes * n : 0);
      if (p.rule) ring.because = p.rule->range;
      return ring;
    }
    return std::nullopt;
  }

  /// Inside the operator: each statistic is an all-reduce of one fp32 value per remaining element.
  NodeIndex addStatistics(const Node& node, NodeIndex at) {
    const Op& op = model().ops[node.op];
    const Placement& placement = layerClass.placements[local(unit(), node.op)];
    for (const Reduce& r : op.reduces) {
      const int count = node.role == Role::Backward ? r.backward : r.values;
      const AxisList& axes = placement.axesOf(r.dim);
      const bool ring = llvm::any_of(placement.dims, [&](const PlacedDim& p) { return p.dim == r.dim && p.ring; });
      if (count == 0 || axes.empty() || ring) continue;
      std::vector<DimId> rest;
      for (DimId d : op.resultDims)
        if (d != r.dim) rest.push_back(d);
      Node c = node;
      c.kind = NodeKind::Collective;
      c.deps = {at};
      c.value = op.result;
      c.gradient = node.role == Role::Backward;
      c.collective = CollectiveKind::AllReduce;
      c.cls = CollectiveClass::Statistic;
      c.axes = maskOf(axes);
      c.group = program.mesh.size(axes);
      c.level = program.mesh.levelOf(c.axes);
      c.bytes = localElements(program, rest, need(program, placement, rest)) * width(DType::fp32);
      c.times = node.times * count;
      explain(node, c.axes, c);
      at = append(std::move(c));
    }
    return at;
  }
};

} // namespace

bool lowerReshards(Program& program, DiagnosticEngine&) {
  for (LayerClass& layerClass : program.classes) {
    Rewriter forward{program, layerClass};
    forward.rewrite(layerClass.forward);
    Rewriter backward{program, layerClass};
    backward.rewrite(layerClass.backward);
    layerClass.forward = Indexed<Node>(std::move(forward.out));
    layerClass.backward = Indexed<Node>(std::move(backward.out));
    layerClass.brought = {}; // its indices are of level sharded
  }
  program.level = Level::Comm;
  return true;
}

} // namespace planc::passes
