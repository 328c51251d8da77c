// lower-forward: a layout for every value, a reshard where producer and consumer differ.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::lower_forward {
namespace {

std::string lowered(const std::string& lines, const std::string& layer, const std::string& models = kDecoder) {
  const After a("lower-forward", lines, kTrain, models);
  return a.program ? a.part(layer) : a.said();
}
const std::string kMesh = "  mesh {\n tp = 2\n dp = 2\n }\n";

TEST(LowerForward, GathersBeforeAProductAndScattersItsSumBehind) {
  EXPECT_EQ(lowered(kMegatron, "layer decoder"),
            R"(layer decoder x4 {
  carry %x -> %x~2 : [batch@dp, seq@tp, hidden]
  forward:
    %norm.out = rms_norm %x, @norm.w : [batch@dp, seq@tp, hidden] bf16
    reshard %norm.out : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=forward
    %mlp.gate = matmul %norm.out, @mlp.w_gate : [batch@dp, seq, ffn@tp] bf16
    %mlp.up = matmul %norm.out, @mlp.w_up : [batch@dp, seq, ffn@tp] bf16
    %mlp.act = silu_mul %mlp.gate, %mlp.up : [batch@dp, seq, ffn@tp] bf16
    %mlp.out = matmul %mlp.act, @mlp.w_down : [batch@dp, seq, hidden] bf16 partial(tp)
    reshard %mlp.out : [batch@dp, seq, hidden] partial(tp) -> [batch@dp, seq@tp, hidden] phase=forward
    %out = add %x, %mlp.out : [batch@dp, seq@tp, hidden] bf16
  param @norm.w : [hidden] bf16 elements=32
  param @mlp.w_gate : [hidden, ffn@tp] bf16 elements=2048
  param @mlp.w_up : [hidden, ffn@tp] bf16 elements=2048
  param @mlp.w_down : [ffn@tp, hidden] bf16 elements=2048
}
)");
}

TEST(LowerForward, ReducesALossThatIsAPendingSum) {
  const std::string sum = R"(model m(hidden: int = 32) {
  in x: [batch, seq, hidden] bf16 counts seq
  param w: [hidden]
  loss: [batch, seq] = ops.matmul(x, w)
}
)";
  EXPECT_EQ(lowered(kMesh + "  place { hidden -> tp }", "layer", sum), R"(layer loss {
  forward:
    %loss = matmul %x, @w : [batch, seq] bf16 partial(tp)
    reshard %loss : [batch, seq] partial(tp) -> [batch, seq] phase=forward
  param @w : [hidden@tp] bf16 elements=16
}
)");
}

TEST(LowerForward, APendingSumIsResolvedOnceToTheMostSplitLayout) {
  const std::string two = R"(block readers(x: [.., hidden]) {
  made  = blocks.swiglu(x, 64)
  whole = blocks.rms_norm(made)
  split = blocks.rms_norm(made)
  out whole + split
}
model m {
  in x: [batch, seq, hidden = 32] bf16 counts seq
  loss = readers(x)
}
)";
  EXPECT_EQ(lowered(kMesh + "  place { loss {\n made { ffn -> tp }\n split { seq -> tp }\n } }", "layer", two),
            R"(layer loss {
  forward:
    %made.gate = matmul %x, @made.w_gate : [batch, seq, ffn@tp] bf16
    %made.up = matmul %x, @made.w_up : [batch, seq, ffn@tp] bf16
    %made.act = silu_mul %made.gate, %made.up : [batch, seq, ffn@tp] bf16
    %made.out = matmul %made.act, @made.w_down : [batch, seq, hidden] bf16 partial(tp)
    reshard %made.out : [batch, seq, hidden] partial(tp) -> [batch, seq@tp, hidden] phase=forward
    reshard %made.out : [batch, seq@tp, hidden] -> [batch, seq, hidden] phase=forward
    %whole.out = rms_norm %made.out, @whole.w : [batch, seq, hidden] bf16
    %split.out = rms_norm %made.out, @split.w : [batch, seq@tp, hidden] bf16
    reshard %split.out : [batch, seq@tp, hidden] -> [batch, seq, hidden] phase=forward
    %out = add %whole.out, %split.out : [batch, seq, hidden] bf16
  param @made.w_gate : [hidden, ffn@tp] bf16 elements=1024
  param @made.w_up : [hidden, ffn@tp] bf16 elements=1024
  param @made.w_down : [ffn@tp, hidden] bf16 elements=1024
  param @whole.w : [hidden] bf16 elements=32
  param @split.w : [hidden] bf16 elements=32
}
)");
}

