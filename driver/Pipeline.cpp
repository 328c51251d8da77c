// The one wiring of the rooms that every command uses.
// SPDX-License-Identifier: Apache-2.0
#include "driver/Pipeline.h"

#include "backends/cost/Estimator.h"
#include "backends/cost/result/Doubts.h"
#include "driver/BalanceStages.h"
#include "driver/Help.h"
#include "driver/Parts.h"
#include "driver/Progress.h"
#include "support/Embedded.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::driver {

bool CompiledPlan::lower(ir::Level level, const passes::PassObserver& observer) {
  settleStages();
  Step step("lowering");
  program = passes::lower(*plan, level, diagnostics, observer);
  return program != nullptr;
}

/// A balanced cut needs prices, which no pass knows; so does what the report of a cut that fails offers.
void CompiledPlan::settleStages() {
  if (!plan->pipeline || !plan->pipeline->stages.empty()) return;
  Step step("balancing");
  ir::Pipeline& pipeline = *plan->pipeline;
  if (pipeline.cut && pipeline.cut->cut == ir::StageCut::Balanced)
    pipeline.stages = balancedStages(*plan);
  else if (pipeline.offered.empty() && !passes::canCutStages(*plan))
    pipeline.offered = balancedStages(*plan);
}

bool CompiledPlan::makeSchedule(const passes::PassObserver& observer) {
  Step step("scheduling");
  schedule = passes::schedule(*program, observer);
  return schedule != nullptr;
}

bool CompiledPlan::checkVerdict() {
  size_t before = diagnostics.errorCount();
  verdict::check(*plan, diagnostics);
  return diagnostics.errorCount() == before;
}

bool CompiledPlan::price() {
  Step step("pricing");
  bool typed = checkVerdict();
  if (!plan->stack) {
    cost::reportNoSoftware(*plan, stacksFor(*plan), diagnostics);
    return false;
  }
  if (cost::reportNoWorkload(*plan, diagnostics) || !lower(ir::Level::Comm) || !makeSchedule()) return false;
  estimate = cost::estimate(*schedule, diagnostics);
  if (estimate && typed) results = verdict::evaluate(*plan, *estimate, diagnostics);
  return estimate != nullptr;
}

InputFile::InputFile(Console& console, std::string path) : console_(console), path_(std::move(path)) {}

bool InputFile::load() {
  Step step("reading");
  std::string error;
  if (session_.load(path_, error)) return true;
  console_.usageError(error);
  return false;
}

int InputFile::set(const Arguments& arguments) {
  for (const std::string& word : arguments.all(kSetOption.name)) {
    const size_t at = word.find('=');
    if (at == std::string::npos || at == 0)
      return console_.usageError("`--set` takes a path and a value; this is `" + word + "`",
                                 "as `--set train.micro_batch=2`");
    edit_.facts.push_back({word.substr(0, at), word.substr(at + 1)});
  }
  if (session_.set(edit_)) return kClean;
  console_.diagnose(session_.diagnostics(), session_.sources());
  console_.summarize();
  return kFailed;
}

bool InputFile::check() {
  Step step("checking");
  session_.check(); // an error in one declaration does not hide those of the others
  return !hasErrors();
}

std::vector<std::unique_ptr<CompiledPlan>> InputFile::plans(const std::vector<std::string>& choices) {
  Step step("elaboration");
  std::vector<std::unique_ptr<CompiledPlan>> out;
  auto add = [&](const std::optional<frontend::PlanChoice>& choice) {
    for (std::unique_ptr<ir::Plan>& plan : session_.plans(choice)) {
      out.push_back(std::make_unique<CompiledPlan>());
      out.back()->named = choice ? choice->text : plan->name.str();
      out.back()->range = plan->range;
      out.back()->plan = std::move(plan);
    }
  };
  for (const std::string& choice : choices) add(frontend::PlanChoice{choice});
  if (choices.empty()) add(std::nullopt);
  return out;
}

std::vector<DeclaredComparison> InputFile::comparisons(const std::optional<std::string>& choice) {
  Step step("elaboration");
  std::vector<DeclaredComparison> out;
  const auto named = choice ? std::optional(frontend::PlanChoice{*choice}) : std::nullopt;
  for (frontend::PlanComparison& comparison : session_.comparisons(named)) {
    DeclaredComparison& to = out.emplace_back();
    to.name = comparison.name;
    to.failed = std::move(comparison.failed);
    for (frontend::PlanComparison::Row& row : comparison.rows) {
      CompiledPlan& plan = *to.plans.emplace_back(std::make_unique<CompiledPlan>());
      plan.label = row.label;
      plan.range = row.range;
      plan.plan = std::move(row.plan);
    }
  }
  return out;
}

void InputFile::report(const std::vector<std::unique_ptr<CompiledPlan>>& plans) {
  console_.diagnose(session_.diagnostics(), session_.sources());
  for (const auto& plan : plans) console_.diagnose(plan->diagnostics, session_.sources());
}

int noPlans(Console& console, InputFile& file) {
  const std::vector<std::string> open = file.openPlans();
  if (open.empty()) return console.usageError(file.shownPath() + " holds no plan");
  std::string help;
  for (const std::string& plan : open) help += fmt::format("{}`--plan '{}'`", help.empty() ? "" : ", or ", plan);
  return console.usageError(file.shownPath() + " holds no plan whose parameters all have defaults",
                            "bind them: " + help);
}

std::vector<std::string> knownStacks() {
  constexpr std::string_view kFolder = "std/stacks/", kWord = "export stack ";
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embeddedStdlib()) {
    if (!file.path.starts_with(kFolder)) continue;
    std::string module(file.path.substr(kFolder.size()));
    module.resize(module.size() - std::string_view(".plan").size());
    for (size_t at = file.text.find(kWord); at != std::string_view::npos; at = file.text.find(kWord, at + 1)) {
      if (at > 0 && file.text[at - 1] != '\n') continue;
      std::string_view rest = file.text.substr(at + kWord.size());
      names.push_back(module + "." + std::string(rest.substr(0, rest.find_first_of(" ({\n"))));
    }
  }
  return names;
}

std::string jsonDocument(const Console& console, std::string_view format, nlohmann::ordered_json found) {
  nlohmann::ordered_json root{{"format_version", format}, {"planc", versionNumber()}};
  root.update(found);
  root["diagnostics"] = console.diagnosticsJson();
  return root.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace planc::driver
