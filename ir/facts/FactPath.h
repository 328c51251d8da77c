// Fact paths (`link.samples.b`) and how they match the paths of table rows, in which `*` stands for any one step.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace planc::ir {

/// Removes the first step from `path` and returns it.
std::string_view takeStep(std::string_view& path);

enum class PathEnd { Whole, Beginning };
/// Returns whether `path` matches the row's path, as a whole or as its beginning. `star`, if not null, receives the
/// step that `*` matched.
bool fitsPath(std::string_view row, std::string_view path, PathEnd end, std::string_view* star = nullptr);

} // namespace planc::ir
