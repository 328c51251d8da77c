// `planc check`: parses, resolves and type-checks files, and puts every plan through the laws of placement and
// schedule. Silent when clean.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Report.h"
#include "driver/CheckFormats.h"
#include "driver/CheckPlan.h"
#include "driver/Commands.h"
#include "driver/Files.h"
#include "driver/FixFiles.h"
#include "driver/InputFile.h"
#include "driver/JsonDocument.h"
#include "driver/OptionValues.h"
#include "driver/Parallel.h"
#include "driver/WorkFiles.h"
#include "support/Spelling.h"

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

/// `--output sarif=FILE`.
struct Output {
  const CheckFormat* format = nullptr;
  std::string path;
};

/// Those that are asked for; nothing after a usage error.
std::optional<std::vector<Output>> outputs(Console& console, const Arguments& arguments) {
  std::vector<Output> out;
  for (const std::string& word : arguments.all("--output")) {
    const size_t at = word.find('=');
    const std::string name = word.substr(0, at), path = at == std::string::npos ? "" : word.substr(at + 1);
    std::vector<std::string> names;
    for (const CheckFormat& format : checkFormats()) names.emplace_back(format.name);
    const CheckFormat* const format = checkFormat(name);
    if (!format || path.empty()) {
      console.usageError("`--output` takes a format and a file; this is `" + word + "`",
                         format ? "as `--output " + name + "=FILE`"
                                : didYouMean(name, names, "formats are " + quotedList(names)));
      return std::nullopt;
    }
    if (std::any_of(out.begin(), out.end(), [&](const Output& other) { return other.path == path; })) {
      console.usageError("two formats would be written to " + path, "name another file for one of them");
      return std::nullopt;
    }
    out.push_back({format, path});
  }
  return out;
}

/// Writes what was found where it is asked for; returns the exit code where that fails, else kClean.
int writeChecked(Console& console, const Arguments& arguments, const Checked& checked, const Inputs& inputs,
                 const std::vector<Output>& files) {
  const std::string format = *arguments.value("--format");
  if (format == "json") {
    JsonDocument document(kPlansFormat);
    document.found().member("plans", checked.plans);
    addInputs(document.found(), inputs);
    document.print(console);
  } else if (const CheckFormat* asked = checkFormat(format)) {
    console.out(asked->text(checked));
  }
  for (const Output& file : files)
    if (const std::string problem = writeFile(file.path, file.format->text(checked)); !problem.empty())
      return console.usageError(file.path + " cannot be written: " + problem);
  return kClean;
}

/// A file that was checked, without what it was checked with.
struct CheckedFile {
  std::string unreadable; ///< why
  bool set = true;        ///< what `--set` says can be read
  std::string refused;    ///< why an output may not be written beside it
  nlohmann::ordered_json plans = nlohmann::ordered_json::array();
  RenderedDiagnostics diagnostics;
  Inputs inputs;
};

/// Checks the plans of a file and those of its comparisons.
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
  out.diagnostics = file.rendered(plans);
  for (const api::Comparison& comparison : comparisons) out.diagnostics.add(file.rendered(comparison.plans));
}

/// On any thread. `text`: what is checked in the place of the file's, or null.
CheckedFile checkFile(Console& console, const WorkFile& work, const std::string* text, const ir::PlanEdit& edit,
                      const std::vector<Output>& outputs) {
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
  out.inputs.add(file.sources(), file.shownPath());
  for (const Output& output : outputs)
    if (out.refused.empty()) out.refused = refusedOutput(output.path, file.sources());
  return out;
}

int runCheck(Console& console, const Arguments& arguments) {
  const auto written = outputs(console, arguments);
  const auto edit = editOf(console, arguments);
  const auto jobs = jobsOf(console, arguments);
  const auto stdinPath = stdinPathOf(console, arguments);
  if (!written || !edit || !jobs || !stdinPath) return kUsage;
  FixFiles fixes(console, arguments);
  if (const int code = fixes.check()) return code;
  WorkFiles work;
  const int found = filesOf(console, arguments.positional, work, *stdinPath);
  if (found == kUsage) return found; // what is wrong with planc.toml is a part of the answer
  bool unreadable = false;
  int stopped = kClean;
  Inputs inputs;
  nlohmann::ordered_json checked = nlohmann::ordered_json::array();
  const FixFiles::Texts fixed = fixes.run(work.files);
  const auto check = [&](size_t i) {
    const auto text = fixed.find(work.files[i].path);
    return checkFile(console, work.files[i], text == fixed.end() ? nullptr : &text->second, *edit, *written);
  };
  Ordered<CheckedFile>(work.files.size(), *jobs).run(check, [&](CheckedFile file) {
    if (!file.unreadable.empty()) {
      console.usageError(file.unreadable);
      return unreadable = true;
    }
    console.diagnose(std::move(file.diagnostics));
    for (nlohmann::ordered_json& plan : file.plans) checked.push_back(std::move(plan));
    inputs.add(file.inputs);
    if (!file.set) {
      console.summarize();
      stopped = kFailed;
    } else if (!file.refused.empty()) {
      stopped = console.usageError("`--output` is refused: " + file.refused);
    }
    return stopped == kClean;
  });
  if (stopped != kClean) return stopped;
  console.summarize();
  if (const int code = writeChecked(console, arguments, {checked, console.diagnosticsJson()}, inputs, *written))
    return code;
  return unreadable ? kUsage : console.hasErrors() || fixes.differs() ? kFailed : kClean;
}

} // namespace

const Command kCheckCommand = {
    "check",
    "check files and every plan in them; silent when clean",
    {{"FILE", 0, kMany, "a .plan file, a folder of them, or - for stdin; what planc.toml lists, if not said"}},
    {kSetOption,
     kJobsOption,
     kStdinOption,
     {"--format",
      "",
      {"text", "json", "sarif", "github", "gitlab", "junit"},
      "json: one object with the plans and all diagnostics; the others are read by tools of those names"},
     {"--output", "FORMAT=FILE", {}, "write sarif, github, gitlab or junit to a file, beside what is printed", kEach},
     kFixOption,
     kUnsafeOption,
     kDiffOption},
    "planc check examples/gpt3_175b.plan",
    runCheck,
};

} // namespace planc::driver
