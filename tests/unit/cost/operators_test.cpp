// Every operator equation against numbers computed apart from it; the inputs stand in the comments.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/facts/Facts.h"
#include "backends/cost/price/Operators.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <cmath>
#include <gtest/gtest.h>

namespace planc::cost::test {
namespace {

using namespace ir;

constexpr double kExact = 1e-10; // relative

class CostOperators : public ::testing::Test {
protected:
  Builder b{1, {{"tp", 8}}};
  LayerClassId layerClass = b.unit("layer");
  DiagnosticEngine diagnostics;

  Priced price(const Node& node, Derivation* why = nullptr) {
    return b.model(diagnostics)->price(b.program, node, {why});
  }
  Node contraction(Role role, double m, double n, double k, double batch = 1) {
    Node node = b.compute(b.op("matmul", OpKind::Gemm), role);
    node.compute().work.batch = batch;
    node.compute().work.m = m;
    node.compute().work.n = n;
    node.compute().work.k = k;
    return node;
  }
  void expect(double actual, double expected) { EXPECT_NEAR(actual / expected, 1, kExact); }
};

TEST_F(CostOperators, EveryKindHasARow) {
  for (OpKind kind : {OpKind::Gemm, OpKind::GroupedGemm, OpKind::Scores, OpKind::Context, OpKind::Attention,
                      OpKind::Memory, OpKind::Lookup, OpKind::Permute, OpKind::Carry, OpKind::Cast}) {
    int rows = 0;
    for (const OperatorEquation& row : operatorEquations()) rows += row.kind == kind;
    EXPECT_EQ(rows, 1) << ir::name(kind);
  }
}

TEST_F(CostOperators, GemmBoundByCompute) {
  // gemm(A100, m=2048, n=6144, k=12288)
  const Priced p = price(contraction(Role::Forward, 2048, 6144, 12288));
  expect(p.seconds, 1.290468263053e-03);
  EXPECT_EQ(p.bound, Bound::Compute);
  EXPECT_DOUBLE_EQ(p.flops, 2. * 2048 * 6144 * 12288);
  EXPECT_DOUBLE_EQ(p.bytes, 2. * (2048. * 12288 + 12288. * 6144 + 2048. * 6144));
}

TEST_F(CostOperators, AnEfficiencyByTheSizeOfTheProduct) {
  const double flops = 2. * 2048 * 6144 * 12288;
  Number& efficiency = *edit(b.plan.cluster).device.number(DeviceFact::GemmEfficiency, DType::fp16);
  efficiency.table = {{flops / 100, flops * 100}, {0.25, 0.64}};
  const Priced p = price(contraction(Role::Forward, 2048, 6144, 12288));
  expect(p.seconds, flops / (312e12 * 0.4) + 6.6e-6); // half way in log size: the geometric mean
}

TEST_F(CostOperators, ClocksDropByTheCubeRootOfThePowerThatIsMissing) {
  const double flops = 2. * 2048 * 6144 * 12288, start = 6.6e-6;
  const Node node = contraction(Role::Forward, 2048, 6144, 12288);
  Device& device = edit(b.plan.cluster).device;
  const double atFullClocks = price(node).seconds - start;
  device.set(DeviceFact::GemmEnergy, DType::fp16, number(8 * 400 / 312e12)); // eight times what its 400 W allow
  expect(price(node).seconds, 2 * atFullClocks + start);
  device.set(DeviceFact::Power, number(8 * 400));
  expect(price(node).seconds, flops / (312e12 * .772) + start);
  device.set(DeviceFact::Power, number(1e6)); // more does not help
  expect(price(node).seconds, flops / (312e12 * .772) + start);
}

TEST_F(CostOperators, WhatAPriceStandsOn) {
  edit(b.plan.cluster).device.number(DeviceFact::GemmEfficiency, DType::fp16)->statistics = {
      .calibrated = true, .samples = 100, .error = 0.05, .low = 1e9, .high = 1e10};
  EvidenceList evidence;
  b.model(diagnostics)->price(b.program, contraction(Role::Forward, 2048, 6144, 12288), {.evidence = &evidence});
  ASSERT_EQ(evidence.size(), 1u) << "a datasheet's numbers are none";
  EXPECT_EQ(evidence[0].statistics->samples, 100);
  EXPECT_NEAR(evidence[0].beyond(), std::log(2. * 2048 * 6144 * 12288 / 1e10), 1e-12);
}

TEST_F(CostOperators, GemmBoundByMemory) {
  // gemm(A100, m=16, n=4096, k=4096)
  const Priced p = price(contraction(Role::Forward, 16, 4096, 4096));
  expect(p.seconds, 2.931901751463e-05);
  EXPECT_EQ(p.bound, Bound::Memory);
}

TEST_F(CostOperators, GradientsCostTheirRatio) {
  // gemm(A100, m, k, n) · 1.9 / 2 and gemm(A100, k, n, m, epi=6) · 1.9 / 2 with m=2048, n=6144, k=12288
  expect(price(contraction(Role::DGrad, 2048, 12288, 6144)).seconds, 1.225944849900e-03);
  expect(price(contraction(Role::WGrad, 12288, 6144, 2048)).seconds, 1.225944849900e-03);
}

TEST_F(CostOperators, FusedAccumulationMovesSixBytesMore) {
  // gemm(A100, m=4096, n=4096, k=16, epi=6) · .95: bound by the fp32 gradient
  expect(price(contraction(Role::WGrad, 4096, 4096, 16)).seconds, 9.210033477329e-05);
  edit(b.plan.stack).set(StackFact::Accumulate, number(static_cast<double>(Accumulate::None)));
  EXPECT_LT(price(contraction(Role::WGrad, 4096, 4096, 16)).seconds, 9.2e-05);
}

TEST_F(CostOperators, Fp8Gemm) {
  // gemm(H100, 8192, 4096, 4096, 'fp8'): operands of one byte, result of two
  edit(b.plan.cluster).device = h100();
  Node node = contraction(Role::Forward, 8192, 4096, 4096);
  node.compute().work.dtype = DType::fp8;
  node.compute().work.operandWidth = 1;
  expect(price(node).seconds, 2.405262387699e-04);
}

TEST_F(CostOperators, GroupedProductsHideTransferInPartAndNoStarts) {
  b.op("x", OpKind::Memory);
  Node node = b.compute(b.op("grouped_matmul", OpKind::GroupedGemm));
  node.compute().work.batch = 8;
  node.compute().work.m = 512;
  node.compute().work.n = 14336;
  node.compute().work.k = 4096;
  node.compute().work.tokensPerExpert = 512;
  const double math = 2. * 8 * 512 * 14336 * 4096 / (312e12 * .772);
  const double moved = 8 * 2. * (512. * 4096 + 4096. * 14336 + 512. * 14336) / (2.039e12 * .73);
  Priced p = price(node);
  expect(p.seconds, std::hypot(math / .62, moved) + 8 * 6.6e-6); // a kernel per expert
  EXPECT_EQ(p.launches, 8);
  edit(b.plan.stack).set(StackFact::Launch, number(100e-6)); // the other seven from a loop, a fifth of a launch each
  edit(b.plan.stack).set(StackFact::GroupedLaunch, number(20e-6));
  expect(price(node).launches, 1 + 7 * .2);
  edit(b.plan.stack).set(StackFact::GroupedKernel, number(1));
  p = price(node);
  expect(p.seconds, std::hypot(math / .62, moved) + 6.6e-6);
  EXPECT_EQ(p.launches, 1);
  edit(b.plan.stack).erase(StackFact::Grouped); // as one large product
  expect(price(node).seconds, std::hypot(math, moved) + 6.6e-6);
  node.compute().role = Role::WGrad; // adds into fp32: 6 B more per element; r/2 = 0.95
  expect(price(node).seconds, .95 * (std::hypot(math, moved + 8 * 6. * 512 * 14336 / (2.039e12 * .73)) + 6.6e-6));
}

TEST_F(CostOperators, AGroupOfOneIsAProductLikeAnyOther) {
  b.op("x", OpKind::Memory);
  Node node = b.compute(b.op("grouped_matmul", OpKind::GroupedGemm));
  node.compute().work.m = node.compute().work.tokensPerExpert = 8192;
  node.compute().work.n = 14336;
  node.compute().work.k = 4096;
  edit(b.plan.stack).erase(StackFact::Grouped);
  Node plain = b.compute(b.op("matmul", OpKind::Gemm));
  plain.compute().work = node.compute().work;
  expect(price(node).seconds, price(plain).seconds);
  node.compute().work.m = plain.compute().work.m = 4; // the weights
  expect(price(node).seconds, price(plain).seconds);
  EXPECT_EQ(price(node).bound, Bound::Memory);
}

TEST_F(CostOperators, UnfusedAttention) {
  // b=1, a=12, s=2048, hd=128 on A100: qk, pv, their backward, softmax with dropout
  const double flops = 2. * 12 * 2048 * 2048 * 128, scores = 2. * 12 * 2048 * 2048;
  Node qk = b.compute(b.op("scores", OpKind::Scores));
  qk.compute().work.flops = flops;
  qk.compute().work.resultBytes = scores;
  Node pv = b.compute(b.op("context", OpKind::Context));
  pv.compute().work.flops = flops;
  pv.compute().work.firstOperandBytes = scores;
  expect(price(qk).seconds, 1.163087853523e-04);
  expect(price(pv).seconds, 7.331480190342e-05);
  b.body(layerClass).forward.edit() = {qk, pv};
  b.body(layerClass).backward.edit() = {
      b.compute(qk.op, Role::DGrad, Phase::Backward), b.compute(qk.op, Role::Backward, Phase::Backward),
      b.compute(pv.op, Role::DGrad, Phase::Backward), b.compute(pv.op, Role::DGrad, Phase::Backward)};
  const auto& backward = b.body(layerClass).backward;
  expect(2 * price(backward[0]).seconds, 1.453859816904e-04);
  expect(price(backward[1]).seconds, 1.453859816904e-04);
  expect(price(backward[2]).seconds + price(backward[3]).seconds, 1.979499651392e-04);
  Node softmax = b.compute(b.op("softmax", OpKind::Memory));
  softmax.compute().work.firstOperandBytes = scores;
  expect(price(softmax).seconds, 2.759812717884e-04);
  softmax.compute().role = Role::Backward;
  expect(price(softmax).seconds, 3.398705056112e-04);
}

TEST_F(CostOperators, HeadsThatMatrixUnitsCannotRead) {
  const auto atHead = [&](OpKind kind, double head) {
    const double elements = 12. * 2048 * 2048;
    Node node = b.compute(b.op("product", kind));
    node.compute().work.flops = 2 * elements * head;
    node.compute().work.resultBytes = node.compute().work.firstOperandBytes = 2 * elements;
    return price(node);
  };
  Device& device = edit(b.plan.cluster).device;
  device.erase(DeviceFact::GemmEnergy, DType::fp16);
  device.set(DeviceFact::Peak, DType::fp32, number(19.5e12));
  device.set(DeviceFact::Alignment, number(16));
  for (const OpKind kind : {OpKind::Scores, OpKind::Context}) {
    const double aligned = atHead(kind, 104).seconds, other = atHead(kind, 108).seconds; // 208 and 216 bytes
    expect(other, 2 * 12. * 2048 * 2048 * 108 / (19.5e12 * .772) + 6.6e-6);
    EXPECT_LT(aligned, other / 4);
    device.erase(DeviceFact::Alignment);
    EXPECT_LT(atHead(kind, 108).seconds, other / 4) << "a device that does not say so reads all alike";
    device.set(DeviceFact::Alignment, number(8));
    EXPECT_LT(atHead(kind, 108).seconds, other / 4);
    device.set(DeviceFact::Alignment, number(16));
  }
}

TEST_F(CostOperators, FactorsByASecondSize) {
  const double scores = 2. * 12 * 2048 * 2048;
  Node qk = b.compute(b.op("scores", OpKind::Scores));
  qk.compute().work.flops = 2. * 12 * 2048 * 2048 * 8; // narrow: bound by memory
  qk.compute().work.resultBytes = scores;
  Node softmax = b.compute(b.op("softmax", OpKind::Memory));
  softmax.compute().work.firstOperandBytes = scores;
  softmax.compute().work.row = 2048;
  const double product = price(qk).seconds,
               start = b.plan.cluster->device.number(DeviceFact::GemmStart, DType::fp16)->value,
               moved = price(softmax).seconds - 3e-6;
  edit(b.plan.cluster).device.set(DeviceFact::ScoresSize, curve({scores / 2, scores * 2}, {0.25, 1}));
  expect(price(qk).seconds, (product - start) / 0.5 + start); // halfway on logarithms
  edit(b.plan.stack).set(StackFact::PassesForwardRow, Symbol("softmax"), curve({1024, 4096}, {4, 1}));
  expect(price(softmax).seconds, 2 * moved + 3e-6);
  softmax.compute().role = Role::Backward; // has a curve of its own
  expect(price(softmax).seconds, 3.398705056112e-04);
}

TEST_F(CostOperators, ClocksOfLongTraining) {
  Node product = b.compute(b.op("matmul", OpKind::Gemm));
  product.compute().work.m = product.compute().work.n = product.compute().work.k = 8192;
  Node attention = b.compute(b.op("attention", OpKind::Attention));
  attention.compute().work.flops = 1e13;
  attention.compute().work.share = .5;
  attention.compute().work.sequence = 1024; // where the curve is not at its best
  attention.compute().work.headDim = 128;
  const auto without = [](double seconds, double start) { return seconds - start; };
  Device& device = edit(b.plan.cluster).device;
  const double start = device.number(DeviceFact::GemmStart, DType::fp16)->value,
               attentionStart = device.number(DeviceFact::AttentionStart)->value;
  const double atBurst = without(price(product).seconds, start),
               attentionAtBurst = without(price(attention).seconds, attentionStart);

  // full clocks would draw twice the 400 W: cube root of a half
  device.set(DeviceFact::GemmEnergy, DType::fp16, number(800 / 312e12));
  device.set(DeviceFact::AttentionEnergy, number(800 / 180e12)); // of the curve's best, 180 TFLOP/s
  const double share = std::cbrt(0.5);
  expect(without(price(product).seconds, start), atBurst / share);
  expect(without(price(attention).seconds, attentionStart), attentionAtBurst / share);

  // products of a higher peak draw more, attention does not
  device.set(DeviceFact::Peak, DType::fp16, number(2 * 312e12));
  expect(without(price(product).seconds, start), atBurst / 2 / std::cbrt(0.25));
  expect(without(price(attention).seconds, attentionStart), attentionAtBurst / share);

  // what holds its full clocks loses nothing
  device.set(DeviceFact::Power, number(2000));
  expect(without(price(attention).seconds, attentionStart), attentionAtBurst);
}

TEST_F(CostOperators, FusedAttentionOnItsCurve) {
  auto attention = [&](double batchHeads, double s, double hd) {
    Node n = b.compute(b.op("attention", OpKind::Attention));
    n.compute().work.flops = 4 * batchHeads * s * s * hd;
    n.compute().work.share = .5;
    n.compute().work.sequence = s;
    n.compute().work.headDim = hd;
    return n;
  };
  const Node n = attention(12, 2048, 128);
  expect(price(n).seconds, 9.147585159732e-05);                       // b=1, a=12, s=2048, hd=128
  expect(price(attention(16, 3000, 64)).seconds, 1.559425665425e-04); // b=2, a=8, between points, head factor .78
  b.body(layerClass).forward.edit() = {n};
  b.body(layerClass).backward.edit() = {b.compute(n.op, Role::Backward, Phase::Backward)};
  b.body(layerClass).backward.edit()[0].compute().work.flops = 2.5 * n.compute().work.flops;
  expect(price(b.body(layerClass).backward[0]).seconds, 2.286896289933e-04);
  edit(b.plan.stack).set(StackFact::AttentionBackward, number(3));
  expect(price(b.body(layerClass).backward[0]).seconds, 3 * 9.147585159732e-05);
  edit(b.plan.stack).set(StackFact::AttentionHead, curve({64, 128}, {.98, 1}));
  expect(price(attention(16, 3000, 64)).seconds,
         (1.559425665425e-04 - 5e-6) * .78 / .98 + 5e-6); // the stack's own curve
  Node split = n;
  split.compute().work.sequenceSplit = true;
  edit(b.plan.stack).set(StackFact::AttentionFactor, number(.58));
  expect(price(split).seconds, (9.147585159732e-05 - 5e-6) / .58 / .6 + 5e-6);
}

TEST_F(CostOperators, MemoryOperatorsByPassesOrBytes) {
  Node norm = b.compute(b.op("layer_norm", OpKind::Memory));
  norm.compute().work.firstOperandBytes = 2048. * 12288 * 2 / 8;
  expect(price(norm).seconds, 1.243818226928e-05); // 2.6 passes over [2048, 12288] fp16, split eight ways
  Node fused = b.compute(b.op("dropout", OpKind::Memory));
  fused.compute().work.firstOperandBytes = 1e9;
  EXPECT_EQ(price(fused).seconds, 0);
  EXPECT_FALSE(price(fused).launches);
  Node other = b.compute(b.op("rms_norm", OpKind::Memory));
  other.compute().work.reads = 3e6;
  other.compute().work.writes = 1e6;
  expect(price(other).seconds, 4e6 / (.85 * 2.039e12) + 3e-6);
}

TEST_F(CostOperators, LookupsByPassesOrRandomAccess) {
  Node embed = b.compute(b.op("lookup", OpKind::Lookup));
  embed.compute().work.resultBytes = 1e8;
  expect(price(embed).seconds, 4e8 / (.85 * 2.039e12) + 3e-6);
  Node bag = b.compute(b.op("embedding_bag", OpKind::Lookup));
  bag.compute().work.reads = 1e8;
  expect(price(bag).seconds, 1e8 / (.55 * 2.039e12));
}

TEST_F(CostOperators, AccumulationFollowsTheStack) {
  b.program.microBatches = 2;
  const OpId matmul = b.op("matmul", OpKind::Gemm);
  Node node = b.compute(matmul, Role::Accumulate);
  node.compute().value = b.param(matmul, "w", {12288, 6144});
  node.compute().work.elements = 12288. * 6144;
  EXPECT_FALSE(price(node).launches); // fused
  edit(b.plan.stack).set(StackFact::Accumulate, number(static_cast<double>(Accumulate::Separate)));
  expect(price(node).seconds, 5.257300949139e-04); // 12 B per element
  b.plan.precision.grads = DType::fp16;
  expect(price(node).seconds, 6 * node.compute().work.elements / (.85 * 2.039e12) + 3e-6);
  edit(b.plan.stack).set(StackFact::Accumulation, number(10)); // whatever the type
  expect(price(node).seconds, 10 * node.compute().work.elements / (.85 * 2.039e12) + 3e-6);
  edit(b.plan.stack).set(StackFact::Accumulation, number(12));
  b.plan.precision.grads = DType::fp32;
  b.program.microBatches = 1; // a buffer of its own: the only micro-batch of a step adds to it, too
  expect(price(node).seconds, 5.257300949139e-04);
  edit(b.plan.stack)
      .set(StackFact::Accumulate,
           number(static_cast<double>(Accumulate::Deferred))); // the same, when the pass has ended
  expect(price(node).seconds, 5.257300949139e-04);
  Node table = b.compute(b.op("lookup", OpKind::Lookup), Role::Accumulate);
  table.compute().work.elements = 1e6;
  expect(price(table).seconds, 8e6 / (.85 * 2.039e12) + 3e-6);
  Node bag = b.compute(b.op("embedding_bag", OpKind::Lookup), Role::Accumulate);
  bag.compute().work.elements = 1e9;
  EXPECT_EQ(price(bag).seconds, 0);
}

TEST_F(CostOperators, CastAndCopy) {
  Node cast = b.compute(b.op("cast", OpKind::Cast));
  cast.compute().work.elements = 1e6;
  cast.compute().work.reads = cast.compute().work.writes = 2e6; // from 16 bits to 8, as is and transposed
  expect(price(cast).seconds, 4e6 / (.85 * 2.039e12) + 3e-6);
  Copy copy;
  copy.bytes = 1e6;
  expect(price({{}, copy}).seconds, 2e6 / 2.039e12);
}

TEST_F(CostOperators, DerivationNamesEveryConstant) {
  Derivation why;
  price(contraction(Role::WGrad, 12288, 6144, 2048), &why);
  std::vector<std::string> names;
  for (const auto& [name, number] : why.constants) {
    names.push_back(name);
    EXPECT_EQ(number->source, "test");
  }
  EXPECT_EQ(names, (std::vector<std::string>{"P = peak.fp16", "e = calibration.gemm.fp16.efficiency", "B = bandwidth",
                                             "f = calibration.gemm.fp16.memory_efficiency",
                                             "t0 = calibration.gemm.fp16.start", "r = backward_ratio"}));
  ASSERT_TRUE(why.formula);
  EXPECT_EQ(symbols(*why.formula),
            "(max(2·b·m·n·k / (P·e), (b·(w·(m·k + k·n) + 2·m·n) + 6·b·m·n) / (B·f)) + t0) · r / 2");
  EXPECT_EQ(where(*why.formula), "b = 1, m = 12288, n = 6144, k = 2048, w = 2 B");
  EXPECT_TRUE(evaluated(*why.formula).ends_with("+ 6.6 us) · 0.95 = 1.226 ms")) << evaluated(*why.formula);
}

} // namespace
} // namespace planc::cost::test
