// `finetune`: the facts of `train`, and what is not trained: `freeze`, and `lora` with everything but its adapters
// frozen.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Adapters.h"
#include "frontend/plan/PlanBuilder.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(NothingToTrain, 781, "`finetune` freezes every parameter of model `{model}`: nothing is left to train")
PLANC_ERROR(TwoWorkloads, 786, "plan `{plan}` has two workloads, `{first}` and `{second}`")

namespace {
const Symbol kFreeze("freeze"), kLora("lora"), kRank("rank"), kTargets("targets");
}

/// `[decoder[0:20], embed]`: paths of the model as written, which no name of the plan stands for.
std::vector<ir::Selector> PlanBuilder::paths(const syntax::Expr* value) {
  std::vector<ir::Selector> made;
  auto add = [&](const syntax::Expr& e) {
    if (auto selector = parseSelector(context_, context_.text(e.range), e.range))
      made.push_back(std::move(*selector));
    else
      ok_ = false;
  };
  if (!value || value->kind != syntax::ExprKind::List) {
    if (value) add(*value);
    return made;
  }
  for (const syntax::Expr* e : value->kids) add(*e);
  return made;
}

/// A fact that only `finetune` has; false if it is one of `train`.
bool PlanBuilder::finetuneFact(FactNode& fact) {
  ir::Workload& w = plan_->workload;
  if (fact.name == kFreeze && !fact.section()) {
    for (ir::Selector& s : paths(fact.value)) w.freeze.push_back(std::move(s));
    return true;
  }
  if (fact.name != kLora || !fact.section()) return false;
  ir::Adapters adapters;
  adapters.range = fact.range;
  for (FactNode& part : fact.children) {
    if (part.name == kRank && !part.section()) {
      adapters.rank = count(part, "lora.rank").value_or(1);
    } else if (part.name == kTargets && !part.section()) {
      adapters.targets = paths(part.value);
    } else {
      reportUnknownFact(context_, part.nameRange, part.name.view(), {"`lora`", fact.nameRange}, {"rank", "targets"});
      ok_ = false;
    }
  }
  for (Symbol needed : {kRank, kTargets})
    if (!fact.find(needed))
      missingFacts(fact, {needed.str()})
          .help(needed == kRank ? "columns of the first factor, rows of the second: `rank = 16`"
                                : "the layers whose products get an adapter: `targets = [decoder.attn]`");
  w.adapters = std::move(adapters);
  return true;
}

/// At most one of the three.
void PlanBuilder::oneWorkload() {
  const FactNode* first = nullptr;
  for (const char* name : {"train", "finetune", "infer"}) {
    const FactNode* node = factNode(name);
    if (!node || !node->section()) continue;
    if (first) {
      context_
          .report(TwoWorkloads, node->nameRange,
                  {{"plan", decl_->name.str()}, {"first", first->name.str()}, {"second", node->name.str()}})
          .label(first->nameRange, "the other one")
          .help("write two plans, the second `extends` what they share");
      ok_ = false;
      return;
    }
    first = node;
  }
}

/// Adapters into the model, and whether anything is left to train.
void PlanBuilder::applyFinetune(ir::Model& model) {
  const ir::Workload& w = plan_->workload;
  if (w.adapters && !addAdapters(model, *w.adapters, context_)) ok_ = false;
  FactNode* node = factNode("finetune");
  if (!ok_ || !node || !node->section()) return;
  const bool trains = std::any_of(model.params.begin(), model.params.end(), [&](ir::ValueId p) {
    const ir::Value& value = model.values[p];
    return value.trainable && std::none_of(w.freeze.begin(), w.freeze.end(), [&](const ir::Selector& s) {
             const bool sliced = choosesInstances(s);
             return !sliced && s.matches(value.path);
           });
  });
  if (trains) return;
  context_.report(NothingToTrain, node->nameRange, {{"model", model.name.str()}})
      .help("freeze less, or use `infer` for a pass without training");
  ok_ = false;
}

} // namespace planc::frontend
