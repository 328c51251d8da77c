// derive-backward: backward operators, what is kept for them, and what is done again.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::derive_backward {
namespace {

std::string derived(const std::string& lines, const std::string& layer = "layer decoder",
                    const std::string& train = kTrain, const std::string& models = kDecoder) {
  const After a("derive-backward", lines, train, models);
  return a.program ? a.said() + a.part(layer) : a.said();
}

TEST(DeriveBackward, EveryOperatorHasItsGradients) {
  EXPECT_EQ(derived(kMegatron), R"(layer decoder x4 {
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
  backward:
    add.backward d(%out)
    reshard d(%mlp.out) : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=backward
    d(%mlp.act) = matmul.dgrad d(%mlp.out), @mlp.w_down
    d(@mlp.w_down) = matmul.wgrad d(%mlp.out), %mlp.act
    accumulate d(@mlp.w_down)
    silu_mul.backward d(%mlp.act)
    reshard %norm.out : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=backward
    d(%norm.out) = matmul.dgrad d(%mlp.up), @mlp.w_up
    d(@mlp.w_up) = matmul.wgrad d(%mlp.up), %norm.out
    accumulate d(@mlp.w_up)
    d(%norm.out) = matmul.dgrad d(%mlp.gate), @mlp.w_gate
    d(@mlp.w_gate) = matmul.wgrad d(%mlp.gate), %norm.out
    accumulate d(@mlp.w_gate)
    reshard d(%norm.out) : [batch@dp, seq, hidden] partial(tp) -> [batch@dp, seq@tp, hidden] phase=backward
    rms_norm.backward d(%norm.out)
    accumulate d(@norm.w)
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
}
)");
}

TEST(DeriveBackward, GradientsOfKeysWaitForAllTheirQueries) {
  EXPECT_EQ(derived("  mesh { tp = 8 }\n  place { attn { heads -> tp } }", "layer attn", kTrain, kAttention),
            R"(PLAN0640 `head.out` does the same work on 8 ranks of `tp`
layer attn {
  forward:
    %q = matmul %embed.out, @wq : [batch, seq, kv_heads@tp.0, group@tp.1, head] bf16
    %k = project_kv %embed.out, @wk : [batch, seq, kv_heads@tp.0, head] bf16
    %v = project_kv %embed.out, @wv : [batch, seq, kv_heads@tp.0, head] bf16
    %qr = rope %q : [batch, seq, kv_heads@tp.0, group@tp.1, head] bf16
    %kr = rope %k : [batch, seq, kv_heads@tp.0, head] bf16
    %core = attention %qr, %kr, %v : [batch, seq, kv_heads@tp.0, group@tp.1, head] bf16
    %out = matmul %core, @wo : [batch, seq, hidden] bf16 partial(tp.0*tp.1)
  backward:
    d(%core) = matmul.dgrad d(%out), @wo
    d(@wo) = matmul.wgrad d(%out), %core
    accumulate d(@wo)
    attention.backward d(%core)
    rope.backward d(%kr)
    rope.backward d(%qr)
    d(%embed.out) = project_kv.dgrad d(%v), @wv
    d(@wv) = project_kv.wgrad d(%v), %embed.out
    accumulate d(@wv)
    d(%embed.out) = project_kv.dgrad d(%k), @wk
    d(@wk) = project_kv.wgrad d(%k), %embed.out
    accumulate d(@wk)
    d(%embed.out) = matmul.dgrad d(%q), @wq
    d(@wq) = matmul.wgrad d(%q), %embed.out
    accumulate d(@wq)
  saved %core bytes=1024 by=out
  saved %qr bytes=1024 by=core
  saved %kr bytes=512 by=core
  saved %v bytes=512 by=core
  saved %embed.out bytes=2048 by=v
  working forward=2048 backward=5632
  param @wq : [hidden, kv_heads@tp.0, group@tp.1, head] bf16 elements=512
  param @wk : [hidden, kv_heads@tp.0, head] bf16 elements=256 gradient=partial(tp)
  param @wv : [hidden, kv_heads@tp.0, head] bf16 elements=256 gradient=partial(tp)
  param @wo : [kv_heads@tp.0, group@tp.1, head, hidden] bf16 elements=512
}
)");
}

