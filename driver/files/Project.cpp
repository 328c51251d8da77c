// Applies planc.toml to a command line: rules about warnings, and lists of paths.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/Project.h"

#include "driver/files/Files.h"
#include "packages/Manifest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::driver {

PLANC_ERROR(ListedNowhere, 1105, "`{key}` names `{path}`, which {problem}")
PLANC_WARNING(ExcludesNothing, 1106, "`exclude` names `{path}`, which does not exist")
PLANC_WARNING(ExcludesListed, 1114, "`exclude` of `{path}` has no effect on `{listed}`, which `plans` lists")
PLANC_ERROR(DeniedAndAllowed, 1109, "{code} is both denied and allowed")

namespace {

namespace fs = std::filesystem;

/// Returns whether the path is the folder, or lies below it.
bool liesIn(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) &&
         (path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/');
}

/// Returns what is wrong with a listed path; empty if it exists.
std::string pathProblem(const std::string& written, const std::string& shown) {
  if (written.empty() || written.find('\0') != std::string::npos) return "is not a path";
  std::error_code failed;
  return fs::exists(shown, failed) ? "" : "does not exist";
}

} // namespace

int Project::open(Console& console, const std::string& folder) {
  const std::optional<std::string> path = project::findConfig(folder);
  if (!path) return kClean;
  DiagnosticEngine diagnostics;
  std::optional<project::Config> config = project::readConfig(*path, sources_, diagnostics);
  if (config) {
    config_ = std::move(*config);
    WarningRules rules = console.warningRules();
    addRules(rules, diagnostics);
    console.setWarningRules(std::move(rules));
    exclude(diagnostics);
    packages::manifestOf(config_, diagnostics);
  }
  console.diagnose(diagnostics, sources_);
  return diagnostics.hasErrors() ? kFailed : kClean;
}

std::optional<Project> Project::earlier(const std::string& path, std::string text) {
  Project out;
  DiagnosticEngine found;
  std::optional<project::Config> config = project::configOf(path, std::move(text), out.sources_, found);
  if (!config) return std::nullopt;
  out.config_ = std::move(*config);
  for (const project::ConfigText& excluded : out.config_.exclude)
    if (!excluded.value.empty()) out.excluded_.push_back(wholePath(out.config_.shown(excluded)));
  return out;
}

/// Adds the rules of planc.toml. Options that name a code, or deny all warnings, take precedence.
void Project::addRules(WarningRules& rules, DiagnosticEngine& diagnostics) const {
  const WarningRules options = rules;
  std::map<int, SourceRange> denied;
  for (const project::ConfigText& text : config_.deny) {
    const std::string by = "deny of " + sources_.where(text.range);
    if (text.value == kAllWarnings) {
      if (!rules.denyAll) rules.denyAll = by;
    } else if (const DiagnosticKind* kind = warningNamed("deny", text.value, text.range, true, diagnostics)) {
      denied.emplace(kind->code, text.range);
      if (options.allowed.count(kind->code) == 0) rules.denied.emplace(kind->code, by);
    }
  }
  for (const project::ConfigText& text : config_.allow) {
    const DiagnosticKind* const kind = warningNamed("allow", text.value, text.range, false, diagnostics);
    if (!kind) continue;
    if (const auto also = denied.find(kind->code); also != denied.end())
      diagnostics.report(DeniedAndAllowed, text.range, {{"code", kind->id()}})
          .label(also->second, "denied here")
          .help("remove one of the two");
    else if (options.denied.count(kind->code) == 0)
      rules.allowed.insert(kind->code);
  }
}

void Project::exclude(DiagnosticEngine& diagnostics) {
  for (const project::ConfigText& text : config_.exclude) {
    const std::string shown = config_.shown(text);
    if (text.value.empty())
      diagnostics.report(ListedNowhere, text.range, {{"key", "exclude"}, {"path", ""}, {"problem", "is not a path"}});
    else if (!pathProblem(text.value, shown).empty())
      diagnostics.report(ExcludesNothing, text.range, {{"path", text.value}})
          .help("remove it, or write the path of a file or folder; a folder includes all files below it");
    else
      excluded_.push_back(wholePath(shown));
    for (const project::ConfigText& listed : config_.plans)
      if (!text.value.empty() && liesIn(wholePath(config_.shown(listed)), wholePath(shown)))
        diagnostics.report(ExcludesListed, text.range, {{"path", text.value}, {"listed", listed.value}})
            .label(listed.range, "listed here")
            .help("remove one of the two");
  }
}

bool Project::excludes(const std::string& path, const std::string& root) const {
  return std::any_of(excluded_.begin(), excluded_.end(),
                     [&](const std::string& out) { return liesIn(path, out) && liesIn(out, root) && out != root; });
}

int Project::listed(Console& console, const std::vector<project::ConfigText>& list, std::string_view key,
                    std::vector<std::string>& out) const {
  DiagnosticEngine diagnostics;
  for (const project::ConfigText& text : list) {
    out.push_back(config_.shown(text));
    if (const std::string problem = pathProblem(text.value, out.back()); !problem.empty())
      diagnostics.report(ListedNowhere, text.range, {{"key", key}, {"path", text.value}, {"problem", problem}})
          .help(fmt::format("paths are relative to the folder of {}; `.` is that folder itself", config_.path));
  }
  console.diagnose(diagnostics, sources_);
  return diagnostics.hasErrors() ? kFailed : kClean;
}

} // namespace planc::driver
