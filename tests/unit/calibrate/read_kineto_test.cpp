// Traces of PyTorch's profiler, made up event by event: what a kernel belongs to, what its operands mean, and that
// nothing is left out without a word.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/calibrate/TraceText.h"

#include <gmock/gmock.h>
#include <random>

using namespace planc;
using namespace planc::calibrate;
using planc::test::in;
using planc::test::kTwo;
using planc::test::ReadText;
using planc::test::TraceText;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

TEST(ReadKineto, AProductInsideOfComposites) {
  TraceText trace;
  trace.op("aten::linear", in("[[4096, 1024], [3072, 1024]]", kTwo));
  trace.op("aten::matmul", in("[[4096, 1024], [1024, 3072]]", kTwo), 90);
  trace.op("aten::mm", in("[[4096, 1024], [1024, 3072]]", kTwo), 80);
  trace.kernel("sm90_xmma_gemm_bf16bf16_bf16f32", 40);
  trace.kernel("splitKreduce_kernel", 2);
  ReadText read = trace.read();
  EXPECT_THAT(read.found(), IsEmpty());
  ASSERT_EQ(read.samples.samples.size(), 1u);
  const Sample& s = read.samples.samples[0];
  EXPECT_EQ(s.kind, Kind::Gemm);
  EXPECT_EQ(s.dtype, ir::DType::bf16);
  EXPECT_EQ(s[Extent::M], 4096);
  EXPECT_EQ(s[Extent::K], 1024);
  EXPECT_EQ(s[Extent::N], 3072);
  EXPECT_DOUBLE_EQ(s.forward, 42e-6) << "both kernels";
  EXPECT_EQ(read.samples.series.at(0).device, "NVIDIA H100 80GB HBM3");
}

/// As PyTorch 1.8 wrote it: other categories, threads as text, times in whole microseconds that stick out of their
/// parents.
TEST(ReadKineto, TheFormOfOldVersions) {
  ReadText read(
      R"({"schemaVersion": 1, "computeProperties": [{"id": 0, "name": "Tesla V100-DGXS-32GB"}], "traceEvents": [
    {"ph": "X", "cat": "Operator", "name": "aten::addmm", "pid": 24572, "tid": "24572", "ts": 1621401187225112, "dur": 197,
     "args": {"External id": 41, "Input Dims": [[64], [512, 32], [32, 64]], "Input type": ["float", "float", "float"]}},
    {"ph": "X", "cat": "Operator", "name": "aten::expand", "pid": 24572, "tid": "24572", "ts": 1621401187225300, "dur": 10, "args": {"External id": 42}},
    {"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 24572, "tid": 24572, "ts": 1621401187225305, "dur": 3,
     "args": {"correlation": 7, "external id": 42}},
    {"ph": "X", "cat": "Kernel", "name": "volta_sgemm", "pid": 0, "tid": "stream 7", "ts": 1621401187226000, "dur": 25, "args": {"correlation": 7}}
  ]})",
      "trace.json");
  EXPECT_THAT(read.found(), IsEmpty());
  ASSERT_EQ(read.samples.samples.size(), 1u);
  EXPECT_EQ(read.samples.samples[0][Extent::K], 32);
  EXPECT_DOUBLE_EQ(read.samples.samples[0].forward, 25e-6);
  EXPECT_EQ(read.samples.series[0].device, "Tesla V100-DGXS-32GB");
}

TEST(ReadKineto, InstancesOfOneShapeAreOneMedian) {
  TraceText trace;
  for (const double time : {10.0, 500.0, 12.0}) {
    trace.op("aten::gelu", in("[[8, 2048, 4096], []]", R"(["c10::Half", ""])", R"(["", "tanh"])"));
    trace.kernel("GeluCUDAKernelImpl", time);
    trace.advance();
  }
  ReadText read = trace.read();
  ASSERT_EQ(read.samples.samples.size(), 1u);
  EXPECT_EQ(read.samples.samples[0][Extent::Bytes], 8.0 * 2048 * 4096 * 2);
  EXPECT_DOUBLE_EQ(read.samples.samples[0].forward, 12e-6);
}

