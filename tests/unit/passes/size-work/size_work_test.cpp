// size-work: the FLOPs, bytes and sides of the problem that one device solves at every compute node.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"
#include "tests/unit/passes/After.h"
#include "tests/unit/support/Build.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace planc::test::size_work {
namespace {

/// What a device does for each node of a product of `[batch=8, seq=16, hidden=32]` with `[hidden, ffn=128]`.
ir::LocalWork product(const std::string& result, const std::string& inside, ir::Role role = ir::Role::Forward,
                      int operand = -1) {
  Build b({{"tp", 4}, {"dp", 2}});
  b.layer("l");
  const auto x = b.input("x", "batch=8 seq=16 hidden=32");
  const auto y = b.op("y", ir::OpKind::Gemm, {x, b.param("w", "hidden ffn=128")}, result, inside);
  b.lower();
  b.lowered(0).compute().role = role;
  b.lowered(0).compute().operand = operand;
  DiagnosticEngine diagnostics;
  EXPECT_TRUE(passes::sizeWork(b.program, diagnostics));
  (void)y;
  return b.lowered(0).compute().work;
}
std::string text(const ir::LocalWork& w) {
  std::string out;
  for (double x : {w.flops, w.reads, w.writes, w.batch, w.m, w.n, w.k, w.resultElements, w.resultBytes,
                   w.firstOperandBytes, w.row})
    out += std::to_string(static_cast<int64_t>(x)) + " ";
  return out;
}

TEST(SizeWork, AProductIsSizedAsItIsSplit) {
  EXPECT_EQ(text(product("batch seq ffn", "")), "1048576 16384 32768 1 128 128 32 16384 32768 8192 32 ");
  EXPECT_EQ(text(product("batch@dp seq ffn@tp", "")), "131072 6144 4096 1 64 32 32 2048 4096 4096 32 ");
  EXPECT_EQ(text(product("batch@dp seq ffn", "hidden@tp")), "131072 3072 16384 1 64 128 8 8192 16384 1024 8 ");
}

TEST(SizeWork, GradientsArePermuted) {
  EXPECT_EQ(text(product("batch@dp seq ffn@tp", "", ir::Role::DGrad, 0)),
            "131072 6144 4096 1 64 32 32 2048 4096 4096 32 ");
  EXPECT_EQ(text(product("batch@dp seq ffn@tp", "", ir::Role::WGrad, 1)),
            "131072 6144 4096 1 32 32 64 2048 4096 4096 32 ");
}

std::string sized(const std::string& lines, const std::string& layer, const std::string& models = kDecoder) {
  const After a("size-work", lines, kTrain, models);
  return a.program ? a.part(layer) : a.said();
}

TEST(SizeWork, EveryNodeOfALayer) {
  EXPECT_EQ(sized("  mesh {\n tp = 2\n dp = 2\n }\n  place {\n batch -> dp\n seq -> tp\n decoder.mlp { ffn -> tp }\n }",
                  "layer decoder"),
            R"(layer decoder x4 {
  carry %x -> %x~2 : [batch@dp, seq@tp, hidden]
  forward:
    %norm.out = rms_norm %x, @norm.w : [batch@dp, seq@tp, hidden] bf16  flops=2048 reads=1088 writes=1024
    all_gather %norm.out dim=seq axis=tp(2) level=host bytes=2048 class=activation phase=forward count=4 op=mlp.gate
    %mlp.gate = matmul %norm.out, @mlp.w_gate : [batch@dp, seq, ffn@tp] bf16  batch=1 m=32 n=64 k=32 flops=131072 reads=6144 writes=4096
    %mlp.up = matmul %norm.out, @mlp.w_up : [batch@dp, seq, ffn@tp] bf16  batch=1 m=32 n=64 k=32 flops=131072 reads=6144 writes=4096
    %mlp.act = silu_mul %mlp.gate, %mlp.up : [batch@dp, seq, ffn@tp] bf16  flops=10240 reads=8192 writes=4096
    %mlp.out = matmul %mlp.act, @mlp.w_down : [batch@dp, seq, hidden] bf16 partial(tp)  batch=1 m=32 n=32 k=64 flops=131072 reads=8192 writes=2048
    reduce_scatter %mlp.out dim=seq axis=tp(2) level=host bytes=2048 class=activation phase=forward count=4 op=out
    %out = add %x, %mlp.out : [batch@dp, seq@tp, hidden] bf16  flops=512 reads=2048 writes=1024
  backward:
    add.backward d(%out)  flops=512 reads=2048 writes=1024
    all_gather d(%mlp.out) dim=seq axis=tp(2) level=host bytes=2048 class=activation phase=backward count=4 op=mlp.out
    d(%mlp.act) = matmul.dgrad d(%mlp.out), @mlp.w_down  batch=1 m=32 n=64 k=32 flops=131072 reads=8192 writes=2048
    d(@mlp.w_down) = matmul.wgrad d(%mlp.out), %mlp.act  batch=1 m=64 n=32 k=32 flops=131072 reads=8192 writes=2048
    accumulate d(@mlp.w_down)  elements=2048
    silu_mul.backward d(%mlp.act)  flops=10240 reads=8192 writes=4096
    all_gather %norm.out dim=seq axis=tp(2) level=host bytes=2048 class=regather phase=backward count=4 op=mlp.up
    d(%norm.out) = matmul.dgrad d(%mlp.up), @mlp.w_up  batch=1 m=32 n=32 k=64 flops=131072 reads=6144 writes=4096
    d(@mlp.w_up) = matmul.wgrad d(%mlp.up), %norm.out  batch=1 m=32 n=64 k=32 flops=131072 reads=6144 writes=4096
    accumulate d(@mlp.w_up)  elements=2048
    d(%norm.out) = matmul.dgrad d(%mlp.gate), @mlp.w_gate  batch=1 m=32 n=32 k=64 flops=131072 reads=6144 writes=4096
    d(@mlp.w_gate) = matmul.wgrad d(%mlp.gate), %norm.out  batch=1 m=32 n=64 k=32 flops=131072 reads=6144 writes=4096
    accumulate d(@mlp.w_gate)  elements=2048
    reduce_scatter d(%norm.out) dim=seq axis=tp(2) level=host bytes=2048 class=activation phase=backward count=4 op=norm.out
    rms_norm.backward d(%norm.out)  flops=2048 reads=1088 writes=1024
    accumulate d(@norm.w)  elements=32
  saved %mlp.act bytes=4096 by=mlp.out
  saved %mlp.gate bytes=4096 by=mlp.act
  saved %mlp.up bytes=4096 by=mlp.act
  saved %norm.out bytes=1024 by=mlp.up
  saved %x bytes=1024 by=norm.out
  working forward=3072 backward=18432
  param @norm.w : [hidden] bf16 elements=32 gradient=partial(dp*tp)
  param @mlp.w_gate : [hidden, ffn@tp] bf16 elements=2048 gradient=partial(dp)
  param @mlp.w_up : [hidden, ffn@tp] bf16 elements=2048 gradient=partial(dp)
  param @mlp.w_down : [ffn@tp, hidden] bf16 elements=2048 gradient=partial(dp)
    all_reduce d(@norm.w) axis=dp*tp(4) level=host bytes=128 class=gradient phase=step count=4
    all_reduce d(@mlp.w_gate)+2 axis=dp(2) level=host bytes=24576 class=gradient phase=step count=4
}
)");
}

