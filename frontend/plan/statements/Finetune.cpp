// Reads `finetune`: the facts of `train`, `freeze`, and `lora`, which freezes everything but its adapters.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Adapters.h"
#include "frontend/plan/Words.h"
#include "frontend/plan/statements/Workload.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(NothingToTrain, 781, "`finetune` freezes every parameter of model `{model}`, so there is nothing to train")

namespace {
const Symbol kFreeze("freeze"), kLora("lora"), kRank("rank"), kTargets("targets");

const std::pair<Symbol, std::string_view> kNeededOfLora[] = {
    {kRank, "columns of the first factor, rows of the second: `rank = 16`"},
    {kTargets, "the layers whose products get an adapter: `targets = [decoder.attn]`"}};
} // namespace

bool finetuneFact(Elaboration& elab, MergedPlan& merged, FactNode& fact) {
  ir::Workload& w = elab.plan.workload;
  if (fact.name == kFreeze && !fact.section()) {
    for (ir::Selector& s : pathsOf(elab, fact.value)) w.freeze.push_back(std::move(s));
    return true;
  }
  if (fact.name != kLora || !fact.section()) return false;
  ir::Adapters adapters;
  adapters.range = fact.range;
  for (FactNode& part : fact.children) {
    if (part.name == kRank && !part.section()) {
      adapters.rank = count(elab, merged.facts, part, "lora.rank").value_or(1);
    } else if (part.name == kTargets && !part.section()) {
      adapters.targets = pathsOf(elab, part.value);
    } else {
      reportUnknownFact(elab.context, part.nameRange, part.name.view(), {"`lora`", fact.nameRange},
                        {"rank", "targets"});
      elab.ok = false;
    }
  }
  std::vector<std::string> missing, helps;
  for (const auto& [name, help] : kNeededOfLora) {
    if (fact.find(name)) continue;
    missing.push_back(name.str());
    helps.emplace_back(help);
  }
  if (!missing.empty()) {
    auto report = missingFacts(elab, fact, missing);
    for (std::string& help : helps) report.help(std::move(help));
  }
  w.adapters = std::move(adapters);
  return true;
}

void applyFinetune(Elaboration& elab, MergedPlan& merged, ir::Model& model) {
  const ir::Workload& w = elab.plan.workload;
  if (w.adapters && !addAdapters(model, *w.adapters, elab.context)) elab.ok = false;
  FactNode* node = merged.section(ir::Statement::Finetune);
  if (!elab.ok || !node) return;
  const bool trains = std::any_of(model.params.begin(), model.params.end(), [&](ir::ValueId p) {
    const ir::Value& value = model.values[p];
    return value.trainable && std::none_of(w.freeze.begin(), w.freeze.end(), [&](const ir::Selector& s) {
             const bool sliced = choosesInstances(s);
             return !sliced && s.matches(value.path);
           });
  });
  if (trains) return;
  elab.context.report(NothingToTrain, node->nameRange, {{"model", model.name.str()}})
      .help("freeze fewer parameters, or use `infer` for a pass without training");
  elab.ok = false;
}

} // namespace planc::frontend
