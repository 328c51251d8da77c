// Days of the calendar as text: `2026-11-28`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace planc {

/// Whether the text is a day of the calendar, as four, two and two digits.
bool isDay(std::string_view text);
/// The day in UTC of that many seconds since 1970.
std::string dayOf(int64_t seconds);

} // namespace planc
