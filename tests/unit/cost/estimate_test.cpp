// Whole estimates: totals that add up, rows that fold, FLOP conventions, and the laws of the model.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/simulate/Stragglers.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/program/CollectiveNodes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <utility>

namespace planc::cost::test {
namespace {

using namespace ir;

/// A small transformer on 2 stages of 2 chunks, tensor parallel by 8, data parallel by 2: every kind of time has a part
/// in it.
struct Sample : Builder {
  DiagnosticEngine diagnostics;
  LayerClassId embed, decoder, head;

  explicit Sample(int64_t layers = 8, int64_t microBatches = 8) : Builder(4, {{"tp", 8}, {"dp", 2}, {"pp", 2}}) {
    plan.workload.globalBatch = 2 * microBatches;
    program.microBatches = microBatches;
    schedule.kind = &interleaved();
    schedule.prefetch = 1;
    embed = unit("embed");
    addEmbed();
    decoder = unit("decoder", layers, true);
    addDecoder();
    head = unit("head");
    addHead();
    const int64_t piece = layers / 4;
    stages(2, 2, {{1, piece, 0}, {0, piece, 0}, {0, piece, 0}, {0, piece, 1}});
    addBoundaries();
    addTokens();
  }

  /// One sequence of tokens per sample.
  void addTokens() {
    Value tokens;
    tokens.name = Symbol("tokens");
    tokens.path = {tokens.name};
    tokens.kind = ValueKind::Input;
    tokens.dims = tokens.counts = {program.model.edit().dim("length", 2048)};
    program.model.edit().inputs.push_back(program.model.edit().values.add(std::move(tokens)));
  }

  void addEmbed() {
    const OpId lookup = op("lookup", OpKind::Lookup);
    Node forward = compute(lookup);
    forward.compute().work.resultBytes = 16e6;
    Node backward = compute(lookup, Role::Backward, Phase::Backward),
         accumulate = compute(lookup, Role::Accumulate, Phase::Backward);
    accumulate.compute().work.elements = 25e6;
    body(embed).forward.edit() = {forward};
    body(embed).backward.edit() = {backward, accumulate};
    addParameters(embed, param(lookup, "table", {50000, 4000}), 25e6);
  }

  void addParameters(LayerClassId id, ValueId param, double elements) {
    ParamState p;
    p.param = param;
    p.elements = elements;
    p.optimizer = axis("dp");
    body(id).params.edit().push_back(p);
    body(id).states.edit() = {
        state(CollectiveKind::ReduceScatter, CollectiveClass::Gradient, Phase::Step, axis("dp"), elements * 4),
        state(CollectiveKind::AllGather, CollectiveClass::State, Phase::Step, axis("dp"), elements * 2)};
  }

  Node matmul(OpId op, Role role, Phase phase = Phase::Forward) const {
    Node n = compute(op, role, phase);
    n.compute().work.m = 2048;
    n.compute().work.n = 2048;
    n.compute().work.k = 4096;
    n.compute().work.flops = 2. * 2048 * 2048 * 4096;
    return n;
  }

  void addDecoder() {
    const OpId norm = op("layer_norm", OpKind::Memory, "norm1"), up = op("matmul", OpKind::Gemm, "mlp");
    Model& model = program.model.edit();
    model.ops[up].flops = Poly::constant(8 * 2. * 2048 * 2048 * 4096 * 2); // of all 16 devices of a stage
    Node n1 = compute(norm);
    n1.compute().work.firstOperandBytes = 16e6;
    Node sum = collective(up, CollectiveKind::AllReduce, CollectiveClass::Activation, axis("tp"), 16e6);
    sum.deps = {1};
    Node nb = compute(norm, Role::Backward, Phase::Backward);
    Node gather =
        collective(up, CollectiveKind::AllGather, CollectiveClass::Regather, axis("tp"), 16e6, Phase::Backward);
    Node dgrad = matmul(up, Role::DGrad, Phase::Backward), wgrad = matmul(up, Role::WGrad, Phase::Backward);
    Node again = compute(norm, Role::Forward, Phase::Recompute);
    again.compute().work = n1.compute().work;
    wgrad.deps = {1};
    nb.deps = {2};
    body(decoder).forward.edit() = {n1, matmul(up, Role::Forward), sum};
    body(decoder).backward.edit() = {again, gather, dgrad, wgrad, nb};
    body(decoder).saved.edit() = {{up, {}, {}, 2e6}};
    schedule.blockingShare[static_cast<size_t>(CollectiveClass::Regather)] = .5;
    addParameters(decoder, param(up, "w", {4096, 16384}), 4096. * 16384 / 8);
  }

