// Code that the subcommands of `planc lib` share: opening the project, and reporting.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Command.h"
#include "packages/Workspace.h"

namespace planc::driver {

/// The subcommands of `planc lib`, as bits for the table of options.
enum LibForm : unsigned {
  kLibAdd = 1u << 0,
  kLibUpdate = 1u << 1,
  kLibFetch = 1u << 2,
  kLibVendor = 1u << 3,
  kLibVerify = 1u << 4,
  kLibTree = 1u << 5,
  kLibDocs = 1u << 6,
  kLibBreaking = 1u << 7,
};

/// The state of one run of a subcommand.
struct LibRun {
  Console& console;
  const Arguments& arguments;
  std::vector<std::string> words; ///< words after the subcommand
  SourceManager sources{};
  DiagnosticEngine diagnostics{};
  std::unique_ptr<packages::Workspace> workspace{};

  /// Opens the project of the current folder. Returns kClean, or the exit code after a report.
  int open();
  /// Returns kClean if the project is a package, or the exit code after a report.
  int needsPackage();
  /// Writes the diagnostics. Returns kClean if there is no error, else the exit code.
  int end();
};

int libAdd(LibRun& run);
int libUpdate(LibRun& run);
int libFetch(LibRun& run);
int libVendor(LibRun& run);
int libVerify(LibRun& run);
int libTree(LibRun& run);
int libDocs(LibRun& run);
int libBreaking(LibRun& run);

/// Makes planc.lock match planc.toml, fetches its packages, and prints what changed. If `toml` is not empty, it is
/// written as planc.toml once everything has succeeded.
int lockAndFetch(LibRun& run, const std::string& toml);

} // namespace planc::driver
