// Packages as the modules of a compilation see them: texts by path, under a name. Where they come from, others say.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace planc {

/// May others import a module, `clusters/pod`, of a package that exports these folders and files?
inline bool isExported(const std::vector<std::string>& exports, std::string_view module) {
  return std::any_of(exports.begin(), exports.end(), [&](const std::string& path) {
    return module.starts_with(path) && (module.size() == path.size() || module[path.size()] == '/');
  });
}

/// A package: `import NAME.folder.file` reads `folder/file.plan` of it.
struct Package {
  std::string name, version;
  std::string folder;                                    ///< how the paths of its files begin, as they are shown
  std::map<std::string, std::string, std::less<>> texts; ///< by their paths below it
  std::vector<std::string> exports;                      ///< folders and files, without an end, that others may import
  bool own = false;                                      ///< it is the project itself, whose files see each other
  bool cached = false; ///< `folder` is no folder, but what a package in the cache is called

  bool exported(std::string_view module) const { return isExported(exports, module); }
};

/// Which package a name stands for.
class PackageSource {
public:
  virtual ~PackageSource() = default;
  /// Who asks: a file, which is of a package or of none, and where in it.
  struct Asking {
    const std::string& file;
    const Package* package = nullptr;
    SourceRange use;
    SourceManager& sources;
    DiagnosticEngine& diagnostics;
  };
  /// Null where it stands for none, or after errors, which are reported: `reported` is then true.
  virtual const Package* named(std::string_view name, const Asking& asking, bool& reported) = 0;
  /// The names that stand for packages in that file, for suggestions; and its planc.toml, empty where there is none.
  virtual std::vector<std::string> names(const Asking& asking, std::string& config) = 0;
  /// The package that a path from the root belongs to as a copy in `vendor/` of the asking file's project; empty: none.
  virtual std::string vendored(const std::string& real, const Asking& asking) = 0;
  /// The folder of the package that the asking file on the disk belongs to, from the root; empty where it belongs to
  /// none.
  virtual std::string folderOf(const Asking& asking) = 0;
};

} // namespace planc
