// open-repeats: an instance of a repeat that stage lines cut inside becomes layers of its own.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::open_repeats {
namespace {

After opened(const std::string& stages) {
  return After("open-repeats", "  mesh { pp = 2 }\n  pipeline pp {\n schedule = one_f_one_b\n " + stages + "\n }");
}
/// The layers of a model with their operators.
std::string layersOf(const After& a) {
  if (!a.program) return a.said();
  std::string text;
  for (const ir::Layer& l : a->model->layers) {
    text += l.ref().str() + " from " + std::to_string(l.from) + " x" + std::to_string(l.count) + ":";
    for (uint32_t i = l.first.index; i < l.end.index; ++i) text += " " + a->model->pathOf(ir::OpId(i));
    text += "\n";
  }
  return text;
}

TEST(OpenRepeats, TheInstanceThatIsCutBecomesPartsBetweenTwoPieces) {
  const After a = opened("stage 0 = embed, decoder[0:2], decoder[2].norm\n stage 1 = decoder[2].mlp, decoder[2].out, "
                         "decoder[3:4], head, loss");
  EXPECT_EQ(layersOf(a), R"(embed from 0 x1: embed.out
decoder[0:2] from 0 x2: decoder decoder.norm.out decoder.mlp.gate decoder.mlp.up decoder.mlp.act decoder.mlp.out decoder.out decoder
decoder[2].norm from 0 x1: decoder.norm.out
decoder[2].mlp from 0 x1: decoder.mlp.gate decoder.mlp.up decoder.mlp.act decoder.mlp.out
decoder[2].out from 0 x1: decoder.out
decoder[3] from 3 x1: decoder decoder.norm.out decoder.mlp.gate decoder.mlp.up decoder.mlp.act decoder.mlp.out decoder.out decoder
head from 0 x1: head.out
loss from 0 x1: loss
)");
  EXPECT_EQ(ir::verify(a->model), std::vector<std::string>{});
}

TEST(OpenRepeats, EveryPieceHasParametersOfItsOwn) {
  const After a = opened("stage 0 = embed, decoder[0:2], decoder[2].norm\n stage 1 = decoder[2].mlp, decoder[2].out, "
                         "decoder[3:4], head, loss");
  const After whole = opened("stage 0 = embed, decoder[0:2]\n stage 1 = decoder[2:4], head, loss");
  EXPECT_EQ(a->model->parameterCount(), whole->model->parameterCount());
  EXPECT_EQ(a.modelPart("layer decoder[2].norm"), R"(  layer decoder[2].norm {
    param @w~2 : [hidden]
    %out~2 = rms_norm %decoder.x~2, @w~2 : [batch, seq, hidden]  kind=memory flops=4096
  }
)");
  EXPECT_EQ(a.modelPart("layer decoder[0:2]"), R"(  layer decoder[0:2] x2 {
    param @norm.w : [hidden]
    param @mlp.w_gate : [hidden, ffn]
    param @mlp.w_up : [hidden, ffn]
    param @mlp.w_down : [ffn, hidden]
    carry x: %embed.out -> %x -> %x~2
    %x = carry %embed.out : [batch, seq, hidden]  kind=carry flops=0
    %norm.out = rms_norm %x, @norm.w : [batch, seq, hidden]  kind=memory flops=4096
    %mlp.gate = matmul %norm.out, @mlp.w_gate : [batch, seq, ffn]  kind=gemm flops=262144
    %mlp.up = matmul %norm.out, @mlp.w_up : [batch, seq, ffn]  kind=gemm flops=262144
    %mlp.act = silu_mul %mlp.gate, %mlp.up : [batch, seq, ffn]  kind=memory flops=20480
    %mlp.out = matmul %mlp.act, @mlp.w_down : [batch, seq, hidden]  kind=gemm flops=262144
    %out = add %x, %mlp.out : [batch, seq, hidden]  kind=memory flops=1024
    %x~2 = carry %out : [batch, seq, hidden]  kind=carry flops=0
  }
)");
}

TEST(OpenRepeats, TheFirstAndTheLastInstanceMayBeCut) {
  EXPECT_EQ(
      layersOf(opened(
          "stage 0 = embed, decoder[0].norm\n stage 1 = decoder[0].mlp, decoder[0].out, decoder[1:4], head, loss")),
      R"(embed from 0 x1: embed.out
decoder[0].norm from 0 x1: decoder.norm.out
decoder[0].mlp from 0 x1: decoder.mlp.gate decoder.mlp.up decoder.mlp.act decoder.mlp.out
decoder[0].out from 0 x1: decoder.out
decoder[1:4] from 1 x3: decoder decoder.norm.out decoder.mlp.gate decoder.mlp.up decoder.mlp.act decoder.mlp.out decoder.out decoder
head from 0 x1: head.out
loss from 0 x1: loss
)");
  EXPECT_EQ(
      layersOf(opened(
          "stage 0 = embed, decoder[0:3], decoder[3].norm\n stage 1 = decoder[3].mlp, decoder[3].out, head, loss")),
      R"(embed from 0 x1: embed.out
decoder[0:3] from 0 x3: decoder decoder.norm.out decoder.mlp.gate decoder.mlp.up decoder.mlp.act decoder.mlp.out decoder.out decoder
decoder[3].norm from 0 x1: decoder.norm.out
decoder[3].mlp from 0 x1: decoder.mlp.gate decoder.mlp.up decoder.mlp.act decoder.mlp.out
decoder[3].out from 0 x1: decoder.out
head from 0 x1: head.out
loss from 0 x1: loss
)");
}

TEST(OpenRepeats, LeavesAloneWhatIsCutBetweenInstances) {
  const After a = opened("stage 0 = embed, decoder[0:2]\n stage 1 = decoder[2:4], head, loss"), none("check-mesh", "");
  EXPECT_EQ(a.model(), none.model());
  EXPECT_EQ(opened("stages = even").model(), none.model());
}

} // namespace
} // namespace planc::test::open_repeats
