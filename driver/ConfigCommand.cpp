// `planc config`: prints every setting of a project and the place it comes from.
// SPDX-License-Identifier: Apache-2.0
#include "driver/diff/Gates.h"
#include "driver/files/JsonDocument.h"
#include "driver/files/WorkFiles.h"
#include "driver/words/Commands.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace planc::driver {
namespace {

using Json = nlohmann::ordered_json;

/// A setting in force. It has a place in planc.toml (`range`), or comes from an option, or is a default.
struct Setting {
  std::string key, value, option;
  SourceRange range;
};

/// Returns whether a code of planc.toml is in force. An option that says the opposite overrides it.
bool inForce(const Arguments& arguments, std::string_view key, const std::string& code) {
  const std::string_view contrary = key == "deny" ? "--allow" : key == "allow" ? "--deny" : "";
  const std::vector<std::string>& codes = arguments.all(contrary);
  return std::find(codes.begin(), codes.end(), code) == codes.end();
}

std::vector<Setting> settingsOf(const Arguments& arguments, const project::Config& config,
                                const std::vector<Gate>& gates) {
  std::vector<Setting> out;
  for (const project::ConfigKey& key : project::configKeys()) {
    const std::string name = fmt::format("{}.{}", key.table, key.name);
    const size_t before = out.size();
    if (key.table == "check")
      for (const std::string& code : arguments.all(fmt::format("--{}", key.name)))
        out.push_back({name, code, fmt::format("--{}", key.name), {}});
    for (const project::ConfigText& text : key.valuesOf(config))
      if (inForce(arguments, key.name, text.value)) out.push_back({name, text.value, "", text.range});
    if (out.size() == before && key.table != project::kPackageTable) out.push_back({name, "", "", {}});
  }
  for (const Gate& gate : gates)
    out.push_back({fmt::format("{}.{}", project::kGatesTable, gate.metric->name()), gate.text, "", gate.range});
  if (gates.empty()) out.push_back({std::string(project::kGatesTable), "", "", {}});
  for (const project::ConfigDependency& d : config.dependencies)
    out.push_back(
        {fmt::format("{}.{}", project::kDependenciesTable, d.name.value), dependencyText(d), "", d.name.range});
  return out;
}

std::string originOf(const Setting& setting, const SourceManager& sources) {
  if (!setting.option.empty()) return setting.option;
  return setting.range.valid() ? sources.where(setting.range) : "default";
}

std::string settingsText(const std::vector<Setting>& settings, const SourceManager& sources) {
  size_t key = 0, value = 1;
  for (const Setting& s : settings) key = std::max(key, s.key.size()), value = std::max(value, s.value.size());
  std::string out, before;
  for (const Setting& s : settings) {
    out += fmt::format("{:<{}}  {:<{}}  {}\n", s.key == before ? "" : s.key, key, s.value.empty() ? "-" : s.value,
                       value, originOf(s, sources));
    before = s.key;
  }
  return out;
}

Json settingsJson(const std::vector<Setting>& settings, const Project& project) {
  Json list = Json::array();
  for (const Setting& s : settings) {
    Json& one = list.emplace_back(Json{{"key", s.key}, {"value", nullptr}});
    if (s.range.valid() || !s.option.empty()) one["value"] = s.value;
    one["from"] = s.range.valid() ? "file" : s.option.empty() ? "default" : "option";
    if (!s.option.empty()) one["option"] = s.option;
    if (!s.range.valid()) continue;
    one["file"] = project.sources().path(s.range.file);
    one["line"] = project.sources().begin(s.range).line;
  }
  const std::string& path = project.config().path;
  return {{"config", path.empty() ? Json(nullptr) : Json(path)}, {"settings", std::move(list)}};
}

int runConfig(Console& console, const Arguments& arguments) {
  const bool json = arguments.value("--format") == "json";
  Project project;
  int code = project.open(console, arguments.positional.empty() ? "" : projectFolder(arguments.positional[0]));
  std::vector<std::string> ignored;
  DiagnosticEngine found;
  const std::vector<Gate> gates = gatesOf(project.config(), found);
  console.diagnose(found, project.sources());
  if (found.hasErrors()) code = kFailed;
  for (const auto& [key, list] :
       {std::pair("plans", &project.config().plans), {"policies", &project.config().policies}})
    code = std::max(code, project.listed(console, *list, key, ignored));
  const std::vector<Setting> settings = settingsOf(arguments, project.config(), gates);
  if (json)
    printJson(console, kConfigFormat, settingsJson(settings, project));
  else if (code == kClean)
    console.out(settingsText(settings, project.sources()));
  if (code == kClean && !json && project.config().path.empty())
    console.remark("planc: there is no planc.toml in this folder or above it\n");
  console.summarize();
  return code;
}

} // namespace

const Command kConfigCommand = {
    "config",
    "print the settings of planc.toml and options, and where each value comes from",
    {{"FILE", 0, 1, "a file or folder, whose planc.toml is the nearest one above it; default: the current folder"}},
    {{"--format", "", {"text", "json"}, "output format"}},
    "planc config",
    runConfig,
};

} // namespace planc::driver
