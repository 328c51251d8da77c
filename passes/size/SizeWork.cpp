// size-work: the work of one device at every compute node: local FLOPs, bytes, and the sides of contractions.
// SPDX-License-Identifier: Apache-2.0
#include "ir/program/States.h"
#include "passes/Steps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

namespace {

struct Sizer {
  const Program& program;
  const LayerClass& layerClass;
  mutable OpId sized = {};
  mutable llvm::SmallVector<std::pair<DimId, double>, 8> extents = {};

  const Model& model() const { return program.model; }
  const Placement& placement(OpId op) const {
    return layerClass.placements[local(model().layers[layerClass.layer], op)];
  }
  /// Returns the local extent. Cached for the latest operator, because its nodes are adjacent and request each dim many
  /// times.
  double extent(OpId op, DimId d) const {
    if (op != sized) sized = op, extents.clear();
    for (const auto& [dim, known] : extents)
      if (dim == d) return known;
    return extents.emplace_back(d, localExtent(program, placement(op), d)).second;
  }

  double elements(OpId op, const std::vector<DimId>& dims) const {
    double n = 1;
    for (DimId d : dims) n *= extent(op, d);
    return n;
  }

  double widthAt(const Op& op, int operand) const {
    return program.widthOf(operand < 0 ? op.result : op.operands[operand].value);
  }

  /// Returns the extent that a device works through. A rotated dimension passes by as a whole, although the device
  /// holds only its shard.
  double workedExtent(OpId id, DimId d) const {
    for (const PlacedDim& p : placement(id).dims)
      if (p.dim == d && p.ring) return static_cast<double>(model().dims[d].extent);
    return extent(id, d);
  }

  /// Returns the share that a mask leaves on the device with the most work. Shards of a masked sequence are balanced
  /// unless a rule states `contiguous`. Then the last of n ranges has last - (last - mean) / n, for a share that rises
  /// linearly to `last`. For packed documents it is the last of the ranges that hold the longest document.
  double shareOf(OpId id, const Op& op) const {
    if (op.lastShare <= op.share) return op.share;
    const LongestDocument rising = op.longest.value_or(LongestDocument{op.share, 1});
    double share = op.share;
    for (const PlacedDim& p : placement(id).dims)
      if (p.rule && p.rule->contiguous && !p.axes.empty() && isMasked(model(), op, p.dim)) {
        const double ranges = static_cast<double>(program.mesh.size(p.axes)) * rising.span;
        share = std::max(share, op.lastShare - (op.lastShare - rising.share) / std::max(1.0, ranges));
      }
    return share;
  }

  double evaluate(OpId id, const Poly& poly) const {
    const Op& op = model().ops[id];
    return poly.evaluate([&](DimId d) { return workedExtent(id, d); }, [&](int o) { return widthAt(op, o); });
  }

  void size(Node& node) const {
    Compute* const c = node.asCompute();
    if (!c) return;
    LocalWork& w = c->work;
    const Op& op = model().ops[node.op];
    w.share = shareOf(node.op, op);
    w.skew = program.skew(op.dims, placement(node.op));
    w.dtype = arithmetic(program.computeType(op));
    w.operandWidth = width(program.computeType(op));
    w.resultElements = elements(node.op, op.resultDims);
    w.resultBytes = w.resultElements * program.widthOf(op.result);
    if (!op.operands.empty()) {
      const auto& dims = op.operands[0].dims;
      w.firstOperandBytes = elements(node.op, dims) * program.widthOf(op.operands[0].value);
      if (!dims.empty()) w.row = elements(node.op, {dims.back()});
    }
    switch (c->role) {
    case Role::Accumulate: // of the whole gradient; size-gradients reduces it to the shard
      w.elements = elements(node.op, op.operands[c->operand].dims);
      return;
    case Role::Cast:
      c->operand < 0 ? sizeCast(w, w.resultElements, program.dtypeOf(op.result), program.computeType(op))
                     : sizeUnpacking(node.op, op, *c);
      return;
    case Role::Save:
      sizeSaving(node.phase, op, *c);
      return;
    case Role::Optimizer:
      return;
    default:
      break;
    }
    sizeFlops(node.op, op, *c);
    sizeBytes(node.op, op, *c);
    if (op.kind == OpKind::Cast)
      sizeCast(w, w.resultElements, program.dtypeOf(op.operands[0].value), program.dtypeOf(op.result));
    if (isContraction(op.kind)) sizeContraction(node.op, op, *c);
    if (op.kind == OpKind::Attention) sizeAttention(node.op, op, w);
    if (op.kind == OpKind::GroupedGemm) sizeGroups(node.op, op, w);
  }

  /// Sizes a cast. Products in fewer than 16 bits need their operand as it is and transposed, for both products of
  /// backward.
  static void sizeCast(LocalWork& w, double elements, DType from, DType to) {
    w.elements = elements;
    w.reads = elements * width(from) * castReads(to);
    w.writes = elements * width(to) * (width(to) < 2 ? 2 : 1);
  }

