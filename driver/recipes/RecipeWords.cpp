// Turns words of the command line into the text of a plan: finds names, sizes the cluster, chooses a recipe, and passes
// options as arguments of the recipe.
// SPDX-License-Identifier: Apache-2.0
#include "driver/recipes/RecipeWords.h"

#include "driver/files/OptionValues.h"
#include "driver/recipes/ClusterSize.h"
#include "driver/recipes/PackageExports.h"
#include "driver/recipes/ParameterValue.h"
#include "driver/recipes/RecipeText.h"
#include "support/files/FileTree.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace planc::driver {

namespace {

/// The largest number of devices that can be requested.
constexpr int64_t kMostDevices = 100'000'000;

/// Options that require `--model`.
constexpr std::array kBesideModel = {&kClusterOption, &kRecipeOption, &kDevicesOption,
                                     &kSeqOption,     &kBatchOption,  &kTokensOption};

/// An option that sets a parameter of the recipe.
struct ParameterOption {
  const Option* option;
  std::string_view parameter;
  Unit unit;           ///< unit of the value
  bool counts = false; ///< the value may also be a whole number or samples
  std::string_view example;
  std::string_view statement = {}; ///< plan statement if the recipe lacks the parameter; `{}`: the value
};

const std::array kParameterOptions = {
    ParameterOption{&kSeqOption, "seq", units::none, true, "`8192`"},
    ParameterOption{&kBatchOption, "batch", units::tokens, true, "`512`, `512samples` or `4Mtokens`"},
    ParameterOption{&kTokensOption, "tokens", units::tokens, false, "`1Ttokens`", "run {{ tokens = {} }}"},
};

const api::ExportParameter* parameterOf(const NamedExport& recipe, std::string_view name) {
  const auto& all = recipe.decl.parameters;
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
  return at == all.end() ? nullptr : &*at;
}

std::string parametersText(const NamedExport& recipe) {
  std::string out;
  for (const api::ExportParameter& p : recipe.decl.parameters)
    out += fmt::format("{}`{}`", out.empty() ? "" : ", ", p.str());
  return out;
}

/// Reports a text that is not a value of the option, and returns true then.
bool isNoValue(Console& console, const ParameterOption& of, const std::string& text) {
  std::string badUnit;
  const std::optional<Quantity> value = parseQuantity(text, badUnit);
  const bool whole = value && value->unit.plain() && value->value == std::floor(value->value) &&
                     value->value < static_cast<double>(std::numeric_limits<int64_t>::max());
  const bool samples = value && of.unit == units::tokens && value->unit == units::samples;
  const bool good =
      value && value->value > 0 && ((of.counts && (whole || samples)) || (!of.unit.plain() && value->unit == of.unit));
  if (good) return false;
  std::string why = !badUnit.empty() ? fmt::format(": there is no unit `{}`", badUnit) : "";
  if (value && !value->unit.plain()) why = ", a quantity of " + value->unit.name();
  const std::string longer = of.unit.plain() ? text : text + of.unit.name();
  const bool meant = !badUnit.empty() && longer != text && parseQuantity(longer, badUnit).has_value();
  console.usageError(fmt::format("`{}` takes {}; this is `{}`{}", of.option->name, of.example, text, why),
                     meant ? fmt::format("did you mean `{}`?", longer) : "");
  return true;
}

/// Adds the arguments that options give. Returns false after a usage error.
bool addOptions(Console& console, const Arguments& arguments, RecipePlan& plan) {
  for (const ParameterOption& of : kParameterOptions) {
    const std::optional<std::string> text = arguments.value(of.option->name);
    if (!text) continue;
    if (isNoValue(console, of, *text)) return false;
    const bool parameter = parameterOf(plan.recipe, of.parameter);
    if (!parameter && !of.statement.empty()) {
      plan.statements.push_back(fmt::format(fmt::runtime(of.statement), *text));
      continue;
    }
    if (!parameter) {
      console.usageError(fmt::format("`{}` sets the parameter `{}`, which `{}` does not have", of.option->name,
                                     of.parameter, plan.recipeName),
                         fmt::format("its parameters are {}", parametersText(plan.recipe)));
      return false;
    }
    plan.given.emplace_back(of.parameter, *text);
  }
  return true;
}

/// Adds the values of `--set` for parameters of the recipe, and removes them from the arguments. Without `paths`, every
/// `--set` must be one. Returns false after a usage error.
bool addSet(Console& console, api::Catalogue& catalogue, Arguments& arguments, bool paths, RecipePlan& plan) {
  std::vector<std::string> others;
  for (const std::string& word : arguments.all(kParameterOption.name)) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string name = trimmed(word.substr(0, equals));
    if (equals == word.size() || !parameterOf(plan.recipe, name)) {
      others.push_back(word);
      if (paths) continue;
      console.usageError(fmt::format("`--set {}`: `{}` has no such parameter", word, plan.recipeName),
                         fmt::format("its parameters are {}; other facts go between the braces of the plan",
                                     parametersText(plan.recipe)));
      return false;
    }
    const auto same = [&, &name = name](const auto& given) { return given.first == name; };
    if (std::any_of(plan.given.begin(), plan.given.end(), same)) {
      console.usageError(fmt::format("the parameter `{}` is given two values, the second by `--set {}`", name, word),
                         "remove one of them");
      return false;
    }
    auto value = argumentOf(console, catalogue, plan.imports, plan.recipe.decl, *parameterOf(plan.recipe, name),
                            trimmed(word.substr(equals + 1)));
    if (!value) return false;
    plan.given.emplace_back(name, std::move(*value));
  }
  arguments.values[std::string(kParameterOption.name)] = std::move(others);
  return true;
}