TEST(ReadKineto, BackwardRunsOnAnotherThreadAndJoinsItsForward) {
  TraceText trace;
  trace.op("aten::layer_norm", in("[[4096, 1024], [], [1024]]", R"(["float", "ScalarList", "float"])"));
  trace.op("aten::native_layer_norm", in("[[4096, 1024], [], [1024]]", R"(["float", "ScalarList", "float"])"), 50);
  trace.kernel("vectorized_layer_norm_kernel", 7);
  trace.onThread(99);
  trace.op("autograd::engine::evaluate_function: NativeLayerNormBackward0", "");
  trace.op("NativeLayerNormBackward0", in("[[4096, 1024]]", R"(["float"])"), 90);
  trace.op("aten::native_layer_norm_backward", in("[[4096, 1024], [4096, 1024]]", R"(["float", "float"])"), 80);
  trace.kernel("layer_norm_grad_input_kernel", 9);
  trace.kernel("GammaBetaBackwardCUDAKernel", 5);
  ReadText read = trace.read();
  ASSERT_EQ(read.samples.samples.size(), 1u);
  const Sample& s = read.samples.samples[0];
  EXPECT_EQ(s.name, Symbol("layer_norm"));
  EXPECT_DOUBLE_EQ(s.forward, 7e-6);
  EXPECT_DOUBLE_EQ(s.backward, 14e-6);
}

TEST(ReadKineto, AttentionNeedsItsFlag) {
  const std::string dims = "[[2, 16, 4096, 128], [2, 4, 4096, 128], [2, 4, 4096, 128], [], [], []]";
  const std::string types = R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar", "Scalar"])";
  for (const auto& [values, count] : {std::pair(R"(["", "", "", "0.", "True", "False"])", 1u),
                                      std::pair(R"(["", "", "", "0.", "False", "False"])", 1u), std::pair("", 0u)}) {
    TraceText trace;
    trace.op("aten::scaled_dot_product_attention", in(dims, types));
    trace.op("aten::_scaled_dot_product_flash_attention", in(dims, types, values), 90);
    trace.op("aten::_flash_attention_forward", in(dims, types), 80);
    trace.kernel("pytorch_flash::flash_fwd_kernel", 300);
    ReadText read = trace.read();
    ASSERT_EQ(read.samples.samples.size(), count) << values;
    if (count == 0) {
      EXPECT_THAT(read.samples.notes.back(), HasSubstr("aten::_scaled_dot_product_flash_attention 100.0 %"));
      continue;
    }
    const Sample& s = read.samples.samples[0];
    EXPECT_EQ(s[Extent::Heads], 16);
    EXPECT_EQ(s[Extent::HeadDim], 128);
    EXPECT_EQ(s[Extent::KvSeq], 4096);
    EXPECT_EQ(s[Extent::Causal], std::string_view(values).find("True") != std::string_view::npos ? 1 : 0);
  }
}

TEST(ReadKineto, FlashAttnPackagePutsTheSequenceFirst) {
  TraceText trace;
  trace.op("flash_attn::_flash_attn_forward",
           in("[[2, 4096, 16, 64], [2, 4096, 16, 64], [2, 4096, 16, 64], [], [], []]",
              R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar", "Scalar"])",
              R"(["", "", "", "0.", "0.125", "True"])"));
  trace.kernel("flash_fwd_kernel", 100);
  ReadText read = trace.read();
  ASSERT_EQ(read.samples.samples.size(), 1u);
  EXPECT_EQ(read.samples.samples[0][Extent::Seq], 4096);
  EXPECT_EQ(read.samples.samples[0][Extent::Heads], 16);
}

TEST(ReadKineto, SumsOfOneShapeAreAddAndRowsAreBias) {
  TraceText trace;
  for (const std::string_view dims :
       {"[[64, 32], [64, 32], []]", "[[64, 32], [32], []]", "[[64, 32], [64, 1], []]", "[[64, 32], [], []]"}) {
    trace.op("aten::add", in(dims, R"(["c10::BFloat16", "c10::BFloat16", "Scalar"])"));
    trace.kernel("vectorized_elementwise_kernel", 5);
    trace.advance();
  }
  ReadText read = trace.read();
  ASSERT_EQ(read.samples.samples.size(), 2u);
  EXPECT_EQ(read.samples.samples[0].name, Symbol("add"));
  EXPECT_EQ(read.samples.samples[1].name, Symbol("bias"));
  EXPECT_THAT(read.samples.notes.back(), HasSubstr("aten::add 50.0 %")) << "the other two are counted";
}

