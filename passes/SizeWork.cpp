// size-work: the problem that one device solves at every compute node: local FLOPs, bytes, and the sides of
// contractions.
// SPDX-License-Identifier: Apache-2.0
#include "ir/States.h"
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
  /// Local, of the operator asked for last: its nodes follow each other, and ask for each of its dims many times.
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

  /// A rotated dimension passes by whole: every device works through all of it, while it holds only its shard.
  double workedExtent(OpId id, DimId d) const {
    for (const PlacedDim& p : placement(id).dims)
      if (p.dim == d && p.ring) return static_cast<double>(model().dims[d].extent);
    return extent(id, d);
  }

  /// What a mask leaves, on the device with the most of it. Shards of a masked sequence are balanced unless a rule says
  /// `contiguous`: then the last of n ranges has last - (last - mean) / n, for a share that rises linearly to `last`.
  double shareOf(OpId id, const Op& op) const {
    if (op.lastShare <= op.share) return op.share;
    double share = op.share;
    for (const PlacedDim& p : placement(id).dims)
      if (p.rule && p.rule->contiguous && !p.axes.empty() && isMasked(model(), op, p.dim))
        share = op.lastShare - (op.lastShare - op.share) / static_cast<double>(program.mesh.size(p.axes));
    return share;
  }

  double evaluate(OpId id, const Poly& poly) const {
    const Op& op = model().ops[id];
    return poly.evaluate([&](DimId d) { return workedExtent(id, d); }, [&](int o) { return widthAt(op, o); });
  }

  void size(Node& node) const {
    if (node.kind != NodeKind::Compute) return;
    LocalWork& w = node.work;
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
    switch (node.role) {
    case Role::Accumulate: // of the whole gradient: size-gradients takes the shard of it
      w.elements = elements(node.op, op.operands[node.operand].dims);
      return;
    case Role::Cast:
      node.operand < 0 ? sizeCast(w, w.resultElements, program.dtypeOf(op.result), program.computeType(op))
                       : sizeUnpacking(node, op);
      return;
    case Role::Save:
      sizeSaving(node, op);
      return;
    case Role::Optimizer:
      return;
    default:
      break;
    }
    sizeFlops(node, op);
    sizeBytes(node, op);
    if (op.kind == OpKind::Cast)
      sizeCast(w, w.resultElements, program.dtypeOf(op.operands[0].value), program.dtypeOf(op.result));
    if (isContraction(op.kind)) sizeContraction(node, op);
    if (op.kind == OpKind::Attention) sizeAttention(node, op);
    if (op.kind == OpKind::GroupedGemm) sizeGroups(node, op);
  }

  /// What products in fewer than 16 bits read is written as is and transposed, for both of the products of backward.
  static void sizeCast(LocalWork& w, double elements, DType from, DType to) {
    w.elements = elements;
    w.reads = elements * width(from) * castReads(to);
    w.writes = elements * width(to) * (width(to) < 2 ? 2 : 1);
  }

  /// To the type that backward keeps it in, and back.
  void sizeSaving(Node& node, const Op& op) const {
    LocalWork& w = node.work;
    const DType wide = program.dtypeOf(node.value), kept = program.savedType(op, node.value);
    const bool back = node.phase == Phase::Backward;
    w.elements = localElements(program, model().values[node.value].dims, node.from);
    w.reads = w.elements * (back ? width(kept) : width(wide) * castReads(kept));
    w.writes = w.elements * width(back ? wide : kept);
  }

  /// Reads the parameter as stored, writes it as computed with.
  void sizeUnpacking(Node& node, const Op& op) const {
    const Operand& o = op.operands[node.operand];
    node.work.elements = elements(node.op, o.dims);
    for (const ParamUse& p : layerClass.uses)
      if (p.param == o.value) node.work.reads = node.work.elements * width(storedAs(program, p));
    node.work.writes = node.work.elements * node.work.operandWidth;
  }

  const BackwardSpec* specOf(const Node& node, const Op& op) const {
    for (const BackwardSpec& s : op.backwards)
      if (node.role == Role::Backward && llvm::is_contained(s.operands, node.operand)) return &s;
    return nullptr;
  }

  /// Products of two activations (kinds scores, context, attention) take two products of the forward's size backward,
  /// unless the operator says.
  void sizeFlops(Node& node, const Op& op) const {
    const double forward = evaluate(node.op, op.flops);
    const BackwardSpec* spec = specOf(node, op);
    if (spec && spec->flops) {
      node.work.flops = evaluate(node.op, *spec->flops);
      return;
    }
    const bool product = op.kind == OpKind::Scores || op.kind == OpKind::Context || op.kind == OpKind::Attention;
    node.work.flops = node.role == Role::Backward && product ? 2 * forward : forward;
  }

  void sizeBytes(Node& node, const Op& op) const {
    const BackwardSpec* spec = specOf(node, op);
    const auto operands = [&] {
      double bytes = 0;
      for (const Operand& o : op.operands) bytes += elements(node.op, o.dims) * program.widthOf(o.value);
      return bytes;
    };
    node.work.reads = spec && spec->reads ? evaluate(node.op, *spec->reads)
                      : op.reads          ? evaluate(node.op, *op.reads)
                                          : operands();
    node.work.writes = spec && spec->writes ? evaluate(node.op, *spec->writes)
                       : op.writes          ? evaluate(node.op, *op.writes)
                                            : node.work.resultBytes;
  }

  /// batch = dims of both operands and the result, k = contracted, m = rest of the first, n = rest of the second;
  /// permuted for the gradients.
  void sizeContraction(Node& node, const Op& op) const {
    double batch = 1, m = 1, n = 1, k = 1;
    for (DimId d : op.dims) {
      const double e = extent(node.op, d);
      const bool x = llvm::is_contained(op.operands[0].dims, d),
                 y = op.operands.size() > 1 && llvm::is_contained(op.operands[1].dims, d);
      const bool out = llvm::is_contained(op.resultDims, d);
      (x && y && out ? batch : !out ? k : x ? m : n) *= e;
    }
    LocalWork& w = node.work;
    w.batch = batch;
    const bool first = node.operand == 0;
    w.m = node.role == Role::Forward ? m : first ? m : k;
    w.n = node.role == Role::Forward ? n : first ? k : n;
    w.k = node.role == Role::Forward ? k : first ? n : m;
  }

  /// The curves of a device go by the length of the keys and the size of a head; both are sizes of the value, not of a
  /// shard.
  void sizeAttention(Node& node, const Op& op) const {
    LocalWork& w = node.work;
    auto extentOf = [&](DimId d) { return static_cast<double>(model().dims[d].extent); };
    w.sequence = extentOf(op.keys);
    w.headDim = op.headSize.evaluate(extentOf, [&](int o) { return widthAt(op, o); });
    for (const PlacedDim& p : placement(node.op).dims)
      if (!p.axes.empty() && (p.dim == op.queries || p.dim == op.keys)) w.sequenceSplit = true;
  }

  /// `slots` counts the tokens of one expert; what a device holds of it is what its kernel sees per expert.
  void sizeGroups(Node& node, const Op& op) const {
    for (DimId d : op.dims)
      if (model().dims[d].kind == DimKind::Routed) node.work.tokensPerExpert = extent(node.op, d);
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
