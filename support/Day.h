// Calendar days as text: `2026-11-28`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace planc {

/// Whether the text is a valid calendar day in the form YYYY-MM-DD.
bool isDay(std::string_view text);
/// The UTC day of a Unix time in seconds.
std::string dayOf(int64_t seconds);

} // namespace planc