TEST(ReadKineto, LookupsUpdatesAndGroupedProducts) {
  TraceText trace;
  trace.op("aten::embedding", in("[[50304, 1024], [4, 2048], [], [], []]",
                                 R"(["c10::BFloat16", "long int", "Scalar", "Scalar", "Scalar"])"));
  trace.op("aten::index_select", "", 50);
  trace.kernel("vectorized_gather_kernel", 11);
  trace.advance();
  trace.op("aten::_fused_adamw_",
           in("[[[1024, 1024], [1024]], [[1024, 1024], [1024]]]", R"(["TensorList", "TensorList"])"));
  trace.kernel("multi_tensor_apply_kernel", 13);
  trace.advance();
  trace.op("aten::_grouped_mm", in("[[8192, 2048], [16, 2048, 1408], [16], [], []]",
                                   R"(["c10::BFloat16", "c10::BFloat16", "int", "", ""])"));
  trace.kernel("cutlass_grouped", 17);
  ReadText read = trace.read();
  EXPECT_THAT(read.found(), IsEmpty());
  ASSERT_EQ(read.samples.samples.size(), 3u);
  EXPECT_EQ(read.samples.samples[0].kind, Kind::GroupedGemm);
  EXPECT_EQ(read.samples.samples[0][Extent::M], 512) << "tokens per expert";
  EXPECT_EQ(read.samples.samples[0][Extent::Batch], 16);
  EXPECT_EQ(read.samples.samples[1][Extent::Bytes], 4.0 * 2048 * 1024 * 2);
  EXPECT_EQ(read.samples.samples[2][Extent::Params], 1024.0 * 1024 + 1024);
}

/// Two all-gathers over 16 ranks; the first waited for its peers.
TEST(ReadKineto, CollectivesByTheirMessage) {
  const std::string message =
      R"("Collective name": "_allgather_base", "In msg nelems": 1048576, "Out msg nelems": 16777216, )"
      R"("Group size": 16, "dtype": "BFloat16", "Process Group Ranks": "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]")";
  TraceText trace;
  trace.devices = "[";
  for (int i = 0; i < 8; ++i) trace.devices += fmt::format("{}{{\"id\": {}, \"name\": \"H100\"}}", i ? "," : "", i);
  trace.devices += "]";
  trace.op("aten::mm", in("[[64, 64], [64, 64]]", kTwo));
  trace.advance();
  trace.op("nccl:_all_gather_base", in("[[1048576]]", R"(["c10::BFloat16"])"));
  trace.op("record_param_comms", message, 50);
  trace.kernel("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 900);
  trace.advance();
  trace.kernel("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 400, message, false);
  ReadText read = trace.read();
  ASSERT_EQ(read.samples.samples.size(), 1u);
  const Sample& s = read.samples.samples[0];
  EXPECT_EQ(s.name, Symbol("all_gather"));
  EXPECT_EQ(s[Extent::Bytes], 2.0 * 16777216);
  EXPECT_EQ(s[Extent::Ranks], 16);
  EXPECT_EQ(s[Extent::Nodes], 2);
  EXPECT_DOUBLE_EQ(s.forward, 400e-6) << "the one that waited least";
}

/// PyTorch notes messages whether shapes were recorded or not.
TEST(ReadKineto, MessagesWithoutShapesPLAN1067) {
  TraceText trace;
  trace.op("aten::mm", "");
  trace.kernel("gemm", 100);
  trace.advance();
  trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 300,
               R"("Collective name": "allreduce", "In msg nelems": 1048576, "Out msg nelems": 1048576, )"
               R"("Group size": 4, "dtype": "Float")",
               false);
  const ReadText read = trace.read();
  EXPECT_THAT(read.found(), ElementsAre("PLAN1067 at 5"));
  EXPECT_THAT(read.diagnostics.sorted().at(0)->message, HasSubstr("only its collectives are read, 75 %"));
  ASSERT_EQ(read.samples.samples.size(), 1u);
  EXPECT_EQ(read.samples.samples[0].name, Symbol("all_reduce"));
  EXPECT_EQ(read.samples.samples[0][Extent::Bytes], 4.0 * 1048576);
  EXPECT_EQ(read.samples.samples[0][Extent::Ranks], 4);
}

