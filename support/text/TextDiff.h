// Line-by-line differences of texts for people to read.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace planc {

/// The difference in the format of `diff -u`; empty if the texts are equal.
std::string unifiedDiff(std::string_view path, std::string_view before, std::string_view after);

} // namespace planc
