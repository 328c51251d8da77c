// A plan after its `extends` chain is folded: every effective statement, with the plan of the chain that wrote it and
// the scope of its names. merge() of Steps.h builds it, the other steps read it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/machine/Machines.h"
#include "frontend/plan/Space.h"
#include "ir/plan/Plan.h"
#include "ir/plan/Settings.h"
#include "ir/plan/Space.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace planc::frontend {

/// The state that all steps share: the evaluator, the context for reports, and the plan under construction.
struct Elaboration {
  Evaluator& ev;
  Context& context;
  Machines& machines;
  ir::Plan& plan;
  bool ok = true; ///< false after an error: the plan under construction is void
};

/// One plan of the `extends` chain. The root is the first.
struct ChainLink {
  DeclInfo& decl;
  SourceRange use; ///< place of its arguments
  int index = 0;
  Scope scope;
  bool parametric =
      false; ///< this plan or its base has parameters, so an override may equal the inherited value by chance
};

/// A statement with the scope of its names and the index of the plan in the chain that wrote it.
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
  bool added = false;          ///< outside of all inherited axes, without a declared neighbour
  std::optional<int64_t> size; ///< for a group: the product of its axes
};

/// State of the cluster, whose devices an axis `= rest` divides. `Unasked`: edits are being applied, and the size of
/// such an axis is still unknown, which is no error. `Open`: not read yet. `Without`: the plan names no cluster.
enum class MachineState : uint8_t { Unasked, Open, Read, Without };

/// The axes, innermost first, and the groups among them.
struct MeshDraft {
  std::deque<AxisDraft> axes;
  std::optional<Scoped<syntax::MeshBlock>> block,
      whole; ///< the last block; the last block that replaced an inherited mesh
  MachineState machine = MachineState::Open;
  std::optional<int64_t> devices; ///< of the cluster; nothing if there is none or it has errors
  bool filled = false; ///< a search sets the size of an axis `= rest`, so the remainder may be fractional before

  AxisDraft* find(Symbol name);
  std::vector<std::string> names() const;
};

/// The axis itself, or the axes of a group. Empty for an unknown name.
std::vector<Symbol> axesOf(MeshDraft& mesh, Symbol name);

/// Placements, or rules of states. `keys` maps the key of a rule to its index and to the layer that wrote it.
template <class Rule> struct RuleDrafts {
  std::vector<Rule> rules;
  std::unordered_map<std::string, std::pair<size_t, int>> keys;
};

/// `override recompute …`, `override keep …`: the replaced statements.
struct OverrideDraft {
  std::vector<std::string> before;
  SourceRange range, inherited;
  int layer = 0;
  bool varies = false; ///< the inherited statements may depend on a parameter
};

struct RecomputeDraft {
  ir::Recompute rule;
  int layer = 0;
  bool none = false;   ///< `recompute none`
  bool holds = true;   ///< false if its `when` is false; it then has no selectors, and a derived plan may override it
  bool varies = false; ///< a parameter may decide its instances, their number, or whether it applies
};

struct KeepDraft {
  ir::Keep keep;
  int layer = 0;
};

/// A space of candidates, with the edits that set each value of its choices.
struct SearchedSpace {
  ir::Space space;
  std::vector<std::vector<std::vector<Edit>>> edits; ///< by choice, value and path
  std::deque<syntax::Expr> made;                     ///< expressions of computed values
  std::deque<std::string> texts;                     ///< texts that these expressions point to
  const DeclInfo* writer = nullptr;                  ///< the plan of the chain in whose scope the names are
};

/// The requested results of a plan's search.
struct SearchRequest {
  const syntax::SearchBlock* words = nullptr; ///< lines of a command line: they extend or replace lines of the block
  std::optional<int64_t> top;                 ///< replaces the block's `top`
  bool before = false;                        ///< choices of `words` come before those of the block
  bool alone = false;                         ///< ignore the block's choices and its `fill`
  bool known = false;                         ///< its values were checked before
  bool termsOnly = false;                     ///< only conditions and goals: the space is known
  SearchedSpace* out = nullptr;               ///< null: the block is only checked
};

