// The values of inner choices as changes of a plan, made by the steps that read the statements they stand for.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/search/SearchEdits.h"

#include "frontend/plan/SearchMistakes.h"
#include "frontend/plan/Steps.h"
#include "frontend/plan/statements/Mesh.h"

#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;

void addToEdit(Elaboration& elab, MergedPlan& merged, const VariedLine& line, const Expr& value, Scope& scope,
               ir::PlanEdit& edit) {
  switch (line.kind) {
  case ir::SettingKind::Axis: {
    AxisDraft& axis = *merged.mesh.find(line.item->path.steps[1].name.text);
    if (const auto size = axisSize(elab.ev, merged.mesh, axis)) edit.axes.push_back({axis.syntax->name.text, *size});
    return;
  }
  case ir::SettingKind::Batch:
  case ir::SettingKind::GlobalBatch:
    (line.kind == ir::SettingKind::Batch ? edit.microBatch : edit.globalBatch) =
        elab.ev.integer(value, scope, fmt::format("`{}`", line.path));
    return;
  case ir::SettingKind::Schedule:
  case ir::SettingKind::Stages:
    if (!elab.plan.pipeline) pipeline(elab, merged);
    if (elab.plan.pipeline && line.kind == ir::SettingKind::Schedule)
      edit.schedule = ir::ScheduleEdit{elab.plan.pipeline->schedule, elab.plan.pipeline->arguments};
    else if (elab.plan.pipeline)
      edit.cut = elab.plan.pipeline->cut;
    return;
  case ir::SettingKind::Placement:
  case ir::SettingKind::State:
    placementRules(elab, merged);
    edit.placements = merged.edits.placements;
    edit.states = merged.edits.states;
    return;
  case ir::SettingKind::Recompute:
    recompute(elab, merged);
    edit.recompute = elab.plan.recompute;
    return;
  default:
    return;
  }
}

void checkLayers(Elaboration& elab, const MergedPlan& merged, PathTree& paths,
                 const std::shared_ptr<const ir::Model>& model, ir::PlanEdit& edit) {
  for (ir::PlacementRule& r : edit.placements)
    elab.ok &= paths.settle(r.selector, elab.context, r.optional) && (r.optional || knownDimension(elab, *model, r));
  for (ir::StateRule& r : edit.states) elab.ok &= paths.settle(r.selector, elab.context, r.optional);
  if (!edit.recompute) return;
  for (ir::Recompute& r : *edit.recompute)
    for (ir::Selector& s : r.selectors) elab.ok &= paths.settle(s, elab.context);
  elab.plan.model = model;
  checkSavedNames(elab);
  checkCheckpoints(elab, merged);
}

} // namespace planc::frontend
