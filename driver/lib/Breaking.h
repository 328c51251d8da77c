// Finds what a new version of a package breaks: compares exports, and prices the package's own plans in both versions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/ExportChanges.h"
#include "support/files/FileTree.h"

#include <memory>
#include <string>
#include <vector>

namespace planc::driver {

/// One version of a package.
struct PackageSide {
  std::string version;                  ///< name in reports: `v1.0.0`, `the working tree`
  std::shared_ptr<const FileTree> tree; ///< null: the disk
  std::string folder;                   ///< folder of its planc.toml, with the path prefix that `tree` uses
  std::string package;                  ///< name of the package: `acme`
  std::vector<std::string> exports;     ///< exported folders and files below `folder`
};

struct BreakingReport {
  std::string before, after;                ///< the two versions
  std::vector<api::ExportChange> rows = {}; ///< breaking changes first; exports in the order of their files, then plans
  size_t plans = 0;                         ///< plans that were priced in both versions
  bool breaks() const { return !rows.empty() && rows.front().breaking; }
};

/// Returns the modules of a package: the files below `exports`, and its other files, which those may import.
api::Catalogue catalogueOf(const PackageSide& side);
/// Compares exports, and prices every plan of the package whose parameters all have defaults. Estimates that change by
/// at most 1 % are not reported.
BreakingReport breaking(const PackageSide& before, const PackageSide& after, size_t jobs);

std::string breakingText(const BreakingReport& report);

} // namespace planc::driver
