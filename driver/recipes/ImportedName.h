// How plan text imports a declaration and calls it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/recipes/NamedExport.h"

#include <string>
#include <vector>

namespace planc::driver {

/// The import lines of a text that is written.
class ImportLines {
public:
  /// `place` is the path of the text, which need not exist: imports of files are relative to its folder. `exports` are
  /// those of the library and of packages.
  ImportLines(std::string place, const std::vector<api::Export>& exports)
      : place_(std::move(place)), exports_(exports) {}

  const std::string& place() const { return place_; }

  /// Adds the import of a declaration if no line has it yet; returns the name of the declaration in this text,
  /// `llama.llama3_70b`.
  std::string add(const NamedExport& name);
  /// Whether an import brings this name, so that a declaration of the text would hide it.
  bool brings(const std::string& name) const;
  /// The lines, sorted.
  std::string text() const;

private:
  struct ImportLine {
    std::string what; ///< `std.models.llama`, `"mine.plan"`
    std::string as;   ///< the name that it brings
    bool renamed = false;
  };
  std::string importOf(const NamedExport& name) const;

  std::string place_;
  const std::vector<api::Export>& exports_;
  std::vector<ImportLine> lines_;
};

} // namespace planc::driver
