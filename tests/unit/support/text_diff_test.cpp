// Differences of texts as diff -u shows them.
// SPDX-License-Identifier: Apache-2.0
#include "support/text/TextDiff.h"

#include <gtest/gtest.h>
#include <string>

namespace planc {
namespace {

TEST(UnifiedDiff, ShowsChangedLinesWithThreeAround) {
  EXPECT_EQ(unifiedDiff("p", "a\n", "a\n"), "");
  EXPECT_EQ(unifiedDiff("p", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- p\n+++ p\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(unifiedDiff("p", "", "a"), "--- p\n+++ p\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n");
}

TEST(UnifiedDiff, PutsChangesThatAreNearIntoOnePart) {
  std::string before, after;
  for (int i = 1; i <= 30; ++i) {
    before += std::to_string(i) + "\n";
    if (i != 20) after += std::to_string(i == 3 || i == 8 ? -i : i) + "\n";
  }
  EXPECT_EQ(unifiedDiff("p", before, after),
            "--- p\n+++ p\n@@ -1,11 +1,11 @@\n 1\n 2\n-3\n+-3\n 4\n 5\n 6\n 7\n-8\n+-8\n 9\n 10\n 11\n"
            "@@ -17,7 +17,6 @@\n 17\n 18\n 19\n-20\n 21\n 22\n 23\n");
}

} // namespace
} // namespace planc