TEST(DeriveBackward, BackwardBeginsAtTheLoss) {
  EXPECT_EQ(derived(kMegatron, "layer loss") + derived(kMegatron, "layer head"), R"(layer loss {
  forward:
    reshard %tokens : [batch@dp, seq@tp] -> [batch@dp, seq] phase=forward
    %loss = cross_entropy %head.out, %tokens : [batch@dp, seq] bf16
  backward:
    cross_entropy.backward d(%loss)
  saved %head.out bytes=2048 by=loss
  working forward=192 backward=2048
}
layer head {
  forward:
    reshard %decoder.x~2 : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=forward
    %out = matmul %decoder.x~2, @w : [batch@dp, seq, vocab@tp] bf16
  backward:
    reshard %decoder.x~2 : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=backward
    d(%decoder.x~2) = matmul.dgrad d(%out), @w
    d(@w) = matmul.wgrad d(%out), %decoder.x~2
    accumulate d(@w)
  saved %decoder.x~2 bytes=1024 by=out
  working forward=4096 backward=4096
  param @w : [vocab@tp, hidden] bf16 elements=1024 gradient=partial(dp)
}
)");
}

TEST(DeriveBackward, CheckpointsAreReplayed) {
  EXPECT_EQ(derived(kMegatron + "  recompute decoder.mlp"), R"(layer decoder x4 {
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
  backward:
    add.backward d(%out)
    reshard d(%mlp.out) : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=backward
    reshard %norm.out : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=recompute
    %mlp.gate = matmul %norm.out, @mlp.w_gate : [batch@dp, seq, ffn@tp] bf16 recompute
    %mlp.up = matmul %norm.out, @mlp.w_up : [batch@dp, seq, ffn@tp] bf16 recompute
    %mlp.act = silu_mul %mlp.gate, %mlp.up : [batch@dp, seq, ffn@tp] bf16 recompute
    %mlp.out = matmul %mlp.act, @mlp.w_down : [batch@dp, seq, hidden] bf16 partial(tp) recompute unused
    d(%mlp.act) = matmul.dgrad d(%mlp.out), @mlp.w_down
    d(@mlp.w_down) = matmul.wgrad d(%mlp.out), %mlp.act
    accumulate d(@mlp.w_down)
    silu_mul.backward d(%mlp.act)
    reshard %norm.out : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=backward
    d(%norm.out) = matmul.dgrad d(%mlp.up), @mlp.w_up
    d(@mlp.w_up) = matmul.wgrad d(%mlp.up), %norm.out
    accumulate d(@mlp.w_up)
    d(%norm.out) = matmul.dgrad d(%mlp.gate), @mlp.w_gate
    d(@mlp.w_gate) = matmul.wgrad d(%mlp.gate), %norm.out
    accumulate d(@mlp.w_gate)
    reshard d(%norm.out) : [batch@dp, seq, hidden] partial(tp) -> [batch@dp, seq@tp, hidden] phase=backward
    rms_norm.backward d(%norm.out)
    accumulate d(@norm.w)
  saved %norm.out bytes=1024 by=mlp.gate
  saved %x bytes=1024 by=norm.out
  working forward=12288 backward=22528
  param @norm.w : [hidden] bf16 elements=32 gradient=partial(dp*tp)
  param @mlp.w_gate : [hidden, ffn@tp] bf16 elements=2048 gradient=partial(dp)
  param @mlp.w_up : [hidden, ffn@tp] bf16 elements=2048 gradient=partial(dp)
  param @mlp.w_down : [ffn@tp, hidden] bf16 elements=2048 gradient=partial(dp)
}
)");
}

