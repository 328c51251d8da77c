// Checks level `comm`: collectives run over real groups and move the larger local side, and every pending sum is
// resolved before a nonlinear operator reads it.
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Routed.h"
#include "ir/verify/Verify.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace planc::ir {

namespace {

class CollectiveVerifier {
public:
  CollectiveVerifier(const Program& program, Findings& out)
      : program_(program), model_(program.model), mesh_(program.mesh), out_(out), names_(program.model) {
    for (AxisId a : mesh_.order) live_ |= maskOf(a);
  }

  void run() {
    for (const LayerClass& layerClass : program_.classes) {
      for (const Node& n : layerClass.forward) checkNode(n);
      for (const Node& n : layerClass.backward) checkNode(n);
      for (const StateCollective& s : layerClass.states)
        if (s.collective == CollectiveKind::HostCopy)
          checkCopy(s);
        else
          checkGroup(s.params.empty() ? "states" : names_.of(s.params[0]), s.collective, s.axes, s.group, s.level,
                     s.bytes);
      if (!layerClass.boundaryReshard) checkSums(layerClass);
    }
    for (const VirtualStage& stage : program_.virtualStages) checkBoundary(stage);
    for (const StageGroup& group : program_.stageGroups) checkShared(group);
  }

private:
  void checkNode(const Node& n) {
    if (const Copy* c = n.asCopy(); c && !(c->bytes > 0)) out_.wrong("a copy moves {} bytes", c->bytes);
    const Collective* c = n.asCollective();
    if (!c) return;
    std::string value = c->value.valid() ? names_.of(c->value) : "a statistic";
    checkGroup(value, *c);
    if (c->cls == CollectiveClass::Statistic && c->kind != CollectiveKind::AllReduce)
      out_.wrong("the statistic of {} is a {}; it must be an all_reduce", value, name(c->kind));
    if (c->value.valid() && !c->to.shard.empty()) checkSides(n.op, *c, value);
  }

  /// Checks a copy to or from the host memory: it has no group, and its stream follows the streams of the levels.
  void checkCopy(const StateCollective& s) {
    if (s.axes || s.group != 1) out_.wrong("a host copy has a group over {}; it must have none", mesh_.str(s.axes));
    if (s.level != mesh_.levelNames.size())
      out_.wrong("a host copy runs on the stream of level {}, not on the stream of host copies", s.level);
    if (!(s.bytes > 0) || std::isinf(s.bytes)) out_.wrong("a host copy moves {} bytes", s.bytes);
  }

  void checkGroup(const std::string& value, const Collective& c) {
    checkGroup(value, c.kind, c.axes, c.group, c.level, c.bytes);
  }
  void checkGroup(const std::string& value, CollectiveKind kind, AxisMask axes, int64_t group, size_t level,
                  double bytes) {
    std::string what = fmt::format("{} of {} over {}", name(kind), value, mesh_.str(axes));
    if (kind == CollectiveKind::Slice) out_.wrong("{} is local, not a collective", what);
    if (axes == 0 || (axes & ~live_)) {
      out_.wrong("{}: the mesh has no such axes", what);
      return;
    }
    const int64_t ranks = program_.routes > 1 && axes == program_.stageAxes ? program_.routes : mesh_.size(axes);
    if (group != ranks) out_.wrong("{}: the group has {} ranks, but its axes have {}", what, group, ranks);
    if (group < 2) out_.wrong("{}: the group has {} ranks; it needs at least 2", what, group);
    if (level != mesh_.levelOf(axes))
      out_.wrong("{}: it is priced at level {}, but its group spans level {}", what, level, mesh_.levelOf(axes));
    if (!(bytes > 0) || std::isinf(bytes)) out_.wrong("{}: {} bytes", what, bytes);
  }

  /// Elements of the largest shard. Dims that data places are not rounded up.
  double elements(OpId op, const Collective& c, const Layout& layout) const {
    const std::vector<int64_t> extents = program_.extents(model_.values[c.value].dims);
    const std::vector<bool> unordered = program_.unordered(c, op);
    double n = 1;
    for (size_t i = 0; i < extents.size(); ++i) {
      int64_t ranks = 1;
      for (const Digit& d : layout.shard[i]) ranks *= mesh_.axes[d.axis].size;
      n *= unordered[i] ? static_cast<double>(extents[i]) / static_cast<double>(ranks)
                        : static_cast<double>(ceilDiv(extents[i], ranks));
    }
    return n * overExtents(model_, model_.values[c.value].dims);
  }

  /// Checks bytes = larger local side · width of the sent type, if the node still has both layouts.
  void checkSides(OpId op, const Collective& c, const std::string& value) {
    const std::vector<DimId>& dims = model_.values[c.value].dims;
    if (c.from.shard.size() != dims.size() || c.to.shard.size() != dims.size()) {
      out_.wrong("{} of {} has the layouts of another value", name(c.kind), value);
      return;
    }
    double larger = std::max(elements(op, c, c.from), elements(op, c, c.to));
    larger *= std::max(program_.skew(dims, c.from), program_.skew(dims, c.to));
    const bool fits = llvm::any_of(allDTypes(), [&](DType t) { return c.bytes == larger * width(t); });
    if (!fits)
      out_.wrong("{} of {} moves {} bytes, but its larger side has {} elements", name(c.kind), value, c.bytes, larger);
    AxisMask left = c.from.axes() & ~c.to.axes(), came = c.to.axes() & ~c.from.axes();
    AxisMask summed = c.from.partial & ~c.to.partial;
    bool does = true;
    switch (c.kind) {
    case CollectiveKind::AllGather:
      does = left == c.axes && came == 0 && summed == 0;
      break;
    case CollectiveKind::ReduceScatter:
      does = came == c.axes && summed == c.axes && left == 0;
      break;
    case CollectiveKind::AllReduce:
      does = summed == c.axes && left == 0 && came == 0;
      break;
    case CollectiveKind::AllToAll:
      does = left == 0 && came == 0 && summed == 0;
      break;
    default:
      break;
    }
    if (!does) out_.wrong("{} of {} over {} does not match its layouts", name(c.kind), value, mesh_.str(c.axes));
  }

