// Checks that a workload gives what the model and the step need, and nothing else.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/facts/Schema.h"
#include "frontend/plan/statements/Workload.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(MissingWorkloadFact, 671, "`{workload}` has no {facts}")
PLANC_ERROR(PromptOfNothing, 682, "`{fact}` has no effect: no input of `{model}` counts a dimension without an extent")
PLANC_ERROR(PromptOfMany, 729, "`prompt` needs exactly one dimension, but the inputs of `{model}` count {dims}")
PLANC_WARNING(NoTokens, 683, "no input of `{model}` counts tokens: only samples per second are reported")
PLANC_ERROR(OwnExtent, 684, "model `{model}` fixes `{dim}` at {extent}: the workload cannot change it")

namespace {

const Symbol kPromptFact("prompt");

} // namespace

void unknownWorkloadFact(Elaboration& elab, const WorkloadFacts& facts, const FactNode& section, Symbol fact,
                         SourceRange at) {
  std::vector<std::string> known = ir::settingNames(section.name.view());
  for (Symbol asked : facts.extents.asked)
    if (asked != kSamples) known.push_back(asked.str());
  reportUnknownFact(elab.context, at, fact.view(), {fmt::format("`{}`", section.name.view()), section.nameRange},
                    known);
  elab.ok = false;
}

DiagnosticEngine::Builder missingFacts(Elaboration& elab, const FactNode& section,
                                       const std::vector<std::string>& names) {
  elab.ok = false;
  return elab.context.report(MissingWorkloadFact, section.nameRange,
                             {{"workload", section.name.str()}, {"facts", quotedSeries(names)}});
}

bool lacksExtent(Elaboration& elab, WorkloadFacts& facts, const syntax::Name& dim) {
  if (!elab.plan.workload.range.valid()) return false;
  elab.ok = false;
  const auto same = [&dim](const syntax::Name& other) { return other.text == dim.text; };
  if (std::none_of(facts.lacking.begin(), facts.lacking.end(), same)) facts.lacking.push_back(dim);
  return true;
}

