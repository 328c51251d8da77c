// `planc lib tree`: who depends on what, and which version that came to.
// SPDX-License-Identifier: Apache-2.0
#include "driver/JsonDocument.h"
#include "driver/lib/Lib.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace planc::driver {
namespace {

using Json = nlohmann::ordered_json;
using packages::Dependency;
using packages::Locked;
using packages::Manifest;

/// `base 2.1.0  https://… v2.1.0`, and which version was asked for where that is another.
std::string rowOf(const Dependency& asked, const Locked& locked) {
  std::string out = fmt::format("{} {}  {}", locked.name, locked.version.text(), locked.origin.text());
  if (!asked.origin.isFolder() && asked.least != locked.version)
    out += fmt::format("  asked for: {}", asked.least.text());
  return out;
}

void addRows(LibRun& run, const Manifest& manifest, const std::string& before, std::set<std::string>& seen,
             std::string& out) {
  for (const Dependency& d : manifest.dependencies) {
    const bool last = &d == &manifest.dependencies.back();
    const Locked* const locked = run.workspace->lock()->find(d.name);
    if (!locked) continue;
    const Manifest* const next = run.workspace->manifestOf(*locked);
    const bool again = !seen.insert(d.name).second && next && !next->dependencies.empty();
    out += fmt::format("{}{} {}{}\n", before, last ? "└──" : "├──", rowOf(d, *locked), again ? "  (as above)" : "");
    if (next && !again) addRows(run, *next, before + (last ? "    " : "│   "), seen, out);
  }
}

Json dependenciesOf(const Manifest& manifest) {
  Json out = Json::array();
  for (const Dependency& d : manifest.dependencies) out.push_back({{"name", d.name}, {"from", d.origin.text()}});
  return out;
}

} // namespace

int libTree(LibRun& run) {
  if (const int code = run.open()) return code;
  const packages::Workspace& workspace = *run.workspace;
  const Manifest& manifest = workspace.manifest();
  const std::optional<bool> fits = run.workspace->fits();
  if (fits == std::optional(false))
    packages::reportUnfit(workspace.lockPath(), "it is missing, or not what they ask for",
                          {workspace.config().file, 0, 0}, run.diagnostics);
  if (run.diagnostics.hasErrors()) return run.end();
  if (run.arguments.value("--format") == "json") {
    Json rows = Json::array();
    for (const Locked& locked : workspace.lock()->packages)
      rows.push_back({{"name", locked.name},
                      {"version", locked.version.text()},
                      {"from", locked.origin.text()},
                      {"sha256", locked.digest.empty() ? Json(nullptr) : Json(locked.digest)},
                      {"dependencies", dependenciesOf(*run.workspace->manifestOf(locked))}});
    printJson(run.console, kLibFormat,
              {{"package", manifest.isPackage() ? Json(manifest.name) : Json(nullptr)},
               {"dependencies", dependenciesOf(manifest)},
               {"packages", std::move(rows)}});
    return kClean;
  }
  std::string out = manifest.isPackage() ? fmt::format("{} {}\n", manifest.name, manifest.version.text())
                                         : workspace.config().path + "\n";
  std::set<std::string> seen;
  addRows(run, manifest, "", seen, out);
  run.console.out(out);
  return kClean;
}

} // namespace planc::driver
