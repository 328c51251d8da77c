// place-states: where parameters, gradients and optimizer states lie, and the collectives which that takes.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace planc::test::place_states {
namespace {

std::string stored(const std::string& lines, const std::string& train = kTrain, const std::string& models = kDecoder) {
  const After a("place-states", lines, train, models);
  if (!a.program) return a.said();
  std::string text = a.said();
  for (const ir::ClassHead& c : a->heads()) {
    text += a->model->layers[c.layer].ref().str() + "\n";
    for (const ir::ParamState& p : c.params)
      text += fmt::format("  {} {} params {} grads {} optimizer {} of {}{}\n", a->model->values[p.param].name.view(),
                          p.elements, a->mesh.str(p.params), a->mesh.str(p.grads), a->mesh.str(p.optimizer),
                          a->mesh.str(p.partial), p.owner ? "" : " shared");
    for (const ir::StateCollective& s : c.states)
      text += fmt::format("  {} {} {} over {} group {} level {} bytes {} of {}{}{}\n", name(s.phase),
                          name(s.collective), name(s.cls), a->mesh.str(s.axes), s.group, s.level, s.bytes,
                          s.params.size(), s.out ? " out" : "", s.kept ? " kept" : "");
  }
  for (const ir::StageGroup& g : a->stageGroups)
    text += fmt::format("summed over {} stages: {}\n", g.stages.size(), g.allReduce.bytes);
  return text;
}

TEST(PlaceStates, CopiesSumTheirGradients) {
  EXPECT_EQ(stored(kDp), R"(embed
  table 2048 params  grads  optimizer  of dp
  step all_reduce gradient over dp group 2 level 0 bytes 8192 of 1
decoder
  w 32 params  grads  optimizer  of dp
  w_gate 4096 params  grads  optimizer  of dp
  w_up 4096 params  grads  optimizer  of dp
  w_down 4096 params  grads  optimizer  of dp
  step all_reduce gradient over dp group 2 level 0 bytes 49280 of 4
head
  w 2048 params  grads  optimizer  of dp
  step all_reduce gradient over dp group 2 level 0 bytes 8192 of 1
loss
)");
}
TEST(PlaceStates, ShardedOptimizer) {
  EXPECT_EQ(stored(kDp + "  states { optimizer -> dp }"), R"(embed
  table 2048 params  grads  optimizer dp of dp
  step reduce_scatter gradient over dp group 2 level 0 bytes 8192 of 1
  step all_gather state over dp group 2 level 0 bytes 4096 of 1
decoder
  w 32 params  grads  optimizer dp of dp
  w_gate 4096 params  grads  optimizer dp of dp
  w_up 4096 params  grads  optimizer dp of dp
  w_down 4096 params  grads  optimizer dp of dp
  step reduce_scatter gradient over dp group 2 level 0 bytes 49280 of 4
  step all_gather state over dp group 2 level 0 bytes 24640 of 4
head
  w 2048 params  grads  optimizer dp of dp
  step reduce_scatter gradient over dp group 2 level 0 bytes 8192 of 1
  step all_gather state over dp group 2 level 0 bytes 4096 of 1
loss
)");
}
TEST(PlaceStates, ShardedGradients) {
  EXPECT_EQ(stored(kDp + "  states { grads, optimizer -> dp }"), R"(embed
  table 2048 params  grads dp optimizer dp of dp
  backward reduce_scatter gradient over dp group 2 level 0 bytes 8192 of 1
  step all_gather state over dp group 2 level 0 bytes 4096 of 1
decoder
  w 32 params  grads dp optimizer dp of dp
  w_gate 4096 params  grads dp optimizer dp of dp
  w_up 4096 params  grads dp optimizer dp of dp
  w_down 4096 params  grads dp optimizer dp of dp
  backward reduce_scatter gradient over dp group 2 level 0 bytes 49280 of 4
  step all_gather state over dp group 2 level 0 bytes 24640 of 4
head
  w 2048 params  grads dp optimizer dp of dp
  backward reduce_scatter gradient over dp group 2 level 0 bytes 8192 of 1
  step all_gather state over dp group 2 level 0 bytes 4096 of 1
loss
)");
}
TEST(PlaceStates, ShardedParameters) {
  EXPECT_EQ(stored(kDp + "  states { params, grads, optimizer -> dp }"), R"(embed
  table 2048 params dp grads dp optimizer dp of dp
  forward all_gather state over dp group 2 level 0 bytes 4096 of 1
  backward all_gather state over dp group 2 level 0 bytes 4096 of 1
  backward reduce_scatter gradient over dp group 2 level 0 bytes 8192 of 1
decoder
  w 32 params dp grads dp optimizer dp of dp
  w_gate 4096 params dp grads dp optimizer dp of dp
  w_up 4096 params dp grads dp optimizer dp of dp
  w_down 4096 params dp grads dp optimizer dp of dp
  forward all_gather state over dp group 2 level 0 bytes 24640 of 4
  backward all_gather state over dp group 2 level 0 bytes 24640 of 4
  backward reduce_scatter gradient over dp group 2 level 0 bytes 49280 of 4
head
  w 2048 params dp grads dp optimizer dp of dp
  forward all_gather state over dp group 2 level 0 bytes 4096 of 1
  backward all_gather state over dp group 2 level 0 bytes 4096 of 1
  backward reduce_scatter gradient over dp group 2 level 0 bytes 8192 of 1
loss
)");
}

TEST(PlaceStates, ParametersThatStayGathered) {
  EXPECT_EQ(stored(kDp + "  states {\n params -> dp { regather = false }\n grads, optimizer -> dp\n }"), R"(embed
  table 2048 params dp grads dp optimizer dp of dp
  forward all_gather state over dp group 2 level 0 bytes 4096 of 1 kept
  backward reduce_scatter gradient over dp group 2 level 0 bytes 8192 of 1
decoder
  w 32 params dp grads dp optimizer dp of dp
  w_gate 4096 params dp grads dp optimizer dp of dp
  w_up 4096 params dp grads dp optimizer dp of dp
  w_down 4096 params dp grads dp optimizer dp of dp
  forward all_gather state over dp group 2 level 0 bytes 24640 of 4 kept
  backward reduce_scatter gradient over dp group 2 level 0 bytes 49280 of 4
head
  w 2048 params dp grads dp optimizer dp of dp
  forward all_gather state over dp group 2 level 0 bytes 4096 of 1 kept
  backward reduce_scatter gradient over dp group 2 level 0 bytes 8192 of 1
loss
)");
}

TEST(PlaceStates, OnTheHost) {
  EXPECT_EQ(stored(kDp + "  states { params, grads, optimizer -> [dp, host] }"), R"(embed
  table 2048 params dp grads dp optimizer dp of dp
  forward all_gather state over dp group 2 level 0 bytes 4096 of 1
  backward all_gather state over dp group 2 level 0 bytes 4096 of 1
  backward reduce_scatter gradient over dp group 2 level 0 bytes 8192 of 1
  forward host_copy offload over  group 1 level 0 bytes 2048 of 1
  backward host_copy offload over  group 1 level 0 bytes 2048 of 1
  backward host_copy offload over  group 1 level 0 bytes 4096 of 1 out
decoder
  w 32 params dp grads dp optimizer dp of dp
  w_gate 4096 params dp grads dp optimizer dp of dp
  w_up 4096 params dp grads dp optimizer dp of dp
  w_down 4096 params dp grads dp optimizer dp of dp
  forward all_gather state over dp group 2 level 0 bytes 24640 of 4
  backward all_gather state over dp group 2 level 0 bytes 24640 of 4
  backward reduce_scatter gradient over dp group 2 level 0 bytes 49280 of 4
  forward host_copy offload over  group 1 level 0 bytes 12320 of 4
  backward host_copy offload over  group 1 level 0 bytes 12320 of 4
  backward host_copy offload over  group 1 level 0 bytes 24640 of 4 out
head
  w 2048 params dp grads dp optimizer dp of dp
  forward all_gather state over dp group 2 level 0 bytes 4096 of 1
  backward all_gather state over dp group 2 level 0 bytes 4096 of 1
  backward reduce_scatter gradient over dp group 2 level 0 bytes 8192 of 1
  forward host_copy offload over  group 1 level 0 bytes 2048 of 1
  backward host_copy offload over  group 1 level 0 bytes 2048 of 1
  backward host_copy offload over  group 1 level 0 bytes 4096 of 1 out
loss
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
            R"(embed
  table 2048 params  grads  optimizer  of dp
  step all_reduce gradient over dp group 2 level 0 bytes 8192 of 1
decoder
  w_gate 4096 params  grads  optimizer  of dp
  w_up 4096 params  grads  optimizer  of dp
  w_down 4096 params  grads  optimizer  of dp
  step all_reduce gradient over dp group 2 level 0 bytes 49152 of 3
head
  table 2048 params  grads  optimizer  of dp
  step all_reduce gradient over dp group 2 level 0 bytes 8192 of 1
loss
summed over 2 stages: 8192
)");
  EXPECT_EQ(
      stored(
          "  mesh {\n tp = 2\n pp = 2\n }\n  place { embed { vocab -> tp } }\n  pipeline pp { schedule = one_f_one_b }",
          kTrain, tied),
      R"(PLAN0637 tied parameter `embed.table` is needed in two layouts
PLAN0640 `decoder.mlp.gate` does the same work on 2 ranks of `tp`
)");
}

TEST(PlaceStates, EveryRuleThatSaysTheSameOfTheHostIsWarnedOf) {
  const After a("place-states",
                kDp + "  states {\n decoder[0:2] { optimizer -> host }\n decoder[2:4] { optimizer -> host }\n }",
                "seq = 16; global_batch = 16; micro_batch = 2; optimizer = optimizers.cpu_adam");
  const std::string warning =
      "PLAN0738 `host` in `optimizer -> host` has no effect: `cpu_adam` already runs on the host\n";
  EXPECT_EQ(a.said(), warning + warning);
}

TEST(PlaceStates, RefusesStatesThatDoNotNest) { // L6
  EXPECT_EQ(
      stored(
          "  mesh {\n a = 2\n b = 2\n }\n  place { batch -> [a, b] }\n  states {\n params -> a\n optimizer -> b\n }"),
      R"(PLAN0633 `grads -> a` is not inside `optimizer -> b` for parameter `embed.table`
)");
}

TEST(PlaceStates, GradientsAndStatesAreSplitAsFarAsTheirParameters) {
  EXPECT_EQ(stored(kDp + "  states { params -> dp }"), stored(kDp + "  states { params, grads, optimizer -> dp }"));
}

TEST(PlaceStates, LeavesAloneWhatDoesNotTrain) {
  EXPECT_EQ(stored(kDp, kTrain + "; freeze = [embed, decoder]"), R"(embed
  table 2048 params  grads  optimizer  of 
decoder
  w 32 params  grads  optimizer  of 
  w_gate 4096 params  grads  optimizer  of 
  w_up 4096 params  grads  optimizer  of 
  w_down 4096 params  grads  optimizer  of 
head
  w 2048 params  grads  optimizer  of dp
  step all_reduce gradient over dp group 2 level 0 bytes 8192 of 1
loss
)");
}

TEST(PlaceStates, LeavesAloneWhatIsSplitAlready) {
  EXPECT_EQ(stored("  mesh { tp = 2 }\n  place {\n embed { vocab -> tp }\n decoder.mlp { ffn -> tp }\n head, loss { "
                   "vocab -> tp }\n }\n  states { grads, optimizer -> tp }"),
            R"(embed
  table 1024 params  grads  optimizer  of 
decoder
  w 32 params  grads tp optimizer tp of 
  w_gate 2048 params  grads  optimizer  of 
  w_up 2048 params  grads  optimizer  of 
  w_down 2048 params  grads  optimizer  of 
  step all_gather state over tp group 2 level 0 bytes 64 of 1
head
  w 1024 params  grads  optimizer  of 
loss
decoder
decoder
)");
}

} // namespace
} // namespace planc::test::place_states
