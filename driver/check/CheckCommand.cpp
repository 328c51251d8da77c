// `planc check`: parses, resolves and type-checks files, and checks every plan against the laws of placement and
// schedule. Prints nothing if there are no findings.
// SPDX-License-Identifier: Apache-2.0
#include "driver/check/CheckPlan.h"
#include "driver/check/FixFiles.h"
#include "driver/check/ReadFiles.h"
#include "driver/files/Files.h"
#include "driver/files/JsonDocument.h"
#include "driver/files/OptionValues.h"
#include "driver/files/WorkFiles.h"
#include "driver/words/Commands.h"
#include "report/Report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::driver {
namespace {

nlohmann::ordered_json planJson(const InputFile& file, const api::Compilation& plan) {
  return {{"id", report::planId(file.shownPath(), plan.plan())},
          {"name", plan.plan().title},
          {"file", file.shownPath()},
          {"ok", !plan.diagnostics().hasErrors()}};
}

/// The result of checking a file.
struct CheckedFile : ReadFile {
  nlohmann::ordered_json plans = nlohmann::ordered_json::array();
  RenderedDiagnostics diagnostics;
};

/// Returns whether no plan has errors, so that each was checked completely.
bool clean(InputFile& file, const Plans& plans, const std::vector<api::Comparison>& comparisons) {
  const auto good = [](const auto& plan) { return !plan->diagnostics().hasErrors(); };
  return !file.hasErrors() && std::all_of(plans.begin(), plans.end(), good) &&
         std::all_of(comparisons.begin(), comparisons.end(), [&](const api::Comparison& comparison) {
           return std::all_of(comparison.plans.begin(), comparison.plans.end(), good);
         });
}

/// Checks the plans of a file and of its comparisons.
void checkPlans(InputFile& file, CheckedFile& out) {
  Plans plans;
  file.check([&](std::unique_ptr<api::Compilation> plan) {
    checkPlan(*plan);
    out.plans.push_back(planJson(file, *plan));
    plan->release();
    plans.push_back(std::move(plan));
  });
  std::vector<api::Comparison> comparisons = file.comparisons();
  for (const api::Comparison& comparison : comparisons)
    for (const auto& plan : comparison.plans) {
      checkPlan(*plan);
      out.plans.push_back(planJson(file, *plan));
      out.plans.back()["comparison"] = comparison.name;
      out.plans.back()["label"] = plan->asked().label;
    }
  if (clean(file, plans, comparisons)) file.reportIdleAllowances();
  out.diagnostics = file.rendered(plans);
  for (const api::Comparison& comparison : comparisons) out.diagnostics.add(file.rendered(comparison.plans));
}

/// Checks a file; may run on any thread. `text`: replaces the content of the file if not null.
CheckedFile checkFile(Console& console, const WorkFile& work, const std::string* text, const ir::PlanEdit& edit,
                      const CheckOutputs& outputs) {
  CheckedFile out;
  InputFile file(console, work.path, work.as);
  if (text)
    file.take(*text);
  else if (!file.load(out.unreadable))
    return out;
  out.set = file.set(edit);
  if (out.set)
    checkPlans(file, out);
  else
    out.diagnostics = file.rendered();
  out.close(file, outputs);
  return out;
}

/// Adds the policy files of the project, which are checked like plan files.
void addPolicies(const std::vector<std::string>& policies, std::vector<WorkFile>& files) {
  for (const std::string& path : policies)
    if (std::none_of(files.begin(), files.end(),
                     [&](const WorkFile& file) { return wholePath(file.path) == wholePath(path); }))
      files.push_back({path, false});
}

int runCheck(Console& console, const Arguments& arguments) {
  const auto written = CheckOutputs::of(console, arguments);
  const auto edit = editOf(console, arguments);
  const auto jobs = jobsOf(console, arguments);
  const auto stdinPath = stdinPathOf(console, arguments);
  if (!written || !edit || !jobs || !stdinPath) return kUsage;
  FixFiles fixes(console, arguments);
  if (const int code = fixes.check()) return code;
  WorkFiles work;
  const int found = filesOf(console, arguments.positional, work, *stdinPath);
  if (found == kUsage) return found; // errors in planc.toml are part of the result
  std::vector<std::string> policies;
  policiesOf(console, work.project, policies); // errors are part of the result
  nlohmann::ordered_json checked = nlohmann::ordered_json::array();
  if (arguments.positional.empty()) addPolicies(policies, work.files);
  if (const int code = written->spare(console, work.files, policies)) return code;
  const FixFiles::Texts fixed = fixes.run(work.files);
  addPolicies(policies, work.files); // after the fixes, which apply to the named files only
  const auto check = [&](size_t i) {
    const auto text = fixed.find(work.files[i].path);
    return checkFile(console, work.files[i], text == fixed.end() ? nullptr : &text->second, *edit, *written);
  };
  const ReadFiles read = readFiles<CheckedFile>(console, work.files.size(), *jobs, check, [&](CheckedFile file) {
    console.diagnose(std::move(file.diagnostics));
    for (nlohmann::ordered_json& plan : file.plans) checked.push_back(std::move(plan));
  });
  if (read.stopped != kClean) return read.stopped;
  console.summarize();
  const auto asJson = [&](JsonStream& root) {
    root.member("plans", checked);
    addInputs(root, read.inputs);
  };
  if (const int code = written->write(console, {"check", checked, console.diagnosticsJson()}, kPlansFormat, asJson))
    return code;
  return read.unreadable ? kUsage : console.hasErrors() || fixes.differs() ? kFailed : kClean;
}

} // namespace

const Command kCheckCommand = {
    "check",
    "check files and every plan in them; silent when clean",
    {{"FILE", 0, kMany, "a .plan file, a folder of them, or - for stdin; default: the files of planc.toml"}},
    {kSetOption, kJobsOption, kStdinOption, kCheckFormatOption, kCheckOutputOption, kFixOption, kUnsafeOption,
     kDiffOption},
    "planc check examples/gpt3_175b.plan",
    runCheck,
};

} // namespace planc::driver