TEST(DeriveBackward, WhatIsSavedByNameIsNotReplayed) {
  EXPECT_EQ(derived(kMegatron + "  recompute decoder { save = [mlp.gate] }"), R"(layer decoder x4 {
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
  backward:
    %norm.out = rms_norm %x, @norm.w : [batch@dp, seq@tp, hidden] bf16 recompute
    reshard %norm.out : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=recompute
    %mlp.up = matmul %norm.out, @mlp.w_up : [batch@dp, seq, ffn@tp] bf16 recompute
    %mlp.act = silu_mul %mlp.gate, %mlp.up : [batch@dp, seq, ffn@tp] bf16 recompute
    %mlp.out = matmul %mlp.act, @mlp.w_down : [batch@dp, seq, hidden] bf16 partial(tp) recompute unused
    reshard %mlp.out : [batch@dp, seq, hidden] partial(tp) -> [batch@dp, seq@tp, hidden] phase=recompute
    %out = add %x, %mlp.out : [batch@dp, seq@tp, hidden] bf16 recompute unused
    add.backward d(%out)
    reshard d(%mlp.out) : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=backward
    d(%mlp.act) = matmul.dgrad d(%mlp.out), @mlp.w_down
    d(@mlp.w_down) = matmul.wgrad d(%mlp.out), %mlp.act
    accumulate d(@mlp.w_down)
    silu_mul.backward d(%mlp.act)
    reshard %norm.out : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=backward
    d(%norm.out) = matmul.dgrad d(%mlp.up), @mlp.w_up
    d(@mlp.w_up) = matmul.wgrad d(%mlp.up), %norm.out
    accumulate d(@mlp.w_up)
    d(%norm.out) = matmul.dgrad d(%mlp.gate), @mlp.w_gate
    d(@mlp.w_gate) = matmul.wgrad d(%mlp.gate), %norm.out
    accumulate d(@mlp.w_gate)
    reshard d(%norm.out) : [batch@dp, seq, hidden] partial(tp) -> [batch@dp, seq@tp, hidden] phase=backward
    rms_norm.backward d(%norm.out)
    accumulate d(@norm.w)
  saved %embed.out bytes=1024 by=x
  saved %mlp.gate bytes=4096 by=mlp.act
  working forward=8192 backward=19456
  param @norm.w : [hidden] bf16 elements=32 gradient=partial(dp*tp)
  param @mlp.w_gate : [hidden, ffn@tp] bf16 elements=2048 gradient=partial(dp)
  param @mlp.w_up : [hidden, ffn@tp] bf16 elements=2048 gradient=partial(dp)
  param @mlp.w_down : [ffn@tp, hidden] bf16 elements=2048 gradient=partial(dp)
}
)");
}

TEST(DeriveBackward, DiscardedOutputsAreMadeAgain) {
  EXPECT_EQ(derived(kMegatron + "  recompute decoder.mlp.act { outputs = true }"), R"(layer decoder x4 {
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
  backward:
    add.backward d(%out)
    reshard d(%mlp.out) : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=backward
    %mlp.act = silu_mul %mlp.gate, %mlp.up : [batch@dp, seq, ffn@tp] bf16 recompute
    d(%mlp.act) = matmul.dgrad d(%mlp.out), @mlp.w_down
    d(@mlp.w_down) = matmul.wgrad d(%mlp.out), %mlp.act
    accumulate d(@mlp.w_down)
    silu_mul.backward d(%mlp.act)
    reshard %norm.out : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=backward
    d(%norm.out) = matmul.dgrad d(%mlp.up), @mlp.w_up
    d(@mlp.w_up) = matmul.wgrad d(%mlp.up), %norm.out
    accumulate d(@mlp.w_up)
    d(%norm.out) = matmul.dgrad d(%mlp.gate), @mlp.w_gate
    d(@mlp.w_gate) = matmul.wgrad d(%mlp.gate), %norm.out
    accumulate d(@mlp.w_gate)
    reshard d(%norm.out) : [batch@dp, seq, hidden] partial(tp) -> [batch@dp, seq@tp, hidden] phase=backward
    rms_norm.backward d(%norm.out)
    accumulate d(@norm.w)
  saved %mlp.gate bytes=4096 by=mlp.act
  saved %mlp.up bytes=4096 by=mlp.act
  saved %norm.out bytes=1024 by=mlp.up
  saved %x bytes=1024 by=norm.out
  working forward=6144 backward=18432
  param @norm.w : [hidden] bf16 elements=32 gradient=partial(dp*tp)
  param @mlp.w_gate : [hidden, ffn@tp] bf16 elements=2048 gradient=partial(dp)
  param @mlp.w_up : [hidden, ffn@tp] bf16 elements=2048 gradient=partial(dp)
  param @mlp.w_down : [ffn@tp, hidden] bf16 elements=2048 gradient=partial(dp)
}
)");
}

