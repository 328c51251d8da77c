// Models: dimensions by name, paths, repeats with carries, operator facts as formulas, composite, routed and following
// dimensions.
// SPDX-License-Identifier: Apache-2.0
#include "Compile.h"
#include "ir/layout/Routed.h"

#include <algorithm>

namespace planc::frontend {
namespace {

using Reports = std::vector<std::string>;
using namespace ir;

const Op* opAt(const Model& m, const std::string& path, size_t nth = 0) {
  for (const Op& op : m.ops)
    if (join(op.path) == path && nth-- == 0) return &op;
  ADD_FAILURE() << "no operator " << path;
  return nullptr;
}

std::string dimText(const Model& m, const std::vector<DimId>& dims) {
  std::string text;
  for (DimId d : dims)
    text += (text.empty() ? "" : " ") + m.dims[d].name.str() + "=" + std::to_string(m.dims[d].extent);
  return text;
}

double flops(const Model& m, const Op& op) {
  return op.flops.evaluate([&](DimId d) { return ir::sizeOf(m, d); }, [](int) { return 2.0; });
}

const char* kDense = R"(
model m(layers: int = 3, hidden: int = 16, ffn: int = 32, vocab: int = 10) {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, vocab, hidden)
  decoder * layers with x = embed {
    norm = blocks.rms_norm(x)
    mlp  = blocks.swiglu(norm, ffn)
    out x + (mlp + norm)
  }
  head = blocks.tied_head(decoder, table = embed.table)
  loss = ops.cross_entropy(head, tokens)
}
)";

TEST(Models, VerifyAndCount) {
  const auto m = modelOf(kDense);
  ASSERT_TRUE(m);
  EXPECT_EQ(verify(*m), std::vector<std::string>{});
  EXPECT_EQ(m->parameterCount(),
            10 * 16 + 3 * (16 + 3 * 16 * 32)); // table, then norm and three matrices a layer; the head is tied
  ASSERT_TRUE(m->loss.valid());
  EXPECT_EQ(m->values[m->loss].name, Symbol("loss"));
}

TEST(Models, TopLevelLayersAreUnitsAndRepeatsStayFolded) {
  const auto m = modelOf(kDense);
  std::vector<std::string> layers;
  for (const ir::Layer& layer : m->layers)
    layers.push_back(layer.name.str() + " " + std::to_string(layer.count) + " " +
                     std::to_string(layer.end.index - layer.first.index));
  EXPECT_EQ(layers, (std::vector<std::string>{"embed 1 1", "decoder 3 9", "head 1 1", "loss 1 1"}));
  const ir::Layer& decoder = m->layers[LayerId(1)];
  EXPECT_TRUE(decoder.repeat);
  ASSERT_EQ(decoder.carries.size(), 1u);
  EXPECT_EQ(m->ops[decoder.first].kind, OpKind::Carry);
  EXPECT_EQ(m->ops[OpId(decoder.end.index - 1)].kind, OpKind::Carry);
  EXPECT_EQ(join(m->ops[decoder.first].path), "decoder");
  EXPECT_EQ(m->ops[decoder.first].result, decoder.carries[0].inside);
  EXPECT_EQ(m->ops[OpId(decoder.end.index - 1)].result, decoder.carries[0].last);
  EXPECT_EQ(opAt(*m, "head.out")->operands[0].value, decoder.carries[0].last);
}

TEST(Models, NestedExpressionsAreNumberedInEvaluationOrder) {
  const auto m = modelOf(kDense);
  EXPECT_EQ(opAt(*m, "decoder.out.1")->name, Symbol("add")); // mlp + norm
  EXPECT_EQ(opAt(*m, "decoder.out")->operands[1].value, opAt(*m, "decoder.out.1")->result);
  EXPECT_EQ(opAt(*m, "decoder.mlp.gate")->name, Symbol("matmul"));
}

TEST(Models, PassingAParameterSharesIt) {
  const auto m = modelOf(kDense);
  EXPECT_EQ(opAt(*m, "head.out")->operands[1].value, opAt(*m, "embed.out")->operands[1].value);
  EXPECT_EQ(m->params.size(), 5u);
}

TEST(Models, TiedParametersShareStorageAndCountOnce) {
  const auto m = modelOf(R"(
block head(x: [.., hidden], table: [vocab, hidden]) {
  param w: [vocab, hidden] tied table
  out: [.., vocab] = ops.matmul(x, w)
}
model m(hidden: int = 16, vocab: int = 10) {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, vocab, hidden)
  logits = head(embed, table = embed.table)
  loss = ops.cross_entropy(logits, tokens)
})");
  EXPECT_EQ(m->params.size(), 2u);
  EXPECT_EQ(m->values[m->params[1]].storage, m->params[0]);
  EXPECT_EQ(m->parameterCount(), 160);
}

