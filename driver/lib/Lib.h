// What the commands below `planc lib` share: the project that they work on, and how they end.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Command.h"
#include "packages/Workspace.h"

namespace planc::driver {

/// The forms of `planc lib`, as bits for their options.
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

/// A run of one of them.
struct LibRun {
  Console& console;
  const Arguments& arguments;
  std::vector<std::string> words; ///< behind the form's own
  SourceManager sources{};
  DiagnosticEngine diagnostics{};
  std::unique_ptr<packages::Workspace> workspace{};

  /// Opens the project of the current folder: kClean, or the exit code after a report.
  int open();
  /// kClean if the project is a package, or the exit code after saying that it is none.
  int needsPackage();
  /// Writes the diagnostics; kClean without errors.
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

/// Brings the lock in line with planc.toml, and its packages here; says what that changed. `toml`: what is written in
/// the place of planc.toml, when all of it went well; empty: it stays.
int lockAndFetch(LibRun& run, const std::string& toml);

} // namespace planc::driver
