// What a new version of a package breaks: its exports compared, and its own plans priced in both versions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/ExportChanges.h"
#include "support/files/FileTree.h"

#include <memory>
#include <string>
#include <vector>

namespace planc::driver {

/// A version of a package.
struct PackageSide {
  std::string version;                  ///< as reports call it: `v1.0.0`, `the working tree`
  std::shared_ptr<const FileTree> tree; ///< null: the disk
  std::string folder;                   ///< of its planc.toml, as paths of `tree` begin
  std::string package;                  ///< its name: `acme`
  std::vector<std::string> exports;     ///< folders and files below `folder`
};

struct BreakingReport {
  std::string before, after;                ///< the two versions
  std::vector<api::ExportChange> rows = {}; ///< what breaks first; exports in the order of their files, then plans
  size_t plans = 0;                         ///< that were priced in both versions
  bool breaks() const { return !rows.empty() && rows.front().breaking; }
};

/// The modules of a package: those below `exports`, and its other files, which they may import.
api::Catalogue catalogueOf(const PackageSide& side);
/// Compares exports, and prices every plan of the package whose parameters have defaults. Estimates that move by no
/// more than 1 % are no row.
BreakingReport breaking(const PackageSide& before, const PackageSide& after, size_t jobs);

std::string breakingText(const BreakingReport& report);

} // namespace planc::driver
