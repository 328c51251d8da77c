// Tables of Markdown.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace planc::report {

/// Returns a table of rows, the heading first. `columns` as for a `Table`, such as `lr`. Bars in cells are escaped.
std::string markdownTable(const std::vector<std::vector<std::string>>& rows, std::string_view columns);

} // namespace planc::report
