// `planc snapshot`: writes the results of plans to files next to them, or compares with these files.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/Files.h"
#include "driver/files/InputFile.h"
#include "driver/files/OptionValues.h"
#include "driver/files/Parallel.h"
#include "driver/files/WorkFiles.h"
#include "driver/words/Commands.h"
#include "report/diff/Snapshot.h"
#include "support/text/TextCells.h"
#include "support/text/TextDiff.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace planc::driver {

namespace {

namespace fs = std::filesystem;

/// Returns the path of a file's snapshot: next to the file, with its name.
std::string snapshotPath(const std::string& plan) {
  return fs::path(plan).replace_extension(kSnapshotSuffix).string();
}

/// Describes a path that is not a regular file.
std::string_view kindOf(const fs::file_status& status) {
  switch (status.type()) {
  case fs::file_type::symlink:
    return "a link";
  case fs::file_type::directory:
    return "a folder";
  case fs::file_type::fifo:
    return "a pipe";
  default:
    return "a device or socket";
  }
}

/// The result of pricing a file.
struct SnapshotFile {
  std::string unreadable;          ///< why it cannot be read; empty if it can
  bool failed = false;             ///< it has errors, so its snapshot is neither written nor compared
  std::optional<std::string> text; ///< text of its snapshot; nothing if it has no plan
  RenderedDiagnostics diagnostics;
};

/// Prices the plans of a file; may run on any thread.
SnapshotFile pricedFile(Console& console, const std::string& path) {
  SnapshotFile out;
  InputFile file(console, path);
  if (!file.load(out.unreadable)) return out;
  std::vector<std::string> sections;
  Plans plans;
  const auto take = [&](std::unique_ptr<api::Compilation> plan) {
    plan->diagnostics().ignoreWarnings(); // `check` and `test` report warnings
    plan->price();
    if (plan->estimate()) { // also if an assertion failed
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
  out.diagnostics = file.rendered(plans);
  out.failed = file.hasErrors() || !plans.empty();
  if (!sections.empty()) out.text = report::snapshotFile(std::move(sections));
  return out;
}

/// Writes or compares snapshots, and collects the outcome.
class Snapshots {
public:
  Snapshots(Console& console, bool check) : console_(console), check_(check) {}

  /// Writes or compares the snapshot at this path.
  void take(const std::string& path, const std::optional<std::string>& now) {
    std::optional<std::string> kept;
    if (!read(path, kept)) return;
    if (check_)
      hold(path, kept, now);
    else if (now)
      write(path, kept, *now);
    else if (kept)
      remove(path, *kept);
  }
  /// Handles a snapshot whose plan file is gone.
  void takeOrphan(const std::string& path) {
    std::optional<std::string> kept;
    if (!read(path, kept) || !kept) return;
    if (!check_) return remove(path, *kept);
    console_.remark(fmt::format("{} no longer belongs to a plan; `planc snapshot` removes it\n", printableLine(path)));
    orphans_ = true;
  }
  void miss() { unread_ = true; }

  int result() const {
    console_.summarize();
    if (differ_) console_.remark("plans differ from their snapshots; if this is intended, run `planc snapshot`\n");
    return unread_ ? kUsage : console_.hasErrors() || differ_ || orphans_ ? kFailed : kClean;
  }

private:
  void fail(const std::string& problem, const std::string& help = "") {
    console_.usageError(problem, help);
    unread_ = true;
  }
  /// Reads a snapshot. Returns false, after a report, if it cannot be read or is not a regular file: the target of a
  /// link belongs to somebody else, and a pipe has no end.
  bool read(const std::string& path, std::optional<std::string>& kept) {
    std::error_code ignored;
    std::string error;
    const fs::file_status status = fs::symlink_status(path, ignored);
    if (!fs::exists(status)) return true;
    if (!fs::is_regular_file(status)) {
      fail(fmt::format("{} is {}, but a snapshot must be a plain file", path, kindOf(status)), "move it or rename it");
      return false;
    }
    kept = readFile(path, error);
    if (!kept) fail(fmt::format("{} cannot be read: {}", path, error));
    return kept.has_value();
  }
  /// Prints the difference, if there is one.
  void hold(const std::string& path, const std::optional<std::string>& kept, const std::optional<std::string>& now) {
    if (kept == now) return;
    console_.out(printable(unifiedDiff(printableLine(path), kept.value_or(""), now.value_or(""))));
    differ_ = true;
  }
  void write(const std::string& path, const std::optional<std::string>& kept, const std::string& now) {
    if (kept == now) return;
    if (const std::string problem = writeFile(path, now); !problem.empty())
      return fail(fmt::format("{} cannot be written: {}", path, problem));
    console_.out(printableLine(path) + "\n");
  }
  /// Removes a file only if this command wrote it.
  void remove(const std::string& path, const std::string& kept) {
    if (!report::isSnapshot(kept)) {
      console_.remark(fmt::format(
          "{} does not belong to a plan, but `planc snapshot` did not write it, so it is kept\n", printableLine(path)));
      return;
    }
    std::error_code failed;
    if (!fs::remove(path, failed)) return fail(fmt::format("{} cannot be removed: {}", path, failed.message()));
    console_.out(printableLine(path) + " removed\n");
  }

  Console& console_;
  bool check_, unread_ = false, differ_ = false, orphans_ = false;
};

int runSnapshot(Console& console, const Arguments& arguments) {
  const auto jobs = jobsOf(console, arguments);
  if (!jobs) return kUsage;
  WorkFiles work;
  if (const int code = filesOf(console, arguments.positional, work)) return code;
  for (const WorkFile& file : work.files) {
    if (file.path == "-")
      return console.usageError("a snapshot is written next to its file, so standard input cannot have one");
    if (fs::path(file.path).extension() == kSnapshotSuffix)
      return console.usageError(file.path + " would be its own snapshot", "name the .plan file next to it");
  }
  Snapshots snapshots(console, arguments.has("--check"));
  size_t next = 0;
  Ordered<SnapshotFile>(work.files.size(), *jobs)
      .run([&](size_t i) { return pricedFile(console, work.files[i].path); },
           [&](SnapshotFile file) {
             const std::string path = snapshotPath(work.files[next++].path);
             if (!file.unreadable.empty()) {
               console.usageError(file.unreadable);
               snapshots.miss();
               return true;
             }
             console.diagnose(std::move(file.diagnostics));
             if (!file.failed) snapshots.take(path, file.text);
             return true;
           });
  std::set<std::string> orphans;
  std::error_code ignored;
  for (const std::string& folder : work.folders)
    for (std::string& path : filesBelow(work.project, folder, kSnapshotSuffix))
      if (!fs::exists(fs::path(path).replace_extension(".plan"), ignored)) orphans.insert(std::move(path));
  for (const std::string& path : orphans) snapshots.takeOrphan(path);
  return snapshots.result();
}

} // namespace

const Command kSnapshotCommand = {
    "snapshot",
    "save the results of plans (mesh, layouts, collectives, totals) in files next to them",
    {{"FILE", 0, kMany, "a .plan file or a folder of them; default: the files of planc.toml"}},
    {{"--check", "", {}, "write nothing: show differences, and fail if there are any"}, kJobsOption},
    "planc snapshot --check examples",
    runSnapshot,
};

} // namespace planc::driver