TEST(ReadKineto, NodesOfListsThatWereCut) {
  for (const auto& [ranks, nodes] : {std::pair("[0, 1, 2, ..., 63]", 8), std::pair("[0, 8, 16, ..., 504]", 64),
                                     std::pair("[0, 4, 8, ..., 252]", 32)}) {
    TraceText trace;
    trace.devices = "[" + std::string(R"({"name": "H100"})");
    for (int i = 1; i < 8; ++i) trace.devices += R"(, {"name": "H100"})";
    trace.devices += "]";
    trace.op("aten::mm", in("[[64, 64], [64, 64]]", kTwo));
    trace.advance();
    trace.kernel(
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 100,
        fmt::format(
            R"("Collective name": "allreduce", "In msg nelems": 64, "Out msg nelems": 64, "Group size": 64, "dtype": "BFloat16", )"
            R"("Process Group Ranks": "{}")",
            ranks),
        false);
    ReadText read = trace.read();
    ASSERT_EQ(read.samples.samples.size(), 1u);
    EXPECT_EQ(read.samples.samples[0][Extent::Nodes], nodes) << ranks;
  }
}

TEST(ReadKineto, WhatIsLeftIsSaidByShareOfTime) {
  TraceText trace;
  trace.op("aten::mm", in("[[4096, 1024], [1024, 3072]]", kTwo));
  trace.kernel("gemm", 170);
  trace.advance();
  trace.op("aten::copy_", in("[[4096], [4096]]", kTwo));
  trace.kernel("direct_copy_kernel", 20);
  trace.advance();
  trace.kernel("triton_poi_fused_0", 10, "", false);
  ReadText read = trace.read();
  EXPECT_THAT(read.found(), IsEmpty());
  EXPECT_THAT(read.samples.notes, ElementsAre(AllOf(HasSubstr("3 kernels of 0.2 ms in 1 samples"), HasSubstr("15.0 %"),
                                                    HasSubstr("aten::copy_ 10.0 %, triton_poi_fused_0 5.0 %"))));
  trace.advance();
  trace.op("aten::copy_", in("[[4096], [4096]]", kTwo));
  trace.kernel("direct_copy_kernel", 40);
  EXPECT_THAT(trace.read().found(), ElementsAre("PLAN1053 at 5"));
}

TEST(ReadKineto, SaysHowToProfile) {
  TraceText noShapes;
  noShapes.op("aten::mm", "");
  noShapes.kernel("gemm", 70);
  EXPECT_THAT(noShapes.read().found(), ElementsAre("PLAN1052 at 5"));
  TraceText noKernels;
  noKernels.op("aten::mm", in("[[64, 64], [64, 64]]", kTwo));
  EXPECT_THAT(noKernels.read().found(), ElementsAre("PLAN1051 at 5"));
  const std::string whole = noShapes.text();
  ReadText cut(whole.substr(0, whole.size() - 60), "trace.json");
  EXPECT_THAT(cut.found(), ElementsAre(HasSubstr("PLAN1050")));
  const auto why = [](const ReadText& read) { return read.diagnostics.sorted().at(0)->message; };
  EXPECT_THAT(why(cut), HasSubstr("it ends in the middle"));
  EXPECT_THAT(why(ReadText(R"({"traceEvents": [{"ph": "X)", "trace.json")), HasSubstr("it ends in the middle"));
  EXPECT_THAT(why(ReadText("{\"traceEvents\": [\"\xff\"]}", "trace.json")), HasSubstr("not UTF-8"));
  EXPECT_THAT(why(ReadText(R"({"traceEvents": [{"ph": "X"}}, 5]})", "trace.json")),
              AllOf(HasSubstr("not JSON: unexpected '}'"), Not(HasSubstr("json.exception"))));
}

/// Any bytes end with samples or diagnostics.
TEST(ReadKineto, SurvivesGarbage) {
  TraceText trace;
  trace.op("aten::addmm", in("[[64], [64, 32], [32, 64]]", R"(["float", "float", "float"])"));
  trace.kernel("gemm", 3);
  const std::string whole = trace.text();
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    std::string text = whole;
    for (int changes = 0; changes < round % 12; ++changes) {
      const size_t at = whole.find("traceEvents") + 14 + random() % (whole.size() - whole.find("traceEvents") - 14);
      text[at] = "0123456789[]{}\",:-xe."[random() % 21];
    }
    ReadText read(text, "trace.json");
    for (const Sample& s : read.samples.samples) EXPECT_GT(s.forward + s.backward, 0);
  }
}

} // namespace
