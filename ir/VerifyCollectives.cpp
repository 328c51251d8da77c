// The law of level `comm`: collectives run over real groups and move the larger local side, no reshard is left, and
// every pending sum is resolved before an operator that is not linear reads it.
// SPDX-License-Identifier: Apache-2.0
#include "ir/Routed.h"
#include "ir/Verify.h"

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
    if (n.kind == NodeKind::Reshard) out_.wrong("a reshard of {} is left at level comm", names_.of(n.value));
    if (n.kind == NodeKind::Copy && !(n.bytes > 0)) out_.wrong("a copy moves {} bytes", n.bytes);
    if (n.kind != NodeKind::Collective) return;
    std::string value = n.value.valid() ? names_.of(n.value) : "a statistic";
    checkGroup(value, n.collective, n.axes, n.group, n.level, n.bytes);
    if (n.cls == CollectiveClass::Statistic && n.collective != CollectiveKind::AllReduce)
      out_.wrong("a statistic of {} is a {}", value, name(n.collective));
    if (n.value.valid() && !n.to.shard.empty()) checkSides(n, value);
  }

  /// A copy to or from the host's memory has no group; its stream is the one behind those of the levels.
  void checkCopy(const StateCollective& s) {
    if (s.axes || s.group != 1) out_.wrong("a host copy over {}", mesh_.str(s.axes));
    if (s.level != mesh_.levelNames.size()) out_.wrong("a host copy on the stream of level {}", s.level);
    if (!(s.bytes > 0) || std::isinf(s.bytes)) out_.wrong("a host copy of {} bytes", s.bytes);
  }

  void checkGroup(const std::string& value, CollectiveKind kind, AxisMask axes, int64_t group, size_t level,
                  double bytes) {
    std::string what = fmt::format("{} of {} over {}", name(kind), value, mesh_.str(axes));
    if (kind == CollectiveKind::Slice) out_.wrong("{} is local, not a collective", what);
    if (axes == 0 || (axes & ~live_)) {
      out_.wrong("{}: no such axes on the mesh", what);
      return;
    }
    const int64_t ranks = program_.routes > 1 && axes == program_.stageAxes ? program_.routes : mesh_.size(axes);
    if (group != ranks) out_.wrong("{}: a group of {}, the mesh says {}", what, group, ranks);
    if (group < 2) out_.wrong("{}: a group of {}", what, group);
    if (level != mesh_.levelOf(axes))
      out_.wrong("{}: priced at level {}, the group spans level {}", what, level, mesh_.levelOf(axes));
    if (!(bytes > 0) || std::isinf(bytes)) out_.wrong("{}: {} bytes", what, bytes);
  }

  /// Of the largest shard; what data places has no rank that rounds up.
  double elements(const Node& node, const Layout& layout) const {
    const std::vector<int64_t> extents = program_.extents(model_.values[node.value].dims);
    const std::vector<bool> unordered = program_.unordered(node);
    double n = 1;
    for (size_t i = 0; i < extents.size(); ++i) {
      int64_t ranks = 1;
      for (const Digit& d : layout.shard[i]) ranks *= mesh_.axes[d.axis].size;
      n *= unordered[i] ? static_cast<double>(extents[i]) / static_cast<double>(ranks)
                        : static_cast<double>(ceilDiv(extents[i], ranks));
    }
    return n * overExtents(model_, model_.values[node.value].dims);
  }

  /// Where the node still knows its two layouts: bytes = the larger local side · the width that travels.
  void checkSides(const Node& n, const std::string& value) {
    std::vector<int64_t> extents = program_.extents(model_.values[n.value].dims);
    if (n.from.shard.size() != extents.size() || n.to.shard.size() != extents.size()) {
      out_.wrong("{} of {} has layouts of another value", name(n.collective), value);
      return;
    }
    const std::vector<DimId>& dims = model_.values[n.value].dims;
    double larger = std::max(elements(n, n.from), elements(n, n.to));
    larger *= std::max(program_.skew(dims, n.from), program_.skew(dims, n.to));
    const bool fits = llvm::any_of(allDTypes(), [&](DType t) { return n.bytes == larger * width(t); });
    if (!fits)
      out_.wrong("{} of {}: {} bytes, the larger side has {} elements", name(n.collective), value, n.bytes, larger);
    AxisMask left = n.from.axes() & ~n.to.axes(), came = n.to.axes() & ~n.from.axes();
    AxisMask summed = n.from.partial & ~n.to.partial;
    bool does = true;
    switch (n.collective) {
    case CollectiveKind::AllGather:
      does = left == n.axes && came == 0 && summed == 0;
      break;
    case CollectiveKind::ReduceScatter:
      does = came == n.axes && summed == n.axes && left == 0;
      break;
    case CollectiveKind::AllReduce:
      does = summed == n.axes && left == 0 && came == 0;
      break;
    case CollectiveKind::AllToAll:
      does = left == 0 && came == 0 && summed == 0;
      break;
    default:
      break;
    }
    if (!does) out_.wrong("{} of {} over {} is not what its layouts say", name(n.collective), value, mesh_.str(n.axes));
  }

  // ---- L8 --------------------------------------------------------------------

  /// The axes over which a value is pending where it is produced.
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

  /// Does the node resolve a pending sum of a value?
  static bool reduces(const Node& n) {
    return n.kind == NodeKind::Collective && !n.gradient && n.cls != CollectiveClass::Statistic &&
           (n.collective == CollectiveKind::ReduceScatter || n.collective == CollectiveKind::AllReduce);
  }

  /// In program order: a pending sum is reduced before anything but an `add` that leaves it pending reads it.
  void checkSums(const LayerClass& layerClass) {
    const Layer& layer = model_.layers[layerClass.layer];
    std::map<ValueId, AxisMask> reduced;
    for (const Node& n : layerClass.forward) {
      if (n.value.valid() && reduces(n)) reduced[n.value] |= n.axes;
      if (n.kind == NodeKind::Compute && n.role == Role::Forward) checkReads(layerClass, n.op, reduced);
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
        out_.wrong("L8: {} reads {}, a pending sum over {}", model_.pathOf(id), names_.of(o.value), mesh_.str(open));
    }
  }

  void checkBoundary(const VirtualStage& stage) {
    const StageKind& kind = program_.kindOf(stage.index);
    if (!kind.sends.empty() && stage.index + 1 >= static_cast<int64_t>(program_.virtualStages.size()))
      out_.wrong("stage {} sends, but no stage follows", stage.index);
    for (const Boundary& b : kind.sends) {
      if (!(b.bytes > 0)) out_.wrong("stage {} sends {} bytes of {}", stage.index, b.bytes, names_.of(b.value));
      if (b.value.valid() && model_.values[b.value].kind == ValueKind::Result && sentPending(stage, b.value))
        out_.wrong("L8: stage {} sends {}, a pending sum", stage.index, names_.of(b.value));
      if (b.scatter)
        checkGroup(names_.of(b.value), b.gather.collective, b.gather.axes, b.gather.group, b.gather.level,
                   b.gather.bytes);
    }
  }

  /// Is a value a pending sum when its stage sends it: made so, and reduced neither there nor on the way there?
  bool sentPending(const VirtualStage& sender, ValueId v) const {
    const Op& producer = model_.ops[model_.values[v].producer];
    AxisMask open = 0;
    for (const LayerClass& layerClass : program_.classes)
      if (!layerClass.boundaryReshard && layerClass.layer == producer.layer) open |= pending(layerClass, v);
    // Hardly any value is pending: the others need no look at all stages before this one.
    for (int64_t s = 0; open != 0 && s <= sender.index; ++s)
      for (const auto& [id, count] : program_.kindOf(s).classes)
        for (const Node& n : program_.classes[id].forward)
          if (n.value == v && reduces(n)) open &= ~n.axes;
    return open != 0;
  }

  /// A tied parameter is summed over those stages that hold it, not over all of the pipeline.
  void checkShared(const StageGroup& group) {
    const Node& n = group.allReduce;
    if (group.stages.size() < 2 || n.group != static_cast<int64_t>(group.stages.size()) || n.group > program_.stages)
      out_.wrong("{} is shared by {} stages, summed over {}", names_.of(group.storage), group.stages.size(), n.group);
    if (!(n.bytes > 0)) out_.wrong("the sum of {} over stages moves {} bytes", names_.of(group.storage), n.bytes);
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
