// check-rules: a dimension that an operator contracts inside its kernel, before a nonlinear function, is whole on every
// device (L10). Otherwise a partial sum would go through the softmax. The exception is a dimension over which the
// kernel can fold shards that pass by, `via ring`.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"
#include "passes/place/Placed.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(RingForm, 643, "`{dim}` of `{op}` cannot go around a ring: {problem}")
PLANC_ERROR(SplitInside, 681, "`{dim}` is contracted inside the kernel of `{op}`: no rule can split it")

namespace {

std::string_view nameOf(const ShardedProgram& program, DimId d) {
  return program.model->dims[d].name.view();
}

/// Returns the other dimension of an operand that has an axis of the ring, because an axis splits a value only once.
std::string takenProblem(const ShardedProgram& program, const Op& op, const Placement& placement,
                         const PlacedDim& ring) {
  for (const Operand& operand : op.operands) {
    if (!llvm::is_contained(operand.dims, ring.dim)) continue;
    for (const PlacedDim& other : placement.dims)
      if (const AxisMask both = maskOf(other.axes) & maskOf(ring.axes);
          both && other.dim != ring.dim && llvm::is_contained(operand.dims, other.dim))
        return fmt::format("`{}` of the same operand is split over `{}` already, and an axis splits a value once",
                           nameOf(program, other.dim), program.mesh.str(both));
  }
  return "";
}

/// Returns whether a kernel keeps statistics over a dimension, so that it can fold the shards that pass by.
bool folds(const Op& op, DimId d) {
  return op.kind == OpKind::Attention && llvm::any_of(op.reduces, [&](const Reduce& r) { return r.dim == d; });
}

/// Returns why a dimension cannot go round a ring; empty if it can. A device sees the shards one after the other. So
/// the operator must fold its result over the shards, by statistics over the dimension that it keeps inside itself, and
/// each device must have work of its own while the shards pass.
std::string ringProblem(const ShardedProgram& program, const Op& op, const Placement& placement,
                        const PlacedDim& ring) {
  if (!folds(op, ring.dim)) return "only a kernel that folds its result over the dimension can take it in turns";
  if (std::string taken = takenProblem(program, op, placement, ring); !taken.empty()) return taken;
  AxisMask others = 0;
  for (const PlacedDim& p : placement.dims)
    if (!p.ring && llvm::is_contained(op.resultDims, p.dim)) others |= maskOf(p.axes);
  if (const AxisMask idle = maskOf(ring.axes) & ~others)
    return fmt::format("no dimension of its result is split over `{}`, so every rank would do the same work",
                       program.mesh.str(idle));
  return "";
}

/// Returns the program with one rule changed to a ring over these targets.
Tried asRing(const ShardedProgram& program, const PlacementRule& rule, const std::vector<Symbol>& targets) {
  return {program, [&](std::vector<PlacementRule>& rules) {
            PlacementRule& changed = rules[static_cast<size_t>(&rule - program.plan->placements.data())];
            changed.targets = targets;
            changed.ring = true;
          }};
}

bool ringsWork(const Tried& tried) {
  bool fine = tried.placed;
  if (tried.placed)
    eachPlaced(tried.program, [&](const Op& op, const Placement& placement) {
      for (const PlacedDim& p : placement.dims)
        fine &= !p.ring || p.axes.empty() || ringProblem(tried.program, op, placement, p).empty();
    });
  return fine;
}

/// Returns the targets of the rule that would split the operator's queries if `rule` were a ring.
std::vector<Symbol> targetsOfQueries(const ShardedProgram& program, const Op& op, const PlacementRule& rule) {
  std::vector<Symbol> targets;
  const Tried tried = asRing(program, rule, rule.targets);
  if (!tried.placed) return targets;
  eachPlaced(tried.program, [&](const Op& other, const Placement& placement) {
    if (other.path != op.path) return;
    for (const PlacedDim& p : placement.dims)
      if (p.dim == op.queries && p.rule && !p.axes.empty()) targets = p.rule->targets;
  });
  return targets;
}

/// Returns `dim -> axes via ring` with axes that work: those of the rule, or those of the queries. Returns null if
/// neither works.
std::optional<std::string> ringThatWorks(const ShardedProgram& program, const Op& op, const PlacedDim& placed) {
  for (const auto& targets : {placed.rule->targets, targetsOfQueries(program, op, *placed.rule)}) {
    if (targets.empty() || !ringsWork(asRing(program, *placed.rule, targets))) continue;
    std::string list;
    for (Symbol t : targets) list += (list.empty() ? "" : ", ") + t.str();
    if (targets.size() > 1) list = "[" + list + "]";
    return fmt::format("`{} -> {} via ring`", nameOf(program, placed.dim), list);
  }
  return std::nullopt;
}

/// Returns the text for how the dimension is split: over its axes, or over nothing.
std::string splitText(const ShardedProgram& program, const Placement& placement, DimId d) {
  const AxisList& axes = placement.axesOf(d);
  return fmt::format("`{}` over {}", nameOf(program, d), axes.empty() ? "nothing" : "`" + program.mesh.str(axes) + "`");
}

/// Returns how to use a ring if this operator supports one but no axes of the plan do.
std::string ownAxis(const ShardedProgram& program, const Op& op, DimId keys) {
  const std::string_view k = nameOf(program, keys), q = nameOf(program, op.queries);
  return fmt::format(
      "a ring needs queries that are split like the keys: `{} -> cp` and `{} -> cp via ring`, on an axis `cp` that no "
      "other dimension of the operator uses; or remove the rule, so that `{}` is gathered",
      q, k, k);
}

/// Returns whether the operator contracts the dimension inside. Softmax stands between the products of attention, so no
/// dimension missing in its result can stay a pending sum.
bool contractsInside(const Op& op, DimId d) {
  const bool summed = op.kind == OpKind::Attention && !llvm::is_contained(op.resultDims, d);
  return summed || llvm::is_contained(op.inside, d);
}

/// Returns how to write a rule that asks an operator without a fold for a ring: for an operator that it reaches and
/// that has one, or not at all.
std::string withoutFold(const ShardedProgram& program, const Op& op, const PlacedDim& ring) {
  if (op.keys != ring.dim && !contractsInside(op, ring.dim))
    return op.kind == OpKind::Attention
               ? "remove `via ring`"
               : "remove `via ring`, or name the attention operator (`decoder.attn.core { kv_seq -> cp via ring }`)";
  std::string able;
  eachPlaced(program, [&](const Op& other, const Placement& placement) {
    for (const PlacedDim& p : placement.dims)
      if (able.empty() && p.ring && p.rule == ring.rule && ringProblem(program, other, placement, p).empty())
        able = join(other.path);
  });
  const std::string_view name = nameOf(program, ring.dim);
  if (able.empty()) return fmt::format("remove the rule, so that `{}` is gathered", name);
  return fmt::format("select the operators that fold, such as `{}`; elsewhere `{}` is gathered", able, name);
}

void reportRing(const ShardedProgram& program, const Op& op, const Placement& placement, const PlacedDim& ring,
                const std::string& problem, DiagnosticEngine& diagnostics) {
  auto found = diagnostics.report(
      RingForm, ring.rule->range,
      {{"dim", std::string(nameOf(program, ring.dim))}, {"op", join(op.path)}, {"problem", problem}});
  found.label(op.range, "the operator");
  if (!folds(op, ring.dim)) {
    found.help(withoutFold(program, op, ring));
    return;
  }
  if (auto ring2 = ringThatWorks(program, op, ring))
    found.help(fmt::format("write {}: its queries are split there", *ring2));
  else
    found.help(ownAxis(program, op, ring.dim));
  std::string list;
  for (const PlacedDim& p : placement.dims)
    if (p.dim != ring.dim && p.dim != op.queries) list += ", " + splitText(program, placement, p.dim);
  found.note(fmt::format("its queries: {}; its keys: {}{}", splitText(program, placement, op.queries),
                         splitText(program, placement, ring.dim), list));
}

/// Returns the names by which a rule can split the operator: its own dimensions, and composites that contain one of
/// them.
std::vector<std::string> splittable(const Model& model, const Op& op) {
  std::vector<std::string> names;
  auto add = [&](const std::string& name) {
    if (!llvm::is_contained(names, name)) names.push_back(name);
  };
  auto fits = [&](DimId d) { return llvm::is_contained(op.dims, d) && !contractsInside(op, d); };
  for (CompositeId c : op.composites)
    if (llvm::any_of(model.composites[c].factors, fits)) add(model.composites[c].name.str());
  for (DimId d : op.dims)
    if (fits(d)) add(model.dims[d].name.str());
  return names;
}

/// Returns how to keep a dimension whole that a kernel contracts. A dimension that the operator itself pools lies where
/// its part lies; without the declaration it would be gathered.
std::string keepWhole(const ShardedProgram& program, const Op& op, const PlacedDim& placed) {
  const std::string axes = program.mesh.str(placed.axes);
  const std::string_view rule = placed.rule->dim.view(), name = nameOf(program, placed.dim);
  if (llvm::is_contained(op.pools, placed.dim))
    return fmt::format("remove `dim {0}` from the operator, so that `{0}` is gathered, or write `{1} -> replicate`",
                       name, rule);
  const bool byParts = !program.model->dims[placed.dim].parts.empty();
  return fmt::format("give `{}` to another dimension, or `{} -> replicate`", axes, byParts ? rule : name);
}

void reportSplit(const ShardedProgram& program, const Op& op, const PlacedDim& placed, DiagnosticEngine& diagnostics) {
  const PlacementRule& rule = *placed.rule;
  const std::string name(nameOf(program, placed.dim));
  const std::vector<std::string> names = splittable(program.model, op);
  auto found = diagnostics.report(SplitInside, rule.dimRange.valid() ? rule.dimRange : rule.range,
                                  {{"dim", name}, {"op", join(op.path)}});
  found.label(op.range, "the operator");
  const bool basic = program.model->dims[placed.dim].kind == DimKind::Basic; // no rule names a dimension with parts
  const bool folded = basic && llvm::any_of(op.reduces, [&](const Reduce& r) { return r.dim == placed.dim; });
  if (!nearest(rule.dim.view(), names).empty())
    found.meant(rule.dim.view(), names);
  else if (auto ring = folded ? ringThatWorks(program, op, placed) : std::nullopt)
    found.help("pass its shards around a ring: " + *ring);
  else if (folded)
    found.help(ownAxis(program, op, placed.dim));
  else
    found.help(keepWhole(program, op, placed));
  std::string list;
  for (const std::string& n : names) list += (list.empty() ? "`" : ", `") + n + "`";
  found.note("it can be split along " + list);
}

} // namespace

bool checkKernels(const ShardedProgram& program, DiagnosticEngine& diagnostics) {
  std::set<const PlacementRule*> reported;
  eachPlaced(program, [&](const Op& op, const Placement& placement) {
    for (const PlacedDim& p : placement.dims) {
      if (!p.rule || p.axes.empty()) continue;
      const std::string problem = p.ring ? ringProblem(program, op, placement, p) : "";
      const bool inside = !p.ring && contractsInside(op, p.dim);
      if ((problem.empty() && !inside) || !reported.insert(p.rule).second) continue;
      if (inside)
        reportSplit(program, op, p, diagnostics);
      else
        reportRing(program, op, placement, p, problem, diagnostics);
    }
  });
  return reported.empty();
}

} // namespace planc::passes
