// A hand-built program for the tests of printers and verifiers: two products and a norm, tensor parallel on 2 x 4
// devices.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "Meshes.h"
#include "ir/Task.h"

#include <memory>

namespace planc::ir::test {

/// x -> up (ffn over tp) -> down (pending over tp) -> norm; batch over dp. `plan` must outlive `program`.
struct Tiny {
  Plan plan;
  Program program;
  DimId batch, seq, hidden, ffn;
  AxisId tp, dp;
  ValueId x, w1, w2, up, down, out;
  OpId upOp, downOp, normOp;

  Tiny() {
    buildModel();
    plan.name = Symbol("tiny");
    plan.workload.train = true;
    program.plan = &plan;
    program.mesh = mesh({{"tp", 4}, {"dp", 2}}, {{"node", 4}, {"nodes", 8}});
    tp = program.mesh.order[0];
    dp = program.mesh.order[1];
    buildClass();
  }
  Tiny(const Tiny&) = delete;
  Tiny& operator=(const Tiny&) = delete;

  LayerClass& body() { return program.classes[LayerClassId(0)]; }
  Model& model() { return program.model; }
  Layout layout(std::vector<AxisList> dims, AxisMask partial = 0) const {
    return Layout::of(program.mesh, dims, partial);
  }

  /// The all-reduce that the pending sum of `down` needs, in place of the reshard.
  void lowerToComm() {
    program.level = Level::Comm;
    Node& n = body().forward[2];
    n.kind = NodeKind::Collective;
    n.collective = CollectiveKind::AllReduce;
    n.axes = maskOf(tp);
    n.group = 4;
    n.level = 0;
    n.bytes = 2.0 * 4 * 16 * 32; // bf16, half of the batch
    body().brought.clear();
    const double tokens = 4 * 16;
    body().forward[0].work.flops = 2 * tokens * 32 * 128 / 4;
    body().forward[1].work.flops = 2 * tokens * 32 * 128 / 4;
    body().forward[3].work.flops = 4 * tokens * 32;
  }

private:
  ValueId value(const char* name, ValueKind kind, std::vector<DimId> dims) {
    Value v;
    v.name = Symbol(name);
    v.path = {Symbol("mlp"), Symbol(name)};
    v.kind = kind;
    v.dims = std::move(dims);
    v.layer = kind == ValueKind::Input ? LayerId() : LayerId(0);
    v.trainable = kind == ValueKind::Param;
    ValueId id = model().values.add(v);
    model().values[id].storage = id;
    if (kind == ValueKind::Input) model().inputs.push_back(id);
    if (kind == ValueKind::Param) model().params.push_back(id);
    return id;
  }

  OpId op(const char* name, OpKind kind, std::vector<ValueId> operands, ValueId result, std::vector<DimId> dims,
          Poly flops) {
    Op o;
    o.path = model().values[result].path;
    o.name = Symbol(name);
    o.kind = kind;
    for (ValueId v : operands) o.operands.push_back({v, model().values[v].dims});
    o.result = result;
    o.resultDims = model().values[result].dims;
    o.dims = std::move(dims);
    o.flops = std::move(flops);
    o.layer = LayerId(0);
    OpId id = model().ops.add(o);
    model().values[result].producer = id;
    return id;
  }

  void buildModel() {
    Model& m = model();
    m.name = Symbol("tiny");
    batch = m.dim("batch", 8);
    seq = m.dim("seq", 16);
    hidden = m.dim("hidden", 32);
    ffn = m.dim("ffn", 128);
    x = value("x", ValueKind::Input, {batch, seq, hidden});
    w1 = value("w1", ValueKind::Param, {hidden, ffn});
    w2 = value("w2", ValueKind::Param, {ffn, hidden});
    up = value("up", ValueKind::Result, {batch, seq, ffn});
    down = value("down", ValueKind::Result, {batch, seq, hidden});
    out = value("out", ValueKind::Result, {batch, seq, hidden});
    Poly tokens = Poly::extent(batch) * Poly::extent(seq);
    Poly product = (tokens * Poly::extent(hidden) * Poly::extent(ffn)).scaled(2);
    upOp = op("matmul", OpKind::Gemm, {x, w1}, up, {batch, seq, hidden, ffn}, product);
    downOp = op("matmul", OpKind::Gemm, {up, w2}, down, {batch, seq, ffn, hidden}, product);
    normOp =
        op("rms_norm", OpKind::Memory, {down}, out, {batch, seq, hidden}, (tokens * Poly::extent(hidden)).scaled(4));
    Layer layer;
    layer.name = Symbol("mlp");
    layer.first = OpId(0);
    layer.end = OpId(3);
    m.layers.add(layer);
    m.loss = out;
  }

  void buildClass() {
    LayerClass b;
    b.layer = LayerId(0);
    b.instances = {{{0, 1, 1}}};
    PlacedDim onDp{batch, {dp}, nullptr, false, false}, onTp{ffn, {tp}, nullptr, false, false};
    b.placements = {{{onDp, onTp}}, {{onDp, onTp}}, {{onDp}}};
    b.results = {layout({{dp}, {}, {tp}}), layout({{dp}, {}, {}}, maskOf(tp)), layout({{dp}, {}, {}})};
    auto compute = [](OpId op, std::vector<NodeIndex> deps) {
      Node n;
      n.op = op;
      n.deps = std::move(deps);
      return n;
    };
    Node reshard = compute(normOp, {1});
    reshard.kind = NodeKind::Reshard;
    reshard.value = down;
    reshard.source = downOp;
    reshard.from = b.results[1];
    reshard.to = layout({{dp}, {}, {}});
    b.forward = {compute(upOp, {}), compute(downOp, {0}), reshard, compute(normOp, {2})};
    ParamState p1, p2;
    p1.param = w1;
    p1.layout = layout({{}, {tp}});
    p2.param = w2;
    p2.layout = layout({{tp}, {}});
    p1.elements = p2.elements = 32 * 128 / 4;
    b.params = {p1, p2};
    program.classes.add(b);
    VirtualStage stage;
    stage.classes = {{LayerClassId(0), 1}};
    program.virtualStages.push_back(stage);
  }
};

} // namespace planc::ir::test
