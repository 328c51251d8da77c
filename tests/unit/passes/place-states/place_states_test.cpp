// place-states: where parameters, gradients and optimizer states lie, and the collectives which that takes.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::place_states {
namespace {

std::string stored(const std::string& lines, const std::string& train = kTrain, const std::string& models = kDecoder) {
  const After a("place-states", lines, train, models);
  return a.program ? a.said() + a.part("param") + a.part("state") + a.part("group") : a.said();
}
const std::string kDp = "  mesh { dp = 2 }\n  place { batch -> dp }\n";

TEST(PlaceStates, CopiesSumTheirGradients) {
  EXPECT_EQ(stored(kDp), R"(  param @table : [vocab, hidden] bf16 elements=2048 gradient=partial(dp)
  param @norm.w : [hidden] bf16 elements=32 gradient=partial(dp)
  param @mlp.w_gate : [hidden, ffn] bf16 elements=4096 gradient=partial(dp)
  param @mlp.w_up : [hidden, ffn] bf16 elements=4096 gradient=partial(dp)
  param @mlp.w_down : [ffn, hidden] bf16 elements=4096 gradient=partial(dp)
  param @w : [vocab, hidden] bf16 elements=2048 gradient=partial(dp)
)");
}
TEST(PlaceStates, ShardedOptimizer) {
  EXPECT_EQ(stored(kDp + "  states { optimizer -> dp }"),
            R"(  param @table : [vocab, hidden] bf16 elements=2048 optimizer->dp gradient=partial(dp)
  param @norm.w : [hidden] bf16 elements=32 optimizer->dp gradient=partial(dp)
  param @mlp.w_gate : [hidden, ffn] bf16 elements=4096 optimizer->dp gradient=partial(dp)
  param @mlp.w_up : [hidden, ffn] bf16 elements=4096 optimizer->dp gradient=partial(dp)
  param @mlp.w_down : [ffn, hidden] bf16 elements=4096 optimizer->dp gradient=partial(dp)
  param @w : [vocab, hidden] bf16 elements=2048 optimizer->dp gradient=partial(dp)
)");
}
TEST(PlaceStates, ShardedGradients) {
  EXPECT_EQ(stored(kDp + "  states { grads, optimizer -> dp }"),
            R"(  param @table : [vocab, hidden] bf16 elements=2048 grads->dp optimizer->dp gradient=partial(dp)
  param @norm.w : [hidden] bf16 elements=32 grads->dp optimizer->dp gradient=partial(dp)
  param @mlp.w_gate : [hidden, ffn] bf16 elements=4096 grads->dp optimizer->dp gradient=partial(dp)
  param @mlp.w_up : [hidden, ffn] bf16 elements=4096 grads->dp optimizer->dp gradient=partial(dp)
  param @mlp.w_down : [ffn, hidden] bf16 elements=4096 grads->dp optimizer->dp gradient=partial(dp)
  param @w : [vocab, hidden] bf16 elements=2048 grads->dp optimizer->dp gradient=partial(dp)
)");
}
TEST(PlaceStates, ShardedParameters) {
  EXPECT_EQ(
      stored(kDp + "  states { params, grads, optimizer -> dp }"),
      R"(  param @table : [vocab, hidden] bf16 elements=2048 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @norm.w : [hidden] bf16 elements=32 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @mlp.w_gate : [hidden, ffn] bf16 elements=4096 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @mlp.w_up : [hidden, ffn] bf16 elements=4096 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @mlp.w_down : [ffn, hidden] bf16 elements=4096 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @w : [vocab, hidden] bf16 elements=2048 params->dp grads->dp optimizer->dp gradient=partial(dp)
)");
}

TEST(PlaceStates, OnTheHost) {
  EXPECT_EQ(
      stored(kDp + "  states { params, grads, optimizer -> [dp, host] }"),
      R"(  param @table : [vocab, hidden] bf16 elements=2048 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @norm.w : [hidden] bf16 elements=32 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @mlp.w_gate : [hidden, ffn] bf16 elements=4096 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @mlp.w_up : [hidden, ffn] bf16 elements=4096 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @mlp.w_down : [ffn, hidden] bf16 elements=4096 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @w : [vocab, hidden] bf16 elements=2048 params->dp grads->dp optimizer->dp gradient=partial(dp)
)");
}

TEST(PlaceStates, WhatIsTiedOverStagesIsSummedOnce) {
  const std::string tied = "model m {\n  in tokens: [batch, seq] int32 counts seq\n  embed = blocks.embedding(tokens, "
                           "64, 32)\n  decoder * 4 with x = embed {\n "
                           "   mlp = blocks.swiglu(x, 128)\n    out x + mlp\n  }\n  head = blocks.tied_head(decoder, "
                           "table = embed.table)\n  loss = "
                           "ops.cross_entropy(head, tokens)\n}\n";
  EXPECT_EQ(stored("  mesh {\n dp = 2\n pp = 2\n }\n  place { batch -> dp }\n  pipeline pp { schedule = one_f_one_b }",
                   kTrain, tied),
            R"(  param @table : [vocab, hidden] bf16 elements=2048 gradient=partial(dp)
  param @mlp.w_gate : [hidden, ffn] bf16 elements=4096 gradient=partial(dp)
  param @mlp.w_up : [hidden, ffn] bf16 elements=4096 gradient=partial(dp)
  param @mlp.w_down : [ffn, hidden] bf16 elements=4096 gradient=partial(dp)
  param @embed.table : [vocab, hidden] bf16 elements=2048 gradient=partial(dp)
)");
  EXPECT_EQ(
      stored(
          "  mesh {\n tp = 2\n pp = 2\n }\n  place { embed { vocab -> tp } }\n  pipeline pp { schedule = one_f_one_b }",
          kTrain, tied),
      R"(PLAN0637 tied parameter `embed.table` is needed in two layouts
PLAN0640 `decoder.mlp.gate` does the same work on 2 ranks of `tp`
)");
}

TEST(PlaceStates, RefusesStatesThatDoNotNest) { // L6
  EXPECT_EQ(
      stored(
          "  mesh {\n a = 2\n b = 2\n }\n  place { batch -> [a, b] }\n  states {\n params -> a\n optimizer -> b\n }"),
      R"(PLAN0633 `grads -> a` is not inside `optimizer -> b` for parameter `embed.table`
)");
  EXPECT_EQ(
      stored(kDp + "  states {\n params -> dp\n }"),
      R"(  param @table : [vocab, hidden] bf16 elements=2048 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @norm.w : [hidden] bf16 elements=32 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @mlp.w_gate : [hidden, ffn] bf16 elements=4096 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @mlp.w_up : [hidden, ffn] bf16 elements=4096 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @mlp.w_down : [ffn, hidden] bf16 elements=4096 params->dp grads->dp optimizer->dp gradient=partial(dp)
  param @w : [vocab, hidden] bf16 elements=2048 params->dp grads->dp optimizer->dp gradient=partial(dp)
)");
}

TEST(PlaceStates, LeavesWhatDoesNotTrainAlone) {
  EXPECT_EQ(stored(kDp, kTrain + "; freeze = [embed, decoder]"),
            R"(  param @table : [vocab, hidden] bf16 elements=2048 frozen
  param @norm.w : [hidden] bf16 elements=32 frozen
  param @mlp.w_gate : [hidden, ffn] bf16 elements=4096 frozen
  param @mlp.w_up : [hidden, ffn] bf16 elements=4096 frozen
  param @mlp.w_down : [ffn, hidden] bf16 elements=4096 frozen
  param @w : [vocab, hidden] bf16 elements=2048 gradient=partial(dp)
)");
}

TEST(PlaceStates, LeavesWhatIsSplitAlready) {
  EXPECT_EQ(stored("  mesh { tp = 2 }\n  place {\n embed { vocab -> tp }\n decoder.mlp { ffn -> tp }\n head, loss { "
                   "vocab -> tp }\n }\n  states { optimizer -> tp }"),
            R"(  param @table : [vocab@tp, hidden] bf16 elements=1024
  param @norm.w : [hidden] bf16 elements=32 optimizer->tp
  param @mlp.w_gate : [hidden, ffn@tp] bf16 elements=2048
  param @mlp.w_up : [hidden, ffn@tp] bf16 elements=2048
  param @mlp.w_down : [ffn@tp, hidden] bf16 elements=2048
  param @w : [vocab@tp, hidden] bf16 elements=1024
)");
}

} // namespace
} // namespace planc::test::place_states