TEST(DeriveBackward, AKeepSaysOnWhichSideAndWhere) {
  EXPECT_EQ(derived(kMegatron + "  keep decoder.norm = gathered\n  keep decoder.mlp.act = host"), R"(layer decoder x4 {
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
  backward:
    add.backward d(%out)
    reshard d(%mlp.out) : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=backward
    d(%mlp.act) = matmul.dgrad d(%mlp.out), @mlp.w_down
    d(@mlp.w_down) = matmul.wgrad d(%mlp.out), %mlp.act
    accumulate d(@mlp.w_down)
    silu_mul.backward d(%mlp.act)
    d(%norm.out) = matmul.dgrad d(%mlp.up), @mlp.w_up
    d(@mlp.w_up) = matmul.wgrad d(%mlp.up), %norm.out
    accumulate d(@mlp.w_up)
    d(%norm.out) = matmul.dgrad d(%mlp.gate), @mlp.w_gate
    d(@mlp.w_gate) = matmul.wgrad d(%mlp.gate), %norm.out
    accumulate d(@mlp.w_gate)
    reshard d(%norm.out) : [batch@dp, seq, hidden] partial(tp) -> [batch@dp, seq@tp, hidden] phase=backward
    rms_norm.backward d(%norm.out)
    accumulate d(@norm.w)
  saved %mlp.act bytes=4096 by=mlp.out
  saved %mlp.gate bytes=4096 by=mlp.act
  saved %mlp.up bytes=4096 by=mlp.act
  saved %norm.out bytes=2048 by=mlp.up
  saved %x bytes=1024 by=norm.out
  working forward=3072 backward=16384
  param @norm.w : [hidden] bf16 elements=32 gradient=partial(dp*tp)
  param @mlp.w_gate : [hidden, ffn@tp] bf16 elements=2048 gradient=partial(dp)
  param @mlp.w_up : [hidden, ffn@tp] bf16 elements=2048 gradient=partial(dp)
  param @mlp.w_down : [ffn@tp, hidden] bf16 elements=2048 gradient=partial(dp)
}
)");
}

TEST(DeriveBackward, WhatDoesNotTrainHasNoGradient) {
  EXPECT_EQ(derived(kMegatron, "layer", kTrain + "; freeze = [embed, decoder]"), R"(layer embed {
  forward:
    %out = lookup %tokens, @table : [batch@dp, seq@tp, hidden] bf16
  working forward=1024 backward=0
  param @table : [vocab, hidden] bf16 elements=2048 frozen
}
layer decoder x4 {
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
  working forward=12288 backward=0
  param @norm.w : [hidden] bf16 elements=32 frozen
  param @mlp.w_gate : [hidden, ffn@tp] bf16 elements=2048 frozen
  param @mlp.w_up : [hidden, ffn@tp] bf16 elements=2048 frozen
  param @mlp.w_down : [ffn@tp, hidden] bf16 elements=2048 frozen
}
layer head {
  forward:
    reshard %decoder.x~2 : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=forward
    %out = matmul %decoder.x~2, @w : [batch@dp, seq, vocab@tp] bf16
  backward:
    reshard %decoder.x~2 : [batch@dp, seq@tp, hidden] -> [batch@dp, seq, hidden] phase=backward
    d(@w) = matmul.wgrad d(%out), %decoder.x~2
    accumulate d(@w)
  saved %decoder.x~2 bytes=1024 by=out
  working forward=4096 backward=4096
  param @w : [vocab@tp, hidden] bf16 elements=1024 gradient=partial(dp)
}
layer loss {
  forward:
    reshard %tokens : [batch@dp, seq@tp] -> [batch@dp, seq] phase=forward
    %loss = cross_entropy %head.out, %tokens : [batch@dp, seq] bf16
  backward:
    cross_entropy.backward d(%loss)
  saved %head.out bytes=2048 by=loss
  working forward=192 backward=2048
}
)");
}