TEST(Models, ExtentsComeFromParametersThenFromTheWorkload) {
  const auto m = modelOf(kDense);
  EXPECT_EQ(dimText(*m, opAt(*m, "decoder.mlp.gate")->dims), "batch=2 seq=8 hidden=16 ffn=32");
  EXPECT_EQ(dimText(*m, opAt(*m, "decoder.mlp.out")->resultDims), "batch=2 seq=8 hidden=16");
  EXPECT_EQ(flops(*m, *opAt(*m, "decoder.mlp.out")), 2.0 * 2 * 8 * 16 * 32); // two per point of the iteration space
}

TEST(Models, TheBatchCoversAllReplicas) { // docs/language.md, section 11
  const auto plans = plansOf(std::string("import std.ops\nimport std.blocks\n") + kDense + R"(
plan p {
  model = m
  train { seq = 8; global_batch = 24; micro_batch = 2; optimizer = none }
  mesh { tp = 2; edp = 3; ep = 2; dp = [edp, ep] }
  place { batch -> dp; decoder { batch -> [dp, tp] } }
})");
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(dimText(*plans[0]->model, opAt(*plans[0]->model, "embed.out")->resultDims), "batch=12 seq=8 hidden=16");
}

TEST(Models, AnOperandHasTheOperatorsNameForADimension) {
  const auto m = modelOf(R"(
model m(heads: int = 4, kv_heads: int = 2, head: int = 8) {
  in x: [batch, seq, hidden = 16] counts seq
  attn = blocks.gqa(x, heads, kv_heads, head)
  loss = attn
})");
  const Op& core = *opAt(*m, "attn.core");
  EXPECT_EQ(dimText(*m, core.dims), "batch=2 seq=8 kv_heads=2 group=2 head=8 kv_seq=8");
  EXPECT_EQ(dimText(*m, core.operands[1].dims), "batch=2 kv_seq=8 kv_heads=2 head=8");
  EXPECT_EQ(core.share, 0.5);
  EXPECT_EQ(flops(*m, core), 4.0 * 2 * 8 * 8 * 2 * 2 * 8);
  ASSERT_EQ(core.backwards.size(), 1u);
  EXPECT_EQ(*core.backwards[0].flops, core.flops.scaled(2.5));
  EXPECT_EQ(core.reduces.size(), 1u);
  EXPECT_EQ(core.saves.size(), 4u);
}

TEST(Models, CompositeDimensionsAreInScopeOfTheirBlock) {
  const auto m = modelOf(R"(
model m(heads: int = 4, kv_heads: int = 2, head: int = 8) {
  in x: [batch, seq, hidden = 16] counts seq
  attn = blocks.gqa(x, heads, kv_heads, head)
  loss = ops.gelu(attn)
})");
  const Op& q = *opAt(*m, "attn.q");
  ASSERT_EQ(q.composites.size(), 1u);
  EXPECT_EQ(m->composites[q.composites[0]].name, Symbol("heads"));
  EXPECT_EQ(dimText(*m, m->composites[q.composites[0]].factors), "kv_heads=2 group=2");
  EXPECT_TRUE(opAt(*m, "loss")->composites.empty());
  ASSERT_EQ(opAt(*m, "attn.k")->along.size(), 1u); // copies of a key head: the dim is the block's, not the operator's
  EXPECT_EQ(m->dims[opAt(*m, "attn.k")->along[0]].name, Symbol("group"));
}

TEST(Models, RoutedDimensionsConserveElements) {
  const auto m = modelOf(R"(
model m(hidden: int = 16, experts: int = 4, k: int = 2) {
  in x: [batch, seq, hidden] counts seq
  moe = blocks.moe(x, experts, k, 32)
  loss = moe
})");
  const Op& sent = *opAt(*m, "moe.sent");
  EXPECT_EQ(dimText(*m, sent.resultDims), "experts=4 slots=8 hidden=16"); // 2 · 8 tokens, to 2 of 4 experts each
  const Dim& slots = m->dims[sent.resultDims[1]];
  EXPECT_EQ(slots.kind, DimKind::Routed);
  EXPECT_EQ(dimText(*m, slots.parts), "batch=2 seq=8");
  EXPECT_DOUBLE_EQ(slots.scale, 0.5);
  EXPECT_EQ(sent.contest.size(), 2u);
  EXPECT_TRUE(sent.copies.has_value());
  EXPECT_EQ(opAt(*m, "moe.up")->dims.size(), 4u);
}

