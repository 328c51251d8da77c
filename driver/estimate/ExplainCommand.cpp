// `planc explain`: prints the page of a diagnostic, or the derivation of a number or row of a report.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/facts/Facts.h"
#include "driver/files/InputFile.h"
#include "driver/files/WorkFiles.h"
#include "driver/recipes/RecipeWords.h"
#include "driver/words/Commands.h"
#include "driver/words/Pages.h"
#include "report/explain/Explain.h"

#include <algorithm>
#include <cctype>
#include <fmt/core.h>

namespace planc::driver {
namespace {

/// Returns `PLAN0612`, from a spelling in any case or from the number alone; empty if the word is no code.
std::string codeOf(std::string word) {
  const auto digit = [](unsigned char c) { return std::isdigit(c); };
  if (!word.empty() && word.size() <= 4 && std::all_of(word.begin(), word.end(), digit))
    return fmt::format("PLAN{:0>4}", word);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
  bool digits =
      word.size() == 8 && std::all_of(word.begin() + 4, word.end(), [](unsigned char c) { return std::isdigit(c); });
  return word.starts_with("PLAN") && digits ? word : "";
}

std::vector<std::string> codes() {
  std::vector<std::string> out;
  for (const auto& [number, kind] : DiagnosticKind::all()) {
    out.push_back(kind->id());
    out.emplace_back(kind->name);
  }
  return out;
}

int listCodes(Console& console) {
  for (const auto& [number, kind] : DiagnosticKind::all())
    console.out(fmt::format("{}  {:<7}  {}\n", kind->id(), kind->severity == Severity::Error ? "error" : "warning",
                            messageOf(*kind)));
  return kClean;
}

int explainCode(Console& console, const std::string& code) {
  if (std::string_view page = pageOf(code); !page.empty()) {
    console.out(page);
    return kClean;
  }
  for (const auto& [number, kind] : DiagnosticKind::all())
    if (kind->id() == code) {
      console.out(fmt::format("{}: {}\n\nThis diagnostic has no page yet.\n", code, messageOf(*kind)));
      return kClean;
    }
  return console.usageError("no diagnostic has the code `" + code + "`",
                            didYouMean(code, codes(), "`planc explain --list` lists them"));
}

/// Returns the codes of the diagnostics with this SARIF name, `IndivisibleExtent`. A few share a name.
std::vector<std::string> codesNamed(const std::string& name) {
  std::vector<std::string> out;
  for (const auto& [number, kind] : DiagnosticKind::all())
    if (kind->name == name) out.push_back(kind->id());
  return out;
}

int unknownName(Console& console, const report::PlanReport& plan, const std::string& name) {
  const std::vector<std::string> known = report::explainable(plan);
  std::string help = didYouMean(name, known);
  if (help.empty()) {
    for (const std::string& one : known)
      if (one.find('.') == std::string::npos) help += (help.empty() ? "there is `" : "`, `") + one;
    help += "`";
  }
  return console.usageError("`" + name + "` is not a number, row or layer of the report of " + plan.plan->title, help);
}

/// Joins the words of a name, so that `exposed communication` needs no quotes.
std::string nameOf(const Arguments& arguments) {
  std::string name;
  for (size_t i = 1; i < arguments.positional.size(); ++i) name += (name.empty() ? "" : " ") + arguments.positional[i];
  return name;
}

int explainNumber(Console& console, const Arguments& arguments) {
  const auto stdinPath = stdinPathOf(console, arguments);
  if (!stdinPath) return kUsage;
  if (const int code = oneFileOf(console, arguments.positional[0], *stdinPath)) return code;
  InputFile file(console, arguments, *stdinPath);
  if (!file.load()) return kUsage;
  if (const int code = file.set(arguments)) return code;
  const bool read = !file.hasErrors();
  const Plans plans = onePlan(console, file, arguments.all("--plan"), "explaining");
  if (plans.empty()) {
    file.report(plans);
    return console.hasErrors() ? kFailed : noPlans(console, file);
  }
  api::Compilation& plan = *plans.front();
  if (!read || !plan.price()) {
    file.report(plans);
    console.summarize();
    return kFailed;
  }
  DiagnosticEngine quiet; // pricing has reported missing facts already
  cost::Facts facts(*plan.plan().cluster, *plan.plan().stack);
  const auto model = cost::makeCostModel(facts, quiet);
  report::PlanReport r{file.shownPath(), &file.sources(), &plan.plan(),
                       plan.program(),   plan.estimate(), &plan.results()};
  const std::string name = nameOf(arguments);
  if (name == "recompute") plan.findRecomputeEffects(); // only this name needs the price without recomputation
  r.recompute = &plan.recomputeEffects();
  const auto page = report::explain({&r, plan.schedule(), model.get(), &facts}, name, file.sources(),
                                    {.allLayers = arguments.has("--all")});
  if (!page) return unknownName(console, r, name);
  console.out(textOf(*page, console.colorOut()));
  return kClean; // failed assertions do not matter here
}

int runExplain(Console& console, const Arguments& arguments) {
  if (arguments.has("--list")) return listCodes(console);
  if (arguments.positional.empty())
    return console.usageError("`planc explain` needs a code, or a file and the name of a number or layer",
                              "`planc explain PLAN0901`");
  if (arguments.positional.size() > 1) return explainNumber(console, arguments);
  if (arguments.text)
    return console.usageError("`planc explain` needs the name of a number or layer", "for example `step_time`");
  const std::string& word = arguments.positional[0];
  std::string code = codeOf(word);
  if (!code.empty()) return explainCode(console, code);
  if (const std::vector<std::string> named = codesNamed(word); !named.empty()) {
    int worst = kClean;
    for (const std::string& one : named) worst = std::max(worst, explainCode(console, one));
    return worst;
  }
  return console.usageError(
      "`" + word + "` is not the code of a diagnostic",
      didYouMean(word, codes(), "to explain a number, give its file and name: `planc explain FILE mfu`"));
}

} // namespace

const Command kExplainCommand = {
    "explain",
    "explain a diagnostic, or where a number or row of a report comes from",
    {{"CODE|FILE", 0, 1, "a code like PLAN0612, its number or its name in SARIF; or a .plan file"},
     {"NAME", 0, kMany, "with a file: a number or row of its report, as mfu, stage 3 or decoder.attn"}},
    {{"--plan", "NAME", {}, "which plan of the file; 'NAME(nodes = 8)' binds its parameters", kEach},
     kSetOption,
     kModelOption,
     kClusterOption,
     kDevicesOption,
     kRecipeOption,
     kSeqOption,
     kBatchOption,
     kTokensOption,
     kStdinOption,
     {"--all", "", {}, "print all parts, even if they do not fit on a screen"},
     {"--list", "", {}, "list every code"}},
    "planc explain PLAN0901",
    runExplain,
};

} // namespace planc::driver
