// What the embedded library declares, read off the outlines of its files.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace planc::frontend {

struct LibraryDeclaration {
  std::string_view kind; ///< as plan text writes it: `device`, `model`
  std::string module;    ///< `std.devices.h100`
  std::string name;
  std::vector<std::string> parameters; ///< that a use must give
  std::string summary;                 ///< of the last line of its comment, the first sentence; empty where it has none
};
/// Exported ones, in the order of the library's files; with `kind` only those.
std::vector<LibraryDeclaration> libraryDeclarations(std::string_view kind = {});

} // namespace planc::frontend