/// Returns the name of a declaration for a command line: the word itself if it is a dotted name, else the found name.
std::string wordOf(const NamedExport& found, const std::string& word) {
  const std::string said = word.substr(0, word.find('(')), &name = found.decl.name;
  std::string out = said.ends_with("." + name) ? said : name;
  if (!found.file.empty()) out = fmt::format("{}:{}", found.file, name);
  return found.called(out);
}

/// Returns whether the word gives all arguments of a model that have no default; otherwise reports a usage error.
bool isWhole(Console& console, const NamedExport& model) {
  std::string open;
  for (const api::ExportParameter& p : model.decl.parameters)
    if (p.required()) open += fmt::format("{}{} = …", open.empty() ? "" : ", ", p.name);
  if (open.empty() || !model.arguments.empty()) return true;
  console.usageError(fmt::format("model `{}.{}` takes arguments", model.decl.module, model.decl.name),
                     fmt::format("give them after its name, '{}({})', or choose a model of `planc show {}`",
                                 model.decl.name, open, model.decl.module));
  return false;
}

/// Returns the command line of `planc new` that writes this plan.
std::string commandOf(const Arguments& arguments, const std::string& model, const std::string& cluster,
                      const RecipePlan& plan) {
  const auto word = [](const std::string& text) {
    const bool plain = std::ranges::all_of(
        text, [](char c) { return isWordChar(c) || std::string_view(".:=/-,+").find(c) != std::string_view::npos; });
    return plain ? text : shellWord(text);
  };
  std::string out = fmt::format("planc new {} {}", word(model), word(cluster));
  for (const Option* option : kBesideModel)
    if (const auto value = arguments.value(option->name); value && option != &kClusterOption)
      out += fmt::format(" {} {}", option->name, word(*value));
  for (const auto& [name, value] : plan.given) {
    const auto byOption = [&, &name = name](const ParameterOption& of) {
      return of.parameter == name && arguments.given(of.option->name);
    };
    if (std::none_of(kParameterOptions.begin(), kParameterOptions.end(), byOption))
      out += fmt::format(" --set {}", word(name + "=" + value));
  }
  return out;
}

constexpr std::string_view kVary = "--vary";

/// Options whose values begin with the path of something that is varied.
constexpr std::array<std::string_view, 4> kVaryingOptions = {kVary, "--scale", "--largest", "--fewest"};

/// Returns `tp` for `tp in [1, 2]`.
std::string variedName(const std::string& value) {
  return value.substr(0, value.find_first_of(" =([-"));
}

/// Returns the recipe's parameter of this name if a command line can give its values; null otherwise. Values of some
/// types can only be named in the recipe's own file.
const api::ExportParameter* sayable(const NamedExport& recipe, const std::string& name) {
  const api::ExportParameter* parameter = parameterOf(recipe, name);
  if (!parameter || parameter->type.text.find('.') != std::string::npos) return nullptr;
  return wantedOfType(parameter->type.text) ? nullptr : parameter;
}

