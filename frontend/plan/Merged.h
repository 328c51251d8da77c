// What a plan says once its `extends` chain is folded: every statement that holds, with the plan of the chain that made
// it and the scope that its names belong to. merge() of Steps.h makes it, the other steps read it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/machine/Machines.h"
#include "frontend/plan/Space.h"
#include "ir/plan/Plan.h"
#include "ir/plan/Space.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace planc::frontend {

/// What all steps share: how expressions are evaluated, where mistakes are reported, and the plan that is made.
struct Elaboration {
  Evaluator& ev;
  Context& context;
  Machines& machines;
  ir::Plan& plan;
  bool ok = true; ///< false after a mistake: the plan that is made is void
};

/// One plan of the `extends` chain, whose root is the first.
struct ChainLink {
  DeclInfo& decl;
  SourceRange use; ///< where its arguments stand
  int index = 0;
  Scope scope;
  bool parametric = false; ///< it or one before it has parameters: what it overrides may be the same by chance
};

/// A statement that one plan of the chain made: what it says, where its names are looked up, and which plan it was.
template <class T> struct Scoped {
  const T* syntax = nullptr;
  Scope* scope = nullptr;
  SourceRange range;
  int layer = 0;
};

/// An axis or a group of axes.
struct AxisDraft : Scoped<syntax::AxisItem> {
  const ChainLink* link = nullptr;
  bool group = false;
  bool running = false, done = false;
  bool added = false;          ///< outside of all inherited ones, without a word where
  std::optional<int64_t> size; ///< of a group: the product
};

/// How far the cluster is whose devices an axis `= rest` shares with the others. `Unasked`: what is looked up meanwhile
/// may stay without a value. `Without`: the plan names no cluster.
enum class MachineState : uint8_t { Unasked, Open, Read, Without };

/// The axes, innermost first; groups among them.
struct MeshDraft {
  std::deque<AxisDraft> axes;
  std::optional<Scoped<syntax::MeshBlock>> block, whole; ///< the last; the last in place of an inherited one
  MachineState machine = MachineState::Open;
  std::optional<int64_t> devices; ///< of the cluster; nothing where there is none, or it has mistakes
  bool filled = false;            ///< a search gives an axis `= rest` its size: what is left need not be whole before

  AxisDraft* find(Symbol name);
  std::vector<std::string> names() const;
};

/// The axis itself, or the axes of a group; of a name that is none, nothing.
std::vector<Symbol> axesOf(MeshDraft& mesh, Symbol name);

/// Placements, or rules of states. `keys`: what a rule is about, to its index and the layer that wrote it.
template <class Rule> struct RuleDrafts {
  std::vector<Rule> rules;
  std::unordered_map<std::string, std::pair<size_t, int>> keys;
};

/// `override recompute …`, `override keep …`: what it replaces.
struct OverrideDraft {
  std::vector<std::string> before;
  SourceRange range, inherited;
  int layer = 0;
  bool varies = false; ///< what is inherited may follow from a parameter
};

struct RecomputeDraft {
  ir::Recompute rule;
  int layer = 0;
  bool none = false;   ///< `recompute none`
  bool holds = true;   ///< false if `when` says so; then it has no selectors, and an heir may override it
  bool varies = false; ///< a parameter may decide which instances, how many of them, or whether
};

struct KeepDraft {
  ir::Keep keep;
  int layer = 0;
};

/// A space of candidates with what sets each value of its choices.
struct SearchedSpace {
  ir::Space space;
  std::vector<std::vector<std::vector<Edit>>> edits; ///< by choice, value and path
  std::deque<syntax::Expr> made;                     ///< values that were computed, as expressions
  std::deque<std::string> texts;                     ///< that these point to
  const DeclInfo* writer = nullptr;                  ///< the plan of the chain whose names they are
};

