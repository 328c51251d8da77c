// Constants that samples were made with come back out of them, through noise of 5 % and a tenth of wild points.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Equations.h"
#include "calibrate/write/Library.h"
#include "calibrate/write/Report.h"
#include "ir/program/States.h"
#include "tests/unit/calibrate/Made.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace planc;
using namespace planc::calibrate;
using namespace planc::test;
namespace eq = planc::cost::equations;

namespace {

/// Within a share of the expected value.
MATCHER_P2(NearTo, expected, share, "") {
  return std::fabs(arg / expected - 1) <= share;
}

TEST(Fit, ProductsGiveEfficiencyMemoryEfficiencyStartAndRatio) {
  Made made;
  const uint32_t series = made.series("linear");
  auto time = [&](double m, double n, double k) {
    const eq::Product p{1, m, n, k, 2};
    return eq::roofline(eq::flops(p), 0.8 * 100e12, eq::bytes(p), 0.7 * 1e12, 10e-6);
  };
  for (double m : {64, 256, 1024, 4096, 16384})
    for (double n : {256, 1024, 4096, 8192})
      for (double k : {256, 1024, 4096, 8192})
        made.add(series, Kind::Gemm, "linear", {{Extent::M, m}, {Extent::N, n}, {Extent::K, k}},
                 made.noisy(time(m, n, k)), made.noisy(1.9 / 2 * (time(m, k, n) + time(k, n, m))));
  const Calibration c = made.run();
  EXPECT_THAT(fact(c, "calibration.gemm.bf16.efficiency").number, NearTo(0.8, 0.02));
  EXPECT_THAT(fact(c, "calibration.gemm.bf16.memory_efficiency").number, NearTo(0.7, 0.05));
  EXPECT_THAT(fact(c, "calibration.gemm.bf16.start").number, NearTo(10e-6, 0.10));
  EXPECT_THAT(fact(c, "backward_ratio").number, NearTo(1.9, 0.03));
  const Quality& q = quality(c, "gemm bf16");
  EXPECT_EQ(q.form, Form::Closed);
  EXPECT_EQ(q.samples, 80u);
  EXPECT_LT(q.median, 0.06) << "the noise itself";
  EXPECT_DOUBLE_EQ(q.low, 2 * 64 * 256 * 256.0);
  EXPECT_GE(q.outliers.size(), 6u) << "of eight wild points";
  for (const Outlier& o : q.outliers) EXPECT_GT(o.measured, 1.4 * o.predicted);
}

TEST(Fit, NoMemoryBoundProductLeavesTheLibrarysMemoryEfficiency) {
  Made made;
  made.part.device.set(ir::DeviceFact::GemmMemoryEfficiency, ir::DType::bf16, {0.81, {}, ""});
  const uint32_t series = made.series("linear");
  for (double m = 4096; m <= 32768; m += 1024)
    made.add(series, Kind::Gemm, "linear", {{Extent::M, m}, {Extent::N, 8192}, {Extent::K, 8192}},
             2 * m * 8192 * 8192 / 70e12 + 5e-6);
  const Calibration c = made.run();
  EXPECT_DOUBLE_EQ(fact(c, "calibration.gemm.bf16.memory_efficiency").number, 0.81);
  EXPECT_THAT(fact(c, "calibration.gemm.bf16.efficiency").number, NearTo(0.7, 0.01));
}

/// Of one shape nothing can be left out: its fit is exact, which says nothing of other sizes.
TEST(Fit, OneShapeHasNoHeldOutError) {
  for (const size_t shapes : {1, 2}) {
    Made made;
    const uint32_t series = made.series("all_reduce");
    for (size_t i = 0; i < shapes; ++i)
      made.add(series, Kind::Collective, "all_reduce",
               {{Extent::Bytes, 1e9 * static_cast<double>(1 + i)}, {Extent::Ranks, 8}},
               20e-3 * static_cast<double>(1 + i));
    const Calibration c = made.run();
    EXPECT_EQ(quality(c, "all_reduce of 8").heldOut(), shapes > 1);
    ASSERT_EQ(c.sections.size(), 1u);
    EXPECT_EQ(c.sections[0].heldOut, shapes > 1);
    EXPECT_EQ(c.sections[0].source.find("no held-out error: one shape") != std::string::npos, shapes == 1);
    const std::string written = libraryText({c}, {});
    EXPECT_EQ(written.find("error = ") == std::string::npos, shapes == 1) << written;
    const std::string report = reportText({c}, made.samples, made.sources);
    EXPECT_EQ(report.find("extrapolated: all_reduce of 8") != std::string::npos, shapes == 1) << report;
  }
}

/// 300,000 passes over memory are no fact of a stack: what is written can always be read.
TEST(Fit, AValueThatNoFactCanHaveIsNotWritten) {
  Made made;
  const uint32_t add = made.series("add"), norm = made.series("norm");
  for (double bytes = 4e6; bytes < 1e8; bytes *= 1.5) {
    made.add(add, Kind::Memory, "add", {{Extent::Bytes, bytes}}, eq::moved(3 * bytes, 0.8e12, 4e-6));
    made.add(norm, Kind::Memory, "norm", {{Extent::Bytes, bytes}}, eq::moved(3e5 * bytes, 0.8e12, 4e-6));
  }
  Calibration c = made.run();
  EXPECT_GT(fact(c, "passes.norm.forward").number, 1e5);
  dropImpossible(c);
  for (const Section& s : c.sections) EXPECT_NE(s.path(), "passes.norm");
  EXPECT_THAT(fact(c, "passes.add.forward").number, NearTo(3.0, 0.01));
  EXPECT_THAT(c.notes, testing::Contains(testing::HasSubstr("`passes.norm` is not written: `passes.norm.forward` would "
                                                            "be")));
}

/// Of a type that the part has no peak for nothing is fitted, and a note says so.
TEST(Fit, ProductsOfATypeThatThePartLacksAreNoted) {
  Made made;
  const uint32_t series = made.series("linear"), grouped = made.series("grouped_linear");
  for (double m = 1024; m <= 16384; m *= 2)
    for (const ir::DType type : {ir::DType::bf16, ir::DType::fp8}) {
      const double seconds = 2 * m * 8192 * 8192 / 70e12;
      made.add(series, Kind::Gemm, "linear", {{Extent::M, m}, {Extent::N, 8192}, {Extent::K, 8192}}, seconds).dtype =
          type;
      made.add(grouped, Kind::GroupedGemm, "grouped_linear",
               {{Extent::Batch, 8}, {Extent::M, m}, {Extent::N, 8192}, {Extent::K, 8192}}, 8 * seconds)
          .dtype = type;
    }
  const Calibration c = made.run();
  ASSERT_EQ(c.notes.size(), 1u);
  EXPECT_EQ(c.notes[0], "samples of products in `fp8` that are not fitted, since `made` has no peak of this type: 10");
  for (const Quality& q : c.qualities) EXPECT_EQ(q.samples, 5u) << q.subject;
  EXPECT_EQ(c.samples, 10u);
}

TEST(Fit, ATableTakesThePlaceOfAClosedFormThatMisses) {
  Made made;
  const uint32_t series = made.series("linear");
  auto efficiency = [](double flops) { return 0.1 * std::pow(flops / 1e9, 0.25); }; // 10 % at 1 GFLOP, 56 % at 1 TFLOP
  for (double m = 512; m <= 65536; m *= 1.1) {
    const double flops = 2 * m * 1024 * 4096;
    made.add(series, Kind::Gemm, "linear", {{Extent::M, m}, {Extent::N, 1024}, {Extent::K, 4096}},
             flops / (100e12 * efficiency(flops)));
  }
  const Calibration c = made.run();
  const Quality& q = quality(c, "gemm bf16");
  EXPECT_EQ(q.form, Form::Table);
  EXPECT_GT(q.closedMedian, kTolerance);
  EXPECT_LT(q.median, 0.03);
  const ir::Table& table = fact(c, "calibration.gemm.bf16.efficiency").table;
  double last = 0; // the time never falls
  for (size_t i = 0; i < table.x.size(); ++i) {
    EXPECT_GE(table.x[i] / table.y[i], last);
    last = table.x[i] / table.y[i];
  }
}

TEST(Fit, PassesAreCountedAtTheRateOfAKernelWithKnownTraffic) {
  Made made;
  const uint32_t add = made.series("add"), norm = made.series("norm");
  for (double bytes = 4e6; bytes < 2e9; bytes *= 1.15) {
    made.add(add, Kind::Memory, "add", {{Extent::Bytes, bytes}}, made.noisy(eq::moved(3 * bytes, 0.8e12, 4e-6)));
    made.add(norm, Kind::Memory, "layer_norm", {{Extent::Bytes, bytes}},
             made.noisy(eq::moved(3.6 * bytes, 0.8e12, 4e-6)), made.noisy(eq::moved(8 * bytes, 0.8e12, 4e-6)));
  }
  const Calibration c = made.run();
  EXPECT_THAT(fact(c, "calibration.memory.efficiency").number, NearTo(0.8, 0.03));
  EXPECT_THAT(fact(c, "passes.layer_norm.forward").number, NearTo(3.6, 0.05));
  EXPECT_THAT(fact(c, "passes.layer_norm.backward").number, NearTo(8.0, 0.05));
}

TEST(Fit, ManySmallKernelsBecomeATableOfPasses) {
  Made made;
  const uint32_t add = made.series("add"), rope = made.series("rope");
  for (double bytes = 4e6; bytes < 2e9; bytes *= 1.15) {
    made.add(add, Kind::Memory, "add", {{Extent::Bytes, bytes}}, eq::moved(3 * bytes, 0.8e12, 4e-6));
    made.add(rope, Kind::Memory, "rope", {{Extent::Bytes, bytes}}, eq::moved(10 * bytes, 0.8e12, 300e-6));
  }
  const Calibration c = made.run();
  EXPECT_EQ(quality(c, "rope").form, Form::Table);
  EXPECT_LT(quality(c, "rope").median, 0.02);
  const ir::Table& table = fact(c, "passes.rope.forward").table;
  EXPECT_GT(table.y.front(), 3 * table.y.back());
}

TEST(Fit, PassesThatFollowTheRowAreATableByIt) {
  Made made;
  const uint32_t add = made.series("add"), softmax = made.series("softmax");
  auto passes = [](double row) { return row <= 1024 ? 3. : 12. * 2048 / row; }; // in registers, or block by block
  for (double rows = 4096; rows < 4e5; rows *= 1.3)
    for (const double row : {1024., 2048., 3072., 4096.}) {
      const double bytes = 2 * rows * row;
      made.add(add, Kind::Memory, "add", {{Extent::Bytes, bytes}}, eq::moved(3 * bytes, 0.8e12, 4e-6));
      made.add(softmax, Kind::Memory, "softmax", {{Extent::Bytes, bytes}, {Extent::Row, row}},
               made.noisy(eq::moved(passes(row) * bytes, 0.8e12, 4e-6)));
    }
  const Calibration c = made.run();
  EXPECT_EQ(quality(c, "softmax").form, Form::Factors);
  EXPECT_GT(quality(c, "softmax").closedMedian, 0.25);
  EXPECT_LT(quality(c, "softmax").median, 0.05);
  const double longest = fact(c, "passes.softmax.forward").number;
  const ir::Table& rows = fact(c, "passes.softmax.forward_row").table;
  EXPECT_EQ(rows.y.back(), 1);
  for (const double row : {1024., 2048., 3072., 4096.}) EXPECT_THAT(longest * rows.at(row), NearTo(passes(row), 0.05));
}

TEST(Fit, OptimizersOfManyTensorsHaveATimeForEach) {
  Made made;
  const uint32_t adam = made.series("adam");
  for (double tensors = 28; tensors < 1000; tensors *= 1.4)
    for (double params = 3e7; params < 3e9; params *= 1.9)
      made.add(adam, Kind::Optimizer, "adam", {{Extent::Params, params}, {Extent::Tensors, tensors}},
               made.noisy(eq::moved(100 * params, 0.85e12, 200e-6 * tensors)));
  const Calibration c = made.run();
  EXPECT_EQ(quality(c, "adam").form, Form::Closed);
  EXPECT_THAT(fact(c, "optimizer.adam").number, NearTo(100.0, 0.04));
  EXPECT_THAT(fact(c, "optimizer_tensor.adam").number, NearTo(200e-6, 0.04));
}

/// A stack's bytes are those with fp32 states: what a price takes off for narrower ones is added to their samples, so
/// that both types are one fit, and a plan with such states is priced at what was measured.
TEST(Fit, AnUpdateOfNarrowStatesIsWrittenAsOneOfWideStates) {
  ir::Optimizer adam;
  adam.name = Symbol("adam");
  adam.states = 2;
  EXPECT_EQ(ir::narrowUpdateBytes(adam, ir::DType::bf16), 2 * (2 * 2 + 4)) << "two states, and no master copy";
  EXPECT_EQ(ir::narrowUpdateBytes(adam, ir::DType::fp32), 0);
  for (const bool known : {true, false}) {
    Made made;
    const uint32_t series = made.series("adam");
    for (double params = 3e7; params < 3e9; params *= 1.9)
      for (const ir::DType type : {ir::DType::bf16, ir::DType::fp32})
        if (known || type == ir::DType::bf16)
          made.add(series, Kind::Optimizer, "adam", {{Extent::Params, params}},
                   eq::moved((type == ir::DType::bf16 ? 22 : 38) * params, 0.85e12, 0))
              .dtype = type;
    const ir::Optimizer of[] = {adam};
    const Calibration c =
        calibrate::calibrate(made.samples, "", made.part, made.sources, made.diagnostics,
                             known ? std::span<const ir::Optimizer>(of) : std::span<const ir::Optimizer>());
    EXPECT_THAT(fact(c, "optimizer.adam").number, NearTo(known ? 38. : 22., 0.01));
    EXPECT_LT(quality(c, "adam").median, 0.01);
    EXPECT_EQ(c.sections.at(0).source.find("with fp32 states and a master copy 16 B more") != std::string::npos, known);
  }
}

TEST(Fit, ScoresMayFollowTheirSizeBesideTheHead) {
  Made made;
  const uint32_t series = made.series("scores");
  auto share = [](double head, double bytes) { return 0.6 * std::pow(head / 64, -0.7) * (bytes < 1e8 ? 0.6 : 1); };
  for (const double head : {64., 96., 128., 192.})
    for (double seq = 1024; seq <= 4096; seq += 512)
      for (const double heads : {2., 4., 8., 16., 32., 64.}) {
        const double bytes = 2 * heads * seq * seq;
        made.add(series, Kind::Scores, "scores",
                 {{Extent::Batch, 1}, {Extent::Heads, heads}, {Extent::Seq, seq}, {Extent::HeadDim, head}},
                 bytes / (1e12 * share(head, bytes)));
      }
  const Calibration c = made.run();
  EXPECT_EQ(quality(c, "scores").form, Form::Factors);
  EXPECT_LT(quality(c, "scores").median, 0.06);
  const ir::Table& heads = fact(c, "calibration.scores.memory_efficiency").table;
  const ir::Table& size = fact(c, "calibration.scores.size").table;
  EXPECT_NEAR(size.y.back(), 1, 1e-4); // at the largest the table by head alone
  EXPECT_THAT(heads.at(128), NearTo(share(128, 1e9), 0.05));
  EXPECT_THAT(size.at(2e7), NearTo(0.6, 0.08));
}

/// 100 W of the 200 that full clocks draw lower them to 79 %: a profile whose products run at 80 % of the peak, where
/// the library has 80 % at full clocks, was too short. One at 63 % holds them already.
TEST(Fit, AShortProfileKeepsTheEnergyOfProducts) {
  for (const double reached : {0.8, 0.63}) {
    Made made;
    made.part.device.set(ir::DeviceFact::Power, {100, {}, ""});
    made.part.device.set(ir::DeviceFact::GemmEnergy, ir::DType::bf16, {2e-12, {}, ""});
    made.part.device.set(ir::DeviceFact::GemmEfficiency, ir::DType::bf16, {0.8, {}, ""});
    const uint32_t series = made.series("linear");
    made.samples.series[series].sustained = made.samples.series[series].profiled = true;
    for (double m = 2048; m < 20480; m += 1024)
      made.add(series, Kind::Gemm, "linear", {{Extent::M, m}, {Extent::N, 8192}, {Extent::K, 8192}},
               2 * m * 8192 * 8192 / (reached * 100e12));
    const Calibration c = made.run();
    ASSERT_EQ(c.sections.size(), 1u);
    EXPECT_EQ(c.sections[0].holds("calibration.gemm.bf16.energy"), reached < 0.7);
    EXPECT_EQ(c.notes.empty(), reached < 0.7);
  }
}

TEST(Fit, AttentionIsARateBySequenceTimesAFactorByHead) {
  Made made;
  const uint32_t series = made.series("attention");
  auto rate = [](double seq, double head) { return 40e12 * std::pow(seq / 1024, 0.2) * (head == 64 ? 0.7 : 1.0); };
  for (double seq : {1024, 2048, 4096, 8192})
    for (double head : {64, 128})
      for (double heads : {8, 16, 24, 32, 48, 64}) {
        const double flops = 4 * heads * seq * seq * head / 2, time = flops / rate(seq, head);
        made.add(series, Kind::Attention, "attention",
                 {{Extent::Batch, 1},
                  {Extent::Heads, heads},
                  {Extent::Seq, seq},
                  {Extent::HeadDim, head},
                  {Extent::Causal, 1}},
                 made.noisy(time), made.noisy(2.5 * time));
      }
  const Calibration c = made.run();
  const ir::Table& forward = fact(c, "calibration.attention.forward").table;
  const ir::Table& head = fact(c, "calibration.attention.head").table;
  EXPECT_THAT(forward.at(4096), NearTo(rate(4096, 128), 0.05));
  EXPECT_THAT(head.at(64), NearTo(0.7, 0.05));
  EXPECT_THAT(head.at(128), NearTo(1.0, 1e-6));
  EXPECT_THAT(fact(c, "calibration.attention.backward").number, NearTo(2.5, 0.04));
}

/// One head dimension, as a trace has it: the samples alone say the rate, the library what other heads lose.
TEST(Fit, AttentionOfOneNarrowHeadKeepsTheLibrarysLoss) {
  for (const double loss : {1.0, 0.8}) {
    Made made;
    if (loss < 1) made.part.device.set(ir::DeviceFact::AttentionHead, {1, {}, "", {}, {{64, 128}, {loss, 1}}});
    const double time = 2.0 * 16 * 4096 * 4096 * 64 / 40e12;
    made.add(made.series("attention"), Kind::Attention, "attention",
             {{Extent::Batch, 1}, {Extent::Heads, 16}, {Extent::Seq, 4096}, {Extent::HeadDim, 64}, {Extent::Causal, 1}},
             time, 3 * time);
    const Calibration c = made.run();
    EXPECT_THAT(fact(c, "calibration.attention.forward").table.at(4096), NearTo(40e12 / loss, 1e-4));
    EXPECT_THAT(fact(c, "calibration.attention.backward").number, NearTo(3, 1e-4));
    EXPECT_THAT(quality(c, "attention").constants, testing::HasSubstr("40 TFLOP/s at 64 per head"));
  }
}

/// A few large messages: two constants where a third one predicts no better, and a start that is not lost.
TEST(Fit, CollectivesOfFewSizesHaveTwoConstants) {
  Made made;
  const uint32_t series = made.series("all_reduce");
  for (const auto& [bytes, off] : {std::pair(0.5e9, 0.98), {1e9, 1.02}, {2e9, 1.01}, {4e9, 0.97}, {8e9, 1.01}})
    made.add(series, Kind::Collective, "all_reduce", {{Extent::Bytes, bytes}, {Extent::Ranks, 8}},
             off * eq::sampled(3e-3, 80e9, 0.0, eq::wireBytes(ir::CollectiveKind::AllReduce, bytes, 8)));
  const Calibration c = made.run();
  ASSERT_EQ(c.sections.size(), 1u);
  EXPECT_THAT(c.sections[0].sample.b, NearTo(80e9, 0.05));
  EXPECT_EQ(c.sections[0].sample.g, 0);
}

TEST(Fit, CollectivesGiveStartAndBandwidthByRanksAndNodes) {
  Made made;
  const uint32_t inside = made.series("all_reduce 1x8"), across = made.series("all_reduce 2x8");
  for (double bytes = 4096; bytes < 4e9; bytes *= 1.3) {
    const double x8 = eq::wireBytes(ir::CollectiveKind::AllReduce, bytes, 8);
    const double x16 = eq::wireBytes(ir::CollectiveKind::AllReduce, bytes, 16);
    made.add(inside, Kind::Collective, "all_reduce", {{Extent::Bytes, bytes}, {Extent::Ranks, 8}},
             made.noisy(eq::sampled(20e-6, 80e9, 300e-6, x8)));
    made.add(across, Kind::Collective, "all_reduce", {{Extent::Bytes, bytes}, {Extent::Ranks, 16}, {Extent::Nodes, 2}},
             made.noisy(eq::sampled(60e-6, 60e9, 900e-6, x16)));
  }
  const Calibration c = made.run();
  ASSERT_EQ(c.sections.size(), 2u);
  EXPECT_EQ(c.sections[0].record, Record::Node);
  EXPECT_EQ(c.sections[1].record, Record::Network);
  const ir::Fabric::Sample &node = c.sections[0].sample, &network = c.sections[1].sample;
  EXPECT_THAT(node.a, NearTo(20e-6, 0.06));
  EXPECT_THAT(node.b, NearTo(80e9, 0.05));
  EXPECT_EQ(network.nodes, 2);
  EXPECT_THAT(network.a, NearTo(60e-6, 0.06));
  EXPECT_THAT(network.b, NearTo(60e9, 0.05));
}

TEST(Fit, HeldOutErrorsAreOfUnseenShapesNotOfRepeats) {
  Made made;
  const uint32_t series = made.series("linear");
  // Every shape has a time of its own, far from any equation, and is repeated exactly: only another shape's repeats
  // would give it away.
  for (int shape = 0; shape < 30; ++shape)
    for (int repeat = 0; repeat < 10; ++repeat)
      made.add(series, Kind::Gemm, "linear", {{Extent::M, 1024}, {Extent::N, 1024}, {Extent::K, 1024.0 + shape}},
               shape % 2 ? 300e-6 : 100e-6);
  const Quality q = quality(made.run(), "gemm bf16");
  EXPECT_EQ(q.shapes, 30u);
  EXPECT_GT(q.p90, 0.3);
}

TEST(Fit, CopiesInAnotherFileCountOnce) {
  Made made;
  const uint32_t one = made.series("all_reduce"), joined = made.series("all_reduce");
  for (uint32_t series : {one, joined})
    for (double bytes : {1e6, 2e6, 4e6})
      made.add(series, Kind::Collective, "all_reduce", {{Extent::Bytes, bytes}, {Extent::Ranks, 2}}, bytes / 1e10);
  const FileId other = made.sources.add("joined.csv", "\n\n\n");
  for (Sample& s : made.samples.samples)
    if (s.series == joined) s.range.file = other;
  dropCopies(made.samples, made.sources);
  EXPECT_EQ(made.samples.samples.size(), 3u);
  ASSERT_EQ(made.samples.notes.size(), 1u);
  EXPECT_EQ(made.samples.notes[0], "made.csv: 3 samples are also in joined.csv and are counted once");
}

/// Whatever the sizes and times, a calibration ends, and what it writes is finite.
TEST(Fit, SurvivesSenselessSamples) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> power(-17, 17);
  for (int round = 0; round < 60; ++round) {
    Made made;
    std::vector<uint32_t> series;
    for (int kind = 0; kind < kKinds - 1; ++kind) series.push_back(made.series(std::to_string(kind)));
    for (int i = 0; i < 5 * (round % 12) + 1; ++i) {
      const auto kind = static_cast<Kind>(random() % (kKinds - 1));
      std::vector<std::pair<Extent, double>> extents;
      for (const Extent e : rowOf(kind).needs) extents.push_back({e, std::pow(10, power(random))});
      made.add(series[static_cast<size_t>(kind)], kind, kind == Kind::Collective ? "all_reduce" : "add", extents,
               std::pow(10, power(random)), std::pow(10, power(random)));
    }
    for (const Section& s : made.run().sections) {
      for (const Fact& f : s.facts) {
        EXPECT_TRUE(std::isfinite(f.number)) << f.of.path();
        for (double y : f.table.y) EXPECT_TRUE(std::isfinite(y)) << f.of.path();
      }
      for (const double v : {s.sample.a, s.sample.b, s.sample.g}) EXPECT_TRUE(std::isfinite(v)) << s.path();
      for (double y : s.sample.time.y) EXPECT_TRUE(std::isfinite(y)) << s.path();
    }
  }
}

} // namespace
