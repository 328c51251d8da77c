// The verifiers of levels sharded and comm on hand-built programs: one that is right, and one broken law each.
// SPDX-License-Identifier: Apache-2.0
#include "TinyProgram.h"

#include <gtest/gtest.h>

namespace planc::ir {
namespace {

using test::Tiny;

/// The one finding, or all of them when there are several.
std::string finding(const auto& p) {
  std::string text;
  for (const std::string& s : verify(p)) text += (text.empty() ? "" : "\n") + s;
  return text;
}

TEST(VerifySharded, AcceptsATensorParallelProgram) {
  Tiny t;
  EXPECT_EQ(verify(t.model()), std::vector<std::string>{});
  EXPECT_EQ(finding(t.sharded()), "");
}

TEST(VerifySharded, RejectsAnImplicitChangeOfLayout) {
  Tiny t;
  t.nodes().erase(t.nodes().begin()); // up is never computed, and down reads it all the same
  for (ShardedNode& n : t.nodes()) n.deps.clear();
  EXPECT_EQ(finding(t.sharded()), "mlp.up is computed 0 times in forward");

  Tiny u;
  u.body().placements.edit()[1].dims.pop_back(); // down wants ffn whole, up leaves it split
  u.body().results.edit()[1].partial = 0;
  EXPECT_NE(finding(u.sharded())
                .find("mlp.down reads %mlp.up as [batch@dp, seq, ffn], but its layout is [batch@dp, seq, ffn@tp]"),
            std::string::npos);
}

TEST(VerifySharded, L8RejectsAPendingSumBeforeANorm) {
  Tiny t;
  t.nodes().erase(t.nodes().begin() + 2);
  t.node(2).deps = {1};
  EXPECT_EQ(finding(t.sharded()), "L8: mlp.out reads the pending sum %mlp.down");
}

TEST(VerifySharded, L8RejectsAPendingOutput) {
  Tiny t;
  t.model().loss = t.down;
  t.model().losses = {t.down};
  Reshard& r = t.node(2).reshard();
  r.to = r.from; // a reshard that does not resolve it
  EXPECT_NE(finding(t.sharded()).find("L8: the output %mlp.down is a pending sum"), std::string::npos);
}

TEST(VerifySharded, AnAddMayPassWhatIsPendingInAllItsOperands) {
  Tiny t;
  t.model().ops[t.normOp].linear = true;
  t.model().ops[t.normOp].operands.push_back(t.model().ops[t.normOp].operands[0]);
  t.model().loss = {};
  t.model().losses = {};
  t.nodes().erase(t.nodes().begin() + 2);
  t.node(2).deps = {1};
  t.body().results.edit()[2].partial = maskOf(t.tp);
  EXPECT_EQ(finding(t.sharded()), "");
  t.model().ops[t.normOp].operands[1].value = t.x;
  t.body().results.edit()[0].partial = 0;
  EXPECT_EQ(finding(t.sharded()), ""); // where an input lies is for the rules at the top to say
}

TEST(VerifySharded, RejectsALostSum) {
  Tiny t;
  t.body().results.edit()[1].partial = 0;
  EXPECT_EQ(finding(t.sharded()), "mlp.down: the sum over tp is lost");
}

TEST(VerifySharded, RejectsAnAxisThatShardsTwice) {
  Tiny t;
  t.body().placements.edit()[0].dims.push_back({t.seq, {t.tp}, nullptr, false, false});
  t.body().results.edit()[0] = t.layout("batch@dp seq@tp ffn@tp");
  EXPECT_NE(finding(t.sharded()).find("mlp.up: tp shards %mlp.up twice"), std::string::npos);
}

TEST(VerifySharded, RejectsAnExtentThatDoesNotDivide) {
  Tiny t;
  t.model().dims[t.ffn].extent = 126;
  EXPECT_NE(finding(t.sharded()).find("mlp.up: ffn (126) is not divisible by tp (4)"), std::string::npos);
  for (Placement& p : t.body().placements.edit())
    for (PlacedDim& d : p.dims) d.uneven = true;
  EXPECT_EQ(finding(t.sharded()), "");
}

TEST(VerifySharded, RejectsADependencyOnALaterNode) {
  Tiny t;
  t.node(0).deps = {3};
  EXPECT_EQ(finding(t.sharded()), "mlp: node 0 waits for node 3, which comes later");
}

TEST(VerifySharded, RejectsInstancesThatRunNowhere) {
  Tiny t;
  t.program.kindOf(0).classes.clear();
  EXPECT_EQ(finding(t.sharded()), "mlp[0]: the number of its instances is 1, but 0 are on stages");
}

TEST(VerifyComm, AcceptsTheLoweredProgram) {
  Tiny t;
  t.lowerToComm();
  EXPECT_EQ(finding(t.program), "");
}

TEST(VerifyComm, RejectsAGroupThatTheMeshLacks) {
  Tiny t;
  t.lowerToComm();
  t.lowered(2).collective().group = 8;
  EXPECT_EQ(finding(t.program), "all_reduce of %mlp.down over tp: the group has 8 ranks, but its axes have 4");
  t.lowered(2).collective().group = 4;
  t.lowered(2).collective().level = 1;
  EXPECT_EQ(finding(t.program),
            "all_reduce of %mlp.down over tp: it is priced at level 1, but its group spans level 0");
}

TEST(VerifyComm, RejectsBytesThatAreNotTheLargerSide) {
  Tiny t;
  t.lowerToComm();
  t.lowered(2).collective().bytes *= 3;
  EXPECT_EQ(finding(t.program), "all_reduce of %mlp.down moves 12288 bytes, but its larger side has 2048 elements");
}

TEST(VerifyComm, L8RejectsASumThatNoCollectiveResolves) {
  Tiny t;
  t.lowerToComm();
  t.body().forward.edit().erase(t.body().forward.edit().begin() + 2);
  t.lowered(2).deps = {1};
  EXPECT_EQ(finding(t.program), "L8: mlp.out reads %mlp.down, which is a pending sum over tp");
}

TEST(VerifyComm, L9RejectsWorkThatIsLostOrDoneTwice) {
  Tiny t;
  t.lowerToComm();
  t.lowered(0).compute().work.flops /= 2;
  EXPECT_NE(finding(t.program).find("L9: mlp.up forward: 8 devices"), std::string::npos);
  t.lowered(0).compute().work.flops *= 2;
  t.lowered(3).compute().work.flops /= 4; // the norm is not placed on tp: all four ranks do all of it
  EXPECT_NE(finding(t.program).find("L9: mlp.out forward"), std::string::npos);
}

TEST(VerifyComm, L9CountsAnUnevenShardAsTheLargest) {
  Tiny t;
  t.lowerToComm();
  t.model().dims[t.ffn].extent = 126;
  for (Placement& p : t.body().placements.edit())
    for (PlacedDim& d : p.dims) d.uneven = true;
  EXPECT_EQ(finding(t.program), ""); // 32 of 126 on the largest shard, as with 128
}

} // namespace
} // namespace planc::ir
