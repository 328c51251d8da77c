// Reports facts of a plan without effect, because the plan has nothing that they apply to, and facts that cannot hold.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"
#include "passes/cut/Statements.h"
#include "passes/place/Placed.h"
#include "support/Quantity.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

namespace planc::passes {
using namespace ir;

PLANC_WARNING(ContiguousIdle, 644, "`contiguous` has no effect: no operator here has a causal mask along `{dim}`")
PLANC_ERROR(UnevenSplits, 639,
            "`expert_gini` needs one number of devices, but rules split `{dim}` over {first} and over {other}")
PLANC_WARNING(ImbalanceIdle, 645, "`{fact}` has no effect: {reason}")
PLANC_ERROR(ImbalanceTooLarge, 646,
            "`expert_imbalance` is {value}, but `{dim}` is split over {ranks} devices: the busiest has at most {ranks} "
            "times the mean")
PLANC_WARNING(FrozenIdle, 647, "`frozen = {type}` has no effect: no parameter is frozen")
PLANC_ERROR(NegativeShare, 463, "{what} of `{op}` is negative for the shard of a device: {value}")
PLANC_WARNING(BackwardIdle, 648, "`{statement}` has no effect: the plan has no backward pass")

namespace {

/// A mask leaves more work at the end of a dimension than on average. Only then does it matter which device holds which
/// range.
void warnContiguous(const ProgramHead& program, DiagnosticEngine& diagnostics) {
  for (const PlacementRule& rule : program.plan->placements) {
    if (!rule.contiguous || resolveTargets(program.mesh, rule.targets).empty()) continue;
    bool works = false, found = !rule.optional;
    eachPlaced(program, [&](const Op& op, const Placement& placement) {
      for (const PlacedDim& p : placement.dims) {
        if (!p.rule || !sayTheSame(*p.rule, rule)) continue;
        found = true;
        works |= op.lastShare > op.share && isMasked(program.model, op, p.dim);
      }
    });
    if (found && !works)
      diagnostics.report(ContiguousIdle, rule.range, {{"dim", rule.dim.str()}})
          .help("remove it: it selects the range of a causally masked sequence on each rank");
  }
}

/// The load of the busiest device is a number of the model, so all layers must split their experts over as many
/// devices.
bool checkOneSplit(const ProgramHead& program, DiagnosticEngine& diagnostics) {
  const Plan& plan = *program.plan;
  for (const Dim& d : program.model->dims) {
    if (d.kind != DimKind::Routed || d.capacity > 0 || !d.chosen.valid()) continue;
    const Symbol experts = program.model->dims[d.chosen].name;
    const PlacementRule* first = nullptr;
    for (const PlacementRule& r : plan.placements) {
      if (r.dim != experts) continue;
      const auto devices = [&](const PlacementRule& rule) {
        return program.mesh.size(resolveTargets(program.mesh, rule.targets));
      };
      if (!first) first = &r;
      if (devices(r) == devices(*first)) continue;
      diagnostics
          .report(UnevenSplits, plan.workload.giniRange,
                  {{"dim", experts.str()}, {"first", devices(*first)}, {"other", devices(r)}})
          .label(first->range, "the first rule")
          .label(r.range, "another rule")
          .help("state `expert_imbalance`, the load of the busiest device over the mean, or split all experts alike");
      return false;
    }
  }
  return true;
}

/// Routing gives the chosen devices uneven loads. The plan must have routing, and one device cannot get more than
/// everything.
bool checkImbalance(const ProgramHead& program, DiagnosticEngine& diagnostics) {
  const Workload& w = program.plan->workload;
  const bool gini = w.expertGini > 0 && w.giniRange.valid();
  if (!gini && (w.expertImbalance == 1 || !w.imbalanceRange.valid())) return true;
  if (gini && w.imbalanceRange.valid())
    diagnostics
        .report(ImbalanceIdle, w.imbalanceRange,
                {{"fact", "expert_imbalance"}, {"reason", "`expert_gini` says how uneven the loads are"}})
        .label(w.giniRange, "`expert_gini` stands here")
        .help("remove one of them");
  bool routed = false, open = false, placed = false, ok = true;
  for (const Dim& d : program.model->dims) {
    if (d.kind != DimKind::Routed) continue;
    routed = true;
    if (d.capacity > 0) continue;
    open = true;
    placed |= llvm::any_of(program.plan->placements, [&](const PlacementRule& r) {
      return d.chosen.valid() && r.dim == program.model->dims[d.chosen].name &&
             !resolveTargets(program.mesh, r.targets).empty();
    });
  }
  if (!placed) {
    diagnostics
        .report(ImbalanceIdle, gini ? w.giniRange : w.imbalanceRange,
                {{"fact", gini ? "expert_gini" : "expert_imbalance"},
                 {"reason", !routed ? "the model has no routed operators"
                            : !open ? "the slots of its experts have a fixed capacity"
                                    : "no rule splits the experts, so every device has all experts"}})
        .help(routed && open ? "place the experts, `decoder.moe { experts -> ep }`, or remove it" : "remove it");
    return true;
  }
  if (gini) return checkOneSplit(program, diagnostics);
  eachPlaced(program, [&](const Op& op, const Placement& placement) {
    for (DimId d : op.dims) {
      const Dim& dim = program.model->dims[d];
      if (!ok || dim.kind != DimKind::Routed || dim.capacity > 0) continue;
      const AxisList axes = placement.axesOf(dim.chosen);
      const int64_t ranks = program.mesh.size(axes);
      if (axes.empty() || w.expertImbalance <= static_cast<double>(ranks)) continue;
      ok = false;
      diagnostics
          .report(ImbalanceTooLarge, w.imbalanceRange,
                  {{"value", fmt::format("{:.6g}", w.expertImbalance)},
                   {"dim", program.model->dims[dim.chosen].name.str()},
                   {"ranks", ranks}})
          .label(op.range, "an operator of the experts")
          .help(fmt::format("write a number from 1 to {}", ranks));
    }
  });
  return ok;
}

void warnFrozen(const ProgramHead& program, DiagnosticEngine& diagnostics) {
  const Workload& w = program.plan->workload;
  const Precision& precision = program.plan->precision;
  if (!precision.frozen || w.adapters || !w.freeze.empty()) return;
  if (llvm::any_of(program.model->params, [&](ValueId v) { return !program.model->values[v].trainable; })) return;
  diagnostics.report(FrozenIdle, precision.frozenRange, {{"type", std::string(name(*precision.frozen))}})
      .help(w.hasBackward() ? "freeze layers or add adapters in `finetune { … }`, or remove it"
                            : fmt::format("this plan does not train: write `params = {}`", name(*precision.frozen)));
}

/// A forward pass keeps nothing, so there is nothing to recompute, and it has no gradients or optimizer states to
/// store.
void warnForwardOnly(const ProgramHead& program, DiagnosticEngine& diagnostics) {
  if (program.plan->workload.hasBackward()) return;
  auto warn = [&](SourceRange at, const std::string& statement) {
    diagnostics.report(BackwardIdle, at, {{"statement", statement}})
        .help("remove it, or write `train { … }` for a training step");
  };
  for (const Recompute& r : program.plan->recompute) warn(r.range, "recompute " + r.str());
  for (const Keep& k : program.plan->keeps)
    if (!k.host)
      warn(k.selector.range, fmt::format("keep {} = {}", k.selector.str(), k.gathered ? "gathered" : "split"));
  for (const StateRule& r : program.plan->states)
    if (r.state != StateKind::Params && holds(program.mesh, r)) warn(r.range, std::string(name(r.state)));
}

/// A formula that subtracts can be positive for a whole value and negative for the shard of a device.
bool checkFormulas(const ProgramHead& program, DiagnosticEngine& diagnostics) {
  bool ok = true;
  eachPlaced(program, [&](const Op& op, const Placement& placement) {
    auto check = [&](const std::optional<Poly>& poly, const std::string& what, const planc::Unit& unit) {
      if (!poly || !ok) return;
      const double value =
          poly->evaluate([&](DimId d) { return localExtent(program, placement, d); },
                         [&](int o) { return program.widthOf(o < 0 ? op.result : op.operands[o].value); });
      if (value >= 0) return;
      ok = false;
      diagnostics
          .report(NegativeShare, op.range,
                  {{"what", what}, {"op", join(op.path)}, {"value", formatQuantity(value, unit)}})
          .label(op.range, "the operator")
          .help("a fact of an operator applies to every shard: write it as products and sums of the shard's extents");
    };
    check(op.flops, "`flops`", units::flops);
    check(op.reads, "`reads`", units::bytes);
    check(op.writes, "`writes`", units::bytes);
    check(op.copies, "`copies`", units::none);
    for (const Save& s : op.saves)
      if (s.what == Save::What::Buffer) check(s.bytes, "`" + s.buffer.str() + ".bytes`", units::bytes);
    for (const BackwardSpec& b : op.backwards) {
      check(b.flops, "`backward.flops`", units::flops);
      check(b.reads, "`backward.reads`", units::bytes);
      check(b.writes, "`backward.writes`", units::bytes);
    }
  });
  return ok;
}

} // namespace

bool checkEffects(const ProgramHead& program, DiagnosticEngine& diagnostics) {
  if (diagnostics.wantsWarnings()) {
    warnContiguous(program, diagnostics);
    warnFrozen(program, diagnostics);
    warnForwardOnly(program, diagnostics);
  }
  return checkImbalance(program, diagnostics) && checkFormulas(program, diagnostics);
}

} // namespace planc::passes
