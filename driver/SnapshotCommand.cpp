// `planc snapshot`: what plans come to, as files beside them, and whether it is still so.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Snapshot.h"
#include "driver/Commands.h"
#include "driver/Files.h"
#include "driver/InputFile.h"
#include "driver/WorkFiles.h"
#include "support/TextDiff.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::driver {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSnapshotSuffix = ".snap";

/// Beside the file, with its name.
std::string snapshotPath(const std::string& plan) {
  return fs::path(plan).replace_extension(kSnapshotSuffix).string();
}

/// The snapshot of a loaded file; nothing if it has no plan. `failed`: there were errors, which are written.
std::optional<std::string> snapshotOf(InputFile& file, bool& failed) {
  std::vector<std::string> sections;
  Plans plans;
  const auto take = [&](std::unique_ptr<api::Compilation> plan) {
    plan->diagnostics().ignoreWarnings(); // `check` and `test` tell them
    plan->price();
    if (plan->estimate()) { // where only an assertion fails, too
      sections.push_back(report::snapshotText(
          {file.shownPath(), &file.sources(), &plan->plan(), plan->program(), plan->estimate(), &plan->results()}));
      return;
    }
    plan->release();
    plans.push_back(std::move(plan));
  };
  file.check(take);
  for (api::Comparison& comparison : file.comparisons())
    for (std::unique_ptr<api::Compilation>& plan : comparison.plans) take(std::move(plan));
  file.report(plans);
  failed = file.hasErrors() || !plans.empty();
  std::sort(sections.begin(), sections.end());
  sections.erase(std::unique(sections.begin(), sections.end()), sections.end());
  if (sections.empty()) return std::nullopt;
  return report::snapshotFile(std::move(sections));
}

/// Whether what is kept is what it is now; else how it differs.
bool holds(Console& console, const std::string& path, const std::optional<std::string>& now) {
  std::string error;
  std::error_code ignored;
  const bool there = fs::exists(path, ignored);
  const std::optional<std::string> kept = there ? readFile(path, error) : std::nullopt;
  if (!now && !there) return true;
  if (now && kept && *now == *kept) return true;
  if (there && !kept) {
    console.usageError(fmt::format("{} cannot be read: {}", path, error));
    return false;
  }
  console.out(unifiedDiff(path, kept.value_or(""), now.value_or("")));
  return false;
}

/// Writes what is new; a snapshot whose plans are gone goes with them.
bool write(Console& console, const std::string& path, const std::optional<std::string>& now, size_t& written) {
  std::error_code ignored;
  std::string error;
  if (!now) {
    if (fs::exists(path, ignored)) console.remark(fmt::format("{} belongs to no plan any more; remove it\n", path));
    return true;
  }
  if (fs::exists(path, ignored) && readFile(path, error) == now) return true;
  if (const std::string problem = writeFile(path, *now); !problem.empty()) {
    console.usageError(fmt::format("{} cannot be written: {}", path, problem));
    return false;
  }
  ++written;
  console.out(path + "\n");
  return true;
}

int runSnapshot(Console& console, const Arguments& arguments) {
  WorkFiles work;
  if (const int code = filesOf(console, arguments.positional, work)) return code;
  const bool check = arguments.has("--check");
  bool unread = false, differ = false;
  size_t written = 0;
  for (const WorkFile& file : work.files) {
    if (file.path == "-") return console.usageError("a snapshot stands beside a file, and standard input has no place");
    InputFile read(console, file.path);
    if (!read.load()) {
      unread = true;
      continue;
    }
    bool failed = false;
    const std::optional<std::string> now = snapshotOf(read, failed);
    if (failed) continue; // what cannot be priced is neither kept nor held
    const std::string path = snapshotPath(file.path);
    if (check)
      differ |= !holds(console, path, now);
    else
      unread |= !write(console, path, now, written);
  }
  console.summarize();
  if (differ) console.remark("plans no longer come to what their snapshots say; if that is meant: `planc snapshot`\n");
  return unread ? kUsage : console.hasErrors() || differ ? kFailed : kClean;
}

} // namespace

const Command kSnapshotCommand = {
    "snapshot",
    "keep what plans come to (mesh, layouts, collectives, totals) in files beside them",
    {{"FILE", 0, kMany, "a .plan file or a folder of them; what planc.toml lists, if not said"}},
    {{"--check", "", {}, "write nothing: show what is no longer so, and fail"}},
    "planc snapshot --check examples",
    runSnapshot,
};

} // namespace planc::driver
