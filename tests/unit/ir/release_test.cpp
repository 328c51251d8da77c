// Releases as stacks state them: a year, a month, a span.
// SPDX-License-Identifier: Apache-2.0
#include "ir/machine/Release.h"

#include <gtest/gtest.h>

namespace planc::ir {
namespace {

TEST(Release, AMonthIsItselfAndAYearItsTwelveMonths) {
  const auto month = parseRelease("2026-02"), year = parseRelease("2025");
  ASSERT_TRUE(month && year);
  EXPECT_EQ(month->first, month->last);
  EXPECT_EQ(year->last - year->first, 11);
  EXPECT_EQ(month->first - year->last, 2) << "December 2025 to February 2026";
}

TEST(Release, ASpanBeginsAndEndsWithItsDates) {
  const auto span = parseRelease("2025-11 to 2026-02");
  ASSERT_TRUE(span);
  EXPECT_EQ(span->last - span->first, 3);
  EXPECT_EQ(parseRelease("2026 to 2026-02")->last, parseRelease("2026-02")->last);
}

TEST(Release, EverythingElseIsNone) {
  for (const char* text :
       {"", "26", "2026-13", "2026-00", "2026-2", "2026/02", "2026-02 to 2025-11", "2026-02 to", " to ", "v0.15",
        "20260101", "-026", "2026-02-01", "+026", "2026-+2", "2026-02 to 2026-03 to 2026-04"})
    EXPECT_FALSE(parseRelease(text)) << text;
}

} // namespace
} // namespace planc::ir
