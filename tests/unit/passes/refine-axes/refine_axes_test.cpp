// refine-axes: splits an axis that a composite dimension shares out; leaves alone what one factor takes whole.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"
#include "tests/unit/passes/After.h"
#include "tests/unit/support/Build.h"

#include <gtest/gtest.h>

namespace planc::test::refine_axes {
namespace {

/// Axes of a mesh in which `heads`, 4 key heads of 4 queries each, is placed on some; those that were split by name.
std::string refined(const std::vector<std::pair<std::string, int64_t>>& axes, const std::vector<std::string>& targets,
                    const char* placed = "heads") {
  Build b(axes);
  b.layer("attn");
  const ir::DimId kv = b.program.model.edit().dim("kv_heads", 4), group = b.program.model.edit().dim("group", 4);
  b.program.model.edit().composites.add({Symbol("heads"), {kv, group}, {}});
  b.plan.placements = {rule("attn", placed, targets)};
  DiagnosticEngine diagnostics;
  EXPECT_TRUE(passes::refineAxes(b.program, diagnostics));
  std::string text;
  for (ir::AxisId a : b.program.mesh.order) {
    const ir::Axis& axis = b.program.mesh.axes[a];
    text += axis.name.str() + "=" + std::to_string(axis.size) + "/" + std::to_string(axis.stride) + " ";
  }
  return text;
}

TEST(RefineAxes, SplitsWhatTwoFactorsShare) {
  EXPECT_EQ(refined({{"tp", 8}}, {"tp"}),
            "tp.1=2/1 tp.0=4/2 "); // four ways for the key heads, the major ones, two for the queries
  EXPECT_EQ(refined({{"b", 4}, {"a", 2}}, {"a", "b"}), "b.1=2/1 b.0=2/2 a=2/4 ");
  EXPECT_EQ(refined({{"b", 4}, {"a", 6}}, {"a", "b"}), "b=4/1 a.1=3/4 a.0=2/12 ");
}

TEST(RefineAxes, LeavesAloneWhatAFactorTakesWhole) {
  EXPECT_EQ(refined({{"tp", 4}}, {"tp"}), "tp=4/1 ");
  EXPECT_EQ(refined({{"b", 4}, {"a", 4}}, {"a", "b"}), "b=4/1 a=4/4 ");
  EXPECT_EQ(refined({{"one", 1}, {"tp", 2}}, {"one", "tp"}), "one=1/1 tp=2/1 ");
}

TEST(RefineAxes, LeavesAloneWhatNoCompositePlaces) {
  EXPECT_EQ(refined({{"tp", 8}}, {"tp"}, "group"), "tp=8/1 ");
}

TEST(RefineAxes, LeavesAloneWhatDoesNotDivide) {
  EXPECT_EQ(refined({{"tp", 3}}, {"tp"}), "tp=3/1 ");
}

TEST(RefineAxes, MakesNoMoreAxesThanAMaskHolds) {
  std::vector<std::pair<std::string, int64_t>> axes;
  for (int i = 0; i < 62; ++i) axes.emplace_back("a" + std::to_string(i), 1);
  axes.back().second = 8;
  EXPECT_NE(refined(axes, {"a61"}).find("a61.0=4"), std::string::npos);
  axes.emplace_back("a62", 1);
  EXPECT_EQ(refined(axes, {"a61"}).find("a61.0"), std::string::npos);
}

} // namespace
} // namespace planc::test::refine_axes
