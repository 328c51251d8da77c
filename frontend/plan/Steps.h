// The steps from a plan's declaration to ir::Plan, in the order in which Plans.cpp takes them. Each reads what the plan
// says (MergedPlan) and what the steps before it made of it (`elab.plan`), and fills its own part of `elab.plan`;
// mistakes are reported, and leave `elab.ok` false.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/Extents.h"
#include "frontend/model/Selectors.h"
#include "frontend/plan/Merged.h"

namespace planc::frontend {

/// The chain of a plan with its arguments, folded, and the facts of `edits` set; null after a report. `use`: where the
/// plan was asked for. In: nothing of `elab.plan`.
std::unique_ptr<MergedPlan> merge(Elaboration& elab, const BoundDecl& decl, SourceRange use, PlanEdits edits);

/// Cluster and stack, both of which may be missing: only an estimate needs them. And whether every fact of the plan is
/// one that plans have. Out: `cluster`, `stack` and their texts.
void machine(Elaboration& elab, MergedPlan& merged);

/// Sizes, groups and levels of the axes. In: `cluster`. Out: `mesh`, `meshRange`, `axisPlaces`, `addedAxes`.
void mesh(Elaboration& elab, MergedPlan& merged);

/// Placements and states, whose axes exist. Out: `placements`, `states`.
void placementRules(Elaboration& elab, MergedPlan& merged);

/// What a workload says of dimensions: the model asks for it, and the checks after the model use it.
struct WorkloadFacts {
  Extents extents;
  std::vector<std::pair<Symbol, FactNode*>> bound; ///< facts that are extents of dimensions
  std::vector<syntax::Name> lacking;               ///< dimensions of inputs that none of these is the extent of
  FactNode* prompt = nullptr;                      ///< `prompt` of `infer`
};
/// `train`, `finetune` or `infer`, with the optimizer. In: `mesh`, `placements`. Out: `workload`.
WorkloadFacts workload(Elaboration& elab, MergedPlan& merged);

/// Element types. In: `workload`. Out: `precision`, `precisionRules`.
void precision(Elaboration& elab, MergedPlan& merged);

/// What is recomputed, and what is kept. Out: `recompute`; `keeps`.
void recompute(Elaboration& elab, const MergedPlan& merged);
void keeps(Elaboration& elab, const MergedPlan& merged);

/// Schedule, cut and stage lines. Out: `pipeline`.
void pipeline(Elaboration& elab, MergedPlan& merged);

/// What communication and computation do to each other. Out: `overlap`.
void overlap(Elaboration& elab, MergedPlan& merged);

/// The model with the extents of the workload, and fine-tuned. In: `workload`. Out: `model`, `modelText`, and the paths
/// that selectors may name; nothing without a model.
std::optional<PathTree> model(Elaboration& elab, MergedPlan& merged, WorkloadFacts& facts);

/// What the steps before say of the model, held against it: selectors, the cut into stages, names of wire types,
/// extents, what is saved, and checkpoints. In: all of these. Out: the extents that follow from the prompt.
void checkSelectors(Elaboration& elab, PathTree& paths);
void checkStageCut(Elaboration& elab);
void checkWireNames(Elaboration& elab, MergedPlan& merged);
void checkExtents(Elaboration& elab, MergedPlan& merged, WorkloadFacts& facts);
void checkSavedNames(Elaboration& elab);
void checkCheckpoints(Elaboration& elab, const MergedPlan& merged);

/// How long it runs. In: `model`, `cluster`. Out: `run`.
void run(Elaboration& elab, MergedPlan& merged);
/// What it may say of the run, by name.
std::vector<std::string> runFacts();

/// What was set beside the file, as reports say it. Out: `set`.
void setFacts(Elaboration& elab, MergedPlan& merged);

/// Assertions and measurements. In: `set`. Out: `assertions`, `measured`.
void conditions(Elaboration& elab, MergedPlan& merged, PathTree* paths);

/// What is demanded of it beside that. Out: more of `assertions` and `measured`, `test`.
void demanded(Elaboration& elab, MergedPlan& merged, PathTree* paths, const Demands& demands);

/// What a search asks for, and the candidates that it has. Out: `search`, and what the request of `merged` wants.
void search(Elaboration& elab, MergedPlan& merged, PathTree* paths);

} // namespace planc::frontend
