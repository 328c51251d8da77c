// Writes the text of a plan that extends a recipe, and chooses the recipe by evaluating plan text.
// SPDX-License-Identifier: Apache-2.0
#include "driver/recipes/RecipeText.h"

#include "api/PlanFile.h"
#include "api/Texts.h"
#include "ir/plan/PlanEdit.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::driver {

namespace {

/// The library function that gives the usual recipe for a model and a cluster.
constexpr std::string_view kUsual = "std.recipes.usual";
/// Comments continue on an indented line beyond this width.
constexpr size_t kCommentWidth = 100;
constexpr std::string_view kComment = "// ", kGoesOn = "//  ", kAssumed = "Assumed:";

std::string modelText(RecipePlan& plan) {
  return plan.model.called(plan.imports.add(plan.model));
}

/// Returns items as comment lines of limited width that begin with `opening`.
std::string comment(std::string_view opening, const std::vector<std::string>& items) {
  std::string out, line = fmt::format("{}{}", kComment, opening);
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? "," : "");
    if (line.size() + 1 + item.size() > kCommentWidth) {
      out += line + "\n";
      line = kGoesOn;
    }
    line += " " + item;
  }
  return out + line + "\n";
}

std::string assumedText(const std::vector<std::pair<std::string, std::string>>& values) {
  std::vector<std::string> items;
  for (const auto& [parameter, value] : values) items.push_back(fmt::format("{} = {}", parameter, value));
  return items.empty() ? std::string() : comment(kAssumed, items);
}

std::string callOf(const RecipePlan& plan, const std::string& model) {
  std::string out = fmt::format("{} = {}, {} = {}", onlyParameter(plan.recipe.decl, "model")->name, model,
                                onlyParameter(plan.recipe.decl, "cluster")->name, plan.sized.text());
  for (const auto& [name, value] : plan.given) out += fmt::format(", {} = {}", name, value);
  return fmt::format("{}({})", plan.recipeName, out);
}

int reportChoice(Console& console, std::string_view problem) {
  return console.usageError(fmt::format("`{}` does not choose a recipe: {}", kUsual, problem),
                            "name one: `--as RECIPE`");
}

} // namespace

bool chooseRecipe(Console& console, api::Catalogue& catalogue, RecipePlan& plan) {
  const std::vector<api::Export> all = catalogue.exports({}, api::Detail::Names);
  const api::Export* usual = api::exportOf(all, kUsual);
  if (!usual) return reportChoice(console, "the library has no such function"), false;
  ImportLines imports = plan.imports;
  const NamedExport function{*usual, {}, {}};
  const std::string call = imports.add(function), bound = plan.model.called(imports.add(plan.model));
  api::PlanFile file;
  file.loadText(imports.place(), fmt::format("{}{}let chosen = {}({}, {})\n", imports.text(), plan.sized.derived, call,
                                             bound, plan.sized.text()));
  const std::optional<ir::PlanReference> found = file.planReference("chosen");
  if (!found) {
    const Diagnostic* error = file.diagnostics().firstError();
    return reportChoice(console, error ? error->message : "it is not a plan"), false;
  }
  const auto at = std::find_if(all.begin(), all.end(), [&](const api::Export& one) {
    return one.name == found->name && one.path == found->path;
  });
  const std::string misfit = at == all.end() ? "is not exported" : kWantedRecipe.misfit(*at);
  if (!misfit.empty()) return reportChoice(console, fmt::format("`{}` {}", found->name, misfit)), false;
  plan.recipe = NamedExport{*at, {}, {}};
  plan.chosenBy = call;
  for (const auto& argument : found->arguments)
    for (const api::ExportParameter& p : at->parameters)
      if (p.name == argument.first && p.type.text != "model" && p.type.text != "cluster")
        plan.chosen.push_back(argument);
  for (const auto& [name, value] : plan.chosen)
    if (value.empty())
      return reportChoice(console, fmt::format("its value of `{}` cannot be written as a literal", name)), false;
  return true;
}

std::vector<std::pair<std::string, std::string>> assumedValues(RecipePlan& plan) {
  const std::string call = callOf(plan, modelText(plan));
  api::PlanFile file;
  file.loadText(plan.imports.place(),
                fmt::format("{}{}let asked = {}\n", plan.imports.text(), plan.sized.derived, call));
  const std::vector<std::pair<std::string, std::string>> values = file.parameterValues("asked");
  std::vector<std::pair<std::string, std::string>> out;
  for (const api::ExportParameter& p : plan.recipe.decl.parameters) {
    const auto same = [&](const auto& one) { return one.first == p.name; };
    if (p.required() || std::any_of(plan.given.begin(), plan.given.end(), same)) continue;
    const auto value = std::find_if(values.begin(), values.end(), same);
    out.emplace_back(p.name, value == values.end() ? p.value.text : value->second);
  }
  return out;
}

std::string withAssumed(const std::string& text, const std::vector<std::pair<std::string, std::string>>& values) {
  const std::string first = fmt::format("{}{}", kComment, kAssumed);
  const size_t begin = text.find("\n" + first) + 1; // the line of the command comes first
  if (begin == 0) return text;
  size_t end = text.find('\n', begin) + 1;
  while (text.compare(end, kGoesOn.size(), kGoesOn) == 0) end = text.find('\n', end) + 1;
  return text.substr(0, begin) + assumedText(values) + text.substr(end);
}

std::optional<std::string> textOf(Console& console, RecipePlan& plan) {
  const std::string model = modelText(plan);
  std::string name = plan.model.decl.name;
  while (plan.imports.brings(name) || name == plan.sized.text()) name += "_plan";
  std::string text = "// " + plan.command + "\n";
  if (!plan.chosenBy.empty())
    text += fmt::format("// {} chose {} for this model and cluster; `--as` names another recipe.\n", plan.chosenBy,
                        plan.recipeName);
  text += assumedText(plan.assumed);
  text += plan.imports.text() + "\n";
  if (!plan.sized.derived.empty()) text += plan.sized.derived + "\n";
  text += fmt::format("/// {} on {} {} of {}, as {}.\n", plan.model.decl.name, plan.sized.devices,
                      plan.sized.devices == 1 ? "device" : "devices", plan.cluster.decl.name, plan.recipeName);
  std::string parameters;
  for (const std::string& one : plan.open) parameters += (parameters.empty() ? "" : ", ") + one;
  if (!parameters.empty()) parameters = "(" + parameters + ")";
  std::string body;
  for (const std::string& statement : plan.statements) body += "  " + statement + "\n";
  if (!body.empty()) body = "\n" + body;
  text += fmt::format("plan {}{} extends {} {{{}}}\n", name, parameters, callOf(plan, model), body);
  SourceManager sources;
  DiagnosticEngine found;
  auto formatted = api::formatText(sources, sources.add(plan.imports.place(), text), found);
  if (formatted) return formatted;
  console.diagnose(found, sources);
  console.summarize();
  return std::nullopt;
}

} // namespace planc::driver
