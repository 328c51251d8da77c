// Days of the calendar: which texts are one, and the day of a second.
// SPDX-License-Identifier: Apache-2.0
#include "support/Day.h"

#include <gtest/gtest.h>

namespace planc {
namespace {

TEST(Day, IsOneOfTheCalendar) {
  for (const char* day : {"2026-11-28", "2024-02-29", "1970-01-01", "9999-12-31"}) EXPECT_TRUE(isDay(day)) << day;
  for (const char* text : {"", "2026-11", "2026-11-31", "2025-02-29", "2026-13-01", "2026-00-10", "2026-1-28",
                           "26-11-28", "2026/11/28", "2026-11-28 ", "2026-11-2x"})
    EXPECT_FALSE(isDay(text)) << text;
}

TEST(Day, BeginsAtMidnightInUtc) {
  EXPECT_EQ(dayOf(0), "1970-01-01");
  EXPECT_EQ(dayOf(86399), "1970-01-01");
  EXPECT_EQ(dayOf(86400), "1970-01-02");
  EXPECT_EQ(dayOf(1709164800), "2024-02-29") << "date -u -d @1709164800";
}

} // namespace
} // namespace planc