/// What is wanted of the search of a plan.
struct SearchRequest {
  const syntax::SearchBlock* words = nullptr; ///< of a command line: they add to the block, or stand in its place
  std::optional<int64_t> top;                 ///< in the place of the block's
  bool before = false;                        ///< choices of `words` stand before those of the block
  bool alone = false;                         ///< the block's choices are left out, and what it fills
  bool known = false;                         ///< its values were looked at before
  bool termsOnly = false;                     ///< the space is known
  SearchedSpace* out = nullptr;               ///< null: the block is only checked
};

/// What a plan is judged by beside its own lines.
struct Demands {
  std::vector<DeclInfo*> policies;        ///< of the session: they hold for all plans
  std::vector<DeclInfo*> broken;          ///< those with mistakes, which are told once and hold for none
  bool ofPlans = false;                   ///< those of the plan's own file hold, too, wherever it is elaborated
  const syntax::TestDecl* test = nullptr; ///< that it is the plan of
  const Scope* values = nullptr;          ///< with the test's parameters
  std::string name{};                     ///< of the test, with these values

  /// Once.
  void add(DeclInfo* policy) {
    const auto in = [&](const auto& list) { return std::find(list.begin(), list.end(), policy) != list.end(); };
    if (!in(policies) && !in(broken)) policies.push_back(policy);
  }
  void drop(DeclInfo* policy) {
    std::erase(policies, policy);
    broken.push_back(policy);
  }
  /// With the policies of the file that a plan is declared in.
  Demands of(Module& module) const;
};

/// Facts that are set beside the file, and what stands in the place of what the file says.
struct PlanEdits {
  std::vector<Edit> all;
  Symbol of;                                 ///< the plan of the chain that they are set in
  std::vector<EditBelow> overlap, pipeline;  ///< of blocks that are read as a whole
  std::vector<ir::PlacementRule> placements; ///< rules that they made
  std::vector<ir::StateRule> states;
  std::deque<syntax::AxisItem> axes;
  SearchRequest search;
  std::deque<BoundDecl> decls; ///< plans of the chain with other arguments
  std::deque<Scope> scopes;    ///< in which these are evaluated

  /// Whether an edit belongs to this plan of the chain, whose last is `asked`.
  bool setIn(const Edit& edit, const DeclInfo& decl, const DeclInfo& asked) const {
    return edit.writer ? &decl == &asked : decl.name == of;
  }
};

/// The folded chain. It stays where it is made: scopes and spaces point into it.
struct MergedPlan {
  MergedPlan(Evaluator& ev, DeclInfo& asked, PlanEdits set);
  MergedPlan(const MergedPlan&) = delete;
  MergedPlan& operator=(const MergedPlan&) = delete;

  DeclInfo& decl;                   ///< the plan that was asked for
  const BoundDecl* asked = nullptr; ///< with its arguments
  SourceRange use;
  PlanEdits edits;
  std::deque<ChainLink> chain;
  FactTree facts, lets;
  MeshDraft mesh;
  PlanSpace space; ///< all of these as names in expressions
  RuleDrafts<ir::PlacementRule> placements;
  RuleDrafts<ir::StateRule> states;
  std::vector<RecomputeDraft> recompute;
  std::vector<KeepDraft> keeps;
  std::optional<OverrideDraft> recomputeOverride, keepOverride;
  std::optional<Scoped<syntax::PipelineBlock>> pipeline, replacedPipeline;
  std::optional<Scoped<syntax::SearchBlock>> search;
  std::optional<Scoped<syntax::Section>> overlap;
  std::optional<FactTree> overlapFacts; ///< of the last one, with edits; the step overlap() fills it
  std::vector<Scoped<syntax::AssertStmt>> asserts;
  std::vector<Scoped<syntax::MeasuredStmt>> measured;

  /// A fact or a section of the plan; null if there is none.
  FactNode* fact(std::string_view name) { return facts.root().find(Symbol(name)); }
  FactNode* section(std::string_view name) {
    FactNode* node = fact(name);
    return node && node->section() ? node : nullptr;
  }
};

} // namespace planc::frontend
