// Constants of a stack that are relative to what was measured are set anew, or kept for a reason.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/write/Relative.h"
#include "ir/facts/StackFacts.h"
#include "tests/unit/calibrate/Made.h"

#include <gmock/gmock.h>

using namespace planc;
using namespace planc::calibrate;
using namespace planc::test;
using ir::DeviceFact;
using ir::StackFact;

namespace {

/// A stack that was written for a device whose memory reaches 80 %, and samples of one that reaches 90 %.
class Relative : public testing::Test {
protected:
  Made made;
  ir::Stack stack;
  Bases bases;

  void SetUp() override {
    made.part.device.set(DeviceFact::MemoryEfficiency, {0.8, {}, ""});
    bases.stack = "any.stack";
    bases.stackFacts = &stack;
    bases.optimizers = {update("adam", 2), update("adamw", 2), update("sgd", 0), update("cpu_adam", 2)};
    bases.optimizers.back().onHost = true;
  }
  static ir::Optimizer update(std::string_view name, int states) {
    ir::Optimizer o;
    o.name = Symbol(name);
    o.states = states;
    return o;
  }
  /// Passes over memory of a kernel; a backward pass of 0 is not sampled.
  struct KernelPasses {
    std::string_view name;
    double forward, backward = 0;
  };
  /// The kernels as the stack has them.
  void passes(std::initializer_list<KernelPasses> kernels) {
    for (const KernelPasses& k : kernels) {
      stack.set(StackFact::PassesForward, Symbol(k.name), {k.forward, {}, "known"});
      stack.set(StackFact::PassesBackward, Symbol(k.name), {k.backward, {}, "known"});
    }
  }
  /// The kernels as they were measured. `add` is one whose traffic is known: it measures the memory.
  void sample(std::initializer_list<KernelPasses> kernels) {
    for (const KernelPasses& k : kernels) {
      const uint32_t series = made.series(std::string(k.name));
      for (double bytes = 1e7; bytes < 4e9; bytes *= 2)
        made.add(series, Kind::Memory, k.name, {{Extent::Bytes, bytes}}, k.forward * bytes / 0.9e12 + 2e-6,
                 k.backward > 0 ? k.backward * bytes / 0.9e12 + 2e-6 : 0);
    }
  }
  void sampleAttention() {
    const uint32_t series = made.series("attention");
    for (double seq : {512, 1024, 2048, 4096, 8192})
      for (double head : {64, 128})
        made.add(series, Kind::Attention, "attention",
                 {{Extent::Batch, 8},
                  {Extent::Heads, 16},
                  {Extent::Seq, seq},
                  {Extent::KvSeq, seq},
                  {Extent::HeadDim, head},
                  {Extent::Causal, 1}},
                 8 * 16 * 2 * seq * seq * head / (head == 64 ? 20e12 : 40e12),
                 3 * 8 * 16 * 2 * seq * seq * head / (head == 64 ? 20e12 : 40e12));
  }
  Calibration run() {
    Calibration c = made.run();
    setAnew(c, bases, made.diagnostics);
    return c;
  }
};

bool has(const Calibration& c, const std::string& path) {
  for (const Section& s : c.sections)
    for (const Fact& f : s.facts)
      if (f.of.path() == path) return true;
  return false;
}

TEST_F(Relative, AMeasuredCurveOfAttentionHasNoFactorOfAnotherKernel) {
  stack.set(StackFact::AttentionFactor, {0.5, {}, ""});
  stack.set(StackFact::AttentionBackward, {3.6, {}, ""});
  stack.set(StackFact::AttentionHead, {1, {}, "", {}, {{64, 128}, {0.9, 1}}});
  sampleAttention();
  const Calibration c = run();
  EXPECT_EQ(fact(c, "attention.factor").number, 1);
  EXPECT_NEAR(fact(c, "attention.backward").number, 3, 0.01);
  EXPECT_NEAR(fact(c, "attention.head").table.at(64), 0.5, 0.01) << "the device's, not the stack's";
}

TEST_F(Relative, AStackWithoutAnotherKernelStaysAsItIs) {
  stack.set(StackFact::AttentionFactor, {1, {}, ""});
  sampleAttention();
  EXPECT_FALSE(has(run(), "attention.factor"));
  Made none;
  Calibration c = none.run();
  stack.set(StackFact::AttentionFactor, {0.5, {}, ""});
  setAnew(c, bases, none.diagnostics);
  EXPECT_FALSE(has(c, "attention.factor")) << "no attention was measured";
}

/// Forward and backward are one kernel: together they tell which.
TEST_F(Relative, OneDirectionThatIsFarOffIsNoOtherKernel) {
  passes({{"norm", 12, 25}});
  sample({{"add", 3}, {"norm", 27, 65}});
  EXPECT_TRUE(has(run(), "passes.norm.forward"));
  EXPECT_THAT(made.codes(), testing::IsEmpty());
  passes({{"chain", 9, 25}});
  sample({{"chain", 27, 65}});
  const Calibration c = run();
  EXPECT_TRUE(has(c, "passes.norm.forward"));
  EXPECT_THAT(made.codes(), testing::ElementsAre("PLAN1014"));
}

TEST_F(Relative, PassesUnderANameThatNoOperatorHasAreNoted) {
  bases.operators = {"add", "gelu"};
  sample({{"add", 3}, {"geluu", 3}});
  const Calibration c = run();
  EXPECT_TRUE(has(c, "passes.geluu.forward"));
  EXPECT_THAT(c.notes, testing::Contains(testing::AllOf(testing::HasSubstr("`geluu` is not an operator of the library"),
                                                        testing::HasSubstr("did you mean `gelu`?"))));
  EXPECT_THAT(c.notes, testing::Not(testing::Contains(testing::HasSubstr("`add` is no operator"))));
}

TEST_F(Relative, AnUpdateThatTheLibraryDoesNotNameIsNoted) {
  const uint32_t series = made.series("mine");
  for (double params = 1e8; params < 4e9; params *= 2)
    made.add(series, Kind::Optimizer, "mine", {{Extent::Params, params}}, 20 * params / 0.8e12);
  const Calibration c = run();
  EXPECT_TRUE(has(c, "optimizer.mine"));
  EXPECT_THAT(c.notes, testing::Contains(testing::HasSubstr("`mine` is not an optimizer of the library")));
}

TEST_F(Relative, AFewSamplesLeaveTheTimesOfOtherKernels) {
  passes({{"add", 3, 2}, {"norm", 8, 16}, {"bias", 0, 0}});
  stack.set(StackFact::TableGradient, {2, {}, ""});
  sample({{"add", 3}});
  const Calibration c = run();
  EXPECT_NEAR(fact(c, "passes.norm.forward").number, 8 * 0.9 / 0.8, 0.02);
  EXPECT_NEAR(fact(c, "passes.norm.backward").number, 16 * 0.9 / 0.8, 0.02);
  EXPECT_NEAR(fact(c, "passes.add.backward").number, 2 * 0.9 / 0.8, 0.01);
  EXPECT_NEAR(fact(c, "table_gradient").number, 2 * 0.9 / 0.8, 0.01);
  EXPECT_FALSE(has(c, "passes.bias.forward")) << "fused: no time at any rate";
}

TEST_F(Relative, KernelsWithAsManyPassesTellHowOthersCompare) {
  passes({{"add", 3, 2}, {"gelu", 2, 3}, {"rope", 12, 11}, {"loss", 16, 12}, {"norm", 14, 3}});
  sample({{"add", 3, 2}, {"gelu", 2, 3}, {"rope", 24, 22}, {"loss", 32, 24}});
  const Calibration c = run();
  EXPECT_NEAR(fact(c, "passes.norm.forward").number, 28, 0.1) << "as chains of small kernels";
  EXPECT_FALSE(has(c, "passes.norm.backward")) << "single kernels are as the stack has them";
}

TEST_F(Relative, AnotherKernelThanTheStacksIsNotWritten) {
  passes({{"add", 3, 2}, {"norm", 12, 25}, {"bias", 0, 0}, {"rope", 2, 2}});
  sample({{"add", 3}, {"norm", 3, 8}, {"bias", 5}, {"rope", 20, 19}});
  const Calibration c = run();
  EXPECT_EQ(made.codes(), std::vector<std::string>{"PLAN1014"});
  EXPECT_EQ(made.diagnostics.sorted().size(), 2u) << "one of `norm`, one of `rope`";
  EXPECT_NEAR(fact(c, "passes.norm.forward").number, 12 * 0.9 / 0.8, 0.05);
  EXPECT_NEAR(fact(c, "passes.rope.forward").number, 2 * 0.9 / 0.8, 0.05);
  EXPECT_FALSE(has(c, "passes.bias.forward"));
  EXPECT_THAT(c.notes, testing::Contains(testing::HasSubstr("fuses it into a neighbour: `bias`")));
}

TEST_F(Relative, AnUpdateIsReadUnderEveryNameThatItHas) {
  stack.set(StackFact::Optimizer, Symbol("adam"), {40, {}, ""});
  stack.set(StackFact::Optimizer, Symbol("sgd"), {20, {}, ""});
  stack.set(StackFact::Optimizer, Symbol("cpu_adam"), {48, {}, ""});
  const uint32_t series = made.series("adam");
  for (double params = 1e8; params < 4e9; params *= 2)
    made.add(series, Kind::Optimizer, "adam", {{Extent::Params, params}}, 50 * params / 0.8e12);
  const Calibration c = run();
  EXPECT_NEAR(fact(c, "optimizer.adam").number, 50, 0.1);
  EXPECT_NEAR(fact(c, "optimizer.adamw").number, 50, 0.1) << "the same states, the same work";
  EXPECT_NEAR(fact(c, "optimizer.sgd").number, 25, 0.1) << "as far off as `adam`";
  EXPECT_FALSE(has(c, "optimizer.cpu_adam")) << "the memory of the host is another";
}

/// A fit may miss a tenth of its samples by more than any record may say: it says its most, and what is written is
/// read.
TEST_F(Relative, ErrorsOfARecordEndAtItsMost) {
  sample({{"add", 3}});
  Calibration c = run();
  for (Section& s : c.sections) s.p90 = 17.24;
  const std::string written = libraryText({c}, bases);
  EXPECT_NE(written.find(", p90 = 1000%"), std::string::npos) << written;
  EXPECT_EQ(written.find("p90 = 1724%"), std::string::npos) << written;
}

} // namespace