/// Makes the recipe's parameter `name` a parameter of the plan, with its current value as default. Does nothing if
/// there is no such parameter, or if a command line cannot give its values.
void openParameter(RecipePlan& plan, const std::string& name) {
  const api::ExportParameter* parameter = sayable(plan.recipe, name);
  const auto same = [&](const auto& argument) { return argument.first == name; };
  const auto given = std::find_if(plan.given.begin(), plan.given.end(), same);
  const auto assumed = std::find_if(plan.assumed.begin(), plan.assumed.end(), same);
  const bool valued = given != plan.given.end() || assumed != plan.assumed.end();
  if (!parameter || !valued || (given != plan.given.end() && given->second == name))
    return; // nothing to do, or open already
  api::ExportParameter open = *parameter;
  open.where = {}; // the recipe itself checks the condition of its parameter
  open.value.text = given != plan.given.end() ? std::exchange(given->second, name) : assumed->second;
  if (given == plan.given.end()) {
    plan.given.emplace_back(name, name);
    plan.assumed.erase(assumed);
  }
  plan.open.push_back(open.str());
}

/// Returns whether no parameter is both set and varied; otherwise reports a usage error.
bool isSaidOnce(Console& console, const Arguments& arguments, const RecipePlan& plan) {
  for (const std::string_view option : kVaryingOptions)
    for (const std::string& value : arguments.all(option))
      for (const auto& [name, given] : plan.given)
        if (name == variedName(value)) {
          console.usageError(fmt::format("`{}` is {}, but `{}` varies it", name, given, option), "remove one of them");
          return false;
        }
  return true;
}

/// Varies each given value over itself alone, so that a search keeps it even if the recipe's own choices differ.
void hold(Arguments& arguments, const NamedExport& recipe,
          const std::vector<std::pair<std::string, std::string>>& given) {
  for (const auto& [name, value] : given)
    if (sayable(recipe, name)) arguments.values[std::string(kVary)].push_back(fmt::format("{} in [{}]", name, value));
}

/// Makes each varied path a parameter of the plan if the cluster or the recipe has such a parameter. `devices` stands
/// for the argument that determines the size of the cluster. Returns false after a usage error.
bool openVaried(Console& console, Arguments& arguments, RecipePlan& plan) {
  for (const std::string_view option : kVaryingOptions) {
    const auto values = arguments.values.find(option);
    if (values == arguments.values.end()) continue;
    for (std::string& value : values->second) {
      const std::string name = variedName(value);
      if (name == "devices" && plan.sized.sizes.empty()) {
        console.usageError(fmt::format("`{} devices`: the size of `{}` is not a parameter", option, plan.sized.text()),
                           "name a cluster whose size is a parameter");
        return false;
      }
      if (name == "devices" && arguments.given(kDevicesOption.name)) {
        console.usageError(fmt::format("`{} devices` searches the size, but `--devices` sets it", option),
                           "remove one of them");
        return false;
      }
      const bool alias = name == "devices" && value == name;
      const std::string meant = alias ? plan.sized.sizes.front().parameter : name;
      if (alias) value = meant;
      for (const SizedCluster::Size& size : plan.sized.sizes)
        if (size.parameter == meant && !size.open) plan.open.push_back(fmt::format("{}: int = {}", meant, size.value));
      if (plan.sized.open(meant)) continue;
      openParameter(plan, meant);
    }
  }
  return true;
}

/// Finds the recipe that `--as` names or that the library chooses. Returns false after a report.
bool findRecipe(Console& console, api::Catalogue& catalogue, const std::optional<std::string>& name, RecipePlan& plan) {
  if (!name) return chooseRecipe(console, catalogue, plan);
  auto found = namedExport(console, catalogue, kWantedRecipe, *name);
  if (!found) return false;
  if (!found->arguments.empty()) {
    console.usageError(fmt::format("`--as {}` binds arguments", *name), "`--set NAME=VALUE` gives a parameter a value");
    return false;
  }
  plan.recipe = std::move(*found);
  return true;
}

