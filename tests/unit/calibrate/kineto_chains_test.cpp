// Operators that a framework writes as chains of PyTorch's, with their backward passes, and updates without shapes.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/calibrate/TraceText.h"

#include <gmock/gmock.h>

using namespace planc;
using namespace planc::calibrate;
using planc::test::in;
using planc::test::ReadText;
using planc::test::TraceText;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr std::string_view kFull = R"(["c10::BFloat16", "c10::BFloat16"])";

/// Arguments with the number of the next node of autograd.
std::string numbered(int sequence, const std::string& arguments) {
  return fmt::format(R"("Sequence number": {}, {})", sequence, arguments);
}
std::string node(int sequence) {
  return fmt::format(R"("Sequence number": {}, "Fwd thread id": 1)", sequence);
}

/// RMSNorm as Hugging Face's Llama writes it, nodes `from` to `from` + 7, and the product behind it.
void norm(TraceText& trace, int from) {
  const std::string full = in("[[2, 64, 32]]", R"(["c10::BFloat16"])"), wide = in("[[2, 64, 32]]", R"(["float"])");
  trace.run("aten::to", numbered(from, full), 5);
  trace.run("aten::pow", numbered(from + 1, wide), 3);
  trace.run("aten::mean", numbered(from + 2, wide), 2);
  trace.run("aten::add", numbered(from + 3, in("[[2, 64, 1], [], []]", R"(["float", "double", "Scalar"])")), 1);
  trace.run("aten::rsqrt", numbered(from + 4, in("[[2, 64, 1]]", R"(["float"])")), 1);
  trace.run("aten::mul", numbered(from + 5, in("[[2, 64, 32], [2, 64, 1]]", R"(["float", "float"])")), 5);
  trace.run("aten::view", "", 0);
  trace.run("aten::to", numbered(from + 6, wide), 2);
  trace.run("aten::mul", numbered(from + 7, in("[[32], [2, 64, 32]]", kFull)), 4);
  trace.run("aten::linear", numbered(from + 8, in("[[2, 64, 32], [8, 32]]", kFull)), 100);
}

void backward(TraceText& trace, std::string_view name, int sequence, double duration) {
  trace.run("autograd::engine::evaluate_function: " + std::string(name), node(sequence), duration);
}

const Sample* sampleOf(const ReadText& read, std::string_view name) {
  for (const Sample& s : read.samples.samples)
    if (s.name == Symbol(name)) return &s;
  return nullptr;
}

TEST(KinetoChains, ANormAndItsNodesAreOneSample) {
  TraceText trace;
  norm(trace, 40);
  norm(trace, 60);
  trace.onThread(99);
  for (const int from : {60, 40}) {
    backward(trace, "MmBackward0", from + 8, 200);
    for (int i = 7; i >= 0; --i) backward(trace, "MulBackward0", from + i, 10 + i);
  }
  const ReadText read = trace.read();
  const Sample* s = sampleOf(read, "rms_norm");
  ASSERT_TRUE(s);
  EXPECT_EQ(s->kind, Kind::Memory);
  EXPECT_EQ(s->dtype, ir::DType::bf16);
  EXPECT_EQ((*s)[Extent::Bytes], 2.0 * 2 * 64 * 32);
  EXPECT_NEAR(s->forward, 23e-6, 1e-12);
  EXPECT_NEAR(s->backward, 108e-6, 1e-12) << "eight nodes, without the product's";
  EXPECT_EQ(sampleOf(read, "add"), nullptr);
}

TEST(KinetoChains, OtherShapesOrOtherOperatorsBetweenAreNoChain) {
  TraceText other;
  other.run("aten::mul", in("[[2, 64, 32], [64, 32]]", kFull), 5);
  other.run("aten::neg", in("[[2, 64, 16]]", kFull), 5);
  other.run("aten::cat", in("[[[2, 64, 16], [2, 64, 16]], []]", kFull), 5);
  other.run("aten::mul", in("[[2, 64, 32], [64, 32]]", kFull), 5);
  TraceText rope = other, between = other, wider = other;
  rope.run("aten::add", in("[[2, 64, 32], [2, 64, 32]]", kFull), 5);
  between.run("aten::exp", in("[[2, 64, 32]]", kFull), 5);
  between.run("aten::add", in("[[2, 64, 32], [2, 64, 32]]", kFull), 5);
  wider.run("aten::add", in("[[2, 128, 32], [2, 128, 32]]", kFull), 5);
  const ReadText one = rope.read();
  ASSERT_TRUE(sampleOf(one, "rope"));
  EXPECT_NEAR(sampleOf(one, "rope")->forward, 25e-6, 1e-12);
  EXPECT_FALSE(sampleOf(between.read(), "rope"));
  EXPECT_FALSE(sampleOf(wider.read(), "rope"));
}

