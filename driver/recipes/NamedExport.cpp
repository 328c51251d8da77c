// Finds the declaration that a word names, and reports what is wrong with the word otherwise.
// SPDX-License-Identifier: Apache-2.0
#include "driver/recipes/NamedExport.h"

#include "driver/files/Files.h"
#include "driver/recipes/NameMatch.h"
#include "support/files/FileTree.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <sstream>

namespace planc::driver {

namespace {

using api::Export;
using Exports = std::vector<Export>;

/// Most declarations listed in an error; if there are more, this many of the nearest names.
constexpr size_t kMostListed = 12, kMostNear = 4;

std::string article(std::string_view noun) {
  return fmt::format("{} {}", std::string_view("aeiou").find(noun.front()) == std::string_view::npos ? "a" : "an",
                     noun);
}

std::string kindMisfit(const Export& decl, std::string_view kind) {
  if (decl.kind == kind) return "";
  return fmt::format("is {}, not {}", article(decl.kind == "let" ? "constant" : decl.kind), article(kind));
}

std::string modelMisfit(const Export& decl) {
  return kindMisfit(decl, "model");
}

std::string clusterMisfit(const Export& decl) {
  return kindMisfit(decl, "cluster");
}

std::string recipeMisfit(const Export& decl) {
  if (decl.kind != "plan") return kindMisfit(decl, "plan");
  if (onlyParameter(decl, "model") && onlyParameter(decl, "cluster")) return "";
  std::string names;
  for (const api::ExportParameter& p : decl.parameters) names += (names.empty() ? "" : ", ") + p.str();
  return fmt::format("is not a recipe: a recipe is a plan with one parameter of type `model` and one of type "
                     "`cluster`, but its parameters are ({})",
                     names);
}

std::string dotted(const Export& decl) {
  return decl.module + "." + decl.name;
}

/// Returns a line per export: `  std.models.llama.llama3_8b  Llama 3: arXiv 2407.21783, Table 3.`.
std::string listed(const Exports& exports, size_t most = kMostListed) {
  size_t width = 0;
  const size_t shown = std::min(exports.size(), most);
  for (size_t i = 0; i < shown; ++i) width = std::max(width, dotted(exports[i]).size());
  std::string out;
  for (size_t i = 0; i < shown; ++i)
    out += exports[i].sentence.empty()
               ? "\n    " + dotted(exports[i])
               : fmt::format("\n    {:<{}}  {}", dotted(exports[i]), width, exports[i].sentence);
  return exports.size() > shown ? out + fmt::format("\n    and {} more", exports.size() - shown) : out;
}

/// Splits a word into name and arguments. Returns false after a usage error.
bool splitArguments(Console& console, const WantedExport& wanted, std::string& word, std::string& arguments) {
  const size_t open = word.find('(');
  if (open == std::string::npos) return true;
  if (!word.ends_with(')')) {
    console.usageError(fmt::format("the arguments of `{}` do not end in `)`", word),
                       fmt::format("write `{}` 'NAME(nodes = 8)'", wanted.usage));
    return false;
  }
  arguments = word.substr(open + 1, word.size() - open - 2);
  word.resize(open);
  return true;
}

/// Returns the exports of the wanted kind.
Exports fitting(const Exports& all, const WantedExport& wanted) {
  Exports out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [&](const Export& one) { return wanted.misfit(one).empty(); });
  return out;
}

/// Returns exports with exactly this name: `llama3_70b`, `llama.llama3_70b`, `std.models.llama.llama3_70b`, or with the
/// module's folder, `std.models.llama3_70b`.
Exports namedSo(const Exports& all, const std::string& word) {
  if (const Export* one = api::exportOf(all, word)) return {*one};
  Exports out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [&](const Export& one) { return one.name == word || ("." + dotted(one)).ends_with("." + word); });
  return out;
}

/// Returns the clusters with this device.
Exports clustersOf(api::Catalogue& catalogue, const std::string& device) {
  Exports out;
  for (Export& one : catalogue.exports("cluster"))
    for (const api::ExportFact& fact : one.facts)
      if (fact.path == "device" && fact.value.text.substr(fact.value.text.rfind('.') + 1) == device) out.push_back(one);
  return out;
}

int reportSeveral(Console& console, const WantedExport& wanted, const std::string& word, const Exports& several) {
  return console.usageError(fmt::format("{} declarations fit `{}` as the {}", several.size(), word, wanted.what),
                            fmt::format("choose one of them by its name:{}", listed(several)));
}