TEST(SizeWork, CastsSavesAndAccumulation) {
  EXPECT_EQ(sized("  precision { compute = fp8_tensor; grads = fp32; saved = fp8 }", "layer decoder"),
            R"(layer decoder x4 {
  carry %x -> %x~2 : [batch, seq, hidden]
  forward:
    %norm.out = rms_norm %x, @norm.w : [batch, seq, hidden] bf16  flops=4096 reads=2112 writes=2048
    %mlp.gate.out.cast = cast %norm.out : [batch, seq, hidden] fp8_tensor  reads=4096 writes=2048 elements=1024
    %mlp.gate = matmul %mlp.gate.out.cast, @mlp.w_gate : [batch, seq, ffn] bf16  batch=1 m=32 n=128 k=32 flops=262144 reads=9216 writes=8192
    %mlp.up = matmul %mlp.gate.out.cast, @mlp.w_up : [batch, seq, ffn] bf16  batch=1 m=32 n=128 k=32 flops=262144 reads=9216 writes=8192
    %mlp.act = silu_mul %mlp.gate, %mlp.up : [batch, seq, ffn] bf16  flops=20480 reads=16384 writes=8192
    %mlp.out.act.cast = cast %mlp.act : [batch, seq, ffn] fp8_tensor  reads=16384 writes=8192 elements=4096
    %mlp.out = matmul %mlp.out.act.cast, @mlp.w_down : [batch, seq, hidden] bf16  batch=1 m=32 n=32 k=128 flops=262144 reads=12288 writes=2048
    %out = add %x, %mlp.out : [batch, seq, hidden] bf16  flops=1024 reads=4096 writes=2048
    save %mlp.gate  reads=8192 writes=4096 elements=4096
    save %mlp.up  reads=8192 writes=4096 elements=4096
    save %x  reads=2048 writes=1024 elements=1024
  backward:
    add.backward d(%out)  flops=1024 reads=4096 writes=2048
    cast d(%mlp.out)  reads=4096 writes=2048 elements=1024
    d(%mlp.out.act.cast) = matmul.dgrad d(%mlp.out), @mlp.w_down  batch=1 m=32 n=128 k=32 flops=262144 reads=12288 writes=2048
    d(@mlp.w_down) = matmul.wgrad d(%mlp.out), %mlp.out.act.cast  batch=1 m=128 n=32 k=32 flops=262144 reads=12288 writes=2048
    accumulate d(@mlp.w_down)  elements=4096
    restore %mlp.gate  reads=4096 writes=8192 elements=4096
    restore %mlp.up  reads=4096 writes=8192 elements=4096
    silu_mul.backward d(%mlp.act)  flops=20480 reads=16384 writes=8192
    cast d(%mlp.up)  reads=16384 writes=8192 elements=4096
    d(%mlp.gate.out.cast) = matmul.dgrad d(%mlp.up), @mlp.w_up  batch=1 m=32 n=32 k=128 flops=262144 reads=9216 writes=8192
    d(@mlp.w_up) = matmul.wgrad d(%mlp.up), %mlp.gate.out.cast  batch=1 m=32 n=128 k=32 flops=262144 reads=9216 writes=8192
    accumulate d(@mlp.w_up)  elements=4096
    cast d(%mlp.gate)  reads=16384 writes=8192 elements=4096
    d(%mlp.gate.out.cast) = matmul.dgrad d(%mlp.gate), @mlp.w_gate  batch=1 m=32 n=32 k=128 flops=262144 reads=9216 writes=8192
    d(@mlp.w_gate) = matmul.wgrad d(%mlp.gate), %mlp.gate.out.cast  batch=1 m=32 n=128 k=32 flops=262144 reads=9216 writes=8192
    accumulate d(@mlp.w_gate)  elements=4096
    restore %x  reads=1024 writes=2048 elements=1024
    rms_norm.backward d(%norm.out)  flops=4096 reads=2112 writes=2048
    accumulate d(@norm.w)  elements=32
  saved %mlp.out.act.cast bytes=4096 by=mlp.out
  saved %mlp.gate bytes=4096 by=mlp.act
  saved %mlp.up bytes=4096 by=mlp.act
  saved %mlp.gate.out.cast bytes=1024 by=mlp.up
  saved %x bytes=1024 by=norm.out
  working forward=8192 backward=36864
  param @norm.w : [hidden] bf16 elements=32
  param @mlp.w_gate : [hidden, ffn] bf16 elements=4096
  param @mlp.w_up : [hidden, ffn] bf16 elements=4096
  param @mlp.w_down : [ffn, hidden] bf16 elements=4096
}
)");
  EXPECT_EQ(sized("  precision { params = fp8; compute = bf16 }", "layer head"), R"(layer head {
  forward:
    unpack @w  reads=2048 writes=4096 elements=2048
    %out = matmul %decoder.x~2, @w : [batch, seq, vocab] bf16  batch=1 m=32 n=64 k=32 flops=131072 reads=4096 writes=4096
  backward:
    unpack @w  reads=2048 writes=4096 elements=2048
    d(%decoder.x~2) = matmul.dgrad d(%out), @w  batch=1 m=32 n=32 k=64 flops=131072 reads=4096 writes=4096
    d(@w) = matmul.wgrad d(%out), %decoder.x~2  batch=1 m=32 n=64 k=32 flops=131072 reads=4096 writes=4096
    accumulate d(@w)  elements=2048
  saved %decoder.x~2 bytes=2048 by=out
  working forward=8192 backward=6144
  param @w : [vocab, hidden] fp8 elements=2048
}
)");
  const After a("size-gradients", "  precision { compute = fp8_tensor }\n  mesh { dp = 2 }\n  place { batch -> dp }\n  "
                                  "states { grads, optimizer -> dp }");
  std::string text;
  for (const ir::LayerClass& c : a.comm->classes)
    for (const ir::Node& n : c.backward)
      if (const ir::Compute* does = n.asCompute();
          does && (does->role == ir::Role::Accumulate || does->role == ir::Role::Cast))
        text += a->model->pathOf(n.op) + " " + std::to_string(static_cast<int64_t>(n.compute().work.elements)) + "\n";
  EXPECT_EQ(text, R"(embed.out 1024
decoder.mlp.out 1024
decoder.mlp.out 2048
decoder.mlp.up 4096
decoder.mlp.up 2048
decoder.mlp.gate 4096
decoder.mlp.gate 2048
decoder.norm.out 16
head.out 1024
)");
}

