// What `check --fix` makes of the text of one file: the fixes of its diagnostics that hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace planc::driver {

/// A fix that was made.
struct MadeFix {
  uint32_t begin = 0; ///< byte of the text before, where it stands
  std::string what;   ///< `` `recompete` -> `recompute` ``
};

/// Codes and messages of warnings.
using Warnings = std::set<std::pair<int, std::string>>;

struct FixedText {
  std::string text;
  std::vector<MadeFix> made;       ///< in the order of their places
  uint32_t first = 0;              ///< byte of the text before, where the first change is
  std::set<std::string> elsewhere; ///< files on disk in which other fixes would stand
};

/// A fix holds if with it its diagnostic is gone, nothing else is wrong where it stands, and the text has no more
/// errors than before. `path`: as the file is loaded, imports are relative to it. `unsafe`: those too of which others
/// are as near. Edits of other files, and of the library, are not made. `told`: the warnings of the text before any
/// fix, set if it is not known yet; others come of fixes, as an import that nothing uses any more, and are left to
/// whoever looks at these.
FixedText fixText(const std::string& path, const std::string& text, bool unsafe, std::optional<Warnings>& told);

} // namespace planc::driver