  // ---- L8 --------------------------------------------------------------------

  /// The axes over which a value is pending after its producer.
  AxisMask pending(const LayerClass& layerClass, ValueId v) const {
    const Value& value = model_.values[v];
    if (value.kind != ValueKind::Result) return 0;
    const Op& producer = model_.ops[value.producer];
    size_t i = value.producer.index - model_.layers[producer.layer].first.index;
    if (producer.layer == layerClass.layer) return layerClass.results[i].partial;
    AxisMask mask = 0;
    for (const LayerClass& other : program_.classes)
      if (!other.boundaryReshard && other.layer == producer.layer) mask |= other.results[i].partial;
    return mask;
  }

  /// Returns whether a collective resolves a pending sum of a value.
  static bool reduces(const Collective& c) {
    return !c.gradient && c.cls != CollectiveClass::Statistic &&
           (c.kind == CollectiveKind::ReduceScatter || c.kind == CollectiveKind::AllReduce);
  }

  /// Checks in program order that a pending sum is reduced before it is read, except by an `add` that leaves it
  /// pending.
  void checkSums(const LayerClass& layerClass) {
    const Layer& layer = model_.layers[layerClass.layer];
    std::map<ValueId, AxisMask> reduced;
    for (const Node& n : layerClass.forward) {
      if (const Collective* c = n.asCollective(); c && c->value.valid() && reduces(*c)) reduced[c->value] |= c->axes;
      if (const Compute* c = n.asCompute(); c && c->role == Role::Forward) checkReads(layerClass, n.op, reduced);
    }
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const Op& op = model_.ops[OpId(i)];
      bool enters = std::any_of(layer.carries.begin(), layer.carries.end(),
                                [&](const Carry& c) { return c.inside == op.result; });
      if (op.kind == OpKind::Carry && !enters) checkReads(layerClass, OpId(i), reduced);
    }
  }

  void checkReads(const LayerClass& layerClass, OpId id, const std::map<ValueId, AxisMask>& reduced) {
    const Op& op = model_.ops[id];
    AxisMask stays = op.linear ? layerClass.results[id.index - model_.layers[op.layer].first.index].partial : 0;
    for (const Operand& o : op.operands) {
      auto it = reduced.find(o.value);
      AxisMask open = pending(layerClass, o.value) & ~(it == reduced.end() ? 0 : it->second) & ~stays;
      if (open)
        out_.wrong("L8: {} reads {}, which is a pending sum over {}", model_.pathOf(id), names_.of(o.value),
                   mesh_.str(open));
    }
  }

  void checkBoundary(const VirtualStage& stage) {
    const StageKind& kind = program_.kindOf(stage.index);
    if (!kind.sends.empty() && stage.index + 1 >= static_cast<int64_t>(program_.virtualStages.size()))
      out_.wrong("stage {} sends, but no stage follows", stage.index);
    for (const Boundary& b : kind.sends) {
      if (!(b.bytes > 0)) out_.wrong("stage {} sends {} bytes of {}", stage.index, b.bytes, names_.of(b.value));
      if (b.value.valid() && model_.values[b.value].kind == ValueKind::Result && sentPending(stage, b.value))
        out_.wrong("L8: stage {} sends {}, which is a pending sum", stage.index, names_.of(b.value));
      if (b.scatter) checkGroup(names_.of(b.value), b.gather);
    }
  }

  /// Returns whether a value is a pending sum when its stage sends it: produced as one, and not reduced up to that
  /// stage.
  bool sentPending(const VirtualStage& sender, ValueId v) const {
    const Op& producer = model_.ops[model_.values[v].producer];
    AxisMask open = 0;
    for (const LayerClass& layerClass : program_.classes)
      if (!layerClass.boundaryReshard && layerClass.layer == producer.layer) open |= pending(layerClass, v);
    // Hardly any value is pending, so the loop over earlier stages is skipped for most.
    for (int64_t s = 0; open != 0 && s <= sender.index; ++s)
      for (const auto& [id, count] : program_.kindOf(s).classes)
        for (const Node& n : program_.classes[id].forward)
          if (const Collective* c = n.asCollective(); c && c->value == v && reduces(*c)) open &= ~c->axes;
    return open != 0;
  }

  /// Checks that a tied parameter is summed over the stages that hold it, not over the whole pipeline.
  void checkShared(const StageGroup& group) {
    const Collective& c = group.allReduce;
    if (group.stages.size() < 2 || c.group != static_cast<int64_t>(group.stages.size()) || c.group > program_.stages)
      out_.wrong("{} is shared by {} stages, but summed over {}", names_.of(group.storage), group.stages.size(),
                 c.group);
    if (!(c.bytes > 0)) out_.wrong("the sum of {} over stages moves {} bytes", names_.of(group.storage), c.bytes);
  }

  const Program& program_;
  const Model& model_;
  const Mesh& mesh_;
  Findings& out_;
  ValueNames names_;
  AxisMask live_ = 0;
};

} // namespace

void verifyCollectives(const Program& program, Findings& out) {
  CollectiveVerifier(program, out).run();
}

} // namespace planc::ir