  /// Sizes a cast to the type in which a value is kept for backward, or back.
  void sizeSaving(Phase phase, const Op& op, Compute& c) const {
    LocalWork& w = c.work;
    const DType wide = program.dtypeOf(c.value), kept = program.savedType(op, c.value);
    const bool back = phase == Phase::Backward;
    w.elements = localElements(program, model().values[c.value].dims, c.kept);
    w.reads = w.elements * (back ? width(kept) : width(wide) * castReads(kept));
    w.writes = w.elements * width(back ? wide : kept);
  }

  /// Sizes unpacking: reads the parameter as stored and writes it in the compute type.
  void sizeUnpacking(OpId id, const Op& op, Compute& c) const {
    const Operand& o = op.operands[c.operand];
    c.work.elements = elements(id, o.dims);
    for (const ParamUse& p : layerClass.uses)
      if (p.param == o.value) c.work.reads = c.work.elements * width(storedAs(program, p));
    c.work.writes = c.work.elements * c.work.operandWidth;
  }

  static const BackwardSpec* specOf(const Op& op, const Compute& c) {
    for (const BackwardSpec& s : op.backwards)
      if (c.role == Role::Backward && llvm::is_contained(s.operands, c.operand)) return &s;
    return nullptr;
  }

  /// Sets the FLOPs. In backward, products of two activations (kinds scores, context, attention) take two products of
  /// the forward's size, unless the operator states otherwise.
  void sizeFlops(OpId id, const Op& op, Compute& c) const {
    const double forward = evaluate(id, op.flops);
    const BackwardSpec* spec = specOf(op, c);
    if (spec && spec->flops) {
      c.work.flops = evaluate(id, *spec->flops);
      return;
    }
    c.work.flops = c.role == Role::Backward && isAttention(op.kind) ? 2 * forward : forward;
  }

  void sizeBytes(OpId id, const Op& op, Compute& c) const {
    const BackwardSpec* spec = specOf(op, c);
    const auto operands = [&] {
      double bytes = 0;
      for (const Operand& o : op.operands) bytes += elements(id, o.dims) * program.widthOf(o.value);
      return bytes;
    };
    c.work.reads = spec && spec->reads ? evaluate(id, *spec->reads) : op.reads ? evaluate(id, *op.reads) : operands();
    c.work.writes = spec && spec->writes ? evaluate(id, *spec->writes)
                    : op.writes          ? evaluate(id, *op.writes)
                                         : c.work.resultBytes;
  }

  /// Sets the sides of a contraction: batch = dims of both operands and the result, k = contracted, m = rest of the
  /// first operand, n = rest of the second. They are permuted for the gradients.
  void sizeContraction(OpId id, const Op& op, Compute& c) const {
    double batch = 1, m = 1, n = 1, k = 1;
    for (DimId d : op.dims) {
      const double e = extent(id, d);
      const bool x = llvm::is_contained(op.operands[0].dims, d),
                 y = op.operands.size() > 1 && llvm::is_contained(op.operands[1].dims, d);
      const bool out = llvm::is_contained(op.resultDims, d);
      (x && y && out ? batch : !out ? k : x ? m : n) *= e;
    }
    LocalWork& w = c.work;
    w.batch = batch;
    const bool first = c.operand == 0;
    w.m = c.role == Role::Forward ? m : first ? m : k;
    w.n = c.role == Role::Forward ? n : first ? k : n;
    w.k = c.role == Role::Forward ? k : first ? n : m;
  }

  /// Sets the sizes at which a device's attention curves are read: the length of the keys (for packed documents the
  /// length of a token's document) and the head size. They are sizes of the value, not of a shard.
  void sizeAttention(OpId id, const Op& op, LocalWork& w) const {
    auto extentOf = [&](DimId d) { return static_cast<double>(model().dims[d].extent); };
    w.sequence = extentOf(op.keys) * op.packed;
    w.headDim = op.headSize.evaluate(extentOf, [&](int o) { return widthAt(op, o); });
    for (const PlacedDim& p : placement(id).dims)
      if (!p.axes.empty() && (p.dim == op.queries || p.dim == op.keys)) w.sequenceSplit = true;
  }

  /// Sets the tokens per expert. `slots` counts the tokens of one expert, so the local extent is what the kernel
  /// processes per expert.
  void sizeGroups(OpId id, const Op& op, LocalWork& w) const {
    for (DimId d : op.dims)
      if (model().dims[d].kind == DimKind::Routed) w.tokensPerExpert = extent(id, d);
  }
};

} // namespace

bool sizeWork(Program& program, DiagnosticEngine&) {
  for (LayerClass& layerClass : program.classes) {
    const Sizer sizer{program, layerClass};
    for (Node& node : layerClass.forward.edit()) sizer.size(node);
    for (Node& node : layerClass.backward.edit()) sizer.size(node);
  }
  return true;
}

} // namespace planc::passes