TEST(SizeWork, AttentionByKeysHeadsAndMask) {
  const auto core = [&](const std::string& lines, const std::string& documents = {}) {
    const After a("size-work", lines, kTrain + documents, kAttention);
    std::string text;
    for (const ir::LayerClass& c : a.comm->classes)
      for (const auto* nodes : {&c.forward, &c.backward})
        for (const ir::Node& n : *nodes)
          if (a->model->ops[n.op].kind == ir::OpKind::Attention && n.isCompute())
            text += fmt::format("{} {} share {} seq {} head {} split {} bytes {} {}\n", name(n.compute().role),
                                n.compute().work.flops, n.compute().work.share, n.compute().work.sequence,
                                n.compute().work.headDim, n.compute().work.sequenceSplit, n.compute().work.reads,
                                n.compute().work.writes);
    return text;
  };
  EXPECT_EQ(core("  mesh { cp = 4 }"), R"(forward 262144 share 0.5 seq 16 head 8 split false bytes 12288 8192
backward 655360 share 0.5 seq 16 head 8 split false bytes 12288 8192
)");
  EXPECT_EQ(core("  mesh { cp = 4 }\n  place { seq -> cp }"),
            R"(forward 65536 share 0.5 seq 16 head 8 split true bytes 6144 2048
backward 163840 share 0.5 seq 16 head 8 split true bytes 6144 2048
)");
  EXPECT_EQ(core("  mesh { cp = 4 }\n  place { seq -> cp contiguous }"),
            R"(forward 65536 share 0.875 seq 16 head 8 split true bytes 6144 2048
backward 163840 share 0.875 seq 16 head 8 split true bytes 6144 2048
)");
  // 8² + 4² + 4² of 16² pairs; a token lies in a document of 6 tokens. The second of the two ranges of the longest
  // document meets 4 to 8 of its keys: as many as a token on the mean, where a mask leaves that one half.
  EXPECT_EQ(core("  mesh { cp = 4 }\n  place { seq -> cp contiguous }", "; documents = [8, 4, 4]"),
            R"(forward 24576 share 1 seq 6 head 8 split true bytes 6144 2048
backward 61440 share 1 seq 6 head 8 split true bytes 6144 2048
)");
  EXPECT_EQ(core("  mesh { cp = 4 }\n  place { seq -> cp contiguous }", "; documents = 4"),
            R"(forward 16384 share 0.5 seq 4 head 8 split true bytes 6144 2048
backward 40960 share 0.5 seq 4 head 8 split true bytes 6144 2048
)");
  EXPECT_EQ(core("  mesh { cp = 4 }\n  place {\n seq -> cp\n attn.core { kv_seq -> cp via ring }\n }"),
            R"(forward 65536 share 0.5 seq 16 head 8 split true bytes 3072 2048
backward 163840 share 0.5 seq 16 head 8 split true bytes 3072 2048
)");
}

