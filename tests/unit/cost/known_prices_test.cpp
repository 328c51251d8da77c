// What is remembered of prices changes none of them: everything that a price reads is in its key.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/facts/Facts.h"
#include "backends/cost/price/DeviceStages.h"
#include "support/Memo.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace planc::cost::test {
namespace {

using namespace ir;

class CostKnownPrices : public ::testing::Test {
protected:
  int64_t choose(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }

  /// Three axes over 512 devices, in any order.
  std::vector<std::pair<std::string, int64_t>> axes() {
    const int64_t a = int64_t{1} << choose(0, 4), b = int64_t{1} << choose(0, 3);
    std::vector<std::pair<std::string, int64_t>> all{{"a", a}, {"b", b}, {"c", 512 / a / b}};
    std::shuffle(all.begin(), all.end(), random);
    return all;
  }
  /// Few values of each member, so that nodes differ in one of them as often as not.
  Node collective(const Builder& b) {
    constexpr CollectiveKind kChosen[] = {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                          CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
                                          CollectiveKind::SendRecv};
    const AxisMask mask = static_cast<AxisMask>(choose(1, 7));
    Node n = b.collective({}, kChosen[choose(0, 4)], CollectiveClass::Activation, mask, choose(0, 1) ? 1e6 : 3e8);
    Collective& c = n.collective();
    if (choose(0, 3) == 0) c.group = 2; // no set of axes
    if (choose(0, 3) == 0) c.level = 1;
    if (choose(0, 2) == 0) c.copies = 4, c.places = choose(0, 1) ? 64 : 0;
    if (choose(0, 4) == 0) c.groupLimit = {8, static_cast<double>(choose(2, 4))};
    c.ring = choose(0, 1), n.phase = choose(0, 1) ? Phase::Backward : Phase::Forward;
    return n;
  }

