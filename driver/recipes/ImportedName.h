// Writes the imports of a plan text and the names under which it uses declarations.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/recipes/NamedExport.h"

#include <string>
#include <vector>

namespace planc::driver {

/// The import lines of a text that is being written.
class ImportLines {
public:
  /// `place`: the path of the text, which need not exist; imports of files are relative to its folder. `exports`: the
  /// exports of the library and of packages.
  ImportLines(std::string place, const std::vector<api::Export>& exports)
      : place_(std::move(place)), exports_(exports) {}

  const std::string& place() const { return place_; }

  /// Adds the import of a declaration unless a line imports it already. Returns the name of the declaration in this
  /// text: `llama.llama3_70b`.
  std::string add(const NamedExport& name);
  /// Returns whether an import brings this name; a declaration of the text would then hide it.
  bool brings(const std::string& name) const;
  /// Returns the lines, sorted.
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