TEST(SizeWork, ProductsOfActivationsTakeTwoBackward) {
  std::string unfused = kAttention;
  unfused.replace(unfused.find("blocks.gqa(embed, 16, 4, head = 8)"), 34,
                  "blocks.mha(embed, 4, head = 8, kernel = unfused)");
  EXPECT_EQ(sized("  mesh { tp = 2 }\n  place { attn { heads -> tp } }", "layer attn", unfused), R"(layer attn {
  forward:
    %q = linear %embed.out, @wq, @bq : [batch, seq, kv_heads@tp, group, head] bf16  batch=1 m=32 n=16 k=32 flops=32768 reads=3104 writes=1024
    %k = linear %embed.out, @wk, @bk : [batch, seq, kv_heads@tp, head] bf16  batch=1 m=32 n=16 k=32 flops=32768 reads=3104 writes=1024
    %v = linear %embed.out, @wv, @bv : [batch, seq, kv_heads@tp, head] bf16  batch=1 m=32 n=16 k=32 flops=32768 reads=3104 writes=1024
    %core.scores = scores %q, %k : [batch, kv_heads@tp, group, seq, kv_seq] bf16  flops=16384 reads=2048 writes=2048
    %core.probs = softmax %core.scores : [batch, kv_heads@tp, group, seq, kv_seq] bf16  flops=5120 reads=2048 writes=2048
    %core.dropped = dropout %core.probs : [batch, kv_heads@tp, group, seq, kv_seq] bf16  reads=2048 writes=2048
    %core.out = context %core.dropped, %v : [batch, seq, kv_heads@tp, group, head] bf16  flops=16384 reads=3072 writes=1024
    %out = matmul %core.out, @wo : [batch, seq, hidden] bf16 partial(tp)  batch=1 m=32 n=32 k=16 flops=32768 reads=2048 writes=2048
  backward:
    d(%core.out) = matmul.dgrad d(%out), @wo  batch=1 m=32 n=16 k=32 flops=32768 reads=2048 writes=2048
    d(@wo) = matmul.wgrad d(%out), %core.out  batch=1 m=16 n=32 k=32 flops=32768 reads=2048 writes=2048
    accumulate d(@wo)  elements=512
    context.backward d(%core.out)  flops=32768 reads=3072 writes=1024
    dropout.backward d(%core.dropped)  reads=2048 writes=2048
    softmax.backward d(%core.probs)  flops=5120 reads=2048 writes=2048
    scores.backward d(%core.scores)  flops=32768 reads=2048 writes=2048
    d(%embed.out) = linear.dgrad d(%v), @wv, @bv  batch=1 m=32 n=32 k=16 flops=32768 reads=3104 writes=1024
    d(@wv) = linear.wgrad d(%v), %embed.out, @bv  batch=1 m=32 n=16 k=32 flops=32768 reads=3104 writes=1024
    accumulate d(@wv)  elements=512
    accumulate d(@bv)  elements=16
    d(%embed.out) = linear.dgrad d(%k), @wk, @bk  batch=1 m=32 n=32 k=16 flops=32768 reads=3104 writes=1024
    d(@wk) = linear.wgrad d(%k), %embed.out, @bk  batch=1 m=32 n=16 k=32 flops=32768 reads=3104 writes=1024
    accumulate d(@wk)  elements=512
    accumulate d(@bk)  elements=16
    d(%embed.out) = linear.dgrad d(%q), @wq, @bq  batch=1 m=32 n=32 k=16 flops=32768 reads=3104 writes=1024
    d(@wq) = linear.wgrad d(%q), %embed.out, @bq  batch=1 m=32 n=16 k=32 flops=32768 reads=3104 writes=1024
    accumulate d(@wq)  elements=512
    accumulate d(@bq)  elements=16
  saved %core.out bytes=1024 by=out
  saved %core.dropped bytes=2048 by=core.out
  saved %v bytes=1024 by=core.out
  saved %core.dropped.mask bytes=1024 by=core.dropped
  saved %core.probs bytes=2048 by=core.probs
  saved %q bytes=1024 by=core.scores
  saved %k bytes=1024 by=core.scores
  saved %embed.out bytes=2048 by=v
  working forward=2048 backward=7168
  param @wq : [hidden, kv_heads@tp, group, head] bf16 elements=512
  param @bq : [kv_heads@tp, group, head] bf16 elements=16
  param @wk : [hidden, kv_heads@tp, head] bf16 elements=512
  param @bk : [kv_heads@tp, head] bf16 elements=16
  param @wv : [hidden, kv_heads@tp, head] bf16 elements=512
  param @bv : [kv_heads@tp, head] bf16 elements=16
  param @wo : [kv_heads@tp, group, head, hidden] bf16 elements=512
}
)");
}

