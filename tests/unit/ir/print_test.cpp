// Text forms: whole prints of the hand-built program, and the lines that other tests look for.
// SPDX-License-Identifier: Apache-2.0
#include "TinyProgram.h"

#include <gtest/gtest.h>

namespace planc::ir {
namespace {

using test::Tiny;

/// The first line that holds the words, without its indent.
std::string line(const std::string& text, const std::string& words) {
  size_t at = text.find(words);
  if (at == std::string::npos) return "";
  size_t begin = text.rfind('\n', at) + 1;
  begin = text.find_first_not_of(' ', begin);
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST(Print, Model) {
  Tiny t;
  EXPECT_EQ(print(t.model()), R"(model tiny {
  dim batch = 8
  dim seq = 16
  dim hidden = 32
  dim ffn = 128
  input %x : [batch, seq, hidden]
  layer mlp {
    param @w1 : [hidden, ffn]
    param @w2 : [ffn, hidden]
    %up = matmul %x, @w1 : [batch, seq, ffn]  kind=gemm flops=1048576
    %down = matmul %up, @w2 : [batch, seq, hidden]  kind=gemm flops=1048576
    %out = rms_norm %down : [batch, seq, hidden]  kind=memory flops=16384
  }
  loss %mlp.out
}
)");
}

TEST(Print, Sharded) {
  Tiny t;
  EXPECT_EQ(print(t.sharded()), R"(program tiny level=sharded
mesh tp=4 dp=2
micro_batches=1 stages=1 chunks=1
layer mlp {
  forward:
    %up = matmul %x, @w1 : [batch@dp, seq, ffn@tp] bf16
    %down = matmul %up, @w2 : [batch@dp, seq, hidden] bf16 partial(tp)
    reshard %down : [batch@dp, seq, hidden] partial(tp) -> [batch@dp, seq, hidden] phase=forward
    %out = rms_norm %down : [batch@dp, seq, hidden] bf16
  param @w1 : [hidden, ffn@tp] bf16 elements=1024
  param @w2 : [ffn@tp, hidden] bf16 elements=1024
}
stage 0: mlp x1
)");
}

TEST(Print, ACollectiveIsOneLineWithItsCause) {
  Tiny t;
  t.lowerToComm();
  SourceManager sources;
  FileId file = sources.add("plans/x.plan", "plan x {\n  place { ffn -> tp }\n}\n");
  t.lowered(2).collective().because = {file, 19, 28};
  EXPECT_EQ(line(print(t.program, &sources), "all_reduce"),
            "all_reduce %down axis=tp(4) level=node bytes=4096 class=activation phase=forward count=1 op=out  "
            "because=plans/x.plan:2");
  EXPECT_EQ(line(print(t.program), "all_reduce"),
            "all_reduce %down axis=tp(4) level=node bytes=4096 class=activation phase=forward count=1 op=out");
  EXPECT_EQ(line(print(t.program), "%up ="), "%up = matmul %x, @w1 : [batch@dp, seq, ffn@tp] bf16  flops=131072");
}

TEST(Print, BackwardNodesSayWhoseGradientTheyAre) {
  Tiny t;
  t.lowerToComm();
  const NodeHead head{.phase = Phase::Backward, .op = t.downOp};
  Collective gather(Traveller{.value = t.down, .gradient = true});
  gather.kind = CollectiveKind::AllGather;
  gather.axes = maskOf(t.tp);
  gather.group = 4;
  gather.bytes = 4096;
  t.body().backward.edit() = {{head, gather}, {head, Compute({.role = Role::DGrad, .operand = 0})}};
  std::string text = print(t.program);
  EXPECT_EQ(line(text, "dgrad"), "d(%up) = matmul.dgrad d(%down), @w2");
  EXPECT_NE(text.find("all_gather d(%down) axis=tp(4) level=node bytes=4096 class=activation phase=backward"),
            std::string::npos);
}

TEST(Print, StatesStagesAndSharedParameters) {
  Tiny t;
  ParamState& p = t.body().params.edit()[0];
  p.partial = p.optimizer = maskOf(t.dp);
  StateCollective s;
  s.collective = CollectiveKind::ReduceScatter;
  s.cls = CollectiveClass::Gradient;
  s.phase = Phase::Step;
  s.axes = maskOf(t.dp);
  s.group = 2;
  s.level = 1;
  s.bytes = 4096;
  s.params = {t.w1, t.w2};
  t.body().states.edit() = {s};
  t.program.stageAxes = maskOf(t.dp);
  t.program.stages = 2;
  t.program.kindOf(0).level = 1;
  t.program.kindOf(0).sends = {{t.out, 8192, true, 0, {}}};
  t.program.virtualStages.push_back({1, t.program.stageKinds.add({}), {}});
  StageGroup group;
  group.storage = t.w1;
  group.stages = {0, 1};
  group.allReduce.value = t.w1;
  group.allReduce.gradient = true;
  group.allReduce.cls = CollectiveClass::Gradient;
  group.allReduce.axes = maskOf(t.dp);
  group.allReduce.group = 2;
  group.allReduce.level = 1;
  group.allReduce.bytes = 4096;
  t.program.stageGroups = {group};
  std::string text = print(t.program);
  EXPECT_EQ(line(text, "param @w1"),
            "param @w1 : [hidden, ffn@tp] bf16 elements=1024 optimizer->dp gradient=partial(dp)");
  EXPECT_EQ(line(text, "reduce_scatter"),
            "reduce_scatter d(@w1)+1 axis=dp(2) level=nodes bytes=4096 class=gradient phase=step count=1");
  EXPECT_EQ(line(text, "send_recv"), "send_recv %mlp.out axis=dp(2) level=nodes bytes=8192 class=pipeline to=1");
  EXPECT_EQ(line(text, "shared"), "shared @mlp.w1 stages=[0, 1]");
  EXPECT_NE(text.find("all_reduce d(@mlp.w1) axis=dp(2) level=nodes bytes=4096 class=gradient phase=step count=1"),
            std::string::npos);
}

TEST(Print, ValuesOfOnePathGetNumbers) {
  Tiny t;
  t.model().values[t.down].path = t.model().values[t.up].path;
  t.model().values[t.down].name = t.model().values[t.up].name;
  EXPECT_NE(print(t.sharded()).find("%up~2 = matmul %up, @w2"), std::string::npos);
}

} // namespace
} // namespace planc::ir