namespace {

/// A fact in the section that is unknown and spelt nearly like its fact `fact`; null if there is none.
const FactNode* misspelt(const WorkloadFacts& facts, const FactNode& section, Symbol fact) {
  const std::vector<std::string> known = ir::settingNames(section.name.view());
  for (const FactNode& node : section.children) {
    if (std::find(known.begin(), known.end(), node.name.str()) != known.end()) continue;
    if (std::find(facts.extents.asked.begin(), facts.extents.asked.end(), node.name) != facts.extents.asked.end())
      continue;
    if (nearest(node.name.view(), known) == fact.view()) return &node;
  }
  return nullptr;
}

/// Reports a workload fact that nothing reads and whose name is similar to a dimension without an extent, as misspelt.
/// Returns whether there was one.
bool misspeltExtent(Elaboration& elab, WorkloadFacts& facts, const FactNode& section, const syntax::Name& dim) {
  for (const auto& [name, node] : facts.bound) {
    const bool asked =
        std::find(facts.extents.asked.begin(), facts.extents.asked.end(), name) != facts.extents.asked.end();
    const bool near = !nearest(name.view(), {dim.text.str()}).empty() || dim.text.view().starts_with(name.view());
    if (asked || !near) continue;
    reportUnknownFact(elab.context, node->nameRange, name.view(),
                      {fmt::format("`{}`", section.name.view()), section.nameRange}, {dim.text.str()})
        .label(dim.range, fmt::format("the model has a dimension `{}`", dim.text.view()));
    return true;
  }
  const FactNode* prompt = misspelt(facts, section, kPromptFact);
  if (prompt) unknownWorkloadFact(elab, facts, section, prompt->name, prompt->nameRange);
  return prompt;
}

/// Once the model has stated which names are dimensions: a misspelt fact is one error, not a missing one, too, and all
/// that is missing is one.
void checkNeeded(Elaboration& elab, MergedPlan& merged, WorkloadFacts& facts, FactNode& section) {
  std::vector<std::string> names, helps;
  std::vector<syntax::Name> dims;
  for (const syntax::Name& dim : facts.lacking) {
    if (misspeltExtent(elab, facts, section, dim)) continue;
    dims.push_back(dim);
    names.push_back(dim.text.str());
    helps.push_back(fmt::format("state its extent: `{} = …`", dim.text.view()));
  }
  for (const ir::SettingRow* row : ir::settingsIn(section.name.view())) {
    const Symbol name(ir::nameOf(*row));
    if (row->needed.empty() || section.find(name)) continue;
    if (const FactNode* meant = misspelt(facts, section, name)) {
      unknownWorkloadFact(elab, facts, section, meant->name, meant->nameRange);
    } else {
      names.push_back(name.str());
      helps.emplace_back(row->needed);
    }
  }
  if (names.empty()) return;
  auto report = missingFacts(elab, section, names);
  for (const syntax::Name& dim : dims) report.label(dim.range, "the model needs its extent");
  for (std::string& help : helps) report.help(std::move(help));
  if (elab.plan.model) report.note(otherNeeds(merged)); // else the report of the missing model lists it
}

/// Binds the prompt (or the sequence) to the dimensions that the model's inputs count as tokens. Returns false after
/// reporting that there is none.
bool checkPrompt(Elaboration& elab, WorkloadFacts& facts) {
  for (Symbol name : facts.extents.prompted)
    elab.plan.workload.phases.back().extents.emplace_back(name, *facts.extents.prompt);
  const bool prompt = facts.prompt && facts.prompt->name == kPromptFact;
  if (prompt && facts.extents.prompted.size() > 1) {
    std::string dims, missing;
    for (Symbol name : facts.extents.prompted) {
      dims += fmt::format("{}`{}`", dims.empty() ? "" : " and ", name.view());
      missing += fmt::format("{}{} = …", missing.empty() ? "" : "; ", name.view());
    }
    elab.context.report(PromptOfMany, facts.prompt->nameRange, {{"model", elab.plan.model->name.str()}, {"dims", dims}})
        .help(fmt::format("state each extent: `{}`; `prompt` can replace the last one", missing));
    elab.ok = false;
  }
  if (!facts.prompt || !facts.extents.prompted.empty()) return true;
  elab.context
      .report(PromptOfNothing, facts.prompt->nameRange,
              {{"fact", facts.prompt->name.str()}, {"model", elab.plan.model->name.str()}})
      .help(fmt::format("name the dimension itself (`{} {{ seq = 4096 }}`), or declare in the model which input counts "
                        "tokens (`in tokens: [batch, seq] int32 counts seq`)",
                        elab.plan.workload.section.view()));
  elab.ok = false;
  return false;
}

/// Warns if the workload gives the length of samples but the model does not count tokens: then only the rate of samples
/// is known.
void checkTokens(Elaboration& elab, WorkloadFacts& facts) {
  const ir::Model& model = *elab.plan.model;
  const auto countsNone = [&](ir::ValueId id) { return model.values[id].counts.empty(); };
  if (!std::all_of(model.inputs.begin(), model.inputs.end(), countsNone)) return;
  for (const auto& [name, node] : facts.bound)
    for (const ir::ValueId id : model.inputs) {
      const ir::Value& input = model.values[id];
      const auto called = [&model, n = name](ir::DimId d) { return model.dims[d].name == n; };
      if (std::none_of(input.dims.begin(), input.dims.end(), called)) continue;
      elab.context.report(NoTokens, node->nameRange, {{"model", model.name.str()}})
          .label(input.range, fmt::format("the workload sets the extent of `{}`", input.name.view()))
          .help(fmt::format("if these are tokens, declare it in the input: `in {}: […] counts {}`", input.name.view(),
                            name.view()));
      return;
    }
}

/// Checks a fact that is not one of the workload's own: it must bind a dimension of the model, or equal the model's
/// extent.
void checkExtent(Elaboration& elab, MergedPlan& merged, WorkloadFacts& facts, FactNode& section, Symbol name,
                 FactNode& node) {
  if (merged.facts.value(node).invalid()) return;
  const ir::Model& model = *elab.plan.model;
  std::optional<int64_t> own;
  const auto bound = elab.plan.workload.extents();
  const auto given = std::find_if(bound.begin(), bound.end(), [name](const auto& e) { return e.first == name; });
  for (const ir::Dim& d : model.dims) {
    if (d.name != name) continue;
    own = d.extent;
    if (own == given->second) return;
  }
  if (!own) return unknownWorkloadFact(elab, facts, section, name, node.nameRange);
  elab.context.report(OwnExtent, node.range, {{"dim", name.str()}, {"model", model.name.str()}, {"extent", *own}})
      .help(fmt::format("remove it; if `{}` is a parameter of the model, set it there: `{}({} = …)`", name.view(),
                        model.name.view(), name.view()));
  elab.ok = false;
}

} // namespace

void checkExtents(Elaboration& elab, MergedPlan& merged, WorkloadFacts& facts) {
  for (const ir::Statement kind : kWorkloads) {
    FactNode* section = merged.section(kind);
    if (!section) continue;
    checkNeeded(elab, merged, facts, *section);
    if (!elab.plan.model) continue;
    for (const auto& [name, node] : facts.bound)
      if (std::find(facts.extents.asked.begin(), facts.extents.asked.end(), name) == facts.extents.asked.end())
        checkExtent(elab, merged, facts, *section, name, *node);
  }
  if (!elab.plan.model) return;
  if (checkPrompt(elab, facts)) checkTokens(elab, facts);
  checkDocuments(elab, facts);
}

} // namespace planc::frontend