  void addHead() {
    const OpId out = op("matmul", OpKind::Gemm);
    body(head).forward.edit() = {matmul(out, Role::Forward)};
    body(head).backward.edit() = {matmul(out, Role::DGrad, Phase::Backward), matmul(out, Role::WGrad, Phase::Backward)};
    addParameters(head, param(out, "head", {50000, 4000}), 25e6);
    StageGroup tied;
    tied.storage = program.model->params[0];
    tied.stages = {0, 1};
    tied.allReduce =
        collective({}, CollectiveKind::AllReduce, CollectiveClass::Gradient, axis("pp"), 50e6).collective();
    program.stageGroups = {tied};
  }

  void addBoundaries() {
    program.stageAxes = axis("pp");
    Value stream;
    stream.path = {Symbol("decoder")};
    const ValueId value = program.model.edit().values.add(stream);
    for (size_t vs = 0; vs < 3; ++vs) program.kindOf(vs).sends = {{value, 2e6, true, 0, {}}};
  }

  double step() {
    const auto e = estimate(diagnostics);
    EXPECT_TRUE(e && diagnostics.empty());
    return e ? e->totals.stepTime : 0;
  }
};

/// Rows, totals and stages of one estimate are the same seconds.
void expectAccounts(const Estimate& e, const std::string& what) {
  const Totals& t = e.totals;
  const double unit = 1e-9 * t.stepTime, rest = t.slowed + t.launches + t.bubble + t.optimizer + t.overhead;
  double computing = 0, exposed = 0, exposedOfLayers = 0, slowed = 0, launches = 0, comm = 0, inLayers = 0;
  for (const LayerRow& r : e.layers) {
    computing += r.onPath, slowed += r.slowed, launches += r.launches, exposedOfLayers += r.exposedOnPath;
    EXPECT_LE(r.exposed, r.comm + unit) << what << " " << r.layer.str();
    EXPECT_NEAR(r.forwardExposed + r.backwardExposed + r.recomputeExposed, r.exposed, unit)
        << what << " " << r.layer.str();
    EXPECT_EQ(r.stage == t.critical ? 0 : r.onPath, 0) << what;
  }
  for (const CollectiveRow& r : e.collectives) {
    EXPECT_LE(r.exposed, r.seconds + unit) << what << " " << r.op << " of " << r.layer.str();
    EXPECT_NEAR(r.onPath, r.stage == t.critical ? r.count * r.exposed : 0, unit) << what;
    exposed += r.onPath;
    if (r.cls == CollectiveClass::Activation || r.cls == CollectiveClass::Regather) inLayers += r.onPath;
    if (r.stage == t.critical) comm += r.count * r.seconds;
  }
  EXPECT_NEAR(computing + exposed + rest, t.stepTime, unit) << what;
  EXPECT_NEAR(computing, t.compute, unit) << what;
  EXPECT_NEAR(exposed, t.exposedComm, unit) << what;
  EXPECT_NEAR(exposedOfLayers, inLayers, unit) << what;
  EXPECT_NEAR(slowed, t.slowed, unit) << what;
  EXPECT_NEAR(launches, t.launches, unit) << what;
  EXPECT_NEAR(comm, t.comm, unit) << what;
  EXPECT_LE(t.exposedComm, t.comm + unit) << what;
  EXPECT_NEAR(t.bubbleEven + t.bubbleImbalance, t.bubble, unit) << what;
  for (const StageRow& s : e.stages) {
    const double work = s.computing + s.slowed + s.launches + s.communicating;
    EXPECT_NEAR(work + s.idle, t.work + t.bubble, unit) << what << " stage " << s.stage;
    EXPECT_LE(work, t.work + unit) << what << " stage " << s.stage;
    EXPECT_GE(s.idle, 0) << what;
  }
}

TEST(CostEstimate, AccountsAddUp) {
  int round = 0;
  for (const char* name : {"interleaved_1f1b", "breadth_first", "paired_1f1b"})
    for (double share : {1., .1, 0.})
      for (double slowdown : {0., .3}) {
        Sample s;
        s.schedule.kind = &scheduleNamed(name);
        s.schedule.slowdown = slowdown;
        s.schedule.prefetch = round % 3;
        for (CollectiveClass cls : {CollectiveClass::State, CollectiveClass::Gradient, CollectiveClass::Activation})
          s.schedule.blockingShare[static_cast<size_t>(cls)] = share;
        s.schedule.blockingShare[static_cast<size_t>(CollectiveClass::Pipeline)] = round % 2 ? .5 : 1;
        if (round % 2) edit(s.plan.stack).set(StackFact::Launch, number(400e-6));
        if (round % 4 > 1) edit(s.plan.stack).set(StackFact::Receive, number(.5));
        if (round % 5 == 0) // gathered and reduced in every pass, and not only once a step
          for (StateCollective& state : s.body(s.decoder).states.edit())
            state.phase = state.cls == CollectiveClass::Gradient ? Phase::Backward : Phase::Forward;
        const auto e = s.estimate(s.diagnostics);
        ASSERT_TRUE(e);
        const std::string what = std::string(name) + " round " + std::to_string(round++);
        expectAccounts(*e, what);
        EXPECT_GT(e->totals.bubble, 0) << what;
        EXPECT_GT(e->totals.overhead, 0) << what;
        EXPECT_EQ(e->totals.launches > 0, round % 2 == 0) << what;
      }
}

TEST(CostEstimate, BubblesAreThoseOfEqualStagesOrOfImbalance) {
  Sample equal, heavy;
  equal.program.stageGroups.clear(), heavy.program.stageGroups.clear();
  equal.stages(2, 2, {{0, 2, 0}, {0, 2, 0}, {0, 2, 0}, {0, 2, 0}});
  heavy.stages(2, 2, {{0, 1, 0}, {0, 3, 0}, {0, 1, 0}, {0, 3, 0}});
  const auto even = equal.estimate(equal.diagnostics), uneven = heavy.estimate(heavy.diagnostics);
  ASSERT_TRUE(even && uneven);
  EXPECT_NEAR(even->totals.bubbleEven, even->totals.bubble, 1e-9);
  EXPECT_GT(even->totals.bubbleEven, 0);
  EXPECT_NEAR(even->totals.imbalance, 0, 1e-9);
  EXPECT_EQ(even->stages[0].kind, even->stages[1].kind);
  EXPECT_EQ(uneven->totals.critical, 1);
  EXPECT_NE(uneven->stages[0].kind, uneven->stages[1].kind);
  EXPECT_NEAR(uneven->totals.work / uneven->totals.meanWork, 1.5, .05);
  EXPECT_NEAR(uneven->totals.stepTime - 1.02 * uneven->totals.imbalance, even->totals.stepTime,
              .01 * even->totals.stepTime);
  EXPECT_GT(uneven->stages[0].idle, 3 * uneven->stages[1].idle);
}

TEST(CostEstimate, TheStepIsPutTogetherAsDocumented) {
  Sample s;
  const auto e = s.estimate(s.diagnostics);
  ASSERT_TRUE(e);
  const auto model = s.model(s.diagnostics);
  double latest = 0;
  for (const StageRow& stage : e->stages) {
    double inlined =
        0; // megatron: state and gradient collectives are all inline, those of states before the first pass
    for (const CollectiveRow& c : e->collectives)
      if (c.stage == stage.stage && c.phase == Phase::Step && c.cls == CollectiveClass::Gradient && c.axis == "dp")
        inlined += c.count * c.seconds;
    latest = std::max(latest, stage.end + inlined);
  }
  const double tied = model->price(s.program, sumNode(s.program.stageGroups[0])).seconds;
  // 4 layers per stage and a table: elements / 2 · 50 B / (.85 · 2.039 TB/s)
  const double optimizer = (4 * 4096. * 16384 / 8 + 25e6) / 2 * 50 / (.85 * 2.039e12);
  EXPECT_NEAR(e->totals.optimizer, optimizer, 1e-12);
  EXPECT_NEAR(e->totals.stepTime, 1.02 * (latest + tied + optimizer + 2e-3), 1e-12);
}

/// The step ends when the slowest stage has updated its parameters, whichever stage ended its passes last.
TEST(CostEstimate, TheSlowestOptimizerCounts) {
  constexpr double kLarge = 4e9;
  const double seconds = (4 * 4096. * 16384 / 8 + kLarge) / 2 * 50 / (.85 * 2.039e12);
  for (const bool first : {true, false}) {
    Sample s;
    s.program.classes[first ? s.embed : s.head].params.edit()[0].elements = kLarge;
    const auto e = s.estimate(s.diagnostics);
    ASSERT_TRUE(e);
    EXPECT_NEAR(e->totals.optimizer, seconds, 1e-12);
    const Totals& t = e->totals;
    EXPECT_NEAR(t.compute + t.exposedComm + t.bubble + t.optimizer + t.overhead, t.stepTime, 1e-9 * t.stepTime);
  }
}

TEST(CostEstimate, StragglersAreALineOfTheirOwn) {
  Sample calm, jumpy;
  const auto before = calm.estimate(calm.diagnostics);
  edit(jumpy.plan.cluster).set(ClusterFact::Jitter, number(.03));
  edit(jumpy.plan.stack).set(StackFact::Jitter, number(.04)); // independent: together 5 %
  const auto after = jumpy.estimate(jumpy.diagnostics);
  ASSERT_TRUE(before && after);
  EXPECT_FALSE(before->totals.straggler);
  const Totals& t = after->totals;
  const double busy = t.compute + t.exposedComm + t.optimizer;
  double harmonic = 0;
  for (int i = 1; i <= 32; ++i) harmonic += 1. / i;
  EXPECT_NEAR(*t.straggler, .05 * (harmonic - 1) * busy, 1e-8 * busy);
  EXPECT_NEAR(t.stepTime, before->totals.stepTime + *t.straggler, 1e-12);
  EXPECT_NEAR(t.overhead, before->totals.overhead, 1e-12);
}

TEST(CostEstimate, ALevelSpreadsTheUnitsBelowIt) {
  Sample calm, jumpy;
  const auto before = calm.estimate(calm.diagnostics);
  edit(jumpy.plan.cluster).levels[1].set(LevelFact::Jitter, number(.06)); // four nodes of eight
  const auto after = jumpy.estimate(jumpy.diagnostics);
  ASSERT_TRUE(before && after);
  const double busy = after->totals.compute + after->totals.exposedComm + after->totals.optimizer;
  ASSERT_TRUE(after->totals.straggler);
  EXPECT_NEAR(*after->totals.straggler, .06 * (1 / 2. + 1 / 3. + 1 / 4.) * busy, 1e-12);
  EXPECT_NEAR(after->totals.stepTime, before->totals.stepTime + *after->totals.straggler, 1e-12);
}

TEST(CostEstimate, TheSlowestOfManyGrowsWithTheirLogarithm) {
  EXPECT_EQ(slowestOf(1), 0);
  EXPECT_DOUBLE_EQ(slowestOf(2), .5);
  double sum = 0;
  for (int n = 2; n <= 4096; ++n) EXPECT_NEAR(slowestOf(n), sum += 1. / n, 1e-8) << n;
  EXPECT_NEAR(slowestOf(1 << 20) - slowestOf(1 << 19), std::log(2.), 1e-6);
}

TEST(CostEstimate, RowsAreOfOneInstanceAndPathsDoNotNest) {
  Sample s;
  const auto e = s.estimate(s.diagnostics);
  ASSERT_TRUE(e);
  std::vector<std::string> rows;
  for (const LayerRow& r : e->layers)
    rows.push_back(std::to_string(r.stage) + " " + r.layer.str() + " x" + std::to_string(r.count));
  EXPECT_EQ(rows, (std::vector<std::string>{"0 embed x1", "0 decoder.norm1 x4", "0 decoder.mlp x4",
                                            "1 decoder.norm1 x4", "1 decoder.mlp x4", "1 head x1"}));
  const LayerRow &norm = e->layers[1], &mlp = e->layers[2];
  EXPECT_GT(norm.recompute, 0);
  EXPECT_NEAR(norm.recompute, norm.forward, 1e-15);
  EXPECT_EQ(norm.comm, 0);
  EXPECT_EQ(norm.bound, Bound::Memory);
  EXPECT_GT(mlp.comm, mlp.exposed); // half of the re-gather hides under dgrad
  EXPECT_EQ(mlp.activationBytes, 2e6);
  EXPECT_EQ(mlp.params, 4096. * 16384);
  EXPECT_DOUBLE_EQ(mlp.flops, 3 * 2. * 2048 * 2048 * 4096);
}

TEST(CostEstimate, SlicesSplitRows) {
  Sample s;
  LayerClass second = s.body(s.decoder);
  s.body(s.decoder).instances = RangeSet{{{0, 4, 1}}};
  second.instances = RangeSet{{{4, 8, 1}}};
  s.program.classes.add(second); // class 3
  s.stages(2, 2, {{1, 2, 0, 0}, {0, 2, 0, 0}, {0, 0, 0, 2}, {0, 0, 1, 2}});
  s.addBoundaries();
  const auto e = s.estimate(s.diagnostics);
  ASSERT_TRUE(e);
  std::vector<std::string> rows;
  for (const LayerRow& r : e->layers)
    rows.push_back(std::to_string(r.stage) + " " + r.layer.str() + " x" + std::to_string(r.count));
  EXPECT_EQ(rows, (std::vector<std::string>{"0 embed x1", "0 decoder[0:4].norm1 x2", "0 decoder[0:4].mlp x2",
                                            "0 decoder[4:8].norm1 x2", "0 decoder[4:8].mlp x2",
                                            "1 decoder[0:4].norm1 x2", "1 decoder[0:4].mlp x2", "1 head x1",
                                            "1 decoder[4:8].norm1 x2", "1 decoder[4:8].mlp x2"}));
  Sample whole;
  EXPECT_NEAR(e->totals.stepTime, whole.step(), 1e-12); // equal classes: folded or not
}

TEST(CostEstimate, CollectiveRowsCountPerDeviceAndStep) {
  Sample s;
  const auto e = s.estimate(s.diagnostics);
  ASSERT_TRUE(e);
  std::vector<std::string> rows;
  for (const CollectiveRow& c : e->collectives)
    if (c.stage == 0)
      rows.push_back(std::string(ir::name(c.phase)) + " " + std::string(ir::name(c.cls)) + " " + c.op + " " + c.axis +
                     " " + c.layer.str() + " x" + std::to_string(static_cast<int>(c.count)));
  EXPECT_EQ(rows, (std::vector<std::string>{
                      "forward activation all_reduce tp decoder.mlp x32",
                      "backward regather all_gather tp decoder.mlp x32", "step gradient reduce_scatter dp embed x1",
                      "step state all_gather dp embed x1", "step gradient reduce_scatter dp decoder x4",
                      "step state all_gather dp decoder x4", "forward pipeline send_recv pp decoder x16",
                      "backward pipeline send_recv pp decoder x8", "step gradient all_reduce pp table x1"}));
  for (const CollectiveRow& c : e->collectives) {
    EXPECT_LE(c.exposed, c.seconds * (1 + 1e-12)) << c.op;
    EXPECT_EQ(c.axis, s.program.mesh.str(c.axes)) << c.op;
    ASSERT_TRUE(c.levelIndex) << c.op;
    EXPECT_EQ(c.level, s.program.mesh.levelNames[*c.levelIndex].view()) << c.op;
  }
}

TEST(CostEstimate, FlopConventions) {
  Sample s;
  Op& op = s.program.model.edit().ops[OpId(2)]; // the decoder's product, as if it were half masked
  op.kind = OpKind::Scores;
  op.share = .5;
  s.program.model.edit().losses = {op.result};
  const auto e = s.estimate(s.diagnostics);
  ASSERT_TRUE(e);
  const Totals& t = e->totals;
  const double model = 3. * 8 * 8 * op.flops.constantValue(); // three passes, eight layers, eight micro-batches
  EXPECT_NEAR(t.modelRate, model / 32 / t.stepTime, 1e-3);
  EXPECT_NEAR(t.modelRateCausal / t.modelRate, .5, 1e-12);
  EXPECT_NEAR(t.mfu, t.modelRate / 312e12, 1e-15);
  EXPECT_NEAR(t.tokensPerSecond.value(), 16 * 2048 / t.stepTime, 1e-6);
  EXPECT_NEAR(t.samplesPerSecond, 16 / t.stepTime, 1e-9);
  EXPECT_NEAR(t.cost.value(), 3.6 / 3600 * 32 * t.stepTime, 1e-12);
  EXPECT_NEAR(t.energyJoules.value(), 400 * 32 * t.stepTime, 1e-9);
  EXPECT_NEAR(t.deviceHoursPer1t.value(), t.stepTime * 32 / 3600 * 1e12 / (16 * 2048), 1e-3);
  EXPECT_LE(t.stepTimeLow().value(), .95 * t.stepTime) << "the terms widen what the stack's runs say";
  EXPECT_GE(t.stepTimeHigh().value(), 1.1 * t.stepTime);
}

TEST(CostEstimate, WithoutTrainingThereIsNoBackwardPass) {
  Sample s;
  s.plan.workload.phases = {{.name = Symbol("forward")}};
  for (LayerClass& layerClass : s.program.classes) layerClass.backward.edit().clear(), layerClass.states = {};
  const auto e = s.estimate(s.diagnostics);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->totals.optimizer, 0);
  EXPECT_EQ(e->memory.grads, 0);
  EXPECT_EQ(e->stages[0].backward, 0);
}

TEST(CostEstimate, SmallMessagesThatMatterAreReported) {
  Sample s;
  Node chatter = s.collective(OpId(2), CollectiveKind::AllReduce, CollectiveClass::Activation, s.axis("tp"), 4096);
  chatter.times = 500;
  s.body(s.decoder).forward.edit().push_back(chatter);
  ASSERT_TRUE(s.estimate(s.diagnostics));
  ASSERT_EQ(s.diagnostics.sorted().size(), 1u);
  EXPECT_EQ(s.diagnostics.sorted()[0]->kind->id(), "PLAN0808");
}

TEST(CostEstimate, SameInputSameNumbers) {
  Sample a, b;
  EXPECT_EQ(a.step(), b.step());
}

// ---- laws (docs/cost-model.md, section 7) --------------------------------------

TEST(CostLaws, BetterHardwareNeverSlows) {
  const double base = Sample().step();
  auto with = [](auto change) {
    Sample s;
    change(s);
    return s.step();
  };
  EXPECT_LT(with([](Sample& s) { edit(s.plan.cluster).device.set(DeviceFact::Peak, DType::fp16, number(400e12)); }),
            base);
  EXPECT_LT(with([](Sample& s) { edit(s.plan.cluster).device.set(DeviceFact::Bandwidth, number(3e12)); }), base);
  EXPECT_LT(with([](Sample& s) { edit(s.plan.cluster).levels[1].set(LevelFact::Bandwidth, number(50e9)); }), base);
  EXPECT_LT(with([](Sample& s) {
              for (auto& row : edit(s.plan.cluster).levels[0].fabric.allReduce.rows) row.b *= 2;
            }),
            base);
}

TEST(CostLaws, TimeGrowsWithLayersAndMicroBatches) {
  double last = 0;
  for (int64_t layers : {4, 8, 16, 32}) {
    const double t = Sample(layers).step();
    EXPECT_GT(t, last);
    last = t;
  }
  last = 0;
  for (int64_t m : {2, 4, 8, 32}) {
    const double t = Sample(8, m).step();
    EXPECT_GT(t, last);
    last = t;
  }
}

TEST(CostLaws, HidingCommunicationNeverSlows) {
  for (CollectiveClass cls : {CollectiveClass::Activation, CollectiveClass::Regather, CollectiveClass::Gradient,
                              CollectiveClass::State, CollectiveClass::Pipeline}) {
    double last = 1e9;
    for (double share : {1., .5, .1, 0.}) {
      Sample s;
      s.schedule.blockingShare[static_cast<size_t>(cls)] = share;
      const double t = s.step();
      EXPECT_LE(t, last * (1 + 1e-12)) << ir::name(cls) << " " << share;
      last = t;
    }
  }
}

TEST(CostLaws, MemoryIsTheSumOfItsKindsAndNeverNegative) {
  Sample s;
  const auto e = s.estimate(s.diagnostics);
  ASSERT_TRUE(e);
  ASSERT_EQ(e->memory.stages.size(), 2u);
  for (const StageMemory& m : e->memory.stages) {
    for (double part : {m.params, m.grads, m.optimizer, m.activations, m.buffers}) EXPECT_GE(part, 0);
    EXPECT_NEAR(m.peak, m.params + m.grads + m.optimizer + m.activations + m.buffers, 1e-6);
  }
}

} // namespace
} // namespace planc::cost::test
