// The steps from a plan's declaration to ir::Plan, in the order in which Plans.cpp calls them. Each step reads the
// folded plan (MergedPlan) and the results of earlier steps in `elab.plan`, and fills its own part of `elab.plan`.
// Errors are reported, and set `elab.ok` to false.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/Extents.h"
#include "frontend/model/Selectors.h"
#include "frontend/plan/Merged.h"

namespace planc::frontend {

/// Folds the `extends` chain of a plan with its arguments, and sets the facts of `edits`; null after a report. `use`:
/// the place that uses the plan. In: nothing of `elab.plan`.
std::unique_ptr<MergedPlan> merge(Elaboration& elab, const BoundDecl& decl, SourceRange use, PlanEdits edits);

/// Reads cluster and stack. Both may be missing, because only an estimate needs them. Also checks that every fact is
/// known. Out: `cluster`, `stack` and their texts.
void machine(Elaboration& elab, MergedPlan& merged);

/// Computes sizes, groups and levels of the axes. In: `cluster`. Out: `mesh`, `meshRange`, `axisPlaces`, `addedAxes`.
void mesh(Elaboration& elab, MergedPlan& merged);

/// Reads placements and states, and checks that their axes exist. Out: `placements`, `states`.
void placementRules(Elaboration& elab, MergedPlan& merged);

/// The facts of a workload about dimensions. The model reads them, and so do the checks after the model.
struct WorkloadFacts {
  Extents extents;
  std::vector<std::pair<Symbol, FactNode*>> bound; ///< facts that are extents of dimensions
  std::vector<syntax::Name> lacking;               ///< input dimensions without an extent
  FactNode* prompt = nullptr;                      ///< the fact that gives all token dimensions: `prompt` or `sequence`
};
/// Reads `train`, `finetune` or `infer`, with the optimizer. In: `mesh`, `placements`. Out: `workload`.
WorkloadFacts workload(Elaboration& elab, MergedPlan& merged);

/// Reads element types. In: `workload`. Out: `precision`, `precisionRules`.
void precision(Elaboration& elab, MergedPlan& merged);

/// Read the `recompute` and `keep` statements. Out: `recompute`; `keeps`.
void recompute(Elaboration& elab, const MergedPlan& merged);
void keeps(Elaboration& elab, const MergedPlan& merged);

/// Reads schedule, cut and stage lines. Out: `pipeline`.
void pipeline(Elaboration& elab, MergedPlan& merged);

/// Reads how communication and computation affect each other. Out: `overlap`.
void overlap(Elaboration& elab, MergedPlan& merged);

/// Builds the model with the extents of the workload, and applies fine-tuning. In: `workload`. Out: `model`,
/// `modelText`. Returns the paths that selectors may name; nothing without a model.
std::optional<PathTree> model(Elaboration& elab, MergedPlan& merged, WorkloadFacts& facts);

/// Check the results of the earlier steps against the model: selectors, the cut into stages, names of wire types,
/// extents, saved values, and checkpoints. In: all of these. Out: the extents that follow from the prompt.
void checkSelectors(Elaboration& elab, PathTree& paths);
void checkStageCut(Elaboration& elab);
void checkWireNames(Elaboration& elab, MergedPlan& merged);
void checkExtents(Elaboration& elab, MergedPlan& merged, WorkloadFacts& facts);
void checkSavedNames(Elaboration& elab);
void checkCheckpoints(Elaboration& elab, const MergedPlan& merged);

/// Reads the `run` section. In: `model`, `cluster`. Out: `run`.
void run(Elaboration& elab, MergedPlan& merged);

/// Lists the facts that were set from outside of the file, for reports. Out: `set`.
void setFacts(Elaboration& elab, MergedPlan& merged);

/// Reads assertions and measurements. In: `set`. Out: `assertions`, `measured`.
void conditions(Elaboration& elab, MergedPlan& merged, PathTree* paths);

/// Adds the demands of policies and tests. Out: more of `assertions` and `measured`, `test`.
void demanded(Elaboration& elab, MergedPlan& merged, PathTree* paths, const Demands& demands);

/// Reads the search, and builds its candidates. Out: `search`, and the result that the request of `merged` wants.
void search(Elaboration& elab, MergedPlan& merged, PathTree* paths);

} // namespace planc::frontend
