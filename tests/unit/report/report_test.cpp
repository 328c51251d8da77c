// Tests of the text and CSV reports: alignment, folding of stages, the report that does not fit, the sum of the rows.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Fixes.h"
#include "support/text/TextCells.h"
#include "tests/unit/report/Fixture.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace planc;
using planc::test::ReportFixture;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string lineWith(const std::string& text, const std::string& start) {
  for (const std::string& line : lines(text))
    if (line.find(start) != std::string::npos) return line;
  return "";
}

std::string textOf(const report::PlanReport& report, const report::PageOptions& options = {}) {
  return report::textOf(report::estimatePage(report, options), false);
}

} // namespace

TEST(TextReport, NamesWhatIsEstimated) {
  ReportFixture f;
  std::string text = textOf(f.report());
  EXPECT_THAT(text, StartsWith("small\n"));
  EXPECT_THAT(text, HasSubstr("  model      gpt.small, 390 M parameters\n"));
  EXPECT_THAT(text, HasSubstr("  cluster    dgx.superpod(nodes = 8), 64 devices (a100)\n"));
  EXPECT_THAT(text, HasSubstr("  software   megatron.megatron_2022\n"));
  EXPECT_THAT(text, HasSubstr("  workload   train, seq 2048, global batch 32, 16 micro-batches of 1, adam\n"));
  EXPECT_THAT(text,
              HasSubstr("  precision  compute, activations, parameters bf16; gradients, reduction, optimizer fp32\n"));
  EXPECT_THAT(text, HasSubstr("  mesh       tp 8 (node), dp 2 (nodes), pp 4 (nodes)\n"));
  EXPECT_THAT(text, HasSubstr("  pipeline   one_f_one_b, 4 stages\n"));
}

TEST(TextReport, HasNoTrailingBlanksAndIsStable) {
  ReportFixture f;
  std::string text = textOf(f.report());
  for (const std::string& line : lines(text)) EXPECT_FALSE(!line.empty() && line.back() == ' ') << '[' << line << ']';
  EXPECT_EQ(text, textOf(f.report()));
}

TEST(TextReport, AlignsItsColumns) {
  ReportFixture f;
  std::string text = textOf(f.report());
  std::string head = lineWith(text, "layer "), row = lineWith(text, "decoder.attn  "),
              mlp = lineWith(text, "decoder.mlp ");
  ASSERT_FALSE(row.empty());
  for (const char* column : {"forward", "backward"}) {
    size_t end = displayWidth(head.substr(0, head.find(column))) + std::string(column).size();
    EXPECT_NE(row[end - 1], ' ') << column;
    EXPECT_EQ(row[end], ' ') << column;
    EXPECT_NE(mlp[end - 1], ' ') << column;
  }
}

TEST(TextReport, FoldsStagesThatAreAlike) {
  ReportFixture f;
  std::string text = textOf(f.report());
  EXPECT_THAT(lineWith(text, "decoder.attn  "), HasSubstr("  0-3 "));
  report::PageOptions all;
  all.allLayers = true;
  size_t rows = 0;
  for (const std::string& line : lines(textOf(f.report(), all))) rows += line.find("  decoder.attn  ") == 0;
  EXPECT_EQ(rows, 4u);
}

TEST(TextReport, RowsAddUpToTheStep) {
  ReportFixture f;
  const auto& e = f.estimate;
  double sum = 0;
  for (const auto& row : e.layers)
    if (row.stage == 3) sum += 16 * static_cast<double>(row.count) * (row.forward + row.backward + row.recompute);
  EXPECT_NEAR(sum + e.totals.bubble + 0.05 + e.totals.optimizer + e.totals.overhead, e.totals.stepTime, 1e-12);
  // 16 micro-batches of 8 · (3 + 6 + 1) ms, of which 8 · 1 ms are exposed: 44 % of 2.891 s; forward without exposure
  std::string line = lineWith(textOf(f.report()), "  decoder.attn ");
  EXPECT_THAT(line, HasSubstr("  1.152 s   128 ms   "));
  EXPECT_THAT(line, HasSubstr(fmt::format("{:.1f} %", 100 * 1.28 / e.totals.stepTime)));
  EXPECT_THAT(line, HasSubstr("  2 ms      6 ms       1 ms "));
}