/// Checks that the words name a plan completely, and nothing else. Returns kClean, or the exit code after a report.
int checkWords(Console& console, const Command& command, const Arguments& arguments) {
  if (!arguments.given(kModelOption.name)) {
    for (const Option* option : kBesideModel)
      if (arguments.given(option->name))
        return console.usageError(fmt::format("`{}` needs a `{}`", option->name, kModelOption.name),
                                  "write `--model llama3_70b --cluster hgx_h100` instead of a FILE");
    return kClean;
  }
  if (!arguments.given(kClusterOption.name))
    return console.usageError("`--model` needs a `--cluster`", "write `--model llama3_70b --cluster hgx_h100`");
  const bool onlyFiles = command.arguments.size() < 2;
  for (const std::string& word : arguments.positional)
    if (onlyFiles || word == "-" || word.ends_with(kPlanSuffix))
      return console.usageError(
          fmt::format("`{}` and `--model {}` name two plans", word, *arguments.value(kModelOption.name)),
          "remove the file, or `--model` and its options");
  return kClean;
}

/// Returns whether every word that goes into the text is a single line; otherwise reports a usage error.
bool areLines(Console& console, const Arguments& arguments, const std::string& model, const std::string& cluster) {
  std::vector<std::string> words{model, cluster};
  for (const Option* option : kBesideModel)
    if (const auto value = arguments.value(option->name)) words.push_back(*value);
  for (const std::string& word : arguments.all(kParameterOption.name)) words.push_back(word);
  for (const std::string& word : words)
    if (hasControlCharacter(word)) {
      console.usageError("a value of an option contains a line break or another control character",
                         "write each model, cluster and value on one line");
      return false;
    }
  return true;
}

} // namespace

std::optional<std::string> recipeText(Console& console, Arguments& arguments, const std::string& model,
                                      const std::string& cluster, const std::string& place, bool searched) {
  if (!areLines(console, arguments, model, cluster)) return std::nullopt;
  std::optional<int64_t> devices = countOf(console, arguments, kDevicesOption.name, 1, kMostDevices, 0);
  if (!devices) return std::nullopt;
  if (*devices == 0) devices.reset();
  api::Catalogue catalogue;
  catalogue.addLibrary();
  if (addPackages(console, std::array{model, cluster, arguments.value(kRecipeOption.name).value_or("std")}, catalogue))
    return std::nullopt;
  auto m = namedExport(console, catalogue, kWantedModel, model);
  if (!m || !isWhole(console, *m)) return std::nullopt;
  auto c = namedExport(console, catalogue, kWantedCluster, cluster);
  if (!c) return std::nullopt;
  const std::vector<api::Export> exports = catalogue.exports({}, api::Detail::Names);
  RecipePlan plan{std::move(*m), std::move(*c), {}, ImportLines(place, exports)};
  auto sized = sizedCluster(console, plan.cluster, plan.imports, devices);
  if (!sized) return std::nullopt;
  plan.sized = std::move(*sized);
  if (!findRecipe(console, catalogue, arguments.value(kRecipeOption.name), plan)) return std::nullopt;
  plan.recipeName = plan.imports.add(plan.recipe);
  const bool paths = arguments.given(kModelOption.name); // a command with a plan also sets facts of the plan
  if (!addOptions(console, arguments, plan)) return std::nullopt;
  if (!addSet(console, catalogue, arguments, paths, plan) || !isSaidOnce(console, arguments, plan)) return std::nullopt;
  if (searched) hold(arguments, plan.recipe, plan.given);
  plan.command = commandOf(arguments, wordOf(plan.model, model), wordOf(plan.cluster, cluster), plan);
  for (const auto& argument : plan.chosen) {
    const auto same = [&](const auto& one) { return one.first == argument.first; };
    if (std::none_of(plan.given.begin(), plan.given.end(), same)) plan.given.push_back(argument);
  }
  plan.assumed = assumedValues(plan);
  if (!openVaried(console, arguments, plan)) return std::nullopt;
  return textOf(console, plan);
}

int takeWords(Console& console, const Command& command, Arguments& arguments) {
  const auto takes = [&command](std::string_view name) {
    return std::ranges::any_of(command.options, [&](const Option& option) { return option.name == name; });
  };
  if (!takes(kModelOption.name) || !takes(kRecipeOption.name)) return kClean; // `import` has a model of its own kind
  if (const int code = checkWords(console, command, arguments)) return code;
  const std::optional<std::string> model = arguments.value(kModelOption.name);
  if (!model) return kClean;
  arguments.text = recipeText(console, arguments, *model, *arguments.value(kClusterOption.name),
                              std::string(kWordsPath), command.searches);
  arguments.positional.insert(arguments.positional.begin(), std::string(kWordsPath));
  return arguments.text ? kClean : kUsage;
}

} // namespace planc::driver