/// Policies and tests that judge a plan in addition to its own assertions.
struct Demands {
  std::vector<DeclInfo*> policies;        ///< policies of the session, which apply to all plans
  std::vector<DeclInfo*> broken;          ///< policies with errors, which are reported once and apply to no plan
  bool ofPlans = false;                   ///< policies in a plan's own file apply too, wherever it is elaborated
  const syntax::TestDecl* test = nullptr; ///< the test whose plan this is
  const Scope* values = nullptr;          ///< values of the test's parameters
  std::string name{};                     ///< name of the test with these values

  /// Adds a policy unless it is already known.
  void add(DeclInfo* policy) {
    const auto in = [&](const auto& list) { return std::find(list.begin(), list.end(), policy) != list.end(); };
    if (!in(policies) && !in(broken)) policies.push_back(policy);
  }
  void drop(DeclInfo* policy) {
    std::erase(policies, policy);
    broken.push_back(policy);
  }
  /// These demands, and the policies of the file that declares the plan.
  Demands of(Module& module) const;
};

/// Facts that are set from outside of the file, and the statements that they create.
struct PlanEdits {
  std::vector<AppliedEdit> all;
  Symbol of;                                 ///< the plan of the chain that the facts are set in
  std::vector<EditBelow> overlap, pipeline;  ///< edits in blocks that are read as a whole
  std::vector<ir::PlacementRule> placements; ///< rules that edits created
  std::vector<ir::StateRule> states;
  std::deque<syntax::AxisItem> axes;
  SearchRequest search;
  std::deque<BoundDecl> decls; ///< plans of the chain with changed arguments
  std::deque<Scope> scopes;    ///< scopes for evaluating these arguments

  PlanEdits(const std::vector<Edit>& edits, Symbol in) : all(edits.begin(), edits.end()), of(in) {}
  /// Whether an edit belongs to this plan of the chain, whose last is `asked`.
  bool setIn(const Edit& edit, const DeclInfo& decl, const DeclInfo& asked) const {
    return edit.writer ? &decl == &asked : decl.name == of;
  }
};

/// The folded chain. It must not move, because scopes and spaces point into it.
struct MergedPlan {
  MergedPlan(Evaluator& ev, DeclInfo& asked, PlanEdits set);
  MergedPlan(const MergedPlan&) = delete;
  MergedPlan& operator=(const MergedPlan&) = delete;

  DeclInfo& decl;                   ///< the elaborated plan
  const BoundDecl* asked = nullptr; ///< the elaborated plan with its arguments
  SourceRange use;
  PlanEdits edits;
  std::deque<ChainLink> chain;
  FactTree facts, lets;
  MeshDraft mesh;
  PlanSpace space; ///< makes all of these names in expressions
  RuleDrafts<ir::PlacementRule> placements;
  RuleDrafts<ir::StateRule> states;
  std::vector<RecomputeDraft> recompute;
  std::vector<KeepDraft> keeps;
  std::optional<OverrideDraft> recomputeOverride, keepOverride;
  std::optional<Scoped<syntax::PipelineBlock>> pipeline, replacedPipeline;
  std::optional<Scoped<syntax::SearchBlock>> search;
  std::optional<Scoped<syntax::Section>> overlap;
  std::optional<FactTree> overlapFacts; ///< of the last block, with edits; step overlap() fills it
  std::vector<Scoped<syntax::AssertStmt>> asserts;
  std::vector<Scoped<syntax::MeasuredStmt>> measured;

  /// A fact or a section of the plan; null if there is none.
  FactNode* fact(std::string_view name) { return facts.root().find(Symbol(name)); }
  FactNode* section(std::string_view name) {
    FactNode* node = fact(name);
    return node && node->section() ? node : nullptr;
  }
  FactNode* fact(ir::Statement statement) { return fact(ir::name(statement)); }
  FactNode* section(ir::Statement statement) { return section(ir::name(statement)); }
};

} // namespace planc::frontend
