// Compares two versions of a package.
// SPDX-License-Identifier: Apache-2.0
#include "driver/lib/Breaking.h"

#include "driver/diff/DiffCompare.h"
#include "driver/diff/DiffSide.h"
#include "packages/Contents.h"
#include "support/files/DiskFiles.h"
#include "support/files/Packages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace planc::driver {

namespace {

namespace fs = std::filesystem;
using api::ChangeKind;

/// The relative change of a metric up to which a plan counts as unchanged.
constexpr double kMostMove = 0.01;
constexpr std::array<std::string_view, 3> kMetrics{"step_time", "memory.peak", "tokens_per_second"};

const FileTree& treeOf(const PackageSide& side) {
  return side.tree ? *side.tree : diskFiles();
}

/// Returns a path relative to the folder of the package.
std::string inside(const PackageSide& side, const std::string& path) {
  return fs::path(path).lexically_relative(side.folder.empty() ? "." : side.folder).generic_string();
}

/// Returns the package's own plan files, without hidden and vendored folders.
std::vector<std::string> filesOf(const PackageSide& side) {
  std::vector<std::string> out;
  std::string ignored; // pricing the plans reports unreadable files
  for (const FileEntry& entry : treeOf(side).below(side.folder, packages::kMostEntries, ignored))
    if (entry.kind == FileEntry::Kind::File && entry.path.ends_with(kPlanSuffix))
      out.push_back(packages::joined(side.folder, entry.path));
  return out;
}

bool isExported(const PackageSide& side, std::string_view path) {
  return planc::isExported(side.exports, path.substr(0, path.size() - std::min(path.size(), kPlanSuffix.size())));
}

DiffSide pricedSide(const PackageSide& side, size_t jobs) {
  DiffSide out{side.version, {}, side.tree};
  for (const std::string& path : filesOf(side)) out.files.push_back({inside(side, path), path});
  priceSide(out, jobs);
  return out;
}

void addUnreadable(const api::Catalogue& catalogue, bool after, std::vector<api::ExportChange>& rows) {
  const Diagnostic* first = catalogue.diagnostics().firstError();
  if (!first) return;
  const std::string place = catalogue.sources().where(first->range);
  rows.push_back({ChangeKind::Unreadable, after, place.substr(0, place.find(':')),
                  fmt::format("error[{}]: {}", first->kind->id(), first->message), "", "", after ? "" : place,
                  after ? place : ""});
}

/// Adds a row for each file that cannot be read and therefore is not compared.
void addUnreadable(const DiffSide& side, bool after, std::vector<api::ExportChange>& rows) {
  for (const SideFile& file : side.files)
    if (file.unreadable)
      rows.push_back({ChangeKind::Unreadable, after, file.path, file.error.text, "", "", after ? "" : file.path,
                      after ? file.path : ""});
}

/// Adds modules that are gone. Imports of their files fail, even if another file of the folder exports the same names.
void addGoneModules(const std::vector<api::Export>& before, const api::Catalogue& after,
                    std::vector<api::ExportChange>& rows) {
  std::set<std::string> there;
  for (const api::ModuleHead& module : after.modules()) there.insert(module.name);
  for (const api::Export& one : before)
    if (there.insert(one.module).second)
      rows.push_back({ChangeKind::ModuleGone, true, one.module,
                      fmt::format("there is no file for `import {}`", one.module), "", "", one.path, ""});
}

/// Returns whether only the plan's own file changed, and nothing that it imports.
bool changedItself(const diff::Difference& d) {
  return std::all_of(d.owned.begin(), d.owned.end(),
                     [](const diff::OwnedChange& owned) { return owned.owner == diff::Owner::Plan; });
}

/// Returns `step_time 2.488 s → 2.671 s (+7.4 %)` for each metric that changed; empty if none did.
std::string moves(const diff::Difference& d) {
  std::string out;
  for (const std::string_view metric : kMetrics)
    if (const auto share = d.relative(metric); share && std::abs(*share) > kMostMove)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", metric, report::metricChange(d, std::string(metric)));
  return out;
}

/// Adds the row of a plan. `exported`: users can import the plan's file. If they cannot, and only the plan's own text
/// changed, the change does not break anything.
void addPlan(const report::PlanDiff& plan, bool exported, BreakingReport& out) {
  api::ExportChange row{ChangeKind::Estimate, true, plan.id, "", "", "", "", plan.where};
  switch (plan.fate) {
  case report::Fate::Changed:
  case report::Fate::Renamed:
    ++out.plans;
    row.text = moves(*plan.difference);
    if (plan.newlyUnfit()) row.text += fmt::format("{}it no longer fits", row.text.empty() ? "" : "; ");
    if (row.text.empty()) return;
    row.breaking = exported || !changedItself(*plan.difference);
    break;
  case report::Fate::Removed:
    row.kind = ChangeKind::PlanGone;
    row.beforePlace = std::exchange(row.afterPlace, "");
    row.text = plan.error.empty() ? "the plan is gone" : plan.error;
    break;
  case report::Fate::Broken:
    row.kind = ChangeKind::PlanBroken;
    row.text = plan.error;
    row.breaking = plan.result || plan.id.find('#') == std::string::npos; // a new plan that is broken breaks nothing
    break;
  case report::Fate::Added:
  case report::Fate::StillBroken:
  case report::Fate::Mended:
    return;
  }
  out.rows.push_back(std::move(row));
}

} // namespace

