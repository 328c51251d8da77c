// Elaborates one plan: folds its chain, then calls the steps in order.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Plans.h"

#include "frontend/facts/Schema.h"
#include "frontend/plan/Steps.h"
#include "frontend/plan/Texts.h"

#include <algorithm>

namespace planc::frontend {

namespace {

/// Removes the `allow`s of a plan at the end of its elaboration, so that they do not apply to the next plan.
class AllowedAround {
public:
  explicit AllowedAround(DiagnosticEngine& diagnostics)
      : diagnostics_(diagnostics), count_(diagnostics.allowances().size()) {}
  ~AllowedAround() { diagnostics_.allowFirst(count_); }
  AllowedAround(const AllowedAround&) = delete;

private:
  DiagnosticEngine& diagnostics_;
  size_t count_;
};

/// Reports facts that plans do not have.
void checkFacts(Elaboration& elab, MergedPlan& merged) {
  std::vector<std::string> all;
  for (const ir::StatementRow& row : ir::statements()) all.emplace_back(row.name);
  for (FactNode& node : merged.facts.root().children) {
    const ir::StatementRow* row = ir::statementNamed(node.name.view());
    const bool section = row && row->form == ir::StatementForm::Section;
    if (node.section() ? section : row && row->form == ir::StatementForm::Named) continue;
    elab.ok = false;
    if (!node.section() && section)
      reportSectionForm(elab.context, node.value->range, node.name.view());
    else
      reportUnknownFact(elab.context, node.nameRange, node.name.view(), merged.facts.owner(), all);
  }
}

/// Checks the results of the steps before the model against the model.
void checkAgainstModel(Elaboration& elab, MergedPlan& merged, PathTree& paths) {
  checkWireNames(elab, merged);
  checkSelectors(elab, paths);
  checkStageCut(elab);
}

} // namespace

std::unique_ptr<ir::Plan> buildPlan(Evaluator& evaluator, Machines& machines, const BoundDecl& decl, SourceRange use,
                                    const std::vector<Edit>& edits, Symbol editsOf, const SearchRequest& search,
                                    const Demands& demands) {
  Context& context = evaluator.context;
  const uint64_t failures = context.failures;
  const AllowedAround allowed(context.diagnostics);
  auto plan = std::make_unique<ir::Plan>();
  plan->name = decl.decl->name;
  plan->range = decl.decl->nameRange;
  Elaboration elab{evaluator, context, machines, *plan};
  PlanEdits set(edits, editsOf == Symbol() ? decl.decl->name : editsOf);
  set.search = search;
  const std::unique_ptr<MergedPlan> merged = merge(elab, decl, use, std::move(set));
  if (!merged) return nullptr;
  plan->allowances = context.diagnostics.allowances();
  plan->title = titleOf(decl, merged->edits);
  plan->arguments = argumentsOf(evaluator, *merged);
  checkFacts(elab, *merged);
  machine(elab, *merged);
  mesh(elab, *merged);
  placementRules(elab, *merged);
  WorkloadFacts facts = workload(elab, *merged);
  precision(elab, *merged);
  recompute(elab, *merged);
  keeps(elab, *merged);
  pipeline(elab, *merged);
  overlap(elab, *merged);
  std::optional<PathTree> paths = model(elab, *merged, facts);
  if (paths) checkAgainstModel(elab, *merged, *paths);
  checkExtents(elab, *merged, facts);
  run(elab, *merged);
  checkSavedNames(elab);
  checkCheckpoints(elab, *merged);
  const auto& reads = merged->space.reads();
  plan->reads.assign(reads.begin(), reads.end()); // reads of later steps do not affect the plan
  for (FactNode& let : merged->lets.root().children) merged->lets.value(let);
  setFacts(elab, *merged);
  PathTree* known = paths ? &*paths : nullptr;
  conditions(elab, *merged, known);
  demanded(elab, *merged, known, demands.of(*decl.decl->module));
  frontend::search(elab, *merged, known);

  if (!elab.ok || context.exhausted() || context.failures != failures) return nullptr;
  return plan;
}

} // namespace planc::frontend
