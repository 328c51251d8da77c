// `planc lib tree`: prints which package depends on which, and the chosen versions.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/JsonDocument.h"
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
using packages::Origin;

/// Returns `base 2.1.0  https://… v2.1.0`, with the requested version if it differs.
std::string rowOf(const Dependency& asked, const Origin& origin, const packages::Version& version) {
  std::string out = fmt::format("{} {}  {}", asked.name, version.text(), origin.text());
  if (!asked.origin.isFolder() && asked.least != version) out += fmt::format("  required: {}", asked.least.text());
  return out;
}

/// Builds the tree. Without a lock that matches, it shows each requirement as planc.toml states it.
struct Rows {
  LibRun& run;
  bool locked = true;
  std::set<std::string> seen{};
  std::string out{};

  void add(const Manifest& manifest, const std::string& within, const std::string& before) {
    for (const Dependency& d : manifest.dependencies) {
      const bool last = &d == &manifest.dependencies.back();
      const auto& lock = run.workspace->lock();
      const Locked* const chosen = locked && lock ? lock->find(d.name) : nullptr;
      const Origin origin = chosen ? chosen->origin : packages::fromProject(d.origin, within);
      const Manifest* const next = run.workspace->manifestOf(d, origin);
      const bool again = !seen.insert(d.name + " " + origin.text()).second && next && !next->dependencies.empty();
      out += fmt::format("{}{} {}{}\n", before, last ? "└──" : "├──", rowOf(d, origin, next ? next->version : d.least),
                         again ? "  (as above)" : "");
      if (next && !again) add(*next, origin.path, before + (last ? "    " : "│   "));
    }
  }
};

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
  std::string why;
  const std::optional<bool> fits = run.workspace->fits(why);
  if (!fits) return run.end();
  if (!*fits) packages::reportUnfit(workspace.lockPath(), why, {workspace.config().file, 0, 0}, run.diagnostics);
  if (*fits && run.arguments.value("--format") == "json") {
    Json rows = Json::array();
    for (const Locked& locked : workspace.lock()->packages)
      rows.push_back({{"name", locked.name},
                      {"version", run.workspace->manifestOf(locked)->version.text()},
                      {"from", locked.origin.text()},
                      {"sha256", orNull(locked.digest)},
                      {"dependencies", dependenciesOf(*run.workspace->manifestOf(locked))}});
    printJson(run.console, kLibFormat,
              {{"package", orNull(manifest.name)},
               {"dependencies", dependenciesOf(manifest)},
               {"packages", std::move(rows)}});
    return kClean;
  }
  std::string out = manifest.isPackage() ? fmt::format("{} {}\n", manifest.name, manifest.version.text())
                                         : workspace.config().path + "\n";
  Rows rows{run, *fits};
  rows.add(manifest, "", "");
  run.console.out(out + rows.out);
  return run.end();
}

} // namespace planc::driver
