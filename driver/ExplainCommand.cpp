// `planc explain`: the manual page of a diagnostic, or the derivation of the numbers of a layer.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Explain.h"
#include "driver/Commands.h"
#include "driver/Pipeline.h"
#include "support/Embedded.h"

#include <algorithm>
#include <cctype>
#include <fmt/core.h>

namespace planc::driver {
namespace {

/// `PLAN0612`, from any spelling of its letters; empty if the word is no code.
std::string codeOf(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
  bool digits =
      word.size() == 8 && std::all_of(word.begin() + 4, word.end(), [](unsigned char c) { return std::isdigit(c); });
  return word.starts_with("PLAN") && digits ? word : "";
}

std::string_view pageOf(const std::string& code) {
  for (const EmbeddedFile& page : embeddedPages())
    if (page.path == code + ".md") return page.text;
  return {};
}

/// The message with its fields, braces as a person writes them.
std::string messageOf(const DiagnosticKind& kind) {
  std::string out;
  for (size_t i = 0; i < kind.message.size(); ++i) {
    char c = kind.message[i];
    bool doubled = (c == '{' || c == '}') && i + 1 < kind.message.size() && kind.message[i + 1] == c;
    out += c;
    i += doubled;
  }
  return out;
}

std::vector<std::string> codes() {
  std::vector<std::string> out;
  for (const auto& [number, kind] : DiagnosticKind::all()) out.push_back(kind->id());
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
  std::string help = didYouMean(code, codes());
  return console.usageError("no diagnostic has the code `" + code + "`",
                            help.empty() ? "`planc explain --list` lists them" : help);
}

/// The plan to explain: the only one, or the first with a remark that there are more.
CompiledPlan& choose(Console& console, const std::vector<std::unique_ptr<CompiledPlan>>& plans) {
  if (plans.size() > 1) {
    std::string others;
    for (size_t i = 1; i < plans.size(); ++i) others += (others.empty() ? "" : ", ") + plans[i]->plan->name.str();
    console.remark(
        fmt::format("planc: explaining plan {}; --plan chooses another: {}\n", plans[0]->plan->name.str(), others));
  }
  return *plans.front();
}

int unknownPath(Console& console, const CompiledPlan& plan, const std::string& path) {
  std::vector<std::string> known = report::explainablePaths(*plan.plan->model);
  std::string help = didYouMean(path, known);
  if (help.empty()) {
    for (const ir::Unit& unit : plan.plan->model->units)
      help += (help.empty() ? "the layers are `" : "`, `") + unit.name.str();
    help += "`";
  }
  return console.usageError("`" + path + "` matches no layer of model " + plan.plan->model->name.str(), help);
}

int explainPath(Console& console, const Arguments& arguments) {
  InputFile file(console, arguments.positional[0]);
  if (!file.load()) return kUsage;
  file.check();
  std::vector<std::unique_ptr<CompiledPlan>> plans = file.plans(arguments.all("--plan"));
  if (plans.empty()) {
    file.report(plans);
    return console.hasErrors() ? kFailed : noPlans(console, file);
  }
  CompiledPlan& plan = choose(console, plans);
  const std::string& text = arguments.positional[1];
  auto path = verdict::parseLayerPath(text);
  const bool layer = path && report::explains(*plan.plan->model, *path);
  if (!layer && text != "optimizer" && text != "step_time") return unknownPath(console, plan, text);
  if (plan.price()) {
    DiagnosticEngine quiet; // what the facts lack was reported by the estimate
    auto model = cost::makeCostModel("analytic", *plan.plan->cluster, *plan.plan->stack, quiet);
    report::PlanReport r{file.shownPath(), plan.plan.get(), plan.program.get(), plan.estimate.get(), &plan.results};
    report::TextOptions options;
    options.color = console.colorOut();
    const report::ExplainInput input{&r, plan.schedule.get(), model.get()};
    console.out(layer                 ? report::explain(input, *path, file.sources(), options)
                : text == "step_time" ? report::explainInterval(r, options)
                                      : report::explainOptimizer(input, file.sources(), options));
    return kClean; // assertions are not the question here
  }
  file.report(plans);
  console.summarize();
  return kFailed;
}

int runExplain(Console& console, const Arguments& arguments) {
  if (arguments.has("--list")) return listCodes(console);
  if (arguments.positional.empty())
    return console.usageError("`planc explain` needs a code, or a file and the path of a layer",
                              "`planc explain PLAN0901`");
  if (arguments.positional.size() == 2) return explainPath(console, arguments);
  const std::string& word = arguments.positional[0];
  std::string code = codeOf(word);
  if (!code.empty()) return explainCode(console, code);
  std::string help = didYouMean(word, codes());
  return console.usageError(
      "`" + word + "` is no code of a diagnostic",
      help.empty() ? "a number is explained by its file and layer: `planc explain FILE decoder.attn`" : help);
}

} // namespace

const Command kExplainCommand = {
    "explain",
    "explain a diagnostic, or where the numbers of a layer come from",
    {{"CODE|FILE", 0, 1, "a code like PLAN0612, or a .plan file"},
     {"PATH", 0, 1, "with a file: a layer, as decoder.attn, or optimizer, or step_time"}},
    {{"--plan", "NAME", {}, "which plan of the file; 'NAME(nodes = 8)' binds its parameters", true},
     {"--list", "", {}, "list every code"}},
    "planc explain PLAN0901",
    runExplain,
};

} // namespace planc::driver
