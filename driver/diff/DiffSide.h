// One side of a difference: its files with their priced plans, from the disk, a revision, or a JSON result.
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

/// Why something stands for no price.
struct PlanError {
  std::string text;
  std::string where{}; ///< `plans/run.plan:20`; may be empty
};

/// A file of a side. Its plans carry errors instead of prices where they have some.
struct SideFile {
  std::string key;         ///< by which it is found on the other side: its path below what is compared
  std::string path;        ///< as reports show it
  std::string text = {};   ///< empty in results from elsewhere
  std::string digest = {}; ///< of the text; empty: not known
  std::map<std::string, std::string> imports = {}; ///< digests of the files that it reads beside itself, by path
  std::vector<diff::Result> results = {};
  std::map<std::string, PlanError> failed = {}; ///< plans that stand for no price, by their names
  std::map<std::string, std::string> open = {}; ///< plans that wait for arguments, `run(nodes = …)`, by their names
  PlanError error = {};                         ///< of the file: the first error, if it has one
  bool unreadable = false;                      ///< which is that it cannot be read
  std::shared_ptr<api::PlanFile> read = {};     ///< keeps the sources of the diagnostics
  std::vector<std::shared_ptr<const DiagnosticEngine>> diagnostics = {}; ///< with errors

  /// Is a path of reports that of the file or of one that it reads? Else it is one of the library in the program.
  bool reads(const std::string& shown) const { return shown == path || imports.contains(shown); }
};

struct Side {
  std::string name; ///< `HEAD~1`, `plans`
  std::vector<SideFile> files;
  std::shared_ptr<const FileTree> tree = {}; ///< null: the disk, or a result from elsewhere
  bool json = false;
  std::string planc = {}, library = {}; ///< version of the program and digest of its library that priced it
};

/// Loads a file from a tree (null: the disk), or takes `text` for it, and prices its plans and those of its
/// comparisons.
SideFile priceSideFile(const std::shared_ptr<const FileTree>& tree, const std::string& key, const std::string& path,
                       const std::optional<std::string>& text = std::nullopt);

/// The same of every file of a side, by so many threads.
void priceSide(Side& side, size_t jobs);

/// A JSON result as a side; nothing, with `problem`, if it is none that can be compared.
std::optional<Side> jsonSide(const std::string& path, std::string& problem);

} // namespace planc::driver
