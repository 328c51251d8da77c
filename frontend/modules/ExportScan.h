// Finds the exports and imports of a file by scanning the starts of lines, so that a folder need not be parsed to look
// up one name.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <vector>

namespace planc::frontend {

/// The names of `export KIND NAME` lines, as views into `text`. Comments may add names that do not exist; only a parse
/// can tell.
std::vector<std::string_view> scanExports(std::string_view text);
/// The dotted paths of `import a.b.c` lines.
std::vector<std::string_view> scanImports(std::string_view text);

} // namespace planc::frontend