TEST(DeriveBackward, ReshardsBetweenClassesAreClassesOfTheirOwn) {
  EXPECT_EQ(derived("  mesh {\n tp = 2\n pp = 2\n }\n  place { decoder[1] { seq -> tp } }\n  pipeline pp { schedule = "
                    "one_f_one_b }",
                    "boundary"),
            R"(PLAN0640 `decoder.mlp.gate` does the same work on 2 ranks of `tp`
boundary decoder x1 {
  forward:
    reshard %x~2 : [batch, seq, hidden] -> [batch, seq@tp, hidden] phase=forward
  backward:
    reshard d(%x~2) : [batch, seq@tp, hidden] -> [batch, seq, hidden] phase=backward
}
boundary decoder x1 {
  forward:
    reshard %x~2 : [batch, seq@tp, hidden] -> [batch, seq, hidden] phase=forward
  backward:
    reshard d(%x~2) : [batch, seq, hidden] -> [batch, seq@tp, hidden] phase=backward
}
)");
  EXPECT_EQ(
      derived(
          "  mesh {\n tp = 2\n pp = 2\n }\n  place { decoder { seq -> tp } }\n  pipeline pp { schedule = one_f_one_b }",
          "boundary"),
      R"(PLAN0640 `head.out` does the same work on 2 ranks of `tp`
boundary decoder x1 {
  forward:
    reshard %embed.out : [batch, seq, hidden] -> [batch, seq@tp, hidden] phase=forward
}
boundary decoder x1 {
  backward:
    reshard d(%x~2) : [batch, seq, hidden] -> [batch, seq@tp, hidden] phase=backward
}
)");
  EXPECT_EQ(derived("  mesh {\n tp = 2\n pp = 2\n }\n  place { decoder[1] { seq -> tp } }\n  pipeline pp { schedule = "
                    "one_f_one_b }",
                    "stage"),
            R"(PLAN0640 `decoder.mlp.gate` does the same work on 2 ranks of `tp`
stage 0: embed x1 decoder[0, 2:4] x1 boundary:decoder x1 decoder[1] x1
stage 1: boundary:decoder x1 decoder[0, 2:4] x2 head x1 loss x1
)");
}

TEST(DeriveBackward, RefusesTwoSidesOfOneValue) {
  EXPECT_EQ(derived(kMegatron + "  keep decoder.* = gathered\n  keep *.norm = split"),
            R"(PLAN0789 two `keep` statements of the same depth keep `decoder.norm.out` gathered and split
)");
}

TEST(DeriveBackward, WarnsOfSavingsThatSaveNothing) {
  EXPECT_EQ(
      derived(kMegatron + "  recompute loss", "none"),
      R"(PLAN0787 `recompute loss` frees no memory: its inputs and the results that are used later stay, 2.048 kB in total
)");
  EXPECT_EQ(derived(kMegatron + "  keep embed = host", "none"),
            R"(PLAN0726 `keep embed = host` has no effect: backward reads none of its kept results
)");
  EXPECT_EQ(
      derived("  keep decoder.norm = gathered", "none"),
      R"(PLAN0788 `keep decoder.norm = gathered` has no effect: backward reads none of its results after a reshard, or this side is kept anyway
)");
  EXPECT_EQ(derived("  recompute decoder { first = 9 }", "none"),
            R"(PLAN0795 `first = 9` has no effect: no virtual stage has more than 4 of these layers
)");
  EXPECT_EQ(
      derived("  recompute decoder.out { outputs = true }", "none"),
      R"(PLAN0787 `recompute decoder.out` frees no memory: its inputs and the results that are used later stay, 114.7 kB in total
)");
  EXPECT_EQ(derived("  recompute decoder { save = [mlp, mlp.out] }", "none"),
            R"(PLAN0796 saving `mlp.out` has no effect: all that is replayed with it is replayed without it, too
)");
}

TEST(DeriveBackward, LeavesAPlanWithoutTrainingAlone) {
  const std::string forward = "model m(layers: int = 4) {\n  in tokens: [batch, seq] int32 counts seq\n  embed = "
                              "blocks.embedding(tokens, 64, 32)\n  decoder * "
                              "layers with x = embed {\n    out blocks.rms_norm(x)\n  }\n}\n";
  const After a("derive-backward", "", "", forward);
  EXPECT_EQ(a.text().find("backward:"), std::string::npos);
  EXPECT_EQ(a.text().find("saved"), std::string::npos);
}

} // namespace
} // namespace planc::test::derive_backward
