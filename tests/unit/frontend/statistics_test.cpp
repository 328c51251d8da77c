// What is known about calibrated facts: `samples`, `error`, `p90` and `valid` of records, and tables in place of
// scalars.
// SPDX-License-Identifier: Apache-2.0
#include "Compile.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <cmath>

namespace planc::frontend {
namespace {

const std::string kCalibrated = R"(
device d {
  memory = 80GB : "sheet"
  calibration {
    gemm {
      bf16 = {efficiency = curve(x = [1GFLOP, 1TFLOP], y = [50%, 70%]), memory_efficiency = 70%, start = 5us,
              samples = 320, error = 7.1%, valid = [1GFLOP, 1TFLOP]} : "fit"
      fp16 = {efficiency = 60%, memory_efficiency = 70%, start = 5us} : "as bf16"
    }
    memory { efficiency = 85%; start = 3us; samples = 12; p90 = 9%; valid = [1MB, 1GB] }
  }
}
device e extends d {
  calibration { memory { override start = 4us : "assumption" } }
}
fabric f {
  sampled_at = 450GB/s : "sheet"
  all_reduce = [
    {ranks = 2, a = 9us, b = 200GB/s, samples = 41, error = 5%, p90 = 12%, valid = [512B, 1GB]},
    {ranks = 8, time = curve(x = [1kB, 1GB], y = [10us, 5ms])},
  ] : "fit"
}
stack s {
  passes { gelu = {forward = curve(x = [1MB, 1GB], y = [3, 2]), backward = 3, error = 4%} }
  grouped = {efficiency = curve(x = [32, 8192], y = [0.2, 0.9]), samples = 9}
  launch = 5us
  backward_ratio = 2
  accuracy = {runs = 113, sources = 2, low = 0.95, high = 1.1, ratio = {same_mesh = 1.05, other_mesh = 1.1}} : "runs"
}
cluster c { device = e; level node * 8 { link = f } }
import std.ops
model m(hidden: int = 4) {
  in x: [batch, hidden]
  loss = ops.gelu(x)
}
)";

std::unique_ptr<ir::Plan> compiled() {
  auto plans = plansOf(kCalibrated + "plan p { model = m; cluster = c; software = s }");
  return plans.size() == 1 ? std::move(plans[0]) : nullptr;
}

TEST(Statistics, BelongToTheRecordThatSaysThem) {
  const auto plan = compiled();
  ASSERT_TRUE(plan);
  const ir::Device& d = plan->cluster->device;
  const ir::Statistics& fit = d.number(ir::DeviceFact::GemmStart, ir::DType::bf16)->statistics;
  EXPECT_TRUE(fit.calibrated);
  EXPECT_EQ(fit.record, "calibration.gemm.bf16");
  EXPECT_EQ(fit.samples, 320);
  EXPECT_DOUBLE_EQ(fit.error, 0.071);
  EXPECT_EQ(fit.low, 1e9);
  EXPECT_EQ(fit.high, 1e12);
  const ir::Statistics& derived = d.number(ir::DeviceFact::GemmEfficiency, ir::DType::fp16)->statistics;
  EXPECT_TRUE(derived.calibrated);
  EXPECT_EQ(derived.samples, 0) << "its neighbour's are not its own";
  EXPECT_FALSE(d.number(ir::DeviceFact::Memory)->statistics.calibrated) << "a datasheet says it";
}

TEST(Statistics, AnOverriddenFactHasNoneOfThoseItReplaced) {
  const auto plan = compiled();
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cluster->device.number(ir::DeviceFact::MemoryEfficiency)->statistics.samples, 12);
  EXPECT_EQ(plan->cluster->device.number(ir::DeviceFact::MemoryEfficiency)->statistics.p90, 0.09);
  EXPECT_EQ(plan->cluster->device.number(ir::DeviceFact::MemoryStart)->statistics.p90, 0);
  EXPECT_EQ(plan->cluster->device.number(ir::DeviceFact::MemoryStart)->statistics.samples, 0);
  EXPECT_TRUE(plan->cluster->device.number(ir::DeviceFact::MemoryStart)->statistics.calibrated);
}

