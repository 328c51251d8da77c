// Checks L9: the work of all devices together is the operator's work times the idle axes, which repeat it.
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Routed.h"
#include "ir/verify/Verify.h"

#include <algorithm>
#include <cmath>

namespace planc::ir {

namespace {

class WorkVerifier {
public:
  WorkVerifier(const Program& program, Findings& out)
      : program_(program), model_(program.model), mesh_(program.mesh), out_(out) {}

  void run() {
    for (const LayerClass& layerClass : program_.classes) {
      if (layerClass.boundaryReshard) continue;
      for (const Node& n : layerClass.forward) check(layerClass, n);
      for (const Node& n : layerClass.backward) check(layerClass, n);
    }
  }

private:
  /// The FLOPs of a node on the whole mesh; null if no law defines them.
  const Poly* workOf(const Op& op, const Compute& c) const {
    if (c.role == Role::Forward || c.role == Role::DGrad || c.role == Role::WGrad) return &op.flops;
    if (c.role == Role::Backward)
      for (const BackwardSpec& s : op.backwards)
        if (s.flops && std::find(s.operands.begin(), s.operands.end(), c.operand) != s.operands.end()) return &*s.flops;
    return nullptr;
  }

  void check(const LayerClass& layerClass, const Node& n) {
    const Compute* c = n.asCompute();
    if (!c || !n.op.valid()) return;
    const Op& op = model_.ops[n.op];
    const Poly* work = workOf(op, *c);
    if (!work) return;
    const Placement& placement = layerClass.placements[n.op.index - model_.layers[layerClass.layer].first.index];
    int64_t devices = 1;
    for (AxisId a : mesh_.order)
      if (!(program_.stageAxes & maskOf(a))) devices *= mesh_.axes[a].size;
    double expected = 0; // devices · local FLOPs
    for (const Term& t : work->terms) {
      bool multilinear = std::all_of(t.factors.begin(), t.factors.end(), [](const auto& f) { return f.second == 1; });
      if (!multilinear)
        return; // a plan's own operator may declare any count: s² split over s is not a share of the work
      expected += wholeTerm(t, placement) * static_cast<double>(devices / mesh_.size(splitBy(t, placement)));
    }
    double actual = static_cast<double>(devices) * c->work.flops;
    if (std::abs(actual - expected) > 1e-9 * std::max(std::abs(actual), std::abs(expected)))
      out_.wrong("L9: {} {}: {} devices x {} FLOPs are {}, but its work with repetitions on idle axes is {}",
                 model_.pathOf(n.op), name(c->role), devices, numberText(c->work.flops), numberText(actual),
                 numberText(expected));
  }

  /// The axes that divide a term. An axis shared by a rotated operand (`via ring`) counts once.
  AxisMask splitBy(const Term& t, const Placement& placement) const {
    AxisMask mask = 0;
    for (const auto& [dim, power] : t.factors) mask |= maskOf(placement.axesOf(dim));
    return mask;
  }

  /// A term over the whole value, with extents rounded up to full shards, because the largest shard is priced.
  double wholeTerm(const Term& t, const Placement& placement) const {
    double value = t.coefficient;
    for (const auto& [dim, power] : t.factors) {
      int64_t ranks = mesh_.size(placement.axesOf(dim));
      const Dim& d = model_.dims[dim]; // unordered dimensions follow the data and are not rounded
      value *= d.ordered() ? static_cast<double>(ceilDiv(d.extent, ranks) * ranks) : sizeOf(model_, d);
      value *= program_.skew({dim}, placement);
    }
    return value;
  }

  const Program& program_;
  const Model& model_;
  const Mesh& mesh_;
  Findings& out_;
};

} // namespace

void verifyWork(const Program& program, Findings& out) {
  WorkVerifier(program, out).run();
}

} // namespace planc::ir