TEST(Models, TokensPerExpertNeedNotBeWhole) {
  for (int experts : {4, 7, 12, 64}) { // 2 · 8 tokens, to 2 experts each: 8, 4.57, 2.67 and half a token per expert
    const auto m =
        modelOf("model m(hidden: int = 16) {\n  in x: [batch, seq, hidden] counts seq\n  moe = blocks.moe(x, " +
                std::to_string(experts) + ", 2, 32)\n  loss = moe\n}");
    const Op& up = *opAt(*m, "moe.up");
    const Dim& slots = m->dims[opAt(*m, "moe.sent")->resultDims[1]];
    EXPECT_DOUBLE_EQ(ir::sizeOf(*m, slots), 2. * 16 / experts);
    EXPECT_EQ(slots.extent, std::max(1, 2 * 16 / experts));
    EXPECT_DOUBLE_EQ(flops(*m, up), 2. * 2 * 16 * 16 * 32); // whatever the number of experts
  }
}

TEST(Models, AnIndexFollowsItsRow) {
  const auto m = modelOf(R"(
model m(tables: int = 3, rows: int = 100, emb_dim: int = 4) {
  in ids: [batch, tables, pool = 5] int64
  param w: [tables, rows, emb_dim]
  bags = ops.embedding_bag(ids, w)
  loss = bags
})",
                         "");
  const Op& bags = *opAt(*m, "bags");
  const Dim& pool = m->dims[bags.operands[0].dims[2]];
  EXPECT_EQ(pool.kind, DimKind::Following);
  EXPECT_EQ(dimText(*m, pool.parts), "rows=100");
  EXPECT_EQ(m->values[bags.operands[1].value].layer, bags.layer)
      << "a parameter of the model lives with its first user";
}

TEST(Models, NestedRepeatsAreRegionsOfOneLayer) {
  const auto m = modelOf(R"(
model m(hidden: int = 16) {
  in x: [batch, seq, hidden] counts seq
  outer * 3 with a = x {
    inner * 5 with b = a {
      norm = blocks.rms_norm(b)
      out b + norm
    }
    out a + inner
  }
  loss = outer
})");
  ASSERT_EQ(m->layers.size(), 1u);
  const Op& norm = *opAt(*m, "outer.inner.norm.out");
  EXPECT_EQ(m->times(norm.region), 15);
  EXPECT_EQ(m->parameterCount(), 15 * 16);
  EXPECT_EQ(verify(*m), std::vector<std::string>{});
}

TEST(Models, SeveralValuesMayBeCarried) {
  const auto m = modelOf(R"(
model m(hidden: int = 16) {
  in x: [batch, seq, hidden] counts seq
  pair * 3 with a = x, b = x {
    sum = a + b
    out [sum, a]
  }
  loss = pair + pair.b
})");
  EXPECT_EQ(m->layers[LayerId(0)].carries.size(), 2u);
  EXPECT_EQ(verify(*m), std::vector<std::string>{});
}

TEST(Models, AModelThatStandsForAnotherKeepsItsParameters) {
  EXPECT_EQ(check(std::string("import std.ops\nimport std.blocks\n") + kDense + R"(
model wide = m(hidden = 32)
model wider = wide(ffn = 64)
assert wider.hidden == 32 and wider.ffn == 64 and wider.layers == 3 and wider(hidden = 8).hidden == 8
)"),
            Reports{});
}

TEST(Models, FormulasScaleWithTheExtents) {
  const auto m = modelOf(R"(
op windowed(x: [batch, seq, hidden], window: int = 4) -> [batch, seq, hidden] {
  kind  = memory
  flops = extent(batch) * min(window, extent(seq)) * extent(hidden)
  reads = bytes(x) + 2B * size(x) / extent(seq)
  save mask
  mask.bytes = 1B * size(out)
}
model m(hidden: int = 16) {
  in x: [batch, seq, hidden] counts seq
  loss = windowed(x)
})");
  const Op& op = *opAt(*m, "loss");
  EXPECT_EQ(flops(*m, op), 2.0 * 4 * 16);
  ASSERT_EQ(op.flops.terms.size(), 1u);
  EXPECT_EQ(op.flops.terms[0].factors.size(), 3u) << "a device that holds half of the sequence does half of the work";
  EXPECT_EQ(
      op.reads->evaluate([&](DimId d) { return static_cast<double>(m->dims[d].extent); }, [](int) { return 4.0; }),
      4.0 * 2 * 8 * 16 + 2 * 2 * 16);
  EXPECT_EQ(op.saves[0].what, Save::What::Buffer);
  EXPECT_EQ(op.saves[0].buffer, Symbol("mask"));
}

} // namespace
} // namespace planc::frontend
