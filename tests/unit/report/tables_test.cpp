// Rows of cells as CSV and as Markdown: what would split a cell or a row is quoted or escaped.
// SPDX-License-Identifier: Apache-2.0
#include "report/tables/Csv.h"
#include "report/tables/Markdown.h"

#include <gtest/gtest.h>

namespace planc::report {
namespace {

TEST(Tables, OfCsvQuoteWhatSplitsThem) {
  EXPECT_EQ(csvRow({"a", "", "b c"}), "a,,b c\n");
  EXPECT_EQ(csvRow({"[1, 2]", "say \"so\"", "two\nlines"}), "\"[1, 2]\",\"say \"\"so\"\"\",\"two\nlines\"\n");
}

TEST(Tables, OfMarkdownEscapeBars) {
  EXPECT_EQ(markdownTable({{"path", "value"}, {"a|b||c", "1"}, {"two\nlines", "2"}}, "lr"),
            "| path | value |\n|---|--:|\n| a\\|b\\|\\|c | 1 |\n| two lines | 2 |\n");
}

} // namespace
} // namespace planc::report
