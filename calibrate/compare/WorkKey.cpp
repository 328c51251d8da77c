// Sizes that a trace and a plan both know: products by their extents in either order, attention by its FLOPs, other
// operators by the elements that they read.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/compare/WorkKey.h"

#include "ir/print/Labels.h"
#include "support/Quantity.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace planc::calibrate {

namespace {

using E = Extent;

/// A product and its transpose are the same work: `a` and `b` are the extents of the result.
std::array<double, 4> product(double batch, double a, double b, double k) {
  return {batch, std::min(a, b), std::max(a, b), k};
}

double fusedFlops(const Sample& s) {
  return 4 * s[E::Batch] * s[E::Heads] * s[E::Seq] * s[E::KvSeq] * s[E::HeadDim];
}

std::string countOf(double value) {
  return fmt::format("{:.12g}", value);
}

} // namespace

std::string_view name(WorkPass pass) {
  return pass == WorkPass::Forward ? "forward" : pass == WorkPass::Backward ? "backward" : "";
}

WorkKey keyOf(const Sample& sample, bool inBackward) {
  WorkKey key{sample.kind, {}, {}, inBackward ? WorkPass::Backward : WorkPass::Forward};
  switch (sample.kind) {
  case Kind::Gemm:
    key.size = product(sample[E::Batch], sample[E::M], sample[E::N], sample[E::K]);
    break;
  case Kind::GroupedGemm:
    key.size = {std::min(sample[E::N], sample[E::K]), std::max(sample[E::N], sample[E::K])};
    break;
  case Kind::Attention:
    key.size = {fusedFlops(sample), sample[E::HeadDim]};
    break;
  case Kind::Optimizer:
    key.pass = WorkPass::Forward;
    break;
  default:
    key.name = sample.name;
    key.size = {std::round(sample[E::Bytes] / ir::width(sample.dtype))};
    break;
  }
  return key;
}

WorkKey keyOf(const ir::Program& program, const ir::Node& node, const ir::LocalWork& forward, bool again) {
  const ir::Op& op = program.model->ops[node.op];
  const bool backward = node.phase == ir::Phase::Backward;
  WorkKey key{Kind::Memory, {}, {}, backward ? WorkPass::Backward : WorkPass::Forward};
  const ir::Compute* compute = node.asCompute();
  const bool itself = compute && (compute->role == ir::Role::Forward || compute->role == ir::Role::DGrad ||
                                  compute->role == ir::Role::WGrad || compute->role == ir::Role::Backward);
  if (!itself) { // a copy, a cast, a sum of gradients: it shares no kernel with the operator
    key.name = Symbol(compute ? ir::name(compute->role) : std::string_view("copy"));
    key.size = {compute ? compute->work.elements : 0};
    return key;
  }
  const ir::LocalWork& w = compute->work;
  if (op.kind == ir::OpKind::GroupedGemm) {
    key.kind = Kind::GroupedGemm;
    key.size = {std::min(forward.n, forward.k), std::max(forward.n, forward.k)};
  } else if (w.m > 0) {
    key.kind = Kind::Gemm;
    key.size = product(w.batch, w.m, w.n, w.k);
  } else if (op.kind == ir::OpKind::Attention) {
    key.kind = Kind::Attention;
    key.size = {forward.flops, forward.headDim};
  } else {
    key.kind = op.kind == ir::OpKind::Lookup ? Kind::Lookup : Kind::Memory;
    key.name = op.name;
    const double elements = op.kind == ir::OpKind::Lookup || op.operands.empty()
                                ? forward.resultElements
                                : forward.firstOperandBytes / program.widthOf(op.operands[0].value);
    key.size = {std::round(elements)};
  }
  if (again && (key.kind == Kind::Gemm || key.kind == Kind::GroupedGemm)) key.pass = WorkPass::Either;
  return key;
}

std::string labelOf(const ir::Program& program, const ir::Node& node) {
  const std::string path = ir::join(program.model->ops[node.op].path);
  return node.phase == ir::Phase::Forward ? path : fmt::format("{} {}", path, ir::name(node.phase));
}

std::string sizeText(const WorkKey& key) {
  const auto& s = key.size;
  switch (key.kind) {
  case Kind::Gemm:
    return (s[0] > 1 ? countOf(s[0]) + " of " : "") +
           fmt::format("{} x {} x {}", countOf(s[2]), countOf(s[1]), countOf(s[3]));
  case Kind::GroupedGemm:
    return fmt::format("{} x {} per expert", countOf(s[1]), countOf(s[0]));
  case Kind::Attention:
    return fmt::format("{}, heads of {}", formatQuantity(s[0], units::flops), countOf(s[1]));
  case Kind::Optimizer:
    return "";
  default:
    return s[0] > 0 ? countOf(s[0]) + " elements" : "";
  }
}

} // namespace planc::calibrate
