// A program whose layers other plans share is the program that lowering from scratch makes, whatever was changed.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Lowerings.h"
#include "tests/unit/passes/Changes.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace planc::test {
namespace {
using namespace ir;

/// The program as a text, or what was reported.
std::string textOf(const std::unique_ptr<Program>& program, const DiagnosticEngine& diagnostics) {
  std::string text = program ? print(*program) : std::string();
  for (const Diagnostic* d : diagnostics.sorted()) text += d->kind->id() + " " + d->message + "\n";
  return text;
}

/// Changes one thing after the other.
void expectEqualAfterChanges(const std::string& text) {
  const char* more = std::getenv("PLANC_CHANGES");
  const int changes = more ? std::atoi(more) : 5000;
  Random random(12);
  Plan plan = base(text);
  passes::Lowerings lowerings(8);
  int refused = 0;
  for (int i = 0; i < changes; ++i) {
    any(random, kChanges).apply(plan, random);
    DiagnosticEngine whole, again;
    whole.ignoreWarnings(), again.ignoreWarnings();
    const auto scratch = passes::lower(plan, whole);
    const auto shared = lowerings.lower(plan, again);
    const std::string expected = textOf(scratch, whole);
    ASSERT_EQ(textOf(shared, again), expected) << "change " << i;
    refused += !scratch;
  }
  EXPECT_GT(lowerings.shared(), static_cast<size_t>(changes) / 10);
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, changes * 2 / 3);
}

TEST(Lowerings, AnyChangeGivesWhatLoweringFromScratchGives) {
  expectEqualAfterChanges(kText);
}
TEST(Lowerings, AnyChangeOfAModelWithoutExpertsDoesToo) {
  expectEqualAfterChanges(dense());
}
TEST(Lowerings, AnyChangeOfExpertsWithPartsOfSlotsDoesToo) {
  expectEqualAfterChanges(partsOfSlots());
}

TEST(Lowerings, AnyChangeOfAPlanThatServesDoesToo) {
  expectEqualAfterChanges(served());
}

TEST(Lowerings, MeshesThatDifferInTheSizesOfUnseenAxesShareLayers) {
  using Axes = std::vector<std::pair<std::string, int64_t>>;
  const auto sharesFrom = [](const Plan& from, const Axes& before, const Axes& axes) {
    Plan plan = from, other = from;
    plan.mesh = mesh(before, {{"node", 8}, {"nodes", 16}});
    other.mesh = mesh(axes, {{"node", 8}, {"nodes", 16}});
    passes::Lowerings lowerings;
    DiagnosticEngine diagnostics;
    diagnostics.ignoreWarnings();
    plan.pipeline->arguments[0].value = other.pipeline->arguments[0].value = 1;
    EXPECT_TRUE(lowerings.lower(plan, diagnostics)) << textOf({}, diagnostics);
    EXPECT_TRUE(lowerings.lower(other, diagnostics)) << textOf({}, diagnostics);
    return lowerings.shared() == 1;
  };
  const auto shares = [&](const std::string& text, const Axes& axes) {
    return sharesFrom(base(text), {{"tp", 2}, {"dp", 4}, {"pp", 2}}, axes);
  };
  EXPECT_TRUE(shares(dense(), {{"tp", 2}, {"dp", 2}, {"pp", 4}}));  // samples and stages alone
  EXPECT_FALSE(shares(dense(), {{"tp", 4}, {"dp", 2}, {"pp", 2}})); // feed-forward is split over it
  EXPECT_FALSE(shares(dense(), {{"dp", 4}, {"tp", 2}, {"pp", 2}})); // where it lies decides what its sums take
  EXPECT_TRUE(shares(dense(), {{"tp", 2}, {"dp", 8}, {"pp", 1}}));
  EXPECT_TRUE(shares(kText, {{"tp", 2}, {"dp", 2}, {"pp", 4}}));
  EXPECT_FALSE(shares(partsOfSlots(), {{"tp", 2}, {"dp", 2}, {"pp", 4}})); // what a rank holds may be rounded

  // Experts over the minor one of the axes that split the samples.
  Plan plan = base(kText);
  plan.placements = {rule("second.moe", "experts", {"ep"}), rule("", "batch", {"dp", "ep"})};
  EXPECT_TRUE(sharesFrom(plan, {{"ep", 2}, {"dp", 4}, {"pp", 2}}, {{"ep", 2}, {"dp", 2}, {"pp", 4}}));
  EXPECT_FALSE(sharesFrom(plan, {{"ep", 2}, {"dp", 4}, {"pp", 2}}, {{"ep", 4}, {"dp", 2}, {"pp", 2}}));
  const Axes without = {{"ep", 2}, {"dp", 1}, {"pp", 4}, {"tp", 2}}; // no digit
  EXPECT_FALSE(sharesFrom(plan, {{"ep", 2}, {"dp", 2}, {"pp", 4}, {"tp", 1}}, without));
  plan.placements.back() = rule("", "batch", {"ep", "dp"});
  EXPECT_FALSE(sharesFrom(plan, {{"ep", 2}, {"dp", 4}, {"pp", 2}}, {{"ep", 2}, {"dp", 2}, {"pp", 4}}));
}

TEST(Lowerings, PlansThatDifferInWhatIsNoLayersShareThem) {
  Plan plan = base();
  passes::Lowerings lowerings;
  DiagnosticEngine diagnostics;
  diagnostics.ignoreWarnings();
  const auto first = lowerings.lower(plan, diagnostics);
  Plan other = plan;
  other.states.push_back({selector(""), StateKind::Optimizer, {Symbol("dp")}, {}});
  other.pipeline->arguments[0].value = 3;
  const auto second = lowerings.lower(other, diagnostics);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(lowerings.lowered(), 1u);
  EXPECT_EQ(lowerings.shared(), 1u);
  EXPECT_TRUE(first->classes[LayerClassId(1)].forward.sharedWith(second->classes[LayerClassId(1)].forward));
  EXPECT_NE(first->virtualStages.size(), second->virtualStages.size());
}

TEST(Lowerings, OnlyTheLastGroupsAreKept) {
  Plan plan = base();
  passes::Lowerings lowerings(2);
  DiagnosticEngine diagnostics;
  diagnostics.ignoreWarnings();
  for (int64_t micro : {1, 2, 4, 1}) {
    plan.workload.microBatch = micro;
    ASSERT_TRUE(lowerings.lower(plan, diagnostics));
  }
  EXPECT_EQ(lowerings.lowered(), 4u);
}

} // namespace
} // namespace planc::test
