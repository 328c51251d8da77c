// Layouts and the changes between them that published schemes need: which collectives, over what, how many elements.
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Layout.h"
#include "tests/unit/support/Build.h"

#include <gtest/gtest.h>

namespace planc::ir {
namespace {

using test::axes;
using test::mesh;

class ReshardSteps : public testing::Test {
protected:
  Mesh m = mesh({{"tp", 2}, {"cp", 4}, {"dp", 3}});
  std::vector<int64_t> extents{48, 48};
  std::vector<bool> unordered{false, false};

  Layout layout(const std::vector<std::string>& first, const std::vector<std::string>& second,
                const std::vector<std::string>& partial = {}) {
    return Layout::of(m, {axes(m, first), axes(m, second)}, maskOf(axes(m, partial)));
  }
  /// `all_gather tp 2304; …`, strided steps with a star.
  std::string steps(const Layout& from, const Layout& to) {
    std::string text;
    for (const ReshardStep& s : reshard(m, extents, unordered, from, to)) {
      if (!text.empty()) text += "; ";
      text += std::string(name(s.kind)) + (s.strided ? "* " : " ") + m.str(s.axes) + " " +
              std::to_string(int64_t(s.elements));
    }
    return text;
  }
};

TEST_F(ReshardSteps, OffsetsAreTheSizesLeftOfAnAxis) {
  Layout l = layout({"cp", "tp"}, {"dp"});
  EXPECT_EQ(l.shard[0][0].offset(m), 1);
  EXPECT_EQ(l.shard[0][1].offset(m), 4);
  EXPECT_EQ(l.axes(), maskOf(axes(m, {"cp", "tp", "dp"})));
  EXPECT_EQ(localElements(m, extents, l), 6 * 16);
  EXPECT_EQ(localElements(m, {50, 50}, l), 7 * 17); // the largest shard
}

TEST_F(ReshardSteps, EqualLayoutsNeedNothing) {
  EXPECT_EQ(steps(layout({"cp"}, {}), layout({"cp"}, {})), "");
  EXPECT_TRUE(sameLayout(unordered, layout({"cp", "tp"}, {}), layout({"cp", "tp"}, {})));
  EXPECT_FALSE(sameLayout(unordered, layout({"cp", "tp"}, {}), layout({"tp", "cp"}, {})));
  EXPECT_TRUE(sameLayout({true, false}, layout({"cp", "tp"}, {}), layout({"tp", "cp"}, {})));
  EXPECT_FALSE(sameLayout(unordered, layout({}, {}, {"tp"}), layout({}, {})));
}

TEST_F(ReshardSteps, TensorParallelSumIsAllReduced) {
  EXPECT_EQ(steps(layout({"dp"}, {}, {"tp"}), layout({"dp"}, {})), "all_reduce tp 768");
}

TEST_F(ReshardSteps, SequenceParallelSumIsScatteredAndGathered) {
  EXPECT_EQ(steps(layout({}, {}, {"tp"}), layout({"tp"}, {})), "reduce_scatter tp 2304");
  EXPECT_EQ(steps(layout({"tp"}, {}), layout({}, {})), "all_gather tp 2304");
}

TEST_F(ReshardSteps, TheMinorDigitIsFreedAlone) {
  EXPECT_EQ(steps(layout({"cp", "tp"}, {}), layout({"cp"}, {})), "all_gather tp 576");
}

TEST_F(ReshardSteps, AMovedDigitCostsAFullGather) { // docs/language.md, section 10: tp left of cp
  EXPECT_EQ(steps(layout({"tp", "cp"}, {}), layout({"cp"}, {})), "all_gather cp*tp 2304; slice cp 2304");
}

TEST_F(ReshardSteps, AnAxisThatChangesItsDimensionIsAnAllToAll) {
  EXPECT_EQ(steps(layout({"cp"}, {}), layout({}, {"cp"})), "all_to_all cp 576");
  EXPECT_EQ(steps(layout({"cp", "tp"}, {}), layout({}, {"cp", "tp"})), "all_to_all cp*tp 288");
}

TEST_F(ReshardSteps, ReducingStepsComeFirst) {
  EXPECT_EQ(steps(layout({"cp"}, {}, {"tp", "dp"}), layout({}, {"tp"})),
            "reduce_scatter tp 576; all_reduce dp 288; all_gather cp 1152");
}

TEST_F(ReshardSteps, RoutedDimensionsHaveNoOrder) {
  unordered = {true, false};
  EXPECT_EQ(steps(layout({"tp", "cp"}, {}), layout({"cp"}, {})), "all_gather tp 576");
}

TEST_F(ReshardSteps, AStepBelowAFreeDigitIsStrided) {
  // cp leaves first and seq keeps tp below it: gathering tp later would interleave blocks.
  Layout inner = layout({"cp", "tp"}, {});
  inner.shard.set(0, inner.shard[0].subspan(1));
  EXPECT_EQ(steps(inner, layout({}, {})), "all_gather* tp 2304");
  EXPECT_EQ(steps(layout({"cp", "tp"}, {}), layout({}, {})), "all_gather cp*tp 2304");
}

TEST_F(ReshardSteps, AxesOfOneRankAreNotThere) {
  Mesh one = mesh({{"tp", 1}, {"dp", 3}});
  Layout l = Layout::of(one, {axes(one, {"tp", "dp"})}, 0);
  EXPECT_EQ(l, Layout::of(one, {axes(one, {"dp"})}, 0));
  EXPECT_EQ(Layout::of(one, {{}}, maskOf(axes(one, {"tp"}))).partial, 0u);
  Layout withDigit;
  withDigit.shard.resize(1);
  withDigit.shard.add(0, {one.order[0]});
  EXPECT_TRUE(reshard(one, {48}, {false}, withDigit, Layout::of(one, {{}}, 0)).empty());
}

TEST_F(ReshardSteps, UnevenShardsCountTheLargest) {
  extents = {50, 48};
  EXPECT_EQ(steps(layout({"cp"}, {}), layout({}, {})), "all_gather cp 2400");
  EXPECT_EQ(steps(layout({"cp"}, {}), layout({}, {"cp"})), "all_to_all cp 624"); // 13 x 48 before, 50 x 12 after
}

} // namespace
} // namespace planc::ir
