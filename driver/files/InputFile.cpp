// Loads the file that a command works on, and applies options to it.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/InputFile.h"

#include "api/Texts.h"
#include "support/Step.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::driver {

InputFile::InputFile(Console& console, std::string path, std::string as)
    : console_(console), path_(std::move(path)), as_(std::move(as)) {}

InputFile::InputFile(Console& console, const Arguments& arguments, std::string as)
    : console_(console), path_(arguments.positional.at(0)), as_(std::move(as)), text_(arguments.text) {}

bool InputFile::load(std::string& error) {
  Step step("reading");
  if (text_) {
    take(*text_);
    return true;
  }
  if (path_ != "-" || as_.empty()) return file_.load(path_, error);
  std::optional<std::string> text = api::readText(path_, error);
  if (!text)
    error = "cannot read `<stdin>`: " + error;
  else
    take(std::move(*text));
  return text.has_value();
}

bool InputFile::load() {
  std::string error;
  if (load(error)) return true;
  console_.usageError(error);
  return false;
}

std::optional<ir::PlanEdit> editOf(Console& console, const Arguments& arguments) {
  ir::PlanEdit edit;
  for (const std::string& word : arguments.all(kSetOption.name)) {
    // A plan writes this as `decoder.seq -> tp`; there is no `=` before the arrow.
    const size_t arrow = word.find("->"), at = std::min(word.find('='), arrow);
    if (at != std::string::npos && at > 0 && at == arrow) {
      edit.facts.push_back({word.substr(0, at) + "->", word.substr(at + 2)});
      continue;
    }
    if (at == std::string::npos || at == 0) {
      console.usageError("`--set` takes a path and a value; this is `" + word + "`",
                         "write `--set train.micro_batch=2`");
      return std::nullopt;
    }
    edit.facts.push_back({word.substr(0, at), word.substr(at + 1)});
  }
  return edit;
}

int InputFile::set(const Arguments& arguments) {
  const std::optional<ir::PlanEdit> edit = editOf(console_, arguments);
  if (!edit) return kUsage;
  if (set(*edit)) return kClean;
  console_.diagnose(rendered());
  console_.summarize();
  return kFailed;
}

bool InputFile::addPolicies(const std::vector<std::string>& paths, std::string& error) {
  Step step("reading");
  return std::all_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return file_.addPolicies(path, error); });
}

void InputFile::eachTest(const api::TestWanted& wanted, const api::TestUse& use) {
  Step step("testing");
  file_.eachTest(wanted, use);
}

bool InputFile::check(const api::CompilationUse& use) {
  Step step("checking");
  return file_.check(use);
}

Plans InputFile::plans(const std::vector<std::string>& choices) {
  Step step("elaboration");
  return file_.plans(choices);
}

void InputFile::eachPlan(const std::vector<std::string>& choices, const api::CompilationUse& use) {
  check(choices.empty() ? use : api::CompilationUse());
  if (choices.empty()) return;
  for (std::unique_ptr<api::Compilation>& plan : plans(choices)) use(std::move(plan));
}

std::unique_ptr<api::Search> InputFile::search(const std::string& choice, const ir::SearchWords& words) {
  std::unique_ptr<api::Search> made = api::Search::of(file_, choice, words);
  if (!made || made->check()) return made;
  console_.diagnose(made->plan().diagnostics(), file_.sources());
  return nullptr;
}

std::vector<api::Comparison> InputFile::comparisons(const std::optional<std::string>& choice) {
  Step step("elaboration");
  return file_.comparisons(choice);
}

RenderedDiagnostics InputFile::rendered(const Plans& plans) {
  RenderedDiagnostics out = console_.render(file_.diagnostics(), file_.sources());
  for (const auto& plan : plans) out.add(console_.render(plan->diagnostics(), file_.sources()));
  return out;
}

void InputFile::report(const Plans& plans) {
  console_.diagnose(rendered(plans));
}

NoPlans noPlansIn(InputFile& file) {
  const std::vector<std::string> open = file.openPlans();
  if (open.empty()) return {file.shownPath() + " contains no plan", ""};
  std::string help;
  for (const std::string& plan : open) help += fmt::format("{}`--plan '{}'`", help.empty() ? "" : ", or ", plan);
  return {file.shownPath() + " contains no plan whose parameters all have defaults", "bind them: " + help};
}

Plans onePlan(Console& console, InputFile& file, const std::vector<std::string>& choices, std::string_view doing) {
  Plans plans;
  std::string others;
  file.eachPlan(choices, [&](std::unique_ptr<api::Compilation> plan) {
    if (!plans.empty()) {
      others += (others.empty() ? "" : ", ") + plan->plan().name.str();
      plan->release();
    }
    plans.push_back(std::move(plan));
  });
  if (!others.empty())
    console.remark(fmt::format("planc: {} plan {}; --plan chooses another: {}\n", doing,
                               plans.front()->plan().name.str(), others));
  return plans;
}

int noPlans(Console& console, InputFile& file) {
  const NoPlans none = noPlansIn(file);
  return console.usageError(none.problem, none.help);
}

} // namespace planc::driver
