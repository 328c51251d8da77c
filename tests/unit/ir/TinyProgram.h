// The program of the tests of printers and verifiers: two products and a norm, tensor parallel on 2 x 4 devices.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/unit/support/Build.h"

namespace planc::test {

/// x -> up (ffn over tp) -> down (pending over tp) -> norm; batch over dp.
struct Tiny : Build {
  ir::ValueId x, w1, w2, up, down, out;
  ir::DimId batch, seq, hidden, ffn;
  ir::AxisId tp, dp;
  ir::OpId upOp, downOp, normOp;

  Tiny() : Build({{"tp", 4}, {"dp", 2}}, {{"node", 4}, {"nodes", 8}}) {
    using ir::OpKind;
    plan.name = program.model.edit().name = "tiny";
    layer("mlp");
    x = input("x", "batch=8 seq=16 hidden=32");
    w1 = param("w1", "hidden ffn=128@tp");
    w2 = param("w2", "ffn@tp hidden");
    up = op("up", OpKind::Gemm, {x, w1}, "batch@dp seq ffn@tp");
    down = op("down", OpKind::Gemm, {up, w2}, "batch@dp seq hidden", "ffn@tp");
    reshard(down, "batch@dp seq hidden");
    out = op("out", OpKind::Memory, {down}, "batch@dp seq hidden");
    opOf(up).name = opOf(down).name = "matmul";
    opOf(out).name = "rms_norm";
    model().loss = out;
    model().losses = {out};
    stages(1, 1, {{1}});
    batch = dim("batch"), seq = dim("seq"), hidden = dim("hidden"), ffn = dim("ffn");
    tp = program.mesh.order[0], dp = program.mesh.order[1];
    upOp = makerOf(up), downOp = makerOf(down), normOp = makerOf(out);
  }

  ir::Model& model() { return program.model.edit(); }

  /// The all-reduce that the pending sum of `down` needs, in place of the reshard.
  void lowerToComm() {
    lower();
    ir::Collective& sum = lowered(2).collective();
    sum.axes = maskOf(tp);
    sum.group = 4;
    sum.bytes = 2.0 * 4 * 16 * 32; // bf16, half of the batch
    const double tokens = 4 * 16;
    lowered(0).compute().work.flops = lowered(1).compute().work.flops = 2 * tokens * 32 * 128 / 4;
    lowered(3).compute().work.flops = 4 * tokens * 32;
  }
};

} // namespace planc::test
