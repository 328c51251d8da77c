// One side of a difference: its files with priced plans, from the disk, a revision or a JSON result.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/PlanFile.h"
#include "backends/diff/Result.h"
#include "support/files/FileTree.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace planc::driver {

/// Why a plan or file has no price.
struct PlanError {
  std::string text;
  std::string where{}; ///< `plans/run.plan:20`; may be empty
};

/// A file of a side. Plans that cannot be priced are listed with their errors.
struct SideFile {
  std::string key;                                 ///< path below the compared folder, by which the other side finds it
  std::string path;                                ///< as reports show it
  std::string text = {};                           ///< empty for a JSON result
  std::string digest = {};                         ///< digest of the text; empty: unknown
  std::map<std::string, std::string> imports = {}; ///< digests of the imported files, by path
  std::vector<diff::Result> results = {};
  std::map<std::string, PlanError> failed = {}; ///< plans without a price, by name
  std::map<std::string, std::string> open = {}; ///< plans that need arguments, `run(nodes = …)`, by name
  PlanError error = {};                         ///< first error of the file, if there is one
  bool unreadable = false;                      ///< `error` says why the file cannot be read
  std::shared_ptr<api::PlanFile> read = {};     ///< keeps the sources of the diagnostics alive
  std::vector<std::shared_ptr<const DiagnosticEngine>> diagnostics = {}; ///< diagnostics that contain errors

  /// Returns whether a path in reports belongs to the file or its imports; otherwise it is a file of the embedded
  /// library.
  bool reads(const std::string& shown) const { return shown == path || imports.contains(shown); }
};

struct DiffSide {
  std::string name; ///< `HEAD~1`, `plans`
  std::vector<SideFile> files;
  std::shared_ptr<const FileTree> tree = {}; ///< null: the disk, or a JSON result
  bool json = false;
  std::string planc = {}, library = {}; ///< version of planc and digest of the library that priced it
};

/// Loads a file from a tree (null: the disk), or uses `text` as its content, and prices its plans and those of its
/// comparisons.
SideFile priceSideFile(const std::shared_ptr<const FileTree>& tree, const std::string& key, const std::string& path,
                       const std::optional<std::string>& text = std::nullopt);

/// Loads and prices every file of a side, with `jobs` threads.
void priceSide(DiffSide& side, size_t jobs);

/// Reads a JSON result as a side. Returns nothing and sets `problem` if it cannot be compared.
std::optional<DiffSide> jsonSide(const std::string& path, std::string& problem);

} // namespace planc::driver
