// Whether a workload says what the model and the step need, and nothing else.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/facts/Schema.h"
#include "frontend/plan/PlanBuilder.h"
#include "frontend/plan/Workloads.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(MissingWorkloadFact, 671, "`{workload}` has no {facts}")
PLANC_ERROR(PromptOfNothing, 682,
            "`prompt` is the extent of no dimension: no input of `{model}` counts one that has none")
PLANC_ERROR(PromptOfMany, 729, "`prompt` is the extent of one dimension: the inputs of `{model}` count {dims}")
PLANC_WARNING(NoTokens, 683, "no input of `{model}` counts tokens: there are samples per second only")
PLANC_ERROR(OwnExtent, 684, "`{dim}` of `{model}` is {extent} whatever the workload says")

namespace {

const Symbol kBatchName("batch"), kPromptFact("prompt");

} // namespace

/// Lists what this kind of workload has: its own facts, and the extents that the model asks for.
void PlanBuilder::unknownWorkloadFact(const FactNode& section, Symbol fact, SourceRange at) {
  std::vector<std::string> known = factsOf(section.name.view());
  for (Symbol asked : extents_.asked)
    if (asked != kBatchName) known.push_back(asked.str());
  reportUnknownFact(context_, at, fact.view(), {fmt::format("`{}`", section.name.view()), section.nameRange}, known);
  ok_ = false;
}

DiagnosticEngine::Builder PlanBuilder::missingFacts(const FactNode& section, const std::vector<std::string>& names) {
  std::string list;
  for (size_t i = 0; i < names.size(); ++i)
    list += (i == 0 ? "`" : i + 1 == names.size() ? " and `" : ", `") + names[i] + "`";
  ok_ = false;
  return context_.report(MissingWorkloadFact, section.nameRange,
                         {{"workload", section.name.str()}, {"facts", std::move(list)}});
}

/// What stands in the section, is nothing of the model's, and is spelt nearly like this fact of its own.
const FactNode* PlanBuilder::misspelt(const FactNode& section, Symbol fact) const {
  const std::vector<std::string> known = factsOf(section.name.view());
  for (const FactNode& node : section.children) {
    if (std::find(known.begin(), known.end(), node.name.str()) != known.end()) continue;
    if (std::find(extents_.asked.begin(), extents_.asked.end(), node.name) != extents_.asked.end()) continue;
    if (nearest(node.name.view(), known) == fact.view()) return &node;
  }
  return nullptr;
}

/// The model's input has a dimension that no fact gives an extent; false if there is no workload to say it of.
bool PlanBuilder::lacksExtent(const syntax::Name& dim) {
  if (!plan_->workload.range.valid()) return false;
  ok_ = false;
  const auto same = [&dim](const syntax::Name& other) { return other.text == dim.text; };
  if (std::none_of(lacking_.begin(), lacking_.end(), same)) lacking_.push_back(dim);
  return true;
}

/// A fact of the workload that nothing asks for and that is spelt like a dimension without an extent, or would give it
/// one: reported as misspelt.
bool PlanBuilder::misspeltExtent(const FactNode& section, const syntax::Name& dim) {
  for (const auto& [name, node] : extentFacts_) {
    const bool asked = std::find(extents_.asked.begin(), extents_.asked.end(), name) != extents_.asked.end();
    const bool near = !nearest(name.view(), {dim.text.str()}).empty() || dim.text.view().starts_with(name.view());
    if (asked || !near) continue;
    reportUnknownFact(context_, node->nameRange, name.view(),
                      {fmt::format("`{}`", section.name.view()), section.nameRange}, {dim.text.str()})
        .label(dim.range, fmt::format("the model has a dimension `{}`", dim.text.view()));
    return true;
  }
  const FactNode* prompt = misspelt(section, kPromptFact);
  if (prompt) unknownWorkloadFact(section, prompt->name, prompt->nameRange);
  return prompt;
}

/// Once the model has stated which names are dimensions: a misspelt fact is one error, not a missing one, too, and all
/// that is missing is one.
void PlanBuilder::checkNeeded(FactNode& section, const WorkloadKind& kind) {
  std::vector<std::string> names, helps;
  std::vector<syntax::Name> dims;
  for (const syntax::Name& dim : lacking_) {
    if (misspeltExtent(section, dim)) continue;
    dims.push_back(dim);
    names.push_back(dim.text.str());
    helps.push_back(fmt::format("say how long it is: `{} = …`", dim.text.view()));
  }
  for (const NeededFact& needed : kind.needed) {
    if (section.find(needed.name)) continue;
    if (const FactNode* meant = misspelt(section, needed.name)) {
      unknownWorkloadFact(section, meant->name, meant->nameRange);
    } else {
      names.push_back(needed.name.str());
      helps.emplace_back(needed.help);
    }
  }
  if (names.empty()) return;
  auto report = missingFacts(section, names);
  for (const syntax::Name& dim : dims) report.label(dim.range, "the model needs its extent");
  for (std::string& help : helps) report.help(std::move(help));
}