/// A stack of another framework is priced with its parent's facts, whose errors stay, but it has none of its runs.
TEST(Statistics, RunsOfAnotherFrameworkAreNotInherited) {
  const auto stackOf = [](const std::string& facts) {
    auto plans = plansOf(R"(
stack s {
  framework = "Ours" : "here"
  launch    = 5us    : "fit"
  accuracy {
    seen { hopper = 64 }
    experts { hopper = 8 }
    sequence = 8192
    kinds { scores = 64 }
    low = 0.9
    high = 1.1
  }
}
stack t extends s {
  )" + facts + R"(
}
import std.ops
model m(hidden: int = 4) {
  in x: [batch, hidden]
  loss = ops.gelu(x)
}
plan p { model = m; software = t }
)");
    return plans.empty() ? ir::Stack{} : *plans[0]->stack;
  };
  const auto runs = [](const ir::Stack& s) {
    return s.keys(ir::StackFact::AccuracySeen).size() + s.keys(ir::StackFact::AccuracyExperts).size() +
           s.has(ir::StackFact::AccuracySequence) + s.has(ir::StackFact::AccuracyKindsScores);
  };
  EXPECT_EQ(runs(stackOf("")), 4u);
  EXPECT_EQ(runs(stackOf("override launch = 6us : \"ours\"")), 4u);
  const ir::Stack other = stackOf("override framework = \"Theirs\" : \"there\"");
  EXPECT_EQ(runs(other), 0u);
  EXPECT_TRUE(other.has(ir::StackFact::Launch));
  EXPECT_TRUE(other.has(ir::StackFact::AccuracyLow)) << "its spread is the best guess";
  EXPECT_EQ(runs(stackOf("override framework = \"Theirs\" : \"there\"\n accuracy { seen { override hopper = 2 } }")),
            1u);
  // What is not inherited may be stated anew, the old value too, and whether or not `override` says so.
  const std::string theirs = "override framework = \"Theirs\" : \"there\"\n accuracy { ";
  EXPECT_EQ(runs(stackOf(theirs + "sequence = 8192 }")), 1u);
  EXPECT_EQ(runs(stackOf(theirs + "override sequence = 8192 }")), 1u);
  EXPECT_EQ(runs(stackOf(theirs + "seen { hopper = 64; ampere = 2 } }")), 2u);
}