TEST(LowerForward, AnAddLetsWhatIsPendingInBothPass) {
  const std::string branches =
      "model m {\n  in x: [batch, seq, hidden = 32] bf16 counts seq\n  a = blocks.swiglu(x, 64)\n  b = "
      "blocks.swiglu(x, 64)\n  sum = a + b\n  loss = blocks.rms_norm(sum)\n}\n";
  EXPECT_EQ(lowered(kMesh + "  place {\n a { ffn -> tp }\n b { ffn -> tp }\n }", "layer sum", branches), R"(layer sum {
  forward:
    %sum = add %a.out, %b.out : [batch, seq, hidden] bf16 partial(tp)
}
)");
  EXPECT_EQ(lowered(kMesh + "  place {\n a { ffn -> tp }\n b { ffn -> dp }\n }", "layer sum", branches), R"(layer sum {
  forward:
    reshard %a.out : [batch, seq, hidden] partial(tp) -> [batch, seq, hidden] phase=forward
    reshard %b.out : [batch, seq, hidden] partial(dp) -> [batch, seq, hidden] phase=forward
    %sum = add %a.out, %b.out : [batch, seq, hidden] bf16
}
)");
}

TEST(LowerForward, StatisticsAndRingsLeaveNoPendingSum) {
  EXPECT_EQ(lowered(kMesh + "  place { decoder.norm { hidden -> tp } }", "layer decoder"), R"(layer decoder x4 {
  carry %x -> %x~2 : [batch, seq, hidden]
  forward:
    reshard %x : [batch, seq, hidden] -> [batch, seq, hidden@tp] phase=forward
    %norm.out = rms_norm %x, @norm.w : [batch, seq, hidden@tp] bf16
    reshard %norm.out : [batch, seq, hidden@tp] -> [batch, seq, hidden] phase=forward
    %mlp.gate = matmul %norm.out, @mlp.w_gate : [batch, seq, ffn] bf16
    %mlp.up = matmul %norm.out, @mlp.w_up : [batch, seq, ffn] bf16
    %mlp.act = silu_mul %mlp.gate, %mlp.up : [batch, seq, ffn] bf16
    %mlp.out = matmul %mlp.act, @mlp.w_down : [batch, seq, hidden] bf16
    %out = add %x, %mlp.out : [batch, seq, hidden] bf16
  param @norm.w : [hidden@tp] bf16 elements=16
  param @mlp.w_gate : [hidden, ffn] bf16 elements=4096
  param @mlp.w_up : [hidden, ffn] bf16 elements=4096
  param @mlp.w_down : [ffn, hidden] bf16 elements=4096
}
)");
}

TEST(LowerForward, UnpacksParametersThatAreNarrowerThanTheirProduct) {
  EXPECT_EQ(
      lowered("  precision { params = fp8; compute = bf16 }\n  mesh { dp = 2 }\n  place { batch -> dp }", "layer head"),
      R"(layer head {
  forward:
    unpack @w
    %out = matmul %decoder.x~2, @w : [batch@dp, seq, vocab] bf16
  param @w : [vocab, hidden] fp8 elements=2048
}
)");
}

TEST(LowerForward, RefusesAParameterInTwoLayouts) {
  const std::string tied = R"(block twice(x: [.., hidden], wide: int) {
  param w: [hidden, wide]
  a: [.., wide] = ops.matmul(x, w)
  b: [.., wide] = ops.matmul(x, w)
  out a + b
}
model m {
  in x: [batch, seq, hidden = 32] bf16 counts seq
  loss = twice(x, 64)
}
)";
  EXPECT_EQ(lowered(kMesh + "  place { loss.a { wide -> tp } }", "layer", tied),
            R"(PLAN0636 parameter `loss.w` is needed as [hidden, wide@tp] by `loss.a` and as [hidden, wide] by `loss.b`
PLAN0640 `loss.a` does the same work on 2 ranks of `dp`
)");
}

TEST(LowerForward, LeavesEqualLayoutsAlone) {
  const After a("lower-forward", kMesh + "  place { batch -> dp }");
  EXPECT_EQ(a.text().find("reshard"), std::string::npos);
  EXPECT_EQ(a.part("layer decoder"), R"(layer decoder x4 {
  carry %x -> %x~2 : [batch@dp, seq, hidden]
  forward:
    %norm.out = rms_norm %x, @norm.w : [batch@dp, seq, hidden] bf16
    %mlp.gate = matmul %norm.out, @mlp.w_gate : [batch@dp, seq, ffn] bf16
    %mlp.up = matmul %norm.out, @mlp.w_up : [batch@dp, seq, ffn] bf16
    %mlp.act = silu_mul %mlp.gate, %mlp.up : [batch@dp, seq, ffn] bf16
    %mlp.out = matmul %mlp.act, @mlp.w_down : [batch@dp, seq, hidden] bf16
    %out = add %x, %mlp.out : [batch@dp, seq, hidden] bf16
  param @norm.w : [hidden] bf16 elements=32
  param @mlp.w_gate : [hidden, ffn] bf16 elements=4096
  param @mlp.w_up : [hidden, ffn] bf16 elements=4096
  param @mlp.w_down : [ffn, hidden] bf16 elements=4096
}
)");
}

} // namespace
} // namespace planc::test::lower_forward
