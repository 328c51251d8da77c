// What only one kind of node has is reached through that kind.
// SPDX-License-Identifier: Apache-2.0
#include "ir/program/CollectiveNodes.h"

#include <gtest/gtest.h>
#include <type_traits>

namespace planc::ir {
namespace {

TEST(Node, IsOfOneKind) {
  const Node compute({.op = OpId(3)}, Compute({.role = Role::Save, .value = ValueId(7)}));
  EXPECT_TRUE(compute.isCompute());
  EXPECT_EQ(compute.asCollective(), nullptr);
  EXPECT_EQ(compute.asCopy(), nullptr);
  EXPECT_EQ(compute.compute().role, Role::Save);
  EXPECT_EQ(compute.value(), ValueId(7));
  EXPECT_EQ(Node().value(), ValueId());
}

/// What a device does and sends is level comm's, how a value changes its layout level sharded's.
template <class AnyNode, class Kind> constexpr bool kHolds = std::is_constructible_v<AnyNode, NodeHead, Kind>;
static_assert(kHolds<ShardedNode, Computation> && kHolds<ShardedNode, Reshard> && !kHolds<ShardedNode, Compute> &&
              !kHolds<ShardedNode, Collective> && !kHolds<ShardedNode, Copy>);
static_assert(kHolds<Node, Compute> && kHolds<Node, Collective> && kHolds<Node, Copy> && !kHolds<Node, Computation> &&
              !kHolds<Node, Reshard>);

TEST(Node, ACopyPacksWhatItsCollectiveLeaves) {
  Collective moved(Traveller{.value = ValueId(2), .gradient = true, .source = OpId(1)});
  moved.cls = CollectiveClass::Exchange;
  moved.axes = 6, moved.group = 4, moved.bytes = 64;
  const Node node({}, Copy(moved));
  EXPECT_EQ(node.asCollective(), nullptr);
  const Copy& copy = node.copy();
  EXPECT_EQ(copy.value, ValueId(2));
  EXPECT_TRUE(copy.gradient);
  EXPECT_EQ(copy.cls, CollectiveClass::Exchange);
  EXPECT_EQ(copy.axes, 6u);
  EXPECT_EQ(copy.group, 4);
  EXPECT_EQ(copy.bytes, 64);
}

TEST(Node, WhatStandsInNoList) {
  StageGroup group;
  group.allReduce.bytes = 8;
  EXPECT_EQ(sumNode(group).phase, Phase::Step);
  EXPECT_EQ(sumNode(group).collective().bytes, 8);
  Boundary boundary;
  boundary.bytes = 2, boundary.scatter = 1, boundary.gather.bytes = 16;
  EXPECT_EQ(boundary.arriving(), 16);
  EXPECT_EQ(gatherNode(boundary).collective().bytes, 16);
  EXPECT_EQ(transferNode({}, boundary).collective().kind, CollectiveKind::SendRecv);
}

} // namespace
} // namespace planc::ir
