// Documents in every format: what each shows of blocks, sheets and data.
// SPDX-License-Identifier: Apache-2.0
#include "report/document/Document.h"

#include <gtest/gtest.h>

namespace planc::report {
namespace {

Document sample() {
  Document out;
  out.data = {{"a", 1}};
  out.page.push_back(Heading{"two plans"});
  Grid grid{"lr"};
  grid.add({"plan", "step"}, TextStyle::Gutter);
  grid.add({"a|b", "1.5 s"});
  grid.add({"<c>", "12 s"});
  out.page.push_back(std::move(grid));
  out.addLines("why\n  because & more\n");
  out.sheets = {{{"plan", "step_time_s"}, {"a,b", "1.5"}}};
  return out;
}

TEST(Document, TextAlignsColumnsAndKeepsIndents) {
  EXPECT_EQ(textOf(sample(), false), "two plans\n"
                                     "  plan   step\n"
                                     "  a|b   1.5 s\n"
                                     "  <c>    12 s\n"
                                     "why\n"
                                     "  because & more\n");
}

TEST(Document, MarkdownSeparatesBlocksByEmptyLines) {
  EXPECT_EQ(markdownOf(sample()), "## two plans\n"
                                  "\n"
                                  "| plan | step |\n"
                                  "|---|--:|\n"
                                  "| a\\|b | 1.5 s |\n"
                                  "| <c> | 12 s |\n"
                                  "\n"
                                  "- why\n"
                                  "- because & more\n");
}

TEST(Document, MarkdownOfItsOwnReplacesThePage) {
  Document document = sample();
  document.markdown = {plainGrid(document.sheets[0])};
  EXPECT_EQ(markdownOf(document), "| plan | step_time_s |\n|---|---|\n| a,b | 1.5 |\n");
}

TEST(Document, HtmlEscapesTextAndMarksHeads) {
  const Document document = sample();
  const std::string html = htmlOf({&document, 1});
  EXPECT_NE(html.find("<h2>two plans</h2>"), std::string::npos);
  EXPECT_NE(html.find("<tr><th>plan</th><th class=\"r\">step</th></tr>"), std::string::npos);
  EXPECT_NE(html.find("<tr><td>&lt;c&gt;</td><td class=\"r\">12 s</td></tr>"), std::string::npos);
  EXPECT_NE(html.find("because &amp; more</p>"), std::string::npos);
}

TEST(Document, AppendedSheetsShareTheirHeads) {
  Document all;
  EXPECT_EQ(csvOf(all), "");
  all.append(sample());
  Document other = sample();
  other.data = {{"b", 2}};
  other.sheets.push_back({{"metric"}, {"mfu"}});
  all.append(other);
  EXPECT_EQ(csvOf(all), "plan,step_time_s\n\"a,b\",1.5\n\"a,b\",1.5\n\nmetric\nmfu\n");
  EXPECT_EQ(all.data.dump(), R"({"a":1,"b":2})");
  EXPECT_EQ(all.page.size(), 2 * sample().page.size());
}

} // namespace
} // namespace planc::report
