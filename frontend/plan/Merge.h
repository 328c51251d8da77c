// How single statements are folded: what a plan of the chain adds to what those before it say, and what it overrides.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

namespace planc::frontend {

// ---- the override rules (Merge.cpp)
/// Whether a block may stand in place of an inherited one, `known` with its layer.
bool mayReplace(Context& context, const syntax::PlanItem& item, const ChainLink& link, std::string_view what,
                const std::pair<SourceRange, int>* known);
/// There is nothing such that a plan could override.
DiagnosticEngine::Builder reportNothingInherited(Context& context, SourceRange at, std::string_view what,
                                                 const ChainLink& link);

// ---- the mesh (Mesh.cpp)
void mergeMesh(Elaboration& elab, MeshDraft& mesh, const syntax::MeshBlock& block, const syntax::PlanItem& item,
               ChainLink& link);
/// Axes that say beside which one they lie, in the order in which they are written.
void moveAxes(Elaboration& elab, MeshDraft& mesh, const ChainLink& link);

// ---- rules (Rules.cpp)
void mergePlacements(Elaboration& elab, MergedPlan& merged, const syntax::PlaceBlock& block,
                     const syntax::PlanItem& item, ChainLink& link);
void mergeStates(Elaboration& elab, MergedPlan& merged, const syntax::PlaceBlock& block, const syntax::PlanItem& item,
                 ChainLink& link);

// ---- what is recomputed (Recompute.cpp) and kept (Keeps.cpp): all statements of a plan are overridden together
void mergeRecompute(Elaboration& elab, MergedPlan& merged, const syntax::RecomputeStmt& s, const syntax::PlanItem& item,
                    ChainLink& link);
void mergeKeep(Elaboration& elab, MergedPlan& merged, const syntax::KeepStmt& s, const syntax::PlanItem& item,
               ChainLink& link);
/// Reports an override by a plan that says what it inherits.
void checkRecomputeOverride(Context& context, const MergedPlan& merged, const ChainLink& link);
void checkKeepOverride(Context& context, const MergedPlan& merged, const ChainLink& link);

// ---- facts set beside the file (Edits.cpp)
/// The plan with those of its parameters set that edits name.
BoundDecl withArguments(Evaluator& ev, PlanEdits& edits, const BoundDecl& decl);
/// `cluster.nodes` of `nodes`: a parameter of what a fact of the plan names; empty if none has it.
std::string pathOfParameter(Elaboration& elab, MergedPlan& merged, Symbol name);
/// All others, when the plan that they belong to has stated all that it says.
void applyEdits(Elaboration& elab, MergedPlan& merged, ChainLink& link);
/// `decoder.seq -> tp`, `states.optimizer -> dp`: the rule in the place of the one of the same layers, or beside all
/// (Rules.cpp).
void applyRule(Elaboration& elab, MergedPlan& merged, Edit& edit, int layer);
/// The statements that a value stands for, `decoder(first = 2)`; none of them for `none`. Nothing after a report
/// (Recompute.cpp).
std::optional<std::vector<ir::Recompute>> recomputeOf(Elaboration& elab, const syntax::Expr& value, Scope& scope);
/// `recompute = decoder`: in the place of all statements (Recompute.cpp).
void applyRecompute(Elaboration& elab, MergedPlan& merged, Edit& edit, int layer);

} // namespace planc::frontend