TEST(SizeWork, ExpertsByTheirTokens) {
  const After a("size-work", "  mesh { ep = 4 }\n  place {\n batch -> ep\n moe { experts -> ep }\n }",
                kTrain + "; expert_imbalance = 1.5", kExperts);
  std::string text;
  for (const ir::LayerClass& c : a.comm->classes)
    for (const ir::Node& n : c.forward)
      if (n.isCompute() && a->model->ops[n.op].kind == ir::OpKind::GroupedGemm)
        text += fmt::format("{} tokens {} skew {} flops {}\n", a->model->pathOf(n.op), n.compute().work.tokensPerExpert,
                            n.compute().work.skew, n.compute().work.flops);
  EXPECT_EQ(text, R"(moe.gate tokens 48 skew 1.5 flops 393216
moe.up tokens 48 skew 1.5 flops 393216
moe.down tokens 48 skew 1.5 flops 393216
)");
}

TEST(SizeWork, LeavesCollectivesAlone) {
  Build b({{"tp", 4}});
  b.layer("l");
  const auto x = b.op("x", ir::OpKind::Memory, {b.input("in", "batch=8")}, "batch");
  b.lower();
  b.body().forward.edit().push_back(
      b.collective(b.makerOf(x), ir::CollectiveKind::AllReduce, ir::CollectiveClass::Activation, b.axis("tp"), 64));
  DiagnosticEngine diagnostics;
  EXPECT_TRUE(passes::sizeWork(b.program, diagnostics));
  ASSERT_TRUE(b.lowered(1).isCollective());
  EXPECT_EQ(b.lowered(1).collective().bytes, 64);
}

} // namespace
} // namespace planc::test::size_work
