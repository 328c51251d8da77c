// A session over many plans: they are handed over one by one, elaborated once, and leave nothing behind.
// SPDX-License-Identifier: Apache-2.0
#include "Compile.h"

#include <malloc.h>

namespace planc::frontend {
namespace {

constexpr std::string_view kPlans = R"(
import std.models
import std.clusters
import std.stacks
plan bound(nodes = 2, size = 8) {
  model = models.gpt3_175b
  cluster = clusters.superpod(nodes = nodes)
  software = stacks.megatron_2022
  mesh { tp = size within node }
}
plan second extends bound(nodes = 4) {}
plan open(tp: int) extends bound(size = tp) {}
compare sizes {
  small = bound(size = 2)
  large = bound(size = 4)
}
)";

struct Loaded {
  Folder folder;
  Session session;
  explicit Loaded(std::string_view text = kPlans) {
    std::string error;
    EXPECT_TRUE(session.load(folder.write("test.plan", text), error)) << error;
  }
  std::vector<std::string> titles(const std::optional<PlanChoice>& choice = std::nullopt) {
    std::vector<std::string> found;
    session.eachPlan(choice, [&](std::unique_ptr<ir::Plan> plan) { found.push_back(plan->title); });
    return found;
  }
};

using Titles = std::vector<std::string>;

TEST(Sessions, PlansComeOneByOneInTheOrderOfTheFile) {
  Loaded file;
  EXPECT_EQ(file.titles(), (Titles{"bound", "second"}));
  EXPECT_EQ(file.titles(PlanChoice{"open(tp = 4)"}), Titles{"open(tp = 4)"});
  EXPECT_EQ(file.session.plans().size(), 2u);
  EXPECT_EQ(reports(file.session), Titles{});
}

TEST(Sessions, TheCheckHandsOverWhatItElaborated) {
  Loaded file;
  Titles found;
  const PlanUse use = [&](std::unique_ptr<ir::Plan> plan) { found.push_back(plan->title); };
  file.session.check(use);
  EXPECT_EQ(found, (Titles{"bound", "second"})) << "neither the open one nor the rows of the comparison";

  Loaded set;
  found.clear();
  ASSERT_TRUE(set.session.set(ir::PlanEdit{{{"mesh.tp", "4"}}}));
  set.session.check([&](std::unique_ptr<ir::Plan> plan) {
    EXPECT_EQ((*plan->mesh.axes.begin()).size, 4);
    found.push_back(plan->title);
  });
  EXPECT_EQ(found.size(), 2u) << "with what was set";
}

size_t bytesInUse() {
  return mallinfo2().uordblks; // 0 under sanitizers: there the values are counted alone
}

/// 42 kB each, before values passed with their elaboration. Work is bounded by request: these are more than one may
/// take.
TEST(Sessions, BindingsLeaveNothingBehind) {
  Loaded file;
  int made = 0;
  const auto bind = [&](int times) {
    for (int i = 0; i < times; ++i)
      file.session.eachPlan(PlanChoice{"bound(nodes = " + std::to_string(1 + i % 50) + ")"},
                            [&](std::unique_ptr<ir::Plan>) { ++made; });
  };
  bind(50);
  const size_t values = file.session.lastingValues(), bytes = bytesInUse();
  const uint32_t files = file.session.sources().fileCount();
  bind(1000);
  EXPECT_EQ(made, 1050);
  EXPECT_EQ(file.session.lastingValues(), values);
  EXPECT_EQ(file.session.sources().fileCount(), files);
  EXPECT_LT(static_cast<double>(bytesInUse()) - static_cast<double>(bytes), 100e3) << "100 bytes a binding";
  EXPECT_EQ(reports(file.session), Titles{});
}

TEST(Sessions, PlansOfAFileLeaveNothingBehind) {
  Loaded file;
  file.session.check();
  const size_t values = file.session.lastingValues();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(file.titles().size(), 2u);
    EXPECT_EQ(file.session.comparisons().size(), 1u);
    EXPECT_EQ(file.session.openPlans().size(), 1u);
  }
  EXPECT_EQ(file.session.lastingValues(), values);
}

TEST(Sessions, AReportKeepsTheTextThatItPointsTo) {
  Loaded file;
  file.titles(PlanChoice{"bound(nods = 2)"});
  file.titles(PlanChoice{"bound(nodes = 3)"});
  file.titles(PlanChoice{"bound(sise = 3)"});
  std::vector<std::string> shown;
  for (const Diagnostic* d : file.session.diagnostics().sorted())
    shown.emplace_back(file.session.sources().text(d->range));
  EXPECT_EQ(shown, (std::vector<std::string>{"nods", "sise"}));
}

/// Plans of `plans` point into the text of their choice, whatever is chosen later.
TEST(Sessions, ChosenPlansThatAreKeptKeepTheirText) {
  Loaded file;
  const auto kept = file.session.plans(PlanChoice{"bound(nodes = 1 + 2)"});
  const uint32_t files = file.session.sources().fileCount();
  file.titles(PlanChoice{"bound(nodes = 4)"});
  EXPECT_EQ(file.session.sources().fileCount(), files + 1);
  EXPECT_EQ(kept.size(), 1u);
}

} // namespace
} // namespace planc::frontend