api::Catalogue catalogueOf(const PackageSide& side) {
  api::Catalogue out;
  for (const std::string& path : filesOf(side)) {
    std::string error;
    std::optional<std::string> text = treeOf(side).plan(path, error);
    if (!text) continue; // pricing its plans reports why
    const std::string below = inside(side, path);
    std::string name = side.package + "." + below.substr(0, below.size() - kPlanSuffix.size());
    std::replace(name.begin(), name.end(), '/', '.');
    out.add(std::move(name), path, std::move(*text), isExported(side, below));
  }
  return out;
}

BreakingReport breaking(const PackageSide& before, const PackageSide& after, size_t jobs) {
  BreakingReport out{before.version, after.version};
  api::Catalogue was = catalogueOf(before), is = catalogueOf(after);
  const std::vector<api::Export> exportsBefore = was.exports();
  out.rows = api::exportChanges(exportsBefore, is.exports());
  addGoneModules(exportsBefore, is, out.rows);
  addUnreadable(was, false, out.rows);
  addUnreadable(is, true, out.rows);
  const DiffSide a = pricedSide(before, jobs), b = pricedSide(after, jobs);
  addUnreadable(a, false, out.rows);
  addUnreadable(b, true, out.rows);
  const report::DiffReport plans = compared(a, b, {});
  out.plans = plans.equal;
  for (const report::PlanDiff& plan : plans.plans)
    addPlan(plan, isExported(after, inside(after, plan.id.substr(0, plan.id.find('#')))), out);
  std::stable_partition(out.rows.begin(), out.rows.end(), [](const auto& row) { return row.breaking; });
  return out;
}

std::string breakingText(const BreakingReport& report) {
  const auto breaks = std::count_if(report.rows.begin(), report.rows.end(), [](const auto& r) { return r.breaking; });
  std::string out = fmt::format("{} → {}: {} breaking, {} worth knowing; {} plans priced in both\n", report.before,
                                report.after, breaks, report.rows.size() - static_cast<size_t>(breaks), report.plans);
  bool breaking = false, first = true;
  for (const api::ExportChange& row : report.rows) {
    if (std::exchange(first, false) || row.breaking != breaking)
      out += row.breaking ? "\nbreaking\n" : "\nworth knowing\n";
    breaking = row.breaking;
    out += fmt::format("  {}: {}\n", row.name, row.text);
    const bool values = row.kind != ChangeKind::Removed && !(row.before.empty() && row.after.empty());
    if (values)
      out += fmt::format("    {} → {}\n", row.before.empty() ? "-" : row.before, row.after.empty() ? "-" : row.after);
    if (!row.beforePlace.empty() || !row.afterPlace.empty())
      out += fmt::format("    {}{}{}\n", row.beforePlace,
                         row.beforePlace.empty() || row.afterPlace.empty() || row.beforePlace == row.afterPlace ? ""
                                                                                                                : " → ",
                         row.beforePlace == row.afterPlace ? "" : row.afterPlace);
  }
  return out;
}

} // namespace planc::driver