/// A device with another peak is another machine: what was sampled on the one that it extends says less of it. What it
/// calibrates itself counts.
TEST(Statistics, OfAnotherPeakAreNotInherited) {
  const auto deviceOf = [](const std::string& facts) {
    auto plans = plansOf(R"(
device d {
  memory = 80GB : "sheet"
  power  = 700W : "sheet"
  peak {
    bf16 = 900TFLOP/s  : "sheet"
    fp8  = 1800TFLOP/s : "sheet"
  }
  calibration {
    gemm {
      bf16 = {efficiency = 70%, memory_efficiency = 70%, start = 5us, runs = 9, samples = 320, error = 7.1%} : "fit"
      fp8  = {efficiency = 70%, memory_efficiency = 70%, start = 5us, runs = 8, samples = 100, error = 9%}   : "fit"
    }
  }
}
device e extends d {
  )" + facts + R"(
}
fabric f {}
cluster c { device = e; level node * 8 { link = f } }
import std.ops
model m(hidden: int = 4) {
  in x: [batch, hidden]
  loss = ops.gelu(x)
}
plan p { model = m; cluster = c }
)");
    return plans.empty() ? ir::Device{} : plans[0]->cluster->device;
  };
  const auto runs = [](const ir::Device& d, ir::DType type) { return d.has(ir::DeviceFact::GemmRuns, type); };
  const auto samples = [](const ir::Device& d, ir::DType type) {
    const ir::Number* start = d.number(ir::DeviceFact::GemmStart, type);
    return start ? start->statistics.samples : -1;
  };
  const ir::Device limited = deviceOf("override power = 500W : \"cap\"");
  EXPECT_TRUE(runs(limited, ir::DType::bf16)) << "clocks follow the power by a law";
  EXPECT_EQ(samples(limited, ir::DType::bf16), 320);
  const std::string faster = "peak { override bf16 = 1800TFLOP/s : \"sheet\" }\n";
  const ir::Device other = deviceOf(faster);
  EXPECT_FALSE(runs(other, ir::DType::bf16));
  EXPECT_EQ(samples(other, ir::DType::bf16), 0);
  EXPECT_EQ(samples(other, ir::DType::fp8), 0) << "a part of another rate is another part";
  const ir::Device own = deviceOf(faster + R"(calibration { gemm {
    override bf16 = {efficiency = 60%, memory_efficiency = 70%, start = 5us, runs = 2, samples = 7} : "fit"
  } })");
  EXPECT_TRUE(runs(own, ir::DType::bf16));
  EXPECT_EQ(samples(own, ir::DType::bf16), 7);
  EXPECT_FALSE(runs(own, ir::DType::fp8));
  const ir::Device more = deviceOf("peak { fp4 = 3600TFLOP/s : \"sheet\" }");
  EXPECT_TRUE(runs(more, ir::DType::bf16)) << "nobody sampled fp4";
  EXPECT_EQ(samples(more, ir::DType::fp8), 100);
}

/// Each of the three is of the layer that writes it: an heir's are kept, its parent's are of what it replaced.
TEST(Statistics, OfAnHeirAreItsOwn) {
  const auto statisticsOf = [](const std::string& facts, ir::DeviceFact fact) {
    auto plans = plansOf(R"(
device d {
  memory = 80GB : "sheet"
  calibration { gemm {
    bf16 = {efficiency = 70%, memory_efficiency = 70%, start = 5us, samples = 320, error = 7.1%, valid = [1GFLOP, 1TFLOP]} : "fit"
  } }
}
device e extends d {
  calibration { gemm { bf16 { )" +
                         facts + R"( } } }
}
fabric f {}
cluster c { device = e; level node * 8 { link = f } }
import std.ops
model m(hidden: int = 4) {
  in x: [batch, hidden]
  loss = ops.gelu(x)
}
plan p { model = m; cluster = c }
)");
    return plans.empty() ? ir::Statistics{} : plans[0]->cluster->device.number(fact, ir::DType::bf16)->statistics;
  };
  const std::string other = "override efficiency = 60%";
  const ir::Statistics all =
      statisticsOf(other + "; override samples = 10; override error = 1%", ir::DeviceFact::GemmEfficiency);
  EXPECT_EQ(all.samples, 10);
  EXPECT_DOUBLE_EQ(all.error, 0.01);
  EXPECT_EQ(all.high, 0) << "the range is the parent's";
  const ir::Statistics range =
      statisticsOf(other + "; override valid = [1GFLOP, 20TFLOP]", ir::DeviceFact::GemmEfficiency);
  EXPECT_EQ(range.samples, 0) << "nor do its samples come back with another range";
  EXPECT_EQ(range.error, 0);
  EXPECT_EQ(range.high, 20e12);
  const ir::Statistics kept = statisticsOf(other + "; override error = 1%", ir::DeviceFact::GemmStart);
  EXPECT_EQ(kept.samples, 320) << "what is not replaced keeps them";
  EXPECT_DOUBLE_EQ(kept.error, 0.01);
}

TEST(Statistics, TablesStandInPlaceOfScalars) {
  const auto plan = compiled();
  ASSERT_TRUE(plan);
  const ir::Number& efficiency = *plan->cluster->device.number(ir::DeviceFact::GemmEfficiency, ir::DType::bf16);
  EXPECT_DOUBLE_EQ(efficiency.at(1e9), 0.5);
  EXPECT_NEAR(efficiency.at(std::sqrt(1e21)), std::sqrt(0.35), 1e-12) << "the geometric mean, half way";
  EXPECT_DOUBLE_EQ(efficiency.at(1e15), 0.7) << "held beyond the last point";
  const ir::Number& passes = *plan->stack->number(ir::StackFact::PassesForward, Symbol("gelu"));
  EXPECT_DOUBLE_EQ(passes.at(1e6), 3);
  EXPECT_DOUBLE_EQ(passes.statistics.error, 0.04);
  const ir::Number& grouped = *plan->stack->number(ir::StackFact::Grouped);
  EXPECT_EQ(grouped.table.y.at(1), 0.9);
  EXPECT_EQ(grouped.statistics.samples, 9);
}

TEST(Statistics, RowsOfSamplesSayThem) {
  const auto plan = compiled();
  ASSERT_TRUE(plan);
  const auto& rows = plan->cluster->levels[0].fabric.allReduce.rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].statistics.samples, 41);
  EXPECT_EQ(rows[0].statistics.p90, 0.12);
  EXPECT_EQ(rows[0].statistics.low, 512);
  EXPECT_TRUE(rows[0].time.empty());
  EXPECT_EQ(rows[1].time.y.at(1), 5e-3);
}

