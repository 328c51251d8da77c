// `planc show`: prints a module or declaration of the library, lists a folder or the whole library, or searches by
// words.
// SPDX-License-Identifier: Apache-2.0
#include "api/Library.h"
#include "driver/ShowExports.h"
#include "driver/files/JsonDocument.h"
#include "driver/recipes/PackageExports.h"
#include "driver/words/Commands.h"
#include "support/files/FileTree.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::driver {
namespace {

/// The folder of stacks, for which the list shows what each one fits.
constexpr std::string_view kStacks = "std.stacks";

/// Returns `hopper 1024, blackwell 256`: devices of the largest run by architecture.
std::string reach(const ir::Stack& stack, ir::StackFact fact) {
  std::string text;
  for (const ir::FactKey& key : stack.keys(fact))
    text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", key.text(), stack.number(fact, key)->value);
  return text.empty() ? "-" : text;
}

/// Prints a table of stacks and what they fit, by release date.
void listStacks(Console& console) {
  std::vector<const api::LibraryStack*> stacks;
  for (const api::LibraryStack& s : api::Library::stacks()) stacks.push_back(&s);
  std::stable_sort(stacks.begin(), stacks.end(),
                   [](const auto* a, const auto* b) { return a->firstMonth() < b->firstMonth(); });
  std::vector<std::array<std::string, 6>> rows{
      {"stack", "released", "framework", "dispatcher", "ran on, devices", "with experts on"}};
  const auto cell = [](std::string_view text) { return std::string(text.empty() ? "-" : text); };
  for (const api::LibraryStack* s : stacks)
    rows.push_back({s->name, cell(s->released()), cell(s->framework()), cell(s->dispatcher()),
                    reach(s->stack, ir::StackFact::AccuracySeen), reach(s->stack, ir::StackFact::AccuracyExperts)});
  std::array<size_t, 6> widths{};
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    console.out(line.substr(0, line.find_last_not_of(' ') + 1) + "\n");
  }
}

int noneFound(Console& console, const std::vector<std::string>& words, const std::vector<api::ModuleHead>& modules) {
  std::vector<std::string> names;
  for (const api::ModuleHead& module : modules) {
    names.push_back(module.name);
    for (size_t dot = names.back().rfind('.'); dot != std::string::npos && dot > 3;
         dot = names.back().rfind('.', dot - 1))
      names.push_back(names.back().substr(0, dot));
  }
  if (words.size() != 1) {
    std::string all;
    for (const std::string& word : words) all += fmt::format("{}`{}`", all.empty() ? "" : " and ", word);
    return console.usageError("no export of the library has " + all + " in its name or first sentence",
                              "search with fewer words; `planc show` lists the modules");
  }
  const std::string& name = words.front();
  std::error_code failed;
  if (std::filesystem::exists(name, failed))
    return console.usageError(fmt::format("`{}` is a path on this disk, not a module of the library", name),
                              "`planc show` prints modules such as `std.models.gpt`; by itself it lists them");
  bool bare = std::find(names.begin(), names.end(), "std." + name) != names.end();
  return console.usageError("no module `" + name + "` in the library",
                            bare ? "did you mean `std." + name + "`?"
                                 : didYouMean(name, names, "`planc show` lists them"));
}

/// The exports to show: `one` if it is set, else `modules`, else `exports`.
struct Showing {
  std::vector<api::ModuleHead> modules; ///< the named module, or the modules below a folder
  std::vector<api::Export> exports;     ///< exports of these modules, or those that the words find
  const api::Export* one = nullptr;     ///< the named declaration
};

bool areMachines(const std::vector<api::Export>& exports) {
  return std::all_of(exports.begin(), exports.end(), [](const api::Export& one) {
    return one.kind == "device" || one.kind == "fabric" || one.kind == "cluster";
  });
}

void print(Console& console, const std::string& name, const Showing& shown) {
  if (shown.one) return printExport(console, *shown.one);
  if (shown.modules.empty()) return listExports(console, shown.exports);
  if (shown.modules.size() == 1 && shown.modules.front().name == name) return console.out(shown.modules.front().text);
  listModules(console, shown.modules);
  if (name == kStacks) {
    console.out("\n");
    listStacks(console);
  } else if (!shown.modules.front().library || (!name.empty() && areMachines(shown.exports))) {
    // For a package list every export; for the library, only machines, which plans use without naming the file.
    console.out("\n");
    listExports(console, shown.exports);
  }
}

int show(Console& console, const Arguments& arguments, api::Catalogue& catalogue) {
  const std::vector<std::string>& words = arguments.positional;
  const bool json = arguments.value("--format") == "json";
  std::string name = words.size() == 1 ? words[0] : "";
  if (name.ends_with(kPlanSuffix)) name.resize(name.size() - kPlanSuffix.size());
  std::replace(name.begin(), name.end(), '/', '.');
  const std::vector<api::ModuleHead> all = catalogue.modules();
  const std::vector<api::Export> exports = catalogue.exports();
  console.diagnose(catalogue.diagnostics(), catalogue.sources());
  Showing shown;
  if (words.size() <= 1) {
    const bool file = std::any_of(all.begin(), all.end(), [&](const auto& module) { return module.name == name; });
    for (const api::ModuleHead& module : all)
      if (file ? module.name == name : api::isBelow(module.name, name)) shown.modules.push_back(module);
    for (const api::Export& one : exports)
      if (!shown.modules.empty() && api::isBelow(one.module, name)) shown.exports.push_back(one);
    if (shown.modules.empty() && (shown.one = api::exportOf(exports, name))) shown.exports.push_back(*shown.one);
  }
  if (shown.modules.empty() && !shown.one) shown.exports = api::found(exports, words);
  if (shown.modules.empty() && shown.exports.empty()) return noneFound(console, words, all);
  if (json)
    printJson(console, kShowFormat, exportsJson(shown.modules, shown.exports));
  else
    print(console, name, shown);
  return console.hasErrors() ? kFailed : kClean;
}

int runShow(Console& console, const Arguments& arguments) {
  api::Catalogue catalogue;
  catalogue.addLibrary();
  const std::string asked = arguments.positional.empty() ? "" : arguments.positional[0];
  if (const int code = addPackages(console, std::array{asked}, catalogue)) return code;
  return show(console, arguments, catalogue);
}

} // namespace

const Command kShowCommand = {
    "show",
    "print a module or declaration of the standard library or of a package, list them, or search by words",
    {{"NAME", 0, kMany,
      "std.models.llama, std.models.llama.dense; a folder or a package lists its files, and std.stacks the runs of "
      "each stack; other words search names and first sentences; default: list all"}},
    {{"--format", "", {"text", "json"}, "json: modules and exports with parameters, facts and sources"}},
    "planc show std.models.gpt",
    runShow,
};

} // namespace planc::driver