TEST(TextReport, SortsItsLayersByTime) {
  ReportFixture f;
  report::PageOptions options;
  options.order = report::LayerOrder::Time;
  const std::string text = textOf(f.report(), options);
  // 128 · 12 ms, 128 · 10 ms, 16 · 15 ms; the embedding is on another stage
  EXPECT_LT(text.find("  decoder.mlp "), text.find("  decoder.attn "));
  EXPECT_LT(text.find("  decoder.attn "), text.find("  head "));
  EXPECT_LT(text.find("  head "), text.find("  embed "));
}

TEST(TextReport, SaysWhichStageAndWhatImbalanceAdds) {
  ReportFixture f;
  f.estimate.totals.work = 2.6;
  f.estimate.totals.meanWork = 2.5;
  const std::string text = textOf(f.report());
  EXPECT_THAT(text,
              HasSubstr("\ncritical stage 3, the heaviest: it works 2.6 s, 4 % more than the mean of the stages\n"));
  EXPECT_THAT(text, HasSubstr("  pipeline bubble         100 ms"));
  EXPECT_THAT(text, HasSubstr("    equal stages           60 ms"));
  EXPECT_THAT(text, HasSubstr("    imbalance              40 ms"));
  EXPECT_THAT(lineWith(text, "  1-2  "), HasSubstr("2.4 s"));
  EXPECT_THAT(lineWith(text, "  1-2  "), Not(HasSubstr("critical")));
  EXPECT_THAT(lineWith(text, "  3  "), HasSubstr("critical"));
}

TEST(TextReport, LeadsWithWhatDoesNotFit) {
  ReportFixture f;
  f.estimate.memory.capacity = 4e10;
  f.estimate.memory.fits = false;
  std::string text = textOf(f.report());
  EXPECT_THAT(text, StartsWith("✗ small does not fit: 61 GB on stage 0, the device has 40 GB: 21 GB over (52.5 %)\n"
                               "  parameters         8 GB  13.1 %\n"));
  // Parameters are copies over dp = 2: the states can be sharded over it.
  std::vector<std::string> changes;
  for (const lint::Candidate& c : lint::memoryCandidates(f.plan, f.program, f.estimate))
    changes.insert(changes.end(), c.lines.begin(), c.lines.end());
  EXPECT_THAT(changes,
              IsSupersetOf({"states { optimizer -> dp }", "states { grads -> dp }", "states { params -> dp }"}));
  // Priced ones are printed, the fastest that fits first, and that one as a plan.
  std::vector<lint::Fix> fixes = {{{"states { grads -> dp }"}, "shards", "", 4.1e10, 2e10, 2, 0.1, false},
                                  {{"states { params -> dp }"}, "shards all", "", 3.7e10, 2.4e10, 2.5, 0.25, true},
                                  {{"recompute decoder"},
                                   "keeps less",
                                   lint::fixText("small_fits", "small(nodes = 2)", {"recompute decoder"}),
                                   3.9e10,
                                   2.2e10,
                                   2.2,
                                   0.1,
                                   true}};
  lint::rank(fixes);
  EXPECT_EQ(fixes[0].lines[0], "recompute decoder");
  EXPECT_EQ(fixes[2].lines[0], "states { grads -> dp }");
  report::PlanReport priced = f.report();
  priced.fixes = &fixes;
  text = textOf(priced);
  EXPECT_THAT(lineWith(text, "  recompute decoder "), HasSubstr("39 GB  22 GB    +10.0 %  fits"));
  EXPECT_THAT(lineWith(text, "states { grads"), Not(HasSubstr("fits")));
  EXPECT_THAT(text, HasSubstr("plan small_fits extends small(nodes = 2) {\n  recompute decoder\n}\n"));
}

