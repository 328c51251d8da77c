// Rates and ratios of an operator's own kernel, which a stack states, in each equation; what an operator states that it
// moves.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/facts/Facts.h"
#include "backends/cost/price/Operators.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <gtest/gtest.h>

namespace planc::cost::test {
namespace {

using namespace ir;

class KernelRates : public ::testing::Test {
protected:
  Builder b{1, {{"tp", 8}}};
  LayerClassId layerClass = b.unit("layer");
  DiagnosticEngine diagnostics;

  Priced price(const Node& node) { return b.model(diagnostics)->price(b.program, node, {}); }
  /// Returns the price of the gradients of an operator with this forward node.
  Priced priceBackward(const Node& forward, double reads = 0, double writes = 0) {
    b.body(layerClass).forward.edit() = {forward};
    Node back = b.compute(forward.op, Role::Backward, Phase::Backward);
    back.compute().work.reads = reads;
    back.compute().work.writes = writes;
    b.body(layerClass).backward.edit() = {back};
    return price(b.body(layerClass).backward[0]);
  }
  void kernel(const char* op, double forward, double backward) {
    edit(b.plan.stack).set(StackFact::RatesForward, Symbol(op), number(forward));
    edit(b.plan.stack).set(StackFact::RatesBackward, Symbol(op), number(backward));
  }
  const Device& device() { return edit(b.plan.cluster).device; }
  void expect(double actual, double expected) { EXPECT_NEAR(actual / expected, 1, 1e-10); }
};

// A stack can state the rate of an operator's own kernel over the curve, in place of the factors of dense kernels; what
// the operator says that it moves takes its time.
TEST_F(KernelRates, AttentionOfOtherKernels) {
  constexpr double kStart = 5e-6;
  const OpId op = b.op("gathered", OpKind::Attention);
  Node n = b.compute(op);
  n.compute().work.flops = 4. * 12 * 2048 * 2048 * 128;
  n.compute().work.share = .5;
  n.compute().work.sequence = 2048;
  n.compute().work.headDim = 64; // .78 of the curve
  const double dense = (9.147585159732e-05 - kStart) / .78;
  expect(price(n).seconds, dense + kStart);
  edit(b.plan.stack).set(StackFact::AttentionFactor, number(.5));
  kernel("gathered", .9, 4);
  expect(price(n).seconds, dense * .78 / .9 + kStart);
  expect(priceBackward(n).seconds, 4 * (dense * .78 / .9 + kStart));

  n.compute().work.reads = 1e9;
  n.compute().work.writes = 3e9;
  expect(price(n).seconds,
         dense * .78 / .9 + kStart); // the operator states neither: they are part of the measured rate
  b.program.model.edit().ops[op].writes = Poly::constant(3e9);
  const Priced moving = price(n);
  expect(moving.seconds, 4e9 / (device().number(DeviceFact::Bandwidth)->value *
                                device().number(DeviceFact::MemoryEfficiency)->value * .9) +
                             kStart);
  EXPECT_EQ(moving.bound, Bound::Memory);

  // Bytes that an operator states as read count without any that it writes.
  b.program.model.edit().ops[op].writes.reset();
  expect(price(n).seconds, dense * .78 / .9 + kStart);
  b.program.model.edit().ops[op].reads = Poly::constant(1e9);
  expect(price(n).seconds, moving.seconds);

  // The ratio of the kernel stands before the ratio of the stack, and multiplies the forward pass with its bytes: bytes
  // of backward are not read beside it.
  edit(b.plan.stack).set(StackFact::AttentionBackward, number(3));
  expect(priceBackward(n, 9e9).seconds, 4 * moving.seconds);
}

// Products whose results reach memory: the kernel's rate is a factor on both sides of the roofline, and stated bytes
// take the place of the scores.
TEST_F(KernelRates, ProductsInMemory) {
  for (const OpKind kind : {OpKind::Scores, OpKind::Context}) {
    const bool scores = kind == OpKind::Scores;
    const OpId op = b.op(scores ? "inner" : "outer", kind);
    Node n = b.compute(op);
    n.compute().work.flops = 2. * 12 * 2048 * 2048 * 128;
    n.compute().work.resultBytes = n.compute().work.firstOperandBytes = 2. * 12 * 2048 * 2048;
    const double start = device().number(DeviceFact::GemmStart, DType::fp16)->value;
    const double whole = price(n).seconds - start;
    kernel(scores ? "inner" : "outer", .25, 3);
    expect(price(n).seconds, whole / .25 + start);
    expect(priceBackward(n).seconds, 3 * (whole / .25 + start));
    n.compute().work.reads = 1e9; // without a statement they are not read
    expect(price(n).seconds, whole / .25 + start);
    n.compute().work.writes = 3e9;
    b.program.model.edit().ops[op].writes = Poly::constant(3e9);
    const Priced moving = price(n);
    const DeviceFact share = scores ? DeviceFact::ScoresMemoryEfficiency : DeviceFact::ContextMemoryEfficiency;
    expect(moving.seconds,
           4e9 / (device().number(DeviceFact::Bandwidth)->value * device().number(share)->value * .25) + start);
    EXPECT_EQ(moving.bound, Bound::Memory);
    expect(moving.bytes, 4e9);
  }
}

// Operators bound by memory: the same factor on their bandwidth; a stated ratio takes the place of backward's own
// bytes.
TEST_F(KernelRates, MemoryOperators) {
  Node scan = b.compute(b.op("scan", OpKind::Memory));
  scan.compute().work.reads = 3e6;
  scan.compute().work.writes = 1e6;
  const double start = device().number(DeviceFact::MemoryStart)->value;
  const double whole = price(scan).seconds - start;
  expect(priceBackward(scan, 6e6, 2e6).seconds, 2 * whole + start);
  kernel("scan", .5, 5);
  expect(price(scan).seconds, 2 * whole + start);
  expect(priceBackward(scan, 6e6, 2e6).seconds, 5 * (2 * whole + start));
}

// Products with weights and reads of tables.
TEST_F(KernelRates, ProductsAndLookups) {
  Node product = b.compute(b.op("matmul", OpKind::Gemm));
  product.compute().work.batch = 1;
  product.compute().work.m = product.compute().work.n = product.compute().work.k = 4096;
  const double start = device().number(DeviceFact::GemmStart, DType::fp16)->value;
  const double whole = price(product).seconds - start;
  Node gradient = product;
  gradient.compute().role = Role::DGrad;
  kernel("matmul", .5, 3);
  expect(price(product).seconds, 2 * whole + start);
  expect(price(gradient).seconds, 1.5 * (2 * whole + start));

  Node rows = b.compute(b.op("rows", OpKind::Lookup));
  rows.compute().work.reads = 1e8;
  const double reading = price(rows).seconds;
  kernel("rows", .25, 2);
  expect(price(rows).seconds, 4 * reading);
  expect(priceBackward(rows).seconds, 8 * reading);
}

// An operator that moves and computes nothing starts no kernel.
TEST_F(KernelRates, NothingToDo) {
  Node empty = b.compute(b.op("rename", OpKind::Memory));
  empty.compute().work.reads = empty.compute().work.writes = empty.compute().work.flops = 0;
  EXPECT_EQ(price(empty).seconds, 0);
  EXPECT_EQ(price(empty).launches, 0);
  empty.compute().work.flops = 1;
  EXPECT_GT(price(empty).seconds, 0);
}

} // namespace
} // namespace planc::cost::test
