// One plan from top to bottom: chain, machine, mesh, rules, workload, model, selectors, conditions.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/facts/Schema.h"
#include "frontend/model/ModelBuilder.h"
#include "frontend/plan/PlanSpace.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(TrainWithoutLoss, 419, "`{workload}` needs a value `loss`, and model `{model}` has none")
PLANC_ERROR(MissingModel, 679, "plan `{plan}` has no `{fact}`")

FactNode* PlanBuilder::factNode(std::string_view name) {
  return facts_->root().find(Symbol(name));
}

namespace {

/// `(nodes = 8)`: arguments by name, as values; only those that stand in `where`, if it is valid.
std::string argumentsText(const BoundDecl& decl, SourceRange where) {
  std::string text;
  for (const BoundArg& arg : decl.args) {
    const bool here = !where.valid() ||
                      (arg.range.file == where.file && arg.range.begin >= where.begin && arg.range.end <= where.end);
    if (here) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", arg.name.view(), show(arg.value));
  }
  return text.empty() ? "" : "(" + text + ")";
}

/// The arguments that a plan was chosen with, of which some may be set to another value.
BoundDecl asPriced(BoundDecl chosen, const std::deque<BoundDecl>& edited) {
  for (const BoundDecl& decl : edited)
    if (decl.decl == chosen.decl)
      for (BoundArg& arg : chosen.args)
        for (const BoundArg& now : decl.args)
          if (now.name == arg.name) arg.value = now.value;
  return chosen;
}

} // namespace

/// What a fact names, for reports: as written, with the values of its arguments.
std::string PlanBuilder::written(std::string_view fact) {
  FactNode* node = factNode(fact);
  if (!node || node->section()) return "";
  const syntax::Expr* name = node->value;
  if (name->kind == syntax::ExprKind::Call) name = name->kids[0];
  const Value value = facts_->value(*node);
  if (value.kind != ValueKind::Decl) return std::string(context_.text(node->value->range));
  // A parameter of the plan, or an expression that chooses, is stated as what it stands for.
  const Symbol own = value.decl->decl->name;
  const bool stated =
      (name->kind == syntax::ExprKind::Name || name->kind == syntax::ExprKind::Member) && name->name.text == own;
  return (stated ? std::string(context_.text(name->range)) : own.str()) +
         argumentsText(*value.decl, node->edited ? SourceRange{} : node->value->range);
}

/// Cluster and stack. Both may be missing: only an estimate needs them.
void PlanBuilder::machine() {
  plan_->clusterText = written("cluster");
  plan_->softwareText = written("software");
  if (FactNode* node = factNode("cluster"); node && !node->section()) {
    const BoundDecl* decl = machines_.expect(facts_->value(*node), DeclKind::Cluster, "`cluster`");
    if (decl) plan_->cluster = machines_.cluster(*decl, node->value->range);
    ok_ &= plan_->cluster.has_value();
  }
  if (FactNode* node = factNode("software"); node && !node->section()) {
    const BoundDecl* decl = machines_.expect(facts_->value(*node), DeclKind::Stack, "`software`");
    if (decl) plan_->stack = machines_.stack(*decl, node->value->range);
    ok_ &= plan_->stack.has_value();
  }
  static const std::vector<std::string> kFacts{"model", "cluster", "software"};
  static const std::vector<std::string> kSections{"train", "precision", "infer", "finetune", "run"};
  std::vector<std::string> all = kFacts;
  all.insert(all.end(), kSections.begin(), kSections.end());
  for (const char* block : {"mesh", "place", "states", "pipeline", "recompute", "keep", "overlap", "search"})
    all.emplace_back(block);
  for (FactNode& node : facts_->root().children) {
    const std::vector<std::string>& fits = node.section() ? kSections : kFacts;
    if (std::find(fits.begin(), fits.end(), node.name.str()) != fits.end()) continue;
    ok_ = false;
    if (!node.section() && std::find(kSections.begin(), kSections.end(), node.name.str()) != kSections.end())
      reportSectionForm(context_, node.value->range, node.name.view());
    else
      reportUnknownFact(context_, node.nameRange, node.name.view(), facts_->owner(), all);
  }
}

void PlanBuilder::model() {
  FactNode* node = factNode("model");
  plan_->modelText = written("model");
  if (!node || node->section()) {
    context_.report(MissingModel, decl_->nameRange, {{"plan", decl_->name.str()}, {"fact", "model"}})
        .help("say what runs: `model = llama.llama3_8b`");
    ok_ = false;
    return;
  }
  const BoundDecl* decl = machines_.expect(facts_->value(*node), DeclKind::Model, "`model`");
  if (!decl) {
    ok_ = false;
    return;
  }
  extents_.lacks = [this](const syntax::Name& dim) { return lacksExtent(dim); };
  ModelBuilder builder(ev_, extents_);
  const std::shared_ptr<ir::Model> built = builder.build(*decl, node->value->range);
  plan_->model = built;
  if (!built) {
    ok_ = false;
    return;
  }
  applyFinetune(*built);
  checkWireNames();
  if (plan_->workload.train && !plan_->model->loss.valid()) {
    const FactNode* train = factNode("train") ? factNode("train") : factNode("finetune");
    context_
        .report(TrainWithoutLoss, train->nameRange,
                {{"workload", train->name.str()}, {"model", plan_->model->name.str()}})
        .label(decl->decl->nameRange, "declared here")
        .help("name the last value `loss`, or leave `train` out to run forward only");
    ok_ = false;
  }
  paths_.emplace(*plan_->model);
  checkSelectors();
}

std::unique_ptr<ir::Plan> PlanBuilder::build(const BoundDecl& decl, SourceRange use, std::vector<Edit> edits,
                                             Symbol editsOf) {
  const uint64_t failures = context_.failures;
  decl_ = decl.decl;
  edits_ = std::move(edits);
  editsOf_ = editsOf == Symbol() ? decl_->name : editsOf;
  plan_->name = decl_->name;
  plan_->range = decl_->nameRange;
  const FactOwner owner{fmt::format("plan `{}`", decl_->name.view()), decl_->nameRange};
  facts_ = std::make_unique<FactTree>(ev_, owner);
  lets_ = std::make_unique<FactTree>(ev_, owner);
  space_ = std::make_unique<PlanSpace>(*this);
  if (!chain(decl, use)) return nullptr;
  plan_->title = decl_->name.str() + argumentsText(asPriced(decl, editedDecls_), {});
  machine();
  mesh();
  checkTargets();
  workload();
  for (auto& draft : recompute_)
    if (!draft.rule.selectors.empty()) plan_->recompute.push_back(std::move(draft.rule));
  for (auto& [keep, layer] : keeps_) plan_->keeps.push_back(std::move(keep));
  pipeline();
  overlap();
  model();
  checkExtents();
  run();
  checkSavedNames();
  checkCheckpoints();
  for (FactNode& let : lets_->root().children) lets_->value(let);
  editsDone();
  conditions();
  search();
  if (!ok_ || context_.exhausted() || context_.failures != failures) return nullptr;
  return std::move(plan_);
}

} // namespace planc::frontend
