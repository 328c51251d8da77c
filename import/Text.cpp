// Writes what was imported as the text of a plan.
// SPDX-License-Identifier: Apache-2.0
#include "import/Foreign.h"
#include "import/Import.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace planc::foreign {

namespace {

/// Comments continue on an indented line beyond this width.
constexpr size_t kCommentWidth = 110;
/// Stands for the name of the imported model.
constexpr std::string_view kOwnModel = "@model@";

/// Items as comment lines of limited width that begin with `opening`.
std::string comment(std::string_view opening, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  std::string out, line = fmt::format("// {}", opening);
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string item = oneLine(items[i], 160) + (i + 1 < items.size() ? ";" : ".");
    if (line.size() + 1 + item.size() > kCommentWidth) {
      out += line + "\n";
      line = "//  ";
    }
    line += " " + item;
  }
  return out + line + "\n";
}

/// Replaces each `@path@` by the name of the declaration.
std::string named(const std::string& text, const TextNames& names, std::set<std::string>& prefixes) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = text.find('@', at);
    out += text.substr(at, begin - at);
    if (begin == std::string::npos) break;
    const size_t end = text.find('@', begin + 1);
    if (text.substr(begin, end - begin + 1) == kOwnModel) { // its name is chosen last
      out += kOwnModel;
      at = end + 1;
      continue;
    }
    const std::string name = names.name(text.substr(begin + 1, end - begin - 1));
    prefixes.insert(name.substr(0, name.find('.')));
    out += name;
    at = end + 1;
  }
  return out;
}

} // namespace

std::string useText(const FieldUse& use) {
  std::string out = fmt::format("{} of {} arguments used, {} do not matter", use.used, use.total(), use.ignored);
  if (use.unknown.empty()) return out + ", none is unknown";
  out += fmt::format(", {} unknown: ", use.unknown.size());
  constexpr size_t kMost = 20;
  for (size_t i = 0; i < std::min(use.unknown.size(), kMost); ++i)
    out += fmt::format("{}`{}`", i ? ", " : "", use.unknown[i]);
  if (use.unknown.size() > kMost) out += fmt::format(" and {} others", use.unknown.size() - kMost);
  return out;
}

std::string textOf(const Imported& what, const TextNames& names) {
  std::set<std::string> prefixes;
  for (const std::string& text : {names.cluster, names.software, names.model})
    prefixes.insert(text.substr(0, text.find_first_of(".(")));
  const std::string call = named(what.model, names, prefixes);
  const bool plan = !names.cluster.empty();
  std::string recipe, body;
  if (plan) {
    recipe = named("@" + what.recipe + "@", names, prefixes);
    for (const std::string& statement : what.statements) body += "  " + named(statement, names, prefixes) + "\n";
  }
  std::string name = what.name;
  while (prefixes.count(name) || prefixes.count(name + "_plan")) name += "_imported";
  std::string arguments;
  for (const auto& [parameter, value] : what.arguments)
    arguments += fmt::format(", {} = {}", parameter, named(value, names, prefixes));
  if (!names.software.empty()) arguments += ", software = " + names.software;

  std::string out = fmt::format("// {}\n// {}.\n", oneLine(names.command, 200), useText(what.use));
  out += comment("Assumed:", what.assumed);
  out += comment("Left out:", what.left);
  const std::string imports = names.imports();
  out += imports + "\n";
  if (!names.before.empty()) out += names.before + "\n";
  const std::string title = what.title.empty() ? "The model" : what.title;
  if (!what.model.empty())
    out += fmt::format("/// {}, as its files describe it.\nexport model {} = {}\n\n", title, name, call);
  for (size_t at = body.find(kOwnModel); at != std::string::npos; at = body.find(kOwnModel, at))
    body.replace(at, kOwnModel.size(), what.model.empty() ? names.model : name);
  if (plan) {
    const std::string model = what.model.empty() ? names.model : name;
    const std::string layout = what.usual ? "as the usual recipe trains it" : "in the layout of its files";
    out += fmt::format("/// {}, {}.\nplan {}_plan extends {}({} = {}, {} = {}{}) {{{}}}\n", title, layout, name, recipe,
                       recipeParameter("model"), model, recipeParameter("cluster"), names.cluster, arguments,
                       body.empty() ? "" : "\n" + body);
  }
  return out;
}

std::string countingText(const Imported& what, const TextNames& names, std::string_view cluster) {
  std::set<std::string> prefixes;
  const std::string call = what.model.empty() ? names.model : named(what.model, names, prefixes);
  const std::string recipe = named("@" + countingRecipe() + "@", names, prefixes);
  const std::string plan = fmt::format("plan counted extends {}({} = {}, {} = {}) {{}}\n", recipe,
                                       recipeParameter("model"), call, recipeParameter("cluster"), cluster);
  return names.imports() + "\n" + plan;
}

} // namespace planc::foreign
