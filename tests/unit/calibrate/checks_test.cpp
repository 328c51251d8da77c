// Every check finds the defect that it is for, says so once, and is silent about samples that are right.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/calibrate/Made.h"

#include <gmock/gmock.h>

using namespace planc;
using namespace planc::calibrate;
using namespace planc::test;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

namespace {

/// `count` sizes from 300 MB on, with a time by size.
void sweep(Made& made, Kind kind, std::string_view name, int count, const std::function<double(double, int)>& forward,
           const std::function<double(double, int)>& backward = {}, double ranks = 0, double nodes = 0) {
  const uint32_t series = made.series(std::string(name), {"bytes"});
  for (int i = 0; i < count; ++i) {
    const double bytes = 300e6 * (1 + 0.05 * i);
    made.add(series, kind, name, {{Extent::Bytes, bytes}, {Extent::Ranks, ranks}, {Extent::Nodes, nodes}},
             forward(bytes, i), backward ? backward(bytes, i) : 0)
        .at = {bytes};
  }
}
double honest(double bytes, int) {
  return 3.5 * bytes / 1e12 + 4e-6;
}

TEST(Checks, AreSilentAboutHonestSamples) {
  Made made;
  sweep(made, Kind::Memory, "add", 40, honest, [](double b, int i) { return 2 * honest(b, i); });
  sweep(
      made, Kind::Collective, "all_reduce", 40, [](double b, int) { return 1.75 * b / 80e9; }, {}, 8, 1);
  const Calibration c = made.run();
  EXPECT_THAT(made.codes(), IsEmpty());
  EXPECT_EQ(c.excluded, 0u);
}

TEST(Checks, FasterThanTheMemoryAllowsPLAN1020) {
  Made made;
  sweep(made, Kind::Memory, "add", 40, [](double b, int i) { return i == 7 ? b / 1e12 : honest(b, i); });
  const Calibration c = made.run();
  EXPECT_THAT(made.codes(), ElementsAre("PLAN1020"));
  EXPECT_EQ(c.excluded, 1u);
  EXPECT_EQ(quality(c, "add").samples, 39u);
}

TEST(Checks, FasterThanPeakPLAN1020) {
  Made made;
  const uint32_t series = made.series("linear");
  for (double m = 1024; m < 20480; m += 1024)
    made.add(series, Kind::Gemm, "linear", {{Extent::M, m}, {Extent::N, 8192}, {Extent::K, 8192}},
             2 * m * 8192 * 8192 / 150e12);
  const Calibration c = made.run();
  EXPECT_THAT(made.codes(), ElementsAre("PLAN1020"));
  EXPECT_THAT(c.qualities, IsEmpty()) << "all of them: none is fitted";
}

TEST(Checks, AGroupThatDoesNotFillItsUnitsPLAN0828) {
  Made made;
  sweep(
      made, Kind::Collective, "all_reduce", 40, [](double b, int) { return 1.75 * b / 80e9; }, {}, 8, 1);
  for (size_t i = 0; i < 3; ++i) made.samples.samples[i].uneven = true;
  const Calibration c = made.run();
  EXPECT_THAT(made.codes(), ElementsAre("PLAN0828"));
  EXPECT_EQ(c.excluded, 3u);
}

TEST(Checks, FasterThanTheLinkPLAN1020) {
  Made made;
  sweep(
      made, Kind::Collective, "all_gather", 40, [](double b, int i) { return b / (i < 2 ? 400e9 : 80e9); }, {}, 8, 1);
  made.run();
  EXPECT_THAT(made.codes(), ElementsAre("PLAN1020"));
}

/// A tree over two nodes sends every byte over their cards once where a ring of all ranks sends nearly two: between the
/// two bounds samples are believed. Four cards of 10 GB/s serve a node.
TEST(Checks, TwoNodesMayReduceAlongATree) {
  const auto found = [](double seconds, double nodes) {
    Made made;
    sweep(
        made, Kind::Collective, "all_reduce", 40, [=](double b, int) { return seconds * b; }, {}, 4 * nodes, nodes);
    made.run();
    return made.codes();
  };
  EXPECT_THAT(found(1.05 / 40e9, 2), IsEmpty()) << "a ring of eight takes 1.75 / 40e9, less a fifth";
  EXPECT_THAT(found(0.75 / 40e9, 2), ElementsAre("PLAN1020"));
  EXPECT_THAT(found(1.05 / 40e9, 8), ElementsAre("PLAN1020")) << "trees over eight nodes send 1.75";
}

TEST(Checks, BackwardFasterThanForwardPLAN1021) {
  Made made;
  const uint32_t series = made.series("flash");
  for (double seq = 1024; seq < 9000; seq += 512) {
    const double time = 2 * 16 * seq * seq * 128 / 50e12;
    made.add(series, Kind::Attention, "attention",
             {{Extent::Batch, 1}, {Extent::Heads, 16}, {Extent::Seq, seq}, {Extent::HeadDim, 128}, {Extent::Causal, 1}},
             time, 0.6 * time);
  }
  const Calibration c = made.run();
  EXPECT_THAT(made.codes(), ElementsAre("PLAN1021"));
  EXPECT_THROW(fact(c, "calibration.attention.backward"), std::out_of_range) << "backward is not fitted";
  EXPECT_NO_THROW(fact(c, "calibration.attention.forward"));
}

/// The library's kernel of the made part reaches 60 TFLOP/s, at half of it for heads of 64.
TEST(Checks, AttentionFarBelowTheLibrarysPLAN1068) {
  const auto found = [](double rate, double head, ir::DType type) {
    Made made;
    made.part.device.set(ir::DeviceFact::AttentionForward, {60e12, {}, "", {}, {{512, 65536}, {60e12, 60e12}}});
    made.part.device.set(ir::DeviceFact::AttentionHead, {1, {}, "", {}, {{64, 128}, {0.5, 1}}});
    const uint32_t series = made.series("flash");
    for (double seq = 1024; seq < 9000; seq += 512)
      made.add(series, Kind::Attention, "attention",
               {{Extent::Batch, 1}, {Extent::Heads, 16}, {Extent::Seq, seq}, {Extent::HeadDim, head}},
               4 * 16 * seq * seq * head / rate)
          .dtype = type;
    made.run();
    return made.codes();
  };
  EXPECT_THAT(found(20e12, 128, ir::DType::bf16), IsEmpty());
  EXPECT_THAT(found(14e12, 128, ir::DType::bf16), ElementsAre("PLAN1068"));
  EXPECT_THAT(found(14e12, 64, ir::DType::bf16), IsEmpty()) << "narrow heads are slower in the library, too";
  EXPECT_THAT(found(7e12, 64, ir::DType::bf16), ElementsAre("PLAN1068"));
  EXPECT_THAT(found(7e12, 128, ir::DType::fp32), IsEmpty()) << "the curve is of 16-bit operands";
}

TEST(Checks, ATimeThatDoesNotMovePLAN1022) {
  Made made;
  sweep(
      made, Kind::Collective, "all_gather", 40, [](double b, int i) { return i < 10 ? b / 8e9 : 117e-6; }, {}, 8, 8);
  const Calibration c = made.run();
  EXPECT_THAT(made.codes(), Contains("PLAN1022"));
  EXPECT_EQ(c.excluded, 40u) << "the rest was measured with the same clock";
}

TEST(Checks, SmallMessagesMayTakeAsLongAsEachOther) {
  Made made;
  const uint32_t series = made.series("all_reduce");
  for (double bytes = 512; bytes < 1e9; bytes *= 1.5)
    made.add(series, Kind::Collective, "all_reduce", {{Extent::Bytes, bytes}, {Extent::Ranks, 8}},
             20e-6 + 1.75 * bytes / 80e9);
  made.run();
  EXPECT_THAT(made.codes(), IsEmpty());
}

TEST(Checks, OneValueWhereOthersVaryPLAN1023) {
  Made made;
  for (const char* label : {"linear1", "linear2"}) {
    const uint32_t series = made.series(label, {"mp", "m"});
    for (double mp : {1, 2, 4})
      for (double m = 1024; m < 9000; m += 512) {
        if (label == std::string("linear2") && mp > 1) continue;
        made.add(series, Kind::Gemm, "linear", {{Extent::M, m}, {Extent::N, 8192 / mp}, {Extent::K, 8192}},
                 2 * m * 8192 * 8192 / mp / 70e12)
            .at = {mp, m};
      }
  }
  made.run();
  ASSERT_THAT(made.codes(), ElementsAre("PLAN1023"));
  EXPECT_NE(made.diagnostics.sorted()[0]->message.find("`linear2`"), std::string::npos);
  EXPECT_NE(made.diagnostics.sorted()[0]->message.find("mp = 1 only"), std::string::npos);
}

TEST(Checks, ASlowNetworkPLAN1024) {
  Made made;
  sweep(
      made, Kind::Collective, "all_reduce", 40, [](double b, int) { return b / 1.2e9; }, {}, 2, 2);
  const Calibration c = made.run();
  EXPECT_THAT(made.codes(), ElementsAre("PLAN1024"));
  EXPECT_EQ(c.excluded, 0u) << "it may be what there is";
}

TEST(Checks, AnotherUnitPLAN1025) {
  Made made;
  sweep(made, Kind::Memory, "add", 40, [](double b, int i) { return 1000 * honest(b, i); });
  made.run();
  EXPECT_THAT(made.codes(), ElementsAre("PLAN1025"));
}

TEST(Checks, WildRepeatsPLAN1026) {
  Made made;
  const uint32_t series = made.series("add");
  for (int i = 0; i < 40; ++i) {
    const double bytes = 300e6 * (1 + i / 2);
    made.add(series, Kind::Memory, "add", {{Extent::Bytes, bytes}}, honest(bytes, 0) * (i == 11 ? 3 : 1));
  }
  made.run();
  EXPECT_THAT(made.codes(), ElementsAre("PLAN1026"));
}

TEST(Checks, BackwardThatIsForwardsCopyPLAN1027) {
  Made made;
  sweep(made, Kind::Memory, "add", 40, honest, honest);
  const Calibration c = made.run();
  EXPECT_THAT(made.codes(), ElementsAre("PLAN1027"));
  EXPECT_EQ(quality(c, "add").samples, 40u);
  EXPECT_THROW(quality(c, "add", Direction::Backward), std::out_of_range);
}

TEST(Checks, LargerAndFasterPLAN1028) {
  Made made;
  sweep(made, Kind::Memory, "masked_fill", 90, [](double b, int i) { return i < 70 ? 8 * b / 1e12 : 3 * b / 1e12; });
  const Calibration c = made.run();
  EXPECT_THAT(made.codes(), ElementsAre("PLAN1028"));
  EXPECT_EQ(quality(c, "masked_fill").samples, 70u);
}

TEST(Checks, NeighboursThatHaveNothingInCommonPLAN1029) {
  Made made;
  sweep(
      made, Kind::Collective, "all_gather", 60,
      [](double b, int i) { return b / 8e9 * (i > 47 ? 1 + (i * 7) % 5 : 1); }, {}, 8, 1);
  const Calibration c = made.run();
  EXPECT_THAT(made.codes(), ElementsAre("PLAN1029"));
  EXPECT_LT(quality(c, "all_gather of 8").median, 0.02);
}

TEST(Checks, AFitThatMissesPLAN1030) {
  Made made;
  const uint32_t series = made.series("linear");
  for (int i = 0; i < 60; ++i) // the same FLOPs, half of them five times as slow
    made.add(series, Kind::Gemm, "linear", {{Extent::M, 2048.0 + i}, {Extent::N, 2048}, {Extent::K, 2048}},
             i % 2 ? 250e-6 : 1250e-6);
  made.run();
  EXPECT_THAT(made.codes(), ElementsAre("PLAN1030"));
}

} // namespace