TEST(Statistics, AStackSaysHowItsRunsCameOut) {
  const auto plan = compiled();
  ASSERT_TRUE(plan && plan->stack->accuracy());
  EXPECT_EQ(plan->stack->accuracy()->runs, 113);
  EXPECT_EQ(plan->stack->accuracy()->high, 1.1);
  EXPECT_EQ(plan->stack->accuracy()->source, "runs");
  EXPECT_EQ(plan->stack->accuracy()->ratioSameMesh, 1.05);
  EXPECT_EQ(plan->stack->accuracy()->ratioOtherMesh, 1.1);
  EXPECT_TRUE(plan->stack->number(ir::StackFact::Launch)->statistics.calibrated);
  EXPECT_FALSE(plan->stack->number(ir::StackFact::BackwardRatio)->statistics.calibrated)
      << "whole runs say it: part of their accuracy";
}

TEST(Statistics, SenselessOnesAreReported) {
  auto of = [](const std::string& text) {
    const auto found = check(text);
    return found.size() == 1 ? found[0] : found.empty() ? std::string("nothing") : found[0] + " and more";
  };
  EXPECT_EQ(of("device d { calibration { memory { start = 3us; samples = 0 } } }"),
            "1 PLAN0507 `calibration.memory.samples` is 0; expected 1 to 1e9");
  EXPECT_EQ(of("device d { calibration { memory { start = 3us; error = 3us } } }"),
            "1 PLAN0502 `calibration.memory.error` must be a number without a unit; this is a quantity of time");
  EXPECT_EQ(of("device d { calibration { memory { start = 3us; valid = [3] } } }").substr(0, 80),
            "1 PLAN0502 `calibration.memory.valid` must be a range of FLOPs or bytes: `[least");
  EXPECT_EQ(of("device d { calibration { memory { start = 3us; valid = [2GB, 1GB] } } }").substr(0, 10), "1 PLAN0507");
  EXPECT_EQ(of("device d { peak { samples = 3 } }").substr(0, 10), "1 PLAN0508") << "a datasheet has none";
  EXPECT_EQ(of("stack s { launch = curve(x = [1kB], y = [3us]) }").substr(0, 10), "1 PLAN0502") << "goes by no size";
  EXPECT_EQ(of("fabric f { all_reduce = [{ranks = 2, a = 1us, time = curve(x = [1kB], y = [3us])}] }").substr(0, 10),
            "1 PLAN0511");
}

} // namespace
} // namespace planc::frontend
