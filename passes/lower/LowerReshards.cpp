// lower-reshards: level sharded to level comm. Every reshard becomes the collectives of its steps. Statistics over a
// split dimension and rotated operands inside operators become collectives, too.
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Routed.h"
#include "passes/Steps.h"
#include "passes/lower/WireTypes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

namespace planc::passes {
using namespace ir;

namespace {

/// Returns whether `axes` are the major axes of `split` and each lies outside the next in the mesh.
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

/// Rewrites a list of nodes of level sharded to level comm. `ends` maps an old node to the new nodes that finish it.
struct Rewriter {
  const ShardedProgram& program;
  const ShardedClass& layerClass;
  std::vector<Node> out = {};
  std::vector<NodeList> ends = {};

  const Model& model() const { return program.model; }
  const Layer& layer() const { return model().layers[layerClass.layer]; }

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

  void rewrite(const std::vector<ShardedNode>& nodes) {
    out.reserve(nodes.size() * 3 / 2);
    ends.reserve(nodes.size());
    for (const ShardedNode& node : nodes) {
      ends.emplace_back();
      const NodeList deps = translated(node.deps);
      if (const Reshard* reshard = node.asReshard())
        ends.back() = lowerReshard(node, *reshard, deps);
      else
        ends.back() = lowerCompute(node, node.compute(), deps);
    }
  }

  /// Returns the head of a node that accompanies or replaces an old node.
  static NodeHead headFrom(const NodeHead& old, NodeList deps) {
    NodeHead head = old;
    head.deps = std::move(deps);
    return head;
  }

  NodeList lowerReshard(const NodeHead& node, const Reshard& reshard, NodeList deps) {
    const Value& value = model().values[reshard.value];
    const auto steps = ir::reshard(program.mesh, program.extents(value.dims), program.unordered(reshard, node.op),
                                   reshard.from, reshard.to);
    Layout before = reshard.from;
    for (const ReshardStep& step : steps) {
      const Layout from = std::exchange(before, step.after);
      if (step.kind == CollectiveKind::Slice) continue; // local, a view
      Collective c(reshard);
      c.kind = step.kind;
      c.from = from;
      c.to = step.after;
      c.axes = step.axes;
      c.group = program.mesh.size(step.axes);
      c.level = program.mesh.levelOf(step.axes);
      c.bytes = step.elements * overExtents(model(), value.dims) * wireWidth(node.op, reshard) *
                std::max(program.skew(value.dims, from), program.skew(value.dims, step.after));
      c.strided = step.strided;
      c.cls = classOf(node.op, reshard, step.kind);
      c.copies = step.kind == CollectiveKind::AllToAll ? copiesOf(node.op, reshard) : 1;
      if (c.copies > 1) {
        c.groupLimit = groupLimitOf(node.op, reshard, step.axes);
        c.places = placesFor(reshard);
      }
      explain(node.op, c);
      deps = {append({headFrom(node, std::move(deps)), std::move(c)})};
      // A local copy packs a strided intermediate state: it is read and written once.
      if (step.strided) deps = {append({headFrom(node, deps), Copy(out.back().collective())})};
    }
    return deps;
  }

  /// Returns the bytes per element in transit: those of the value, unless the plan states another type (`precision {
  /// dispatch = fp8 }`).
  double wireWidth(OpId op, const Traveller& what) const {
    const WireTypes::Said* stated = wireTypeOf(program, what, op);
    if (stated) return width(stated->type);
    // Products write their gradients in the type of the activations, even if their operands were cast.
    const OpId producer = model().values[what.value].producer;
    const bool cast = what.gradient && producer.valid() && model().ops[producer].kind == OpKind::Cast;
    return program.widthOf(cast ? model().ops[producer].operands[0].value : what.value);
  }

  bool routed(ValueId v) const {
    return llvm::any_of(model().values[v].dims, [&](DimId d) { return model().dims[d].kind == DimKind::Routed; });
  }

  CollectiveClass classOf(OpId op, const Reshard& reshard, CollectiveKind kind) const {
    if (reshard.regather) return CollectiveClass::Regather;
    if (kind == CollectiveKind::AllToAll && routed(reshard.value)) return CollectiveClass::Exchange;
    if (kind == CollectiveKind::AllGather && !reshard.gradient && model().ops[op].kind == OpKind::Attention)
      return CollectiveClass::Ring;
    return CollectiveClass::Activation;
  }

  /// Returns the number of places to which an element of a routed value is sent. Padded slots are sent as they are: 1.
  double copiesOf(OpId op, const Traveller& what) const {
    const Op* router = unpaddedRouter(op, what);
    return router ? router->copies->evaluate([&](DimId d) { return sizeOf(model(), d); }, [](int) { return 1.0; }) : 1;
  }

  const Op* unpaddedRouter(OpId op, const Traveller& what) const {
    const Op* router = routerOf(model(), what, op);
    return router && router->capacity == 0 ? router : nullptr;
  }

  /// Returns the router's group limit if groups of places lie on devices in order: the places are split over these axes
  /// first, outer mesh axes before inner ones.
  GroupLimit groupLimitOf(OpId op, const Reshard& reshard, AxisMask axes) const {
    for (const Layout* layout : {&reshard.from, &reshard.to})
      if (inOrder(program.mesh, placesOf(reshard.value, *layout), axes)) return unpaddedRouter(op, reshard)->groupLimit;
    return {};
  }

