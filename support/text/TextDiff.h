// What became of a text, line by line, as people read it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace planc {

/// As `diff -u` shows it; empty if nothing changed.
std::string unifiedDiff(std::string_view path, std::string_view before, std::string_view after);

} // namespace planc
