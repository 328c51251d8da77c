// Cells and rows of CSV tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace planc::report {

/// Returns a field by RFC 4180: quoted if it contains a comma, a quote or a line break.
std::string csvField(const std::string& text);
/// Returns a line of fields.
std::string csvRow(const std::vector<std::string>& cells);
/// Returns the number in full; empty if it is not finite.
std::string csvNumber(double value);

} // namespace planc::report
