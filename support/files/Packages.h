// Packages as the modules of a compilation see them: texts by path, under a name. Implementations of `PackageSource`
// supply them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace planc {

/// Whether other packages may import `module` (`clusters/pod`) of a package that exports these folders and files.
inline bool isExported(const std::vector<std::string>& exports, std::string_view module) {
  return std::any_of(exports.begin(), exports.end(), [&](const std::string& path) {
    return module.starts_with(path) && (module.size() == path.size() || module[path.size()] == '/');
  });
}

/// A package: `import NAME.folder.file` reads `folder/file.plan` of it.
struct Package {
  std::string name, version;
  std::string folder;                                    ///< prefix of its files' paths in messages
  std::map<std::string, std::string, std::less<>> texts; ///< by path below `folder`
  std::vector<std::string> exports;                      ///< folders and files, without suffix, that others may import
  bool own = false;                                      ///< it is the project itself: its files may import each other
  bool cached = false; ///< `folder` is the display name of a cached package, not a folder

  bool exported(std::string_view module) const { return isExported(exports, module); }
};

/// Finds the package that a name refers to.
class PackageSource {
public:
  virtual ~PackageSource() = default;
  /// The file that imports, its package (null if it belongs to none), and the place of the import.
  struct Asking {
    const std::string& file;
    const Package* package = nullptr;
    SourceRange use;
    SourceManager& sources;
    DiagnosticEngine& diagnostics;
  };
  /// The package of this name. Returns null if there is none or after an error; `reported` is true if an error was
  /// reported.
  virtual const Package* named(std::string_view name, const Asking& asking, bool& reported) = 0;
  /// The package names that the file may use, for suggestions. `config` receives the path of its planc.toml; empty if
  /// none.
  virtual std::vector<std::string> names(const Asking& asking, std::string& config) = 0;
  /// The package that `real` (an absolute path) belongs to as a copy in the `vendor/` of the file's project; empty if
  /// none.
  virtual std::string vendored(const std::string& real, const Asking& asking) = 0;
  /// The absolute folder of the package that contains the file on disk; empty if no package does.
  virtual std::string folderOf(const Asking& asking) = 0;
};

} // namespace planc
