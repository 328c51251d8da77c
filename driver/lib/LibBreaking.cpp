// `planc lib breaking`: reports what the package's next version would break, and whether its version number allows
// that.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/JsonDocument.h"
#include "driver/files/OptionValues.h"
#include "driver/lib/Breaking.h"
#include "driver/lib/Lib.h"
#include "project/GitTree.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::driver {

PLANC_ERROR(VersionTooLow, 150, "these changes require version {needed}, but planc.toml has {version}")
PLANC_ERROR(NoPackageBefore, 151, "`{revision}` has no package to compare with: {reason}")

namespace {

using Json = nlohmann::ordered_json;

using packages::Manifest;
using packages::Version;

PackageSide sideOf(const std::string& version, std::shared_ptr<const FileTree> tree, const std::string& folder,
                   const Manifest& manifest) {
  return {version, std::move(tree), folder, manifest.name, manifest.exports};
}

/// Returns the planc.toml of the package at a revision; nothing after a report.
std::optional<Manifest> manifestAt(LibRun& run, const project::GitTree& tree, const std::string& revision) {
  const std::string& path = run.workspace->config().path;
  const SourceRange here{run.workspace->config().file, 0, 0};
  std::string reason;
  std::optional<std::string> text = tree.text(path, reason);
  std::optional<Manifest> out;
  DiagnosticEngine found;
  if (text) {
    const auto config = project::configOf(fmt::format("{}:{}", revision, path), std::move(*text), run.sources, found);
    if (config) out = packages::manifestOf(*config, found);
    if (const Diagnostic* first = found.firstError()) reason = first->message;
    if (out && !out->isPackage()) reason = "its planc.toml has no `[package]`";
  }
  if (out && out->isPackage()) return out;
  run.diagnostics.report(NoPackageBefore, here, {{"revision", revision}, {"reason", reason}})
      .help("`--against` needs the tag of a version of this package");
  return std::nullopt;
}

/// Returns the lowest version number that these changes allow: the same one without changes, the next patch version if
/// nothing breaks, the next minor version if only prices of others' plans change, and the next major version if their
/// plans may stop working (before 1.0, the next minor version).
Version after(const Version& before, const BreakingReport& report) {
  Version patched = before;
  if (!report.rows.empty()) ++patched.patch;
  if (!report.breaks()) return patched;
  const bool stops = std::any_of(report.rows.begin(), report.rows.end(), [](const api::ExportChange& row) {
    return row.breaking && row.kind != api::ChangeKind::Estimate;
  });
  return stops && before.major > 0 ? Version{before.major + 1, 0, 0, ""}
                                   : Version{before.major, before.minor + 1, 0, ""};
}

/// Returns the members of the JSON result: `before`, `after`, `plans`, `changes`.
nlohmann::ordered_json breakingJson(const BreakingReport& report) {
  Json changes = Json::array();
  for (const api::ExportChange& row : report.rows)
    changes.push_back({{"severity", row.breaking ? "breaking" : "worth knowing"},
                       {"change", api::name(row.kind)},
                       {"name", row.name},
                       {"text", row.text},
                       {"before", orNull(row.before)},
                       {"after", orNull(row.after)},
                       {"before_place", orNull(row.beforePlace)},
                       {"after_place", orNull(row.afterPlace)}});
  return {{"before", report.before}, {"after", report.after}, {"plans", report.plans}, {"changes", changes}};
}

} // namespace

int libBreaking(LibRun& run) {
  if (const int code = run.open()) return code;
  if (const int code = run.needsPackage()) return code;
  const std::optional<std::string> revision = run.arguments.value("--against");
  if (!revision)
    return run.console.usageError("`planc lib breaking` needs `--against TAG`",
                                  "give the tag of the version before, such as `--against v1.0.0`");
  const std::optional<size_t> jobs = jobsOf(run.console, run.arguments);
  if (!jobs) return kUsage;
  const packages::Workspace& workspace = *run.workspace;
  const auto tree =
      project::GitTree::open(*revision, workspace.config().path, {workspace.config().file, 0, 0}, run.diagnostics);
  if (!tree) return run.end();
  const std::optional<Manifest> before = manifestAt(run, *tree, *revision);
  if (!before) return run.end();
  const Manifest& now = workspace.manifest();
  const BreakingReport report = breaking(sideOf(*revision, tree, workspace.folder(), *before),
                                         sideOf(now.version.text(), nullptr, workspace.folder(), now), *jobs);
  const Version needed = after(before->version, report);
  if (now.version < needed)
    run.diagnostics
        .report(VersionTooLow, workspace.config().version->range,
                {{"needed", needed.text()}, {"version", now.version.text()}})
        .help(fmt::format(
            "write `version = \"{}\"`, or keep the exports unchanged: `deprecated` keeps an old name for a while",
            needed.text()));
  const int code = run.end();
  if (run.arguments.value("--format") == "json")
    printJson(run.console, kLibFormat, breakingJson(report));
  else
    run.console.out(breakingText(report));
  return code;
}

} // namespace planc::driver