int reportMisfit(Console& console, api::Catalogue& catalogue, const WantedExport& wanted, const Export& other) {
  std::string help =
      fmt::format("`planc show` lists all declarations; `{}` takes {}", wanted.usage, article(wanted.what));
  if (wanted.misfit == clusterMisfit && other.kind == "device")
    if (const Exports holding = clustersOf(catalogue, other.name); !holding.empty())
      help = fmt::format("clusters of this device:{}", listed(holding));
  return console.usageError(fmt::format("`{}` {}", dotted(other), wanted.misfit(other)), help);
}

/// Returns a help text: all declarations if they are recipes or few, otherwise those with the nearest names.
std::string nearText(const WantedExport& wanted, const std::string& word, const Exports& fit) {
  if (fit.empty()) return "";
  if (wanted.misfit != recipeMisfit && fit.size() > kMostListed)
    return fmt::format("the nearest names:{}", listed(nearestNames(fit, word, kMostNear)));
  return fmt::format("there {}:{}", fit.size() == 1 ? "is" : "are", listed(fit, fit.size()));
}

/// Reports that no declaration fits. `place`: the searched plan file; empty if the library and packages were searched.
int reportNone(Console& console, const WantedExport& wanted, const std::string& word, const Exports& fit,
               const std::string& place = {}) {
  std::vector<std::string> names;
  for (const Export& one : fit) names.push_back(one.name);
  std::string help = didYouMean(word.substr(word.rfind('.') + 1), names);
  if (help.empty()) help = nearText(wanted, word, fit);
  if (place.empty()) {
    const std::string_view option = wanted.usage.substr(0, wanted.usage.find(' '));
    help += fmt::format("{}name a declaration of your own by its file: `{} FILE:NAME`", help.empty() ? "" : "\n    ",
                        option);
  }
  return console.usageError(
      fmt::format("there is no {} `{}` in {}", wanted.what, word,
                  place.empty() ? "the library or a package of this project" : "the exports of " + place),
      help);
}

int reportOneOf(Console& console, const WantedExport& wanted, const std::string& path, const Exports& fit) {
  std::string names;
  for (const Export& one : fit) names += fmt::format("{}`{}:{}`", names.empty() ? "" : ", ", path, one.name);
  return console.usageError(
      fmt::format("{} exports {} {}s", path, fit.empty() ? "no" : std::to_string(fit.size()), wanted.what),
      fit.empty() ? std::string() : "choose one: " + names);
}

/// Returns a declaration of a plan file by name; without a name, the only one of the wanted kind.
std::optional<NamedExport> inFile(Console& console, const WantedExport& wanted, const std::string& path,
                                  const std::string& name) {
  std::string problem;
  const std::optional<std::string> text = readFile(path, problem);
  if (!text) {
    console.usageError(fmt::format("cannot read {}: {}", path, problem));
    return std::nullopt;
  }
  api::Catalogue file;
  file.add(path, path, *text);
  const Exports all = file.exports({}, api::Detail::Names), fit = fitting(all, wanted);
  if (file.diagnostics().hasErrors()) {
    console.diagnose(file.diagnostics(), file.sources());
    console.summarize();
    return std::nullopt;
  }
  if (name.empty() && fit.size() == 1) return NamedExport{fit.front(), path, {}};
  const auto at = std::find_if(all.begin(), all.end(), [&](const Export& one) { return one.name == name; });
  if (name.empty())
    reportOneOf(console, wanted, path, fit);
  else if (at == all.end())
    reportNone(console, wanted, name, fit, path);
  else if (const std::string misfit = wanted.misfit(*at); !misfit.empty())
    console.usageError(fmt::format("`{}` of {} {}", name, path, misfit));
  else
    return NamedExport{*at, path, {}};
  return std::nullopt;
}

