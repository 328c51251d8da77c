// Applies the fixes of a file's diagnostics for `check --fix`, and keeps those that hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace planc::driver {

/// A fix that was applied.
struct MadeFix {
  uint32_t begin = 0; ///< byte offset in the text before
  std::string what;   ///< `` `recompete` -> `recompute` ``
};

/// Warnings by code and message.
using Warnings = std::set<std::pair<int, std::string>>;

struct FixedText {
  std::string text;
  std::vector<MadeFix> made;       ///< in the order of their places
  uint32_t first = 0;              ///< byte offset of the first change in the text before
  std::set<std::string> elsewhere; ///< files on disk in which further fixes could be made
};

/// Applies fixes to the text of one file. A fix holds if its diagnostic disappears, nothing else is wrong at its place,
/// and the text has no more errors than before. `path`: where the file is loaded; imports are relative to it. `unsafe`:
/// also applies fixes that have equally near alternatives. Edits of other files and of the library are not applied.
/// `told`: the warnings before any fix, set if it is empty; new warnings that fixes cause, such as an unused import,
/// are not fixed.
FixedText fixText(const std::string& path, const std::string& text, bool unsafe, std::optional<Warnings>& told);

} // namespace planc::driver