/// The prompt is the extent of what the model's inputs count as tokens; false after saying that it is of none.
bool PlanBuilder::checkPrompt() {
  for (Symbol name : extents_.prompted) plan_->workload.extents.emplace_back(name, *extents_.prompt);
  if (extents_.prompted.size() > 1) {
    std::string dims, facts;
    for (Symbol name : extents_.prompted) {
      dims += fmt::format("{}`{}`", dims.empty() ? "" : " and ", name.view());
      facts += fmt::format("{}{} = …", facts.empty() ? "" : "; ", name.view());
    }
    context_.report(PromptOfMany, promptFact_->nameRange, {{"model", plan_->model->name.str()}, {"dims", dims}})
        .help(fmt::format("say how long each is: `{}`; `prompt` may stand for the one that is left", facts));
    ok_ = false;
  }
  if (!promptFact_ || !extents_.prompted.empty()) return true;
  context_.report(PromptOfNothing, promptFact_->nameRange, {{"model", plan_->model->name.str()}})
      .help(
          "name the dimension itself (`infer { seq = 4096 }`), or let the model say which of its inputs counts tokens "
          "(`in tokens: [batch, seq] int32 counts seq`)");
  ok_ = false;
  return false;
}

/// A sample is as long as the workload says, and the model does not say of what: it has no rate but that of samples.
void PlanBuilder::checkTokens() {
  const ir::Model& model = *plan_->model;
  const auto countsNone = [&](ir::ValueId id) { return model.values[id].counts.empty(); };
  if (!std::all_of(model.inputs.begin(), model.inputs.end(), countsNone)) return;
  for (const auto& [name, node] : extentFacts_)
    for (const ir::ValueId id : model.inputs) {
      const ir::Value& input = model.values[id];
      const auto called = [&model, n = name](ir::DimId d) { return model.dims[d].name == n; };
      if (std::none_of(input.dims.begin(), input.dims.end(), called)) continue;
      context_.report(NoTokens, node->nameRange, {{"model", model.name.str()}})
          .label(input.range, fmt::format("`{}` is as long as the workload says", input.name.view()))
          .help(fmt::format("if these are tokens, the input says so: `in {}: […] counts {}`", input.name.view(),
                            name.view()));
      return;
    }
}

/// A fact of the workload that is none of its own must bind a dimension of the model, or say what the model says.
void PlanBuilder::checkExtent(FactNode& section, Symbol name, FactNode& node) {
  if (facts_->value(node).invalid()) return;
  const ir::Model& model = *plan_->model;
  std::optional<int64_t> own;
  const auto given = std::find_if(plan_->workload.extents.begin(), plan_->workload.extents.end(),
                                  [name](const auto& e) { return e.first == name; });
  for (const ir::Dim& d : model.dims) {
    if (d.name != name) continue;
    own = d.extent;
    if (own == given->second) return;
  }
  if (!own) return unknownWorkloadFact(section, name, node.nameRange);
  context_.report(OwnExtent, node.range, {{"dim", name.str()}, {"model", model.name.str()}, {"extent", *own}})
      .help(fmt::format("leave it out; if `{}` is a parameter of the model, give it there: `{}({} = …)`", name.view(),
                        model.name.view(), name.view()));
  ok_ = false;
}

/// After the model: what the workload lacks, what it says to no effect, and whether what it counts are tokens.
void PlanBuilder::checkExtents() {
  for (const WorkloadKind& kind : workloadKinds()) {
    FactNode* section = factNode(kind.name);
    if (!section || !section->section()) continue;
    checkNeeded(*section, kind);
    if (!plan_->model) continue;
    for (const auto& [name, node] : extentFacts_)
      if (std::find(extents_.asked.begin(), extents_.asked.end(), name) == extents_.asked.end())
        checkExtent(*section, name, *node);
  }
  if (!plan_->model) return;
  if (checkPrompt()) checkTokens();
}

} // namespace planc::frontend
