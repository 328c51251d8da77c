// `planc check`: parses, resolves and type-checks files, and puts every plan through the laws of placement and
// schedule. Silent when clean.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Report.h"
#include "driver/Commands.h"
#include "driver/Files.h"
#include "driver/InputFile.h"
#include "driver/JsonDocument.h"

#include <nlohmann/json.hpp>

namespace planc::driver {
namespace {

nlohmann::ordered_json planJson(const InputFile& file, const api::Compilation& plan) {
  return {{"id", report::planId(file.shownPath(), plan.plan())},
          {"name", plan.plan().title},
          {"file", file.shownPath()},
          {"ok", !plan.diagnostics().hasErrors()}};
}

void checkPlan(api::Compilation& plan) {
  plan.checkVerdict();
  if (plan.lower(ir::Level::Comm)) plan.makeSchedule();
}

int runCheck(Console& console, const Arguments& arguments) {
  std::vector<std::string> files = expandFolders(arguments.positional);
  if (files.empty()) return console.usageError("no .plan file in " + arguments.positional[0]);
  bool unreadable = false;
  Inputs inputs;
  nlohmann::ordered_json checked = nlohmann::ordered_json::array();
  for (const std::string& path : files) {
    InputFile file(console, path);
    if (!file.load()) {
      unreadable = true;
      continue;
    }
    if (const int code = file.set(arguments)) return code;
    Plans plans;
    file.check([&](std::unique_ptr<api::Compilation> plan) {
      checkPlan(*plan);
      checked.push_back(planJson(file, *plan));
      plan->release();
      plans.push_back(std::move(plan));
    });
    std::vector<api::Comparison> comparisons = file.comparisons();
    for (const api::Comparison& comparison : comparisons)
      for (const auto& plan : comparison.plans) {
        checkPlan(*plan);
        checked.push_back(planJson(file, *plan));
        checked.back()["comparison"] = comparison.name;
        checked.back()["label"] = plan->asked().label;
      }
    file.report(plans);
    for (const api::Comparison& comparison : comparisons) file.report(comparison.plans);
    inputs.add(file.sources(), file.shownPath());
  }
  console.summarize();
  if (arguments.value("--format") == "json") {
    JsonDocument document(kPlansFormat);
    document.found().member("plans", checked);
    addInputs(document.found(), inputs);
    document.print(console);
  }
  return unreadable ? kUsage : console.hasErrors() ? kFailed : kClean;
}

} // namespace

const Command kCheckCommand = {
    "check",
    "check files and every plan in them; silent when clean",
    {{"FILE", 1, kMany, "a .plan file, a folder of them, or - for stdin"}},
    {kSetOption, {"--format", "", {"text", "json"}, "json: one object with the plans and all diagnostics"}},
    "planc check examples/gpt3_175b.plan",
    runCheck,
};

} // namespace planc::driver
