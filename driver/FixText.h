// What `check --fix` makes of the text of one file: the fixes of its diagnostics that hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <set>
#include <string>

namespace planc::driver {

struct FixedText {
  std::string text;
  size_t fixes = 0;                ///< made
  uint32_t first = 0;              ///< byte of the text before, where the first change is
  std::set<std::string> elsewhere; ///< files on disk in which other fixes would stand
};

/// A fix holds if with it its diagnostic is gone, nothing else is wrong where it stands, and the text has no more
/// errors than before. `path`: as the file is loaded, imports are relative to it. `unsafe`: those too of which others
/// are as near. Edits of other files, and of the library, are not made.
FixedText fixText(const std::string& path, const std::string& text, bool unsafe);

} // namespace planc::driver