/// The product between the gate and what it multiplies is a sample of its own.
TEST(KinetoChains, WhatStandsBetweenKeepsItsTime) {
  TraceText trace;
  trace.run("aten::silu", numbered(10, in("[[64, 32]]", R"(["c10::BFloat16"])")), 7);
  trace.run("aten::mm", numbered(12, in("[[64, 16], [16, 32]]", kFull)), 40);
  trace.run("aten::mul", numbered(13, in("[[64, 32], [64, 32]]", kFull)), 9);
  trace.run("aten::view", numbered(14, in("[[64, 32]]", R"(["c10::BFloat16"])")), 0);
  trace.onThread(99);
  backward(trace, "MulBackward0", 13, 20);
  backward(trace, "MmBackward0", 12, 80);
  backward(trace, "ToCopyBackward0", 11, 5);
  backward(trace, "SiluBackward0", 10, 10);
  const ReadText read = trace.read();
  const Sample *gate = sampleOf(read, "silu_mul"), *product = sampleOf(read, "linear");
  ASSERT_TRUE(gate && product);
  EXPECT_NEAR(gate->forward, 16e-6, 1e-12);
  EXPECT_NEAR(gate->backward, 35e-6, 1e-12) << "the first operator made two nodes";
  EXPECT_NEAR(product->forward, 40e-6, 1e-12);
}

constexpr std::string_view kLists = R"("Input Dims": [[], []], "Input type": ["TensorList", "TensorList"])";

/// One step: a forward operator, `shapes` of gradients for each of `batches`, and the update in two groups.
void step(TraceText& trace, const std::vector<std::string>& shapes, int batches) {
  for (int i = 0; i < batches; ++i) {
    trace.run("aten::gelu", numbered(i, in("[[64, 32]]", R"(["c10::BFloat16"])")), 1);
    for (const std::string& shape : shapes)
      trace.run("torch::autograd::AccumulateGrad", in("[" + shape + "]", R"(["c10::BFloat16"])"), 0);
  }
  trace.run("aten::_fused_adamw_", kLists, 30);
  trace.run("aten::_fused_adamw_", kLists, 10);
}

TEST(KinetoUpdates, ParametersAreThoseWhoseGradientsWereAccumulated) {
  for (const int batches : {1, 3}) {
    TraceText trace;
    step(trace, {"[32, 8]"}, 1); // the trace began inside of this backward pass
    for (int i = 0; i < 2; ++i) step(trace, {"[32, 8]", "[32]", "[32, 8]"}, batches);
    const ReadText read = trace.read();
    EXPECT_THAT(read.samples.notes.back(), Not(HasSubstr("gelu")));
    const Sample* s = sampleOf(read, "adam");
    ASSERT_TRUE(s) << batches;
    EXPECT_EQ((*s)[Extent::Params], 2 * 256 + 32) << batches;
    EXPECT_EQ(s->dtype, ir::DType::bf16);
    EXPECT_NEAR(s->forward, 40e-6, 1e-12) << "both groups";
  }
}

/// Lists of tensors have shapes and no type; the gradients have one.
TEST(KinetoUpdates, TheTypeIsThatOfTheGradients) {
  const std::string lists = R"("Input Dims": [[[32, 8], [16]]], "Input type": ["TensorList"])";
  for (const bool gradients : {true, false}) {
    TraceText trace;
    if (gradients) trace.run("torch::autograd::AccumulateGrad", in("[[32, 8]]", R"(["c10::BFloat16"])"), 0);
    trace.run("aten::_fused_adamw_", lists, 30);
    const ReadText read = trace.read();
    const Sample* s = sampleOf(read, "adam");
    ASSERT_TRUE(s);
    EXPECT_EQ((*s)[Extent::Params], 272);
    EXPECT_EQ(s->dtype, gradients ? ir::DType::bf16 : ir::DType::fp32);
    EXPECT_EQ(read.samples.notes.back().find("fp32 is assumed") != std::string::npos, !gradients);
  }
}

/// A rank that gathers parameters accumulates gradients of whole ones and updates its shard.
TEST(KinetoUpdates, NothingIsTakenFromShardedTraces) {
  TraceText trace;
  step(trace, {"[32, 8]"}, 1);
  trace.kernel(
      "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", 100,
      R"("Collective name": "_reduce_scatter_base", "In msg nelems": 64, "Out msg nelems": 8, "Group size": 8, )"
      R"("dtype": "BFloat16")",
      false);
  const ReadText read = trace.read();
  EXPECT_FALSE(sampleOf(read, "adam"));
  EXPECT_THAT(read.samples.notes.back(), HasSubstr("aten::_fused_adamw_ "));
}

} // namespace
