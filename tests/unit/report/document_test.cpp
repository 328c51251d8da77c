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
  Table table{"lr"};
  table.head({"plan", "step"});
  table.add({"a|b", "1.5 s"});
  table.add({"<c>", "12 s"});
  out.page.push_back(std::move(table));
  out.addLines("why\n  because & more\n");
  out.sheets = {{{"plan", "step_time_s"}, {"a,b", "1.5"}}};
  return out;
}

TEST(Document, TextAlignsColumnsAndKeepsIndents) {
  EXPECT_EQ(textOf(sample().page, false), "two plans\n"
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
  document.markdown = {plainTable(document.sheets[0])};
  EXPECT_EQ(markdownOf(document), "| plan | step_time_s |\n|---|---|\n| a,b | 1.5 |\n");
}

TEST(Document, HtmlEscapesTextAndMarksHeads) {
  const std::string html = htmlOf(sample().page);
  EXPECT_NE(html.find("<h2>two plans</h2>"), std::string::npos);
  EXPECT_NE(html.find("<tr><th>plan</th><th class=\"r\">step</th></tr>"), std::string::npos);
  EXPECT_NE(html.find("<tr><td>&lt;c&gt;</td><td class=\"r\">12 s</td></tr>"), std::string::npos);
  EXPECT_NE(html.find("because &amp; more</p>"), std::string::npos);
}

TEST(Document, PartsStandApart) {
  Page page;
  addPart(page, {});
  addPart(page, {Remark{"a", 0}});
  addPart(page, {});
  addPart(page, {Remark{"b", 0}, Code{"plan x {\n}\n"}});
  EXPECT_EQ(textOf(page, false), "a\n\nb\nplan x {\n}\n");
  EXPECT_EQ(markdownOf({.page = page}), "- a\n\n- b\n```\nplan x {\n}\n```\n");
}

TEST(Document, MarkdownOfTablesWithoutHeadsHasEmptyOnes) {
  Table table{"lr"};
  table.add({"a", "1"});
  EXPECT_EQ(markdownOf({.page = {table}}), "|  |  |\n|---|--:|\n| a | 1 |\n");
}

TEST(Document, SheetsQuoteCommas) {
  EXPECT_EQ(csvOf(sample().sheets[0]), "plan,step_time_s\n\"a,b\",1.5\n");
}

} // namespace
} // namespace planc::report
