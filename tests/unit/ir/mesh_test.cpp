// Meshes: names, groups, refinement, and how groups of ranks fall into the levels of a cluster.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/Build.h"

#include <gtest/gtest.h>

namespace planc::ir {
namespace {

using test::mesh;

AxisMask mask(const Mesh& m, const std::vector<std::string>& names) {
  return maskOf(test::axes(m, names));
}

TEST(Mesh, SizesAndNames) {
  Mesh m = mesh({{"tp", 8}, {"cp", 2}, {"dp", 4}});
  EXPECT_EQ(m.devices(), 64);
  EXPECT_EQ(m.size(mask(m, {"tp", "dp"})), 32);
  EXPECT_EQ(m.size(test::axes(m, {"cp"})), 2);
  EXPECT_EQ(m.size(AxisMask(0)), 1);
  EXPECT_FALSE(m.findAxis(Symbol("ep")));
  EXPECT_EQ(m.str(mask(m, {"tp", "dp"})), "dp*tp"); // the outer axis first
  EXPECT_EQ(m.str(AxisMask(0)), "");
}

TEST(Mesh, AbsurdSizesSaturate) {
  Mesh m = mesh({{"a", 1}, {"b", 1}});
  m.axes[m.order[0]].size = m.axes[m.order[1]].size = int64_t(1) << 40;
  EXPECT_EQ(m.devices(), INT64_MAX);
}

TEST(Mesh, GroupsStandForTheirAxes) {
  Mesh m = mesh({{"ep", 4}, {"edp", 2}});
  m.groups.push_back({Symbol("dp"), test::axes(m, {"edp", "ep"}), {}});
  EXPECT_EQ(m.resolve(Symbol("dp")), test::axes(m, {"edp", "ep"}));
  EXPECT_EQ(m.resolve(Symbol("ep")), test::axes(m, {"ep"}));
  EXPECT_FALSE(m.resolve(Symbol("tp")));
  ASSERT_NE(m.findGroup(Symbol("dp")), nullptr);
  EXPECT_EQ(m.findGroup(Symbol("ep")), nullptr);
}

TEST(Mesh, RefinedAxesKeepTheirNameAsAGroup) {
  Mesh m = mesh({{"tp", 8}, {"dp", 2}}, {{"node", 8}, {"nodes", 16}});
  m.groups.push_back({Symbol("all"), test::axes(m, {"dp", "tp"}), {}});
  AxisId tp = m.order[0];
  auto [major, minor] = m.refine(tp, 2);
  EXPECT_EQ(m.axes[major].name, Symbol("tp.0"));
  EXPECT_EQ(m.axes[major].size, 2);
  EXPECT_EQ(m.axes[major].stride, 4);
  EXPECT_EQ(m.axes[minor].size, 4);
  EXPECT_EQ(m.axes[minor].stride, 1);
  EXPECT_EQ(m.order, (AxisList{minor, major, m.order[2]})); // inner to outer
  EXPECT_FALSE(m.findAxis(Symbol("tp")));
  EXPECT_EQ(m.resolve(Symbol("tp")), (AxisList{major, minor}));
  EXPECT_EQ(m.resolve(Symbol("all")), (AxisList{m.order[2], major, minor}));
  EXPECT_EQ(m.devices(), 16);
  EXPECT_EQ(m.str(maskOf(major) | maskOf(minor)), "tp"); // reports print what was written
  EXPECT_EQ(m.str(maskOf(minor)), "tp");

  auto [again, rest] = m.refine(minor, 2);
  EXPECT_EQ(m.resolve(Symbol("tp")), (AxisList{major, again, rest}));
  EXPECT_EQ(m.axes[rest].written, Symbol("tp"));
}

TEST(Mesh, RanksWithinALevel) {
  Mesh m = mesh({{"tp", 4}, {"cp", 4}, {"dp", 8}}, {{"node", 8}, {"rack", 64}, {"pod", 128}});
  EXPECT_EQ(m.ranksWithin(mask(m, {"tp"}), 0), 4);
  EXPECT_EQ(m.ranksWithin(mask(m, {"cp"}), 0), 2); // 4 apart: two of the four in a node
  EXPECT_EQ(m.ranksWithin(mask(m, {"dp"}), 0), 1);
  EXPECT_EQ(m.ranksWithin(mask(m, {"dp"}), 1), 4);
  EXPECT_EQ(m.ranksWithin(mask(m, {"tp", "cp"}), 0), 8);
  EXPECT_EQ(m.ranksWithin(mask(m, {"dp"}), 2), 8);
  EXPECT_EQ(m.levelOf(mask(m, {"tp"})), 0u);
  EXPECT_EQ(m.levelOf(mask(m, {"cp"})), 1u);
  EXPECT_EQ(m.levelOf(mask(m, {"dp"})), 2u);
  EXPECT_EQ(m.levelOf(AxisMask(0)), 0u);
}

TEST(Mesh, BlocksThatAGroupReachesAcross) {
  Mesh m = mesh({{"tp", 4}, {"cp", 4}, {"dp", 8}}, {{"node", 8}, {"rack", 64}, {"pod", 128}});
  EXPECT_EQ(m.ranksInBlock(mask(m, {"cp"}), 16), 4);
  EXPECT_EQ(m.reach(mask(m, {"tp"}), 1, 8), 4);
  EXPECT_EQ(m.reach(mask(m, {"cp"}), 1, 8), 8);  // devices 0 and 4 of each node: the whole node
  EXPECT_EQ(m.reach(mask(m, {"cp"}), 8, 64), 2); // two nodes
  EXPECT_EQ(m.reach(mask(m, {"dp"}), 8, 64), 8);
  EXPECT_TRUE(m.dividesLevels(mask(m, {"tp", "cp", "dp"})));
  Mesh n = mesh({{"tp", 6}, {"dp", 4}}, {{"node", 8}, {"nodes", 24}});
  EXPECT_FALSE(n.dividesLevels(mask(n, {"tp"})));
}

TEST(Mesh, AnAxisThatStraddlesNodesCountsTheWorstGroup) {
  Mesh m = mesh({{"tp", 6}, {"dp", 4}}, {{"node", 8}, {"nodes", 24}});
  EXPECT_EQ(m.ranksWithin(mask(m, {"tp"}), 0), 2); // ranks 6-11: two in the first node, four in the second
  EXPECT_EQ(m.levelOf(mask(m, {"tp"})), 1u);
  Mesh n = mesh({{"tp", 3}, {"dp", 8}}, {{"node", 8}, {"nodes", 24}});
  EXPECT_EQ(n.ranksWithin(mask(n, {"dp"}), 0), 2); // three apart in blocks of eight
}

} // namespace
} // namespace planc::ir
