// Where the texts of the library come from.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::frontend {

/// Where modules come from. The default reads the embedded library for `std.…` and the disk for the rest.
class ModuleSource {
public:
  virtual ~ModuleSource() = default;
  /// The text of `std/models/gpt.plan`-like library paths; nothing if there is none.
  virtual std::optional<std::string_view> library(std::string_view path) const = 0;
  /// The trees of such a file as bytes for `syntax::Archive`; nothing: its text is parsed.
  virtual std::optional<std::string_view> trees(std::string_view) const { return std::nullopt; }
  /// The `.plan` files of a library folder (`std/ops`), sorted.
  virtual std::vector<std::string> libraryFolder(std::string_view folder) const = 0;
};
/// The library embedded in the binary.
const ModuleSource& embeddedLibrary();

} // namespace planc::frontend
