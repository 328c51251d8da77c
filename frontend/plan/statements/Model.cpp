// Builds the model of a plan with the extents of its workload, and checks the paths of the model that the plan names.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Models.h"
#include "frontend/plan/Texts.h"
#include "frontend/plan/statements/Workload.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(TrainWithoutLoss, 419, "`{workload}` needs a value named `loss`, but model `{model}` has none")
PLANC_ERROR(MissingModel, 679, "plan `{plan}` has no `{fact}`")

std::string otherNeeds(MergedPlan& merged) {
  std::vector<std::string> missing;
  for (const ir::Statement one : {ir::Statement::Cluster, ir::Statement::Software})
    if (!merged.fact(one)) missing.emplace_back(ir::name(one));
  if (std::ranges::none_of(kWorkloads, [&](ir::Statement one) { return merged.fact(one); }))
    missing.emplace_back(ir::name(kWorkloads[0]));
  return missing.empty() ? "" : fmt::format("to be priced the plan needs {} as well", quotedSeries(missing));
}

std::optional<PathTree> model(Elaboration& elab, MergedPlan& merged, WorkloadFacts& facts) {
  elab.plan.modelText = written(elab, merged, ir::name(ir::Statement::Model));
  FactNode* node = merged.fact(ir::Statement::Model);
  if (!node || node->section()) {
    elab.context.report(MissingModel, merged.decl.nameRange, {{"plan", merged.decl.name.str()}, {"fact", "model"}})
        .help("name the model: `model = llama.llama3_8b`")
        .note(otherNeeds(merged));
    elab.ok = false;
    return std::nullopt;
  }
  const BoundDecl* decl = elab.machines.expect(merged.facts.value(*node), DeclKind::Model, "`model`");
  facts.extents.lacks = [&](const syntax::Name& dim) { return lacksExtent(elab, facts, dim); };
  const std::shared_ptr<ir::Model> built =
      decl ? buildModel(elab.ev, facts.extents, *decl, node->value->range) : nullptr;
  if (!built) {
    elab.ok = false;
    return std::nullopt;
  }
  elab.plan.model = built;
  applyFinetune(elab, merged, *built);
  if (elab.plan.workload.hasBackward() && !built->loss.valid()) {
    const FactNode* train =
        merged.fact(merged.fact(ir::Statement::Train) ? ir::Statement::Train : ir::Statement::Finetune);
    elab.context
        .report(TrainWithoutLoss, train->nameRange, {{"workload", train->name.str()}, {"model", built->name.str()}})
        .label(decl->decl->nameRange, "declared here")
        .help("name the last value `loss`, or remove `train` to run forward only");
    elab.ok = false;
  }
  return std::optional<PathTree>(std::in_place, *built);
}

void checkSelectors(Elaboration& elab, PathTree& paths) {
  auto check = [&](ir::Selector& s, bool optional = false) { elab.ok &= paths.settle(s, elab.context, optional); };
  for (ir::PlacementRule& r : elab.plan.placements) check(r.selector, r.optional);
  for (ir::StateRule& r : elab.plan.states) check(r.selector, r.optional);
  for (ir::Recompute& r : elab.plan.recompute)
    for (ir::Selector& s : r.selectors) check(s);
  for (ir::Keep& k : elab.plan.keeps) check(k.selector);
  for (ir::PrecisionRule& r : elab.plan.precisionRules) check(r.selector);
  for (ir::Selector& s : elab.plan.workload.freeze) check(s);
  if (elab.plan.pipeline)
    for (const ir::StageLine& line : elab.plan.pipeline->stages) // stage lines name repeats one by one
      for (const ir::Selector& s : line.selectors) elab.ok &= paths.check(s, elab.context);
}

} // namespace planc::frontend