  /// Returns the extent of the dimension along which routed data chooses: the experts.
  double placesFor(const Traveller& what) const {
    for (DimId d : model().values[what.value].dims)
      if (model().dims[d].kind == DimKind::Routed && model().dims[d].chosen.valid())
        return sizeOf(model(), model().dims[d].chosen);
    return 0;
  }

  /// Returns the split of the dimension along which routed data chooses.
  std::span<const Digit> placesOf(ValueId value, const Layout& layout) const {
    const std::vector<DimId>& dims = model().values[value].dims;
    for (DimId d : dims)
      if (model().dims[d].kind == DimKind::Routed)
        for (size_t i = 0; i < dims.size() && i < layout.shard.size(); ++i)
          if (dims[i] == model().dims[d].chosen) return layout.shard[i];
    return {};
  }

  /// Records the rule of the consumer that takes the axes, and the rule of the producer that held them.
  void explain(OpId wants, Collective& c) const {
    auto ruleOf = [&](OpId id) -> const PlacementRule* {
      if (!id.valid()) return nullptr;
      const Op& op = model().ops[id];
      for (const ShardedClass& other : program.classes) {
        if (other.layer != op.layer || other.boundaryReshard) continue;
        for (const PlacedDim& p : other.placements[local(model().layers[op.layer], id)].dims)
          if (p.rule && (maskOf(p.axes) & c.axes)) return p.rule;
      }
      return nullptr;
    };
    const PlacementRule* consumer = ruleOf(wants);
    const PlacementRule* producer = ruleOf(c.source);
    if (consumer) c.because = consumer->range;
    if (producer) (consumer ? c.becauseOf : c.because) = producer->range;
  }

  NodeList lowerCompute(const NodeHead& node, const Computation& compute, const NodeList& deps) {
    const bool itself = compute.role == Role::Forward || compute.role == Role::Backward;
    NodeList done;
    if (itself)
      if (auto ring = ringOf(node.op, compute.role)) // runs in parallel to the operator
        done.push_back(append({headFrom(node, deps), std::move(*ring)}));
    NodeIndex at = append({headFrom(node, deps), Compute(compute)});
    if (itself) at = addStatistics(node, compute.role, at);
    done.push_back(at);
    return done;
  }

  /// Returns the ring of an attention operator. Keys and values travel once around in forward. In backward they travel
  /// again, and their gradients travel all the way home.
  std::optional<Collective> ringOf(OpId id, Role role) const {
    const Op& op = model().ops[id];
    const Placement& placement = layerClass.placements[local(layer(), id)];
    for (const PlacedDim& p : placement.dims) {
      if (!p.ring || p.axes.empty()) continue;
      double bytes = 0;
      for (const Operand& o : op.operands)
        if (llvm::is_contained(o.dims, p.dim))
          bytes += localElements(program, model().values[o.value].dims, need(program, placement, o.dims)) *
                   program.widthOf(o.value);
      const double n = static_cast<double>(program.mesh.size(p.axes));
      Collective ring;
      ring.ring = true;
      ring.kind = CollectiveKind::SendRecv;
      ring.cls = CollectiveClass::Ring;
      ring.value = op.operands.back().value;
      ring.axes = maskOf(p.axes);
      ring.group = program.mesh.size(p.axes);
      ring.level = program.mesh.levelOf(ring.axes);
      ring.bytes = bytes * (n - 1) + (role == Role::Backward ? bytes * n : 0);
      if (p.rule) ring.because = p.rule->range;
      return ring;
    }
    return std::nullopt;
  }

  /// Adds the statistics inside an operator: each is an all-reduce of one fp32 value per remaining element.
  NodeIndex addStatistics(const NodeHead& node, Role role, NodeIndex at) {
    const Op& op = model().ops[node.op];
    const Placement& placement = layerClass.placements[local(layer(), node.op)];
    for (const Reduce& r : op.reduces) {
      const int count = role == Role::Backward ? r.backward : r.values;
      const AxisList& axes = placement.axesOf(r.dim);
      const bool ring = llvm::any_of(placement.dims, [&](const PlacedDim& p) { return p.dim == r.dim && p.ring; });
      if (count == 0 || axes.empty() || ring) continue;
      std::vector<DimId> rest;
      for (DimId d : op.resultDims)
        if (d != r.dim) rest.push_back(d);
      Collective c;
      c.value = op.result;
      c.gradient = role == Role::Backward;
      c.kind = CollectiveKind::AllReduce;
      c.cls = CollectiveClass::Statistic;
      c.axes = maskOf(axes);
      c.group = program.mesh.size(axes);
      c.level = program.mesh.levelOf(c.axes);
      c.bytes = localElements(program, rest, need(program, placement, rest)) * width(DType::fp32);
      explain(node.op, c);
      NodeHead head = headFrom(node, {at});
      head.times *= count;
      at = append({std::move(head), std::move(c)});
    }
    return at;
  }
};

} // namespace

std::unique_ptr<Program> lowerReshards(ShardedProgram&& program) {
  Store<LayerClass> classes;
  for (const ShardedClass& layerClass : program.classes) {
    Rewriter forward{program, layerClass};
    forward.rewrite(layerClass.forward);
    Rewriter backward{program, layerClass};
    backward.rewrite(layerClass.backward);
    classes.add({layerClass, Indexed<Node>(std::move(forward.out)), Indexed<Node>(std::move(backward.out))});
  }
  auto lowered = std::make_unique<Program>(std::move(program));
  lowered->classes = std::move(classes);
  return lowered;
}

} // namespace planc::passes
