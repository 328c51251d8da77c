// Cells and rows of CSV tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace planc::report {

/// RFC 4180: quoted where a comma, a quote or a line break would split it.
std::string csvField(const std::string& text);
/// A line of fields.
std::string csvRow(const std::vector<std::string>& cells);
/// In full; empty if it is none.
std::string csvNumber(double value);

} // namespace planc::report