  DiagnosticEngine diagnostics;
  std::mt19937 random{11};
};

TEST_F(CostKnownPrices, CollectivesCostWhatTheyDoByThemselves) {
  const Builder first(64, {{"a", 512}});
  const auto cluster = first.plan.cluster;
  Memos memos;
  Facts facts(*cluster, *first.plan.stack, &memos), without(*cluster, *first.plan.stack);
  const PriceMemo& known = memos.of<PriceMemo>();
  const auto shared = makeCostModel(facts, diagnostics);
  size_t priced = 0;
  for (int round = 0; round < 400; ++round) {
    random.seed(static_cast<unsigned>(round % 100)); // all of them come again
    Builder b(64, axes());
    b.plan.cluster = cluster;
    for (int i = 0; i < 8; ++i, ++priced) {
      const Node node = collective(b);
      const double alone = makeCostModel(without, diagnostics)->price(b.program, node).seconds;
      EXPECT_EQ(shared->price(b.program, node).seconds, alone) << "round " << round;
    }
  }
  EXPECT_LT(2 * known.size(), priced); // much of it was known
}

TEST_F(CostKnownPrices, OperatorsCostWhatTheyDoByThemselves) {
  Builder b(64, {{"a", 512}});
  Memos memos;
  Facts facts(*b.plan.cluster, *b.plan.stack, &memos), without(*b.plan.cluster, *b.plan.stack);
  b.unit("layer");
  constexpr OpKind kOps[] = {OpKind::Gemm,      OpKind::GroupedGemm, OpKind::Scores, OpKind::Context,
                             OpKind::Attention, OpKind::Memory,      OpKind::Lookup, OpKind::Cast};
  std::vector<OpId> ops;
  for (const OpKind kind : kOps) ops.push_back(b.op("op" + std::to_string(ops.size()), kind));
  const PriceMemo& known = memos.of<PriceMemo>();
  const auto shared = makeCostModel(facts, diagnostics);
  size_t priced = 0;
  const auto size = [&] { return choose(0, 2) ? 1024. : 4096.; };
  for (int round = 0; round < 2000; ++round) {
    random.seed(static_cast<unsigned>(round % 1000)); // all of them come again
    Node n = b.compute(ops[static_cast<size_t>(choose(0, std::size(kOps) - 1))]);
    constexpr Role kRoles[] = {Role::Forward, Role::DGrad, Role::WGrad, Role::Backward, Role::Cast, Role::Save};
    Compute& c = n.compute();
    c.role = kRoles[choose(0, 5)], c.operand = static_cast<int>(choose(-1, 1));
    LocalWork& w = c.work;
    for (double* number : {&w.flops, &w.share, &w.reads, &w.writes, &w.firstOperandBytes, &w.resultBytes, &w.row,
                           &w.batch, &w.m, &w.n, &w.k, &w.elements, &w.tokensPerExpert, &w.sequence, &w.headDim})
      *number = size();
    w.operandWidth = choose(0, 1) ? 2 : 1, w.sequenceSplit = choose(0, 1);
    if (choose(0, 9) == 0) n.does.emplace<Copy>().bytes = size();
    const Priced alone = makeCostModel(without, diagnostics)->price(b.program, n), found = shared->price(b.program, n);
    ++priced;
    EXPECT_EQ(found.seconds, alone.seconds) << "round " << round;
    EXPECT_EQ(found.flops, alone.flops);
    EXPECT_EQ(found.bytes, alone.bytes);
    EXPECT_EQ(found.launches, alone.launches);
    EXPECT_EQ(found.bound, alone.bound);
  }
  EXPECT_LT(known.size(), priced); // some of it was known
}

TEST_F(CostKnownPrices, ShardsCostWhatTheyDoByThemselves) {
  const Builder first(1, {{"dp", 8}});
  Memos memos;
  Facts facts(*first.plan.cluster, *first.plan.stack, &memos), without(*first.plan.cluster, *first.plan.stack);
  const PriceMemo& known = memos.of<PriceMemo>();
  const auto shared = makeCostModel(facts, diagnostics);
  size_t priced = 0;
  for (int round = 0; round < 1000; ++round) {
    random.seed(static_cast<unsigned>(round % 500)); // all of them come again
    Builder b(1, {{"dp", 8}});
    const LayerClassId layer = b.unit("layer", 1, true);
    Workload& workload = b.plan.workload;
    workload.tableOptimizer = workload.optimizer;
    for (Optimizer* by : {&*workload.optimizer, &*workload.tableOptimizer}) {
      by->master = choose(0, 1), by->states = static_cast<int>(choose(1, 2)),
      by->rowStates = static_cast<int>(choose(0, 1));
      by->stateNames = {Symbol("m")};
      if (choose(0, 3) == 0) by->stateBytes = 1;
      if (choose(0, 1)) by->name = Symbol("other");
    }
    for (DType* type : {&b.plan.precision.params, &b.plan.precision.grads, &b.plan.precision.optimizer})
      *type = choose(0, 1) ? DType::fp32 : DType::bf16;
    if (choose(0, 1)) b.plan.precision.states[Symbol("m")] = choose(0, 1) ? DType::bf16 : DType::fp32;
    b.program.precisions = {b.plan.precision};
    b.program.microBatches = choose(1, 2);
    ParamState p;
    p.param = b.param(b.op("matmul", OpKind::Gemm, "up"), "w", {1});
    p.elements = choose(0, 1) ? 1e6 : 4e6;
    p.optimizer = static_cast<AxisMask>(choose(0, 1));
    if (choose(0, 1)) p.rowElements = choose(0, 1) ? 64 : 128;
    if (p.rowElements > 0 && choose(0, 1)) p.touched = 1e5;
    b.body(layer).params.edit() = {p};
    b.stages(1, 1, {{1}});
    const StageKind& stage = b.program.stageKinds[StageKindId(0)];
    EXPECT_EQ(shared->update(b.program, {&stage}).device,
              makeCostModel(without, diagnostics)->update(b.program, {&stage}).device)
        << "round " << round;
    ++priced;
  }
  EXPECT_LT(known.size(), priced / 2 + 1); // each but once
}

TEST_F(CostKnownPrices, AMemoFindsWhatWasAddedUntilItIsFull) {
  Memo<int, 100> memo;
  const auto reads = [](int i) {
    Reads all;
    for (int k = 0; k <= i % 7; ++k) all << i << 0.5 * i;
    return all;
  };
  for (int i = 0; i < 100; ++i) memo.add(reads(i), i);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(*memo.find(reads(i)), i);
  EXPECT_EQ(memo.find(reads(100)), nullptr);
  memo.add(reads(100), 100);
  EXPECT_EQ(memo.size(), 1u);
  EXPECT_EQ(*memo.find(reads(100)), 100);
  Reads many;
  for (int i = 0; i < 100; ++i) many << i;
  memo.add(many, 7); // more than is looked at
  EXPECT_EQ(memo.find(many), nullptr);
}

TEST_F(CostKnownPrices, AMemoKeepsTheObjectsOfItsKeys) {
  Memos memos;
  const auto lengthOf = [&](const Shared<std::string>& text) {
    return remember(&memos, Reads() << text, [&] { return text->size(); });
  };
  for (size_t length = 0; length < 100; ++length) // a freed text would give its address to the next one
    EXPECT_EQ(lengthOf(std::string(length, 'a')), length);
  Shared<std::string> text(std::string("four"));
  EXPECT_EQ(lengthOf(text), 4u);
  text.edit() += "teen"; // copied, because the memo has it
  EXPECT_EQ(lengthOf(text), 8u);
}

TEST_F(CostKnownPrices, TheLatestValuesAreKept) {
  Latest<int> latest(2);
  const auto holds = [&](int value) { return latest.find([&](int one) { return one == value; }) != nullptr; };
  latest.add(1), latest.add(2);
  EXPECT_TRUE(holds(1)); // now the most recent
  latest.add(3);
  EXPECT_TRUE(holds(1) && holds(3));
  EXPECT_FALSE(holds(2));
}

TEST_F(CostKnownPrices, DeviceStagesOfOneKindHoldTheSame) {
  Program program;
  program.stages = 4, program.routes = 2;
  program.stageKinds.add({}), program.stageKinds.add({}), program.stageKinds.add({});
  for (int64_t vs = 0; vs < 8; ++vs) {
    VirtualStage stage{vs, StageKindId(vs == 0 ? 0 : vs == 7 ? 2 : 1), {}};
    stage.devices = {vs % 4, 3 - vs % 4};
    program.virtualStages.push_back(stage);
  }
  const DeviceStages devices(program);
  ASSERT_EQ(devices.size(), 4u);
  for (size_t s = 0; s < 4; ++s) {
    const auto held = devices.heldBy(s);
    EXPECT_EQ(std::vector<size_t>(held.begin(), held.end()), program.heldBy(static_cast<int64_t>(s)));
  }
  EXPECT_EQ(devices.kinds(), 3u); // 0 and 7 in turn, on the first and on the last; 1 alone between them
  EXPECT_EQ(devices.kindOf(1), devices.kindOf(2));
  EXPECT_NE(devices.kindOf(0), devices.kindOf(3));
}

} // namespace
} // namespace planc::cost::test
