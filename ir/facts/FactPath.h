// Paths of facts, `link.samples.b`, and how they fit the paths of rows, in which `*` stands for any one step.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace planc::ir {

/// The first step of a path, which is taken off it.
std::string_view takeStep(std::string_view& path);

enum class PathEnd { Whole, Beginning };
/// Does a path fit that of a row, as a whole or as its beginning? `star`: is given the step that stands for `*`.
bool fitsPath(std::string_view row, std::string_view path, PathEnd end, std::string_view* star = nullptr);

} // namespace planc::ir
