// Dates of releases of a software, as stacks state them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string_view>

namespace planc::ir {

/// A span of months, each counted from year 0: first <= last. A year alone spans its twelve months.
struct ReleaseSpan {
  int first = 0, last = 0;
};

/// Parses `2026`, `2026-02` or `2025-11 to 2026-02`; nothing for any other form, or if the second date is earlier.
std::optional<ReleaseSpan> parseRelease(std::string_view text);

} // namespace planc::ir
