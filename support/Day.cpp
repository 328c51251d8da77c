// Calendar days, by the calendar of the standard library.
// SPDX-License-Identifier: Apache-2.0
#include "support/Day.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>

namespace planc {

using std::chrono::year_month_day;

bool isDay(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00";
  const auto fits = [](char c, char form) { return form == '-' ? c == '-' : c >= '0' && c <= '9'; };
  if (text.size() != kForm.size() || !std::equal(text.begin(), text.end(), kForm.begin(), fits)) return false;
  const auto number = [&](size_t at, size_t digits) {
    int out = 0;
    std::from_chars(text.data() + at, text.data() + at + digits, out);
    return out;
  };
  const auto month = static_cast<unsigned>(number(5, 2)), day = static_cast<unsigned>(number(8, 2));
  return year_month_day(std::chrono::year(number(0, 4)), std::chrono::month(month), std::chrono::day(day)).ok();
}

std::string dayOf(int64_t seconds) {
  const std::chrono::sys_seconds at{std::chrono::seconds(seconds)};
  const year_month_day day(std::chrono::floor<std::chrono::days>(at));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

} // namespace planc
