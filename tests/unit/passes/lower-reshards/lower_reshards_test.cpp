// lower-reshards: every reshard becomes the collectives of its steps; statistics and rings become collectives too.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"
#include "tests/unit/passes/After.h"
#include "tests/unit/support/Build.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace planc::test::lower_reshards {
namespace {

/// The nodes of one reshard of `[batch=8, seq=16, hidden=32]`, made between two operators on two nodes of four devices.
std::string between(const std::string& from, const std::string& inside, const std::string& to) {
  Build b({{"tp", 4}, {"dp", 2}}, {{"node", 4}, {"nodes", 8}});
  b.layer("l");
  const auto x = b.input("x", "batch=8 seq=16 hidden=32 wide=64");
  const auto made = b.op("made", ir::OpKind::Gemm, {x}, from, inside);
  b.reshard(made, to);
  const auto read = b.op("read", ir::OpKind::Memory, {made}, to);
  b.op("again", ir::OpKind::Memory, {read}, to);
  const auto program = passes::lowerReshards(b.sharded());
  std::string text;
  for (const ir::Node& n : program->classes.begin()->forward) {
    if (const ir::Collective* c = n.asCollective())
      text += fmt::format("{} {} group {} level {} bytes {}", name(c->kind), b.program.mesh.str(c->axes), c->group,
                          c->level, c->bytes);
    else if (const ir::Copy* packed = n.asCopy())
      text += fmt::format("copy {} group {} bytes {}", b.program.mesh.str(packed->axes), packed->group, packed->bytes);
    else
      text += b.program.model->pathOf(n.op);
    text += " after";
    for (ir::NodeIndex d : n.deps) text += " " + std::to_string(d);
    text += "\n";
  }
  return text;
}

TEST(LowerReshards, AGatherAReduceAScatterAnExchange) {
  EXPECT_EQ(between("batch@dp seq@tp hidden", "", "batch@dp seq hidden"), R"(l.made after
all_gather tp group 4 level 0 bytes 4096 after 0
l.read after 1
l.again after 2
)");
  EXPECT_EQ(between("batch@dp seq hidden", "wide@tp", "batch@dp seq hidden"), R"(l.made after
all_reduce tp group 4 level 0 bytes 4096 after 0
l.read after 1
l.again after 2
)");
  EXPECT_EQ(between("batch@dp seq hidden", "wide@tp", "batch@dp seq@tp hidden"), R"(l.made after
reduce_scatter tp group 4 level 0 bytes 4096 after 0
l.read after 1
l.again after 2
)");
  EXPECT_EQ(between("batch@dp seq@tp hidden", "", "batch@dp seq hidden@tp"), R"(l.made after
all_to_all tp group 4 level 0 bytes 1024 after 0
l.read after 1
l.again after 2
)");
  EXPECT_EQ(between("batch@dp seq hidden", "", "batch seq hidden"), R"(l.made after
all_gather dp group 2 level 1 bytes 8192 after 0
l.read after 1
l.again after 2
)");
}

TEST(LowerReshards, SeveralStepsFollowEachOther) {
  EXPECT_EQ(between("batch@dp seq@tp hidden", "", "batch seq hidden"), R"(l.made after
all_gather dp group 2 level 1 bytes 2048 after 0
all_gather tp group 4 level 0 bytes 8192 after 1
l.read after 2
l.again after 3
)");
  EXPECT_EQ(between("batch@dp*tp seq hidden", "", "batch@tp seq hidden@dp"), R"(l.made after
all_to_all dp group 2 level 1 bytes 1024 after 0
all_gather tp group 4 level 0 bytes 4096 after 1
copy tp group 4 bytes 4096 after 2
l.read after 3
l.again after 4
)");
}

TEST(LowerReshards, ASliceIsAView) {
  EXPECT_EQ(between("batch seq hidden", "", "batch@dp seq@tp hidden"), R"(l.made after
l.read after 0
l.again after 1
)");
}

TEST(LowerReshards, WhatFreesADigitInTheMiddleIsPacked) {
  EXPECT_EQ(between("batch@dp*tp seq hidden", "", "batch@tp seq hidden"), R"(l.made after
all_gather dp*tp group 8 level 1 bytes 8192 after 0
l.read after 1
l.again after 2
)");
}

std::string lowered(const std::string& lines, const std::string& begin, const std::string& models) {
  const After a("lower-reshards", lines, kTrain, models);
  return a.program ? a.part(begin) : a.said();
}

TEST(LowerReshards, StatisticsOverASplitDimension) {
  EXPECT_EQ(
      lowered("  mesh { tp = 2 }\n  place { decoder.norm { hidden -> tp } }", "all_reduce", kDecoder),
      R"(    all_reduce %norm.out axis=tp(2) level=host bytes=128 class=statistic phase=forward count=4 op=norm.out
    all_reduce d(%norm.out) axis=tp(2) level=host bytes=128 class=statistic phase=backward count=8 op=norm.out
)");
}

TEST(LowerReshards, KeysTravelRoundARing) {
  EXPECT_EQ(lowered("  mesh { cp = 4 }\n  place {\n seq -> cp\n attn.core { kv_seq -> cp via ring }\n }", "send_recv",
                    kAttention),
            R"(    send_recv %v axis=cp(4) level=host bytes=3072 class=ring phase=forward count=1 op=core ring
    send_recv %v axis=cp(4) level=host bytes=7168 class=ring phase=backward count=1 op=core ring
)");
  EXPECT_EQ(lowered("  mesh { cp = 4 }\n  place { seq -> cp }", "all_gather", kAttention),
            R"(    all_gather %kr dim=seq axis=cp(4) level=host bytes=2048 class=ring phase=forward count=1 op=core
    all_gather %v dim=seq axis=cp(4) level=host bytes=2048 class=ring phase=forward count=1 op=core
    all_gather %kr dim=seq axis=cp(4) level=host bytes=2048 class=regather phase=backward count=1 op=core
    all_gather %v dim=seq axis=cp(4) level=host bytes=2048 class=regather phase=backward count=1 op=core
)");
}

TEST(LowerReshards, TokensTravelToTheirExperts) {
  EXPECT_EQ(
      lowered("  mesh { ep = 4 }\n  place {\n batch -> ep\n moe { experts -> ep }\n }", "all_to_all", kExperts),
      R"(    all_to_all %sent dim=experts,slots axis=ep(4) level=host bytes=4096 class=exchange phase=forward count=1 op=gate copies=2/8
    all_to_all %down dim=experts,slots axis=ep(4) level=host bytes=4096 class=exchange phase=forward count=1 op=chosen copies=2/8
    all_to_all d(%down) dim=experts,slots axis=ep(4) level=host bytes=4096 class=exchange phase=backward count=1 op=down copies=2/8
    all_to_all d(%sent) dim=experts,slots axis=ep(4) level=host bytes=4096 class=exchange phase=backward count=1 op=sent copies=2/8
)");
  EXPECT_EQ(
      lowered("  mesh { ep = 4 }\n  place {\n batch -> ep\n moe { experts -> ep }\n }\n  precision { dispatch = fp8 }",
              "all_to_all", kExperts),
      R"(    all_to_all %sent dim=experts,slots axis=ep(4) level=host bytes=2048 class=exchange phase=forward count=1 op=gate copies=2/8
    all_to_all %down dim=experts,slots axis=ep(4) level=host bytes=4096 class=exchange phase=forward count=1 op=chosen copies=2/8
    all_to_all d(%down) dim=experts,slots axis=ep(4) level=host bytes=4096 class=exchange phase=backward count=1 op=down copies=2/8
    all_to_all d(%sent) dim=experts,slots axis=ep(4) level=host bytes=4096 class=exchange phase=backward count=1 op=sent copies=2/8
)");
  const After a("lower-reshards", "  mesh { ep = 4 }\n  place {\n batch -> ep\n moe { experts -> ep }\n }", kTrain,
                kExperts);
  for (const ir::LayerClass& c : a.comm->classes)
    for (const ir::Node& n : c.forward)
      if (const ir::Collective* moved = n.asCollective(); moved && moved->kind == ir::CollectiveKind::AllToAll) {
        EXPECT_EQ(moved->copies, 2);
        EXPECT_EQ(moved->places, 8);
      }
}

TEST(LowerReshards, LeavesOperatorsAlone) {
  EXPECT_EQ(between("batch@dp seq hidden", "", "batch@dp seq hidden"), R"(l.made after
l.read after 0
l.again after 1
)");
  EXPECT_EQ(lowered("  mesh { dp = 2 }\n  place { batch -> dp }", "layer head", kDecoder), R"(layer head {
  forward:
    %out = matmul %decoder.x~2, @w : [batch@dp, seq, vocab] bf16
  backward:
    d(%decoder.x~2) = matmul.dgrad d(%out), @w
    d(@w) = matmul.wgrad d(%out), %decoder.x~2
    accumulate d(@w)
  saved %decoder.x~2 bytes=2048 by=out
  working forward=4096 backward=4096
  param @w : [vocab, hidden] bf16 elements=2048 gradient=partial(dp)
    all_reduce d(@w) axis=dp(2) level=host bytes=8192 class=gradient phase=step count=1
}
)");
}

} // namespace
} // namespace planc::test::lower_reshards