std::string named(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}d{}[0:4, 6]", i == 0 ? "" : ", ", i);
  return text;
}

TEST(TextReport, TablesCutLongListsOfLayers) {
  ReportFixture f;
  f.estimate.memory.fits = false;
  const std::string line = "recompute " + named(198) + " { outputs = true }";
  const std::vector<lint::Fix> fixes = {
      {{line, "keep " + named(13) + " = host"}, "", lint::fixText("p", "q", {line}), 1, 1, 1, 0, true},
      {{"recompute " + named(12)}, "", "", 1, 1, 1, 0, true}};
  const std::vector<lint::RecomputeEffect> effects = {{named(30), 1, 1, 1, 1}};
  report::PlanReport priced = f.report();
  priced.fixes = &fixes;
  priced.recompute = &effects;
  const std::string text = textOf(priced), first = named(3);
  EXPECT_THAT(text, HasSubstr("\n  recompute " + first + ", … 195 more { outputs = true }; keep " + first +
                              ", … 10 more = host "));
  EXPECT_THAT(text, HasSubstr("\n  recompute " + named(12) + " ")) << "what a line can hold stands there";
  EXPECT_THAT(text, HasSubstr("\n  " + first + ", … 27 more "));
  EXPECT_THAT(text, HasSubstr("plan p extends q {\n  " + line + "\n}\n")) << "what is to be pasted is whole";
  EXPECT_THAT(report::json(priced).dump(), HasSubstr(line));
}

TEST(TextReport, SaysWhoWantsACollective) {
  ReportFixture f;
  f.estimate.collectives[9].because = {f.file, 0, 4};
  std::string line = lineWith(textOf(f.report()), "all-gather");
  EXPECT_THAT(line, HasSubstr("activation"));
  EXPECT_THAT(line, HasSubstr("192 ms"));
  EXPECT_THAT(line, HasSubstr("plans/small.plan:1"));
}

TEST(TextReport, EndsWithTheVerdict) {
  ReportFixture f;
  f.results.assertions.push_back(
      {"step_time < 20s", true, 13.72, 20.0, units::time, false, true, "training budget", {}});
  f.results.assertions.push_back(
      {"comm.exposed / step_time < 5%", false, 0.203, 0.05, units::none, true, true, "", {}});
  f.results.measured.push_back(
      {"step_time", true, 13.75, 13.72, -0.00218, units::time, false, 0.05, true, "Table 5", {}});
  std::string text = textOf(f.report());
  EXPECT_THAT(text, HasSubstr("✓  assert step_time < 20s is 13.72 s"));
  EXPECT_THAT(text, HasSubstr("✗  assert comm.exposed / step_time < 5% is 20.3 %"));
  EXPECT_THAT(text, HasSubstr("✓  measured step_time  13.75 s  predicted 13.72 s  -0.2 %  within 5 %  Table 5"));
}

TEST(TextReport, ColourAddsOnlyEscapes) {
  ReportFixture f;
  std::string colored = report::textOf(report::estimatePage(f.report()), true), plain;
  for (size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\x1b')
      i = colored.find('m', i);
    else
      plain += colored[i];
  }
  EXPECT_EQ(plain, textOf(f.report()));
}

TEST(CsvReport, HasALinePerRow) {
  ReportFixture f;
  std::vector<std::string> rows = lines(report::csvOf(report::estimateSheets(f.report())[0]));
  EXPECT_EQ(rows.size(), 1 + f.estimate.layers.size());
  EXPECT_EQ(rows[0], "plan,path,count,stage,forward_s,backward_s,recompute_s,comm_s,exposed_comm_s,flops,bytes,params,"
                     "activation_bytes,bound,on_path_s,exposed_on_path_s,slowed_s,launches_s");
  EXPECT_EQ(rows[1], "small,embed,1,0,0.001,0.002,0,0,0,0,1000000000,1000000,2000000,memory,0,0,0,0");
}
