// check-rules: what an operator contracts inside its kernel, before a function that is not linear, is whole on every
// device (L10): a sum of parts would go through the softmax. Only what the kernel folds may pass by, `via ring`.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(SplitInside, 681, "`{dim}` is contracted inside the kernel of `{op}`: no rule can split it")

namespace {

/// Softmax stands between the products of an attention, so nothing that its result lacks can be left as a sum.
bool contractsInside(const Op& op, DimId d) {
  const bool summed = op.kind == OpKind::Attention && !llvm::is_contained(op.resultDims, d);
  return summed || llvm::is_contained(op.inside, d);
}

/// Names by which a rule can split the operator: its own dimensions and the composites that have one of them.
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

void report(const Program& program, const Op& op, const PlacedDim& placed, DiagnosticEngine& diagnostics) {
  const Model& model = program.model;
  const PlacementRule& rule = *placed.rule;
  const std::string name = model.dims[placed.dim].name.str();
  const std::vector<std::string> names = splittable(model, op);
  auto found = diagnostics.report(SplitInside, rule.dimRange.valid() ? rule.dimRange : rule.range,
                                  {{"dim", name}, {"op", join(op.path)}});
  found.label(op.range, "the operator");
  if (auto meant = didYouMean(rule.dim.view(), names); !meant.empty())
    found.help(meant);
  else if (llvm::any_of(op.reduces, [&](const Reduce& r) { return r.dim == placed.dim; }))
    found.help(
        fmt::format("let it pass by, shard after shard: `{} -> {} via ring`", name, program.mesh.str(placed.axes)));
  else
    found.help(
        fmt::format("give `{}` to another dimension, or `{} -> replicate`", program.mesh.str(placed.axes), name));
  std::string list;
  for (const std::string& n : names) list += (list.empty() ? "`" : ", `") + n + "`";
  found.note("it can be split along " + list);
}

} // namespace

bool checkKernels(const Program& program, DiagnosticEngine& diagnostics) {
  std::set<const PlacementRule*> reported;
  for (const Body& body : program.bodies) {
    if (body.seam) continue;
    const Unit& unit = program.model.units[body.unit];
    for (uint32_t i = unit.first.index; i < unit.end.index; ++i) {
      const Op& op = program.model.ops[OpId(i)];
      for (const PlacedDim& p : body.placements[local(unit, OpId(i))].dims)
        if (!p.ring && p.rule && !p.axes.empty() && contractsInside(op, p.dim) && reported.insert(p.rule).second)
          report(program, op, p, diagnostics);
    }
  }
  return reported.empty();
}

} // namespace planc::passes
