// insert-casts: a cast before each contraction that computes narrower than its operand; one serves a layer.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::insert_casts {
namespace {

TEST(InsertCasts, OneCastServesTheContractionsOfALayer) {
  const After a("insert-casts", "  precision { compute = fp8_tensor }");
  EXPECT_EQ(a.modelPart("layer decoder"), R"(  layer decoder x4 {
    param @norm.w : [hidden]
    param @mlp.w_gate : [hidden, ffn]
    param @mlp.w_up : [hidden, ffn]
    param @mlp.w_down : [ffn, hidden]
    carry x: %embed.out -> %x -> %x~2
    %x = carry %embed.out : [batch, seq, hidden]  kind=carry flops=0
    %norm.out = rms_norm %x, @norm.w : [batch, seq, hidden]  kind=memory flops=4096
    %mlp.gate.out.cast = cast %norm.out : [batch, seq, hidden] fp8_tensor  kind=cast flops=0
    %mlp.gate = matmul %mlp.gate.out.cast, @mlp.w_gate : [batch, seq, ffn]  kind=gemm flops=262144
    %mlp.up = matmul %mlp.gate.out.cast, @mlp.w_up : [batch, seq, ffn]  kind=gemm flops=262144
    %mlp.act = silu_mul %mlp.gate, %mlp.up : [batch, seq, ffn]  kind=memory flops=20480
    %mlp.out.act.cast = cast %mlp.act : [batch, seq, ffn] fp8_tensor  kind=cast flops=0
    %mlp.out = matmul %mlp.out.act.cast, @mlp.w_down : [batch, seq, hidden]  kind=gemm flops=262144
    %out = add %x, %mlp.out : [batch, seq, hidden]  kind=memory flops=1024
    %x~2 = carry %out : [batch, seq, hidden]  kind=carry flops=0
  }
)");
  EXPECT_EQ(a.modelPart("layer head"), R"(  layer head {
    param @w : [vocab, hidden]
    %out = matmul %decoder.x~2, @w : [batch, seq, vocab]  kind=gemm flops=131072
  }
)"); // eight bits are for repeated layers
}

TEST(InsertCasts, TwoTypesAreTwoCasts) {
  const After a("insert-casts", "  precision {\n compute = bf16\n at decoder.mlp.gate { compute = fp8_tensor }\n at "
                                "decoder.mlp.up { compute = fp8_block }\n }");
  EXPECT_EQ(a.modelPart("layer decoder"), R"(  layer decoder x4 {
    param @norm.w : [hidden]
    param @mlp.w_gate : [hidden, ffn]
    param @mlp.w_up : [hidden, ffn]
    param @mlp.w_down : [ffn, hidden]
    carry x: %embed.out -> %x -> %x~2
    %x = carry %embed.out : [batch, seq, hidden]  kind=carry flops=0
    %norm.out = rms_norm %x, @norm.w : [batch, seq, hidden]  kind=memory flops=4096
    %mlp.gate.out.cast = cast %norm.out : [batch, seq, hidden] fp8_tensor  kind=cast flops=0
    %mlp.gate = matmul %mlp.gate.out.cast, @mlp.w_gate : [batch, seq, ffn]  kind=gemm flops=262144
    %mlp.up.out.cast_fp8_block = cast %norm.out : [batch, seq, hidden] fp8_block  kind=cast flops=0
    %mlp.up = matmul %mlp.up.out.cast_fp8_block, @mlp.w_up : [batch, seq, ffn]  kind=gemm flops=262144
    %mlp.act = silu_mul %mlp.gate, %mlp.up : [batch, seq, ffn]  kind=memory flops=20480
    %mlp.out = matmul %mlp.act, @mlp.w_down : [batch, seq, hidden]  kind=gemm flops=262144
    %out = add %x, %mlp.out : [batch, seq, hidden]  kind=memory flops=1024
    %x~2 = carry %out : [batch, seq, hidden]  kind=carry flops=0
  }
)");
}

TEST(InsertCasts, ALayerMakesItsOwnCasts) {
  const std::string both =
      "model m {\n  in x: [batch, seq, hidden = 32] bf16 counts seq\n  a = blocks.square_layer(x)\n  b = "
      "blocks.square_layer(x)\n  loss = a + b\n}\n";
  const After a("insert-casts", "  precision { compute = bf16; activations = fp32 }", kTrain, both);
  EXPECT_EQ(a.model(), R"(model m {
  dim batch = 2
  dim seq = 16
  dim hidden = 32
  dim from = 32
  input %x : [batch, seq, hidden] bf16
  layer a {
    param @w : [from, hidden]
    param @b : [hidden]
    %product = project %x{from = hidden}, @w : [batch, seq, hidden]  kind=gemm flops=65536
    %out = bias %product, @b : [batch, seq, hidden]  kind=memory flops=1024
  }
  layer b {
    param @w : [from, hidden]
    param @b : [hidden]
    %product = project %x{from = hidden}, @w : [batch, seq, hidden]  kind=gemm flops=65536
    %out = bias %product, @b : [batch, seq, hidden]  kind=memory flops=1024
  }
  layer loss {
    %loss = add %a.out, %b.out : [batch, seq, hidden]  kind=memory flops=1024
  }
  loss %loss
}
)");
}

TEST(InsertCasts, LeavesAloneWhatIsAsNarrow) {
  const After before("bind-precision", "  precision { compute = bf16 }"),
      a("insert-casts", "  precision { compute = bf16 }");
  EXPECT_EQ(a.model(), before.model());
}

TEST(InsertCasts, LeavesIndicesAndParametersAlone) {
  const After a("insert-casts", "  precision { compute = bf16; activations = bf16; params = fp32 }");
  EXPECT_EQ(a.model().find("cast"), std::string::npos);
}

TEST(InsertCasts, ACastIsMadeWhereItIsReadAndAsItsReaderIs) {
  const After a("insert-casts", "  precision { compute = fp8_tensor }");
  for (const ir::Op& op : a->model->ops) {
    EXPECT_EQ(a->model->values[op.result].producer, ir::OpId(static_cast<uint32_t>(&op - &*a->model->ops.begin())));
    if (op.kind != ir::OpKind::Cast) continue;
    EXPECT_EQ(op.region, a->model->layers[op.layer].region);
    EXPECT_EQ(op.dims, a->model->values[op.result].dims);
  }
  EXPECT_EQ(ir::verify(a->model), std::vector<std::string>{});
}

} // namespace
} // namespace planc::test::insert_casts