std::vector<std::string> wordsOf(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// Returns the hits of a word search without deprecated exports and models that need arguments.
Exports usable(Exports hits, const WantedExport& wanted) {
  const auto waits = [](const api::ExportParameter& p) { return p.required(); };
  std::erase_if(hits, [&](const Export& one) {
    const bool open = wanted.misfit == modelMisfit && std::any_of(one.parameters.begin(), one.parameters.end(), waits);
    return open || !one.deprecated.empty();
  });
  return hits;
}

/// Removes aliases of other hits, such as `export model deepseek_v3 = deepseek.deepseek_v3`.
Exports withoutAliases(api::Catalogue& catalogue, Exports hits) {
  if (hits.size() < 2) return hits;
  const Exports whole = catalogue.exports(hits.front().kind);
  const Exports all = hits;
  std::erase_if(hits, [&](const Export& one) {
    const Export* said = api::exportOf(whole, dotted(one));
    std::string value = said ? said->value.text : "";
    if (value.ends_with("()")) value.resize(value.size() - 2);
    return std::any_of(all.begin(), all.end(), [&](const Export& other) {
      return other.module != one.module && ("." + value).ends_with("." + other.name);
    });
  });
  return hits.empty() ? all : hits;
}

/// Returns a declaration of the library or of a package.
std::optional<NamedExport> inCatalogue(Console& console, api::Catalogue& catalogue, const WantedExport& wanted,
                                       const std::string& word) {
  const Exports all = catalogue.exports({}, api::Detail::Names);
  const Exports exact = namedSo(all, word), fit = fitting(all, wanted);
  Exports hits = fitting(exact, wanted);
  if (hits.empty()) hits = calledAlike(fit, word);
  if (hits.empty()) hits = usable(withInName(fit, word), wanted);
  if (hits.empty() && !exact.empty()) {
    reportMisfit(console, catalogue, wanted, exact.front());
    return std::nullopt;
  }
  if (hits.empty() && word.find('.') == std::string::npos) hits = usable(api::found(fit, wordsOf(word)), wanted);
  hits = withoutAliases(catalogue, std::move(hits));
  if (hits.size() == 1) return NamedExport{hits.front(), {}, {}};
  if (hits.empty())
    reportNone(console, wanted, word, fit);
  else
    reportSeveral(console, wanted, word, hits);
  return std::nullopt;
}

} // namespace

const WantedExport kWantedModel{"model", "--model NAME", modelMisfit};
const WantedExport kWantedCluster{"cluster", "--cluster NAME", clusterMisfit};
const WantedExport kWantedRecipe{"recipe", "--as RECIPE", recipeMisfit};

std::optional<WantedExport> wantedOfType(std::string_view type) {
  static const WantedExport kByType[] = {
      kWantedModel,
      kWantedCluster,
      {"stack", "--set PARAMETER=NAME", [](const Export& decl) { return kindMisfit(decl, "stack"); }},
      {"device", "--set PARAMETER=NAME", [](const Export& decl) { return kindMisfit(decl, "device"); }},
      {"fabric", "--set PARAMETER=NAME", [](const Export& decl) { return kindMisfit(decl, "fabric"); }}};
  for (const WantedExport& one : kByType)
    if (one.what == type) return one;
  return std::nullopt;
}

const api::ExportParameter* onlyParameter(const Export& decl, std::string_view type) {
  const api::ExportParameter* found = nullptr;
  for (const api::ExportParameter& p : decl.parameters) {
    if (p.type.text != type) continue;
    if (found) return nullptr;
    found = &p;
  }
  return found;
}

std::optional<NamedExport> namedExport(Console& console, api::Catalogue& catalogue, const WantedExport& wanted,
                                       const std::string& word) {
  std::string name = word, arguments;
  if (!splitArguments(console, wanted, name, arguments)) return std::nullopt;
  if (wordsOf(name).empty()) {
    console.usageError(fmt::format("the name of the {} is empty", wanted.what),
                       fmt::format("write `{}`", wanted.usage));
    return std::nullopt;
  }
  const size_t colon = name.rfind(std::string(kPlanSuffix) + ":");
  if (colon == std::string::npos && name.find(':') != std::string::npos) {
    console.usageError(
        fmt::format("`{}` does not name a plan file, which ends in `{}`", name, kPlanSuffix),
        fmt::format("write `{} mine{}:NAME`", wanted.usage.substr(0, wanted.usage.find(' ')), kPlanSuffix));
    return std::nullopt;
  }
  const size_t behind = colon == std::string::npos ? name.size() : colon + kPlanSuffix.size();
  const std::string file = name.substr(0, behind);
  auto found = file.ends_with(kPlanSuffix)
                   ? inFile(console, wanted, file, name.substr(std::min(behind + 1, name.size())))
                   : inCatalogue(console, catalogue, wanted, name);
  if (found) found->arguments = std::move(arguments);
  return found;
}

} // namespace planc::driver
