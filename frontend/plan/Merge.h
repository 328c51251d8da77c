// Folds single statements of an `extends` chain: each plan adds to the inherited statements and overrides some.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

namespace planc::frontend {

// ---- the override rules (Merge.cpp)
/// Returns whether a block may replace an inherited block. `known`: the inherited block and its layer; null if there is
/// none.
bool mayReplace(Context& context, const syntax::PlanItem& item, const ChainLink& link, std::string_view what,
                const std::pair<SourceRange, int>* known);
/// Reports an override of something that is not inherited.
DiagnosticEngine::Builder reportNothingInherited(Context& context, SourceRange at, std::string_view what,
                                                 const ChainLink& link);

// ---- the mesh (Mesh.cpp)
void mergeMesh(Elaboration& elab, MeshDraft& mesh, const syntax::MeshBlock& block, const syntax::PlanItem& item,
               ChainLink& link);
/// Moves axes that declare their neighbour, in the order in which they are written.
void moveAxes(Elaboration& elab, MeshDraft& mesh, const ChainLink& link);

// ---- rules (Rules.cpp)
void mergePlacements(Elaboration& elab, MergedPlan& merged, const syntax::PlaceBlock& block,
                     const syntax::PlanItem& item, ChainLink& link);
void mergeStates(Elaboration& elab, MergedPlan& merged, const syntax::PlaceBlock& block, const syntax::PlanItem& item,
                 ChainLink& link);

// ---- `recompute` (Recompute.cpp) and `keep` (Keeps.cpp): all statements of a plan are overridden together
void mergeRecompute(Elaboration& elab, MergedPlan& merged, const syntax::RecomputeStmt& s, const syntax::PlanItem& item,
                    ChainLink& link);
void mergeKeep(Elaboration& elab, MergedPlan& merged, const syntax::KeepStmt& s, const syntax::PlanItem& item,
               ChainLink& link);
/// Report an override that repeats the inherited statements.
void checkRecomputeOverride(Context& context, const MergedPlan& merged, const ChainLink& link);
void checkKeepOverride(Context& context, const MergedPlan& merged, const ChainLink& link);

// ---- facts set from outside of the file (Edits.cpp)
/// The plan with the arguments that edits set.
BoundDecl withArguments(Evaluator& ev, PlanEdits& edits, const BoundDecl& decl);
/// `cluster.nodes` for `nodes`: the path of a parameter of a record that a fact of the plan names; empty if none has
/// it.
std::string pathOfParameter(Elaboration& elab, MergedPlan& merged, Symbol name);
/// Applies all other edits, after their plan has been merged completely.
void applyEdits(Elaboration& elab, MergedPlan& merged, ChainLink& link);
/// Applies a rule `decoder.seq -> tp`, `states.optimizer -> dp`: replaces the rule of the same layers, or is added
/// (Rules.cpp).
void applyRule(Elaboration& elab, MergedPlan& merged, AppliedEdit& edit, int layer);
/// The statements of a value such as `decoder(first = 2)`; an empty list for `none`. Nothing after a report
/// (Recompute.cpp).
std::optional<std::vector<ir::Recompute>> recomputeOf(Elaboration& elab, const syntax::Expr& value, Scope& scope);
/// Applies `recompute = decoder`: replaces all statements (Recompute.cpp).
void applyRecompute(Elaboration& elab, MergedPlan& merged, AppliedEdit& edit, int layer);

} // namespace planc::frontend
