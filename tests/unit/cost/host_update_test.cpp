// Updates on the host: their closed form against published times, what crosses the link, and what of it is seen.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/price/Update.h"
#include "backends/cost/simulate/Simulation.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/program/States.h"

#include <gtest/gtest.h>

namespace planc::cost::test {
namespace {

using namespace ir;

/// A matrix of `elements` in fp16 that the host updates by Adam, on one device of a DGX-2 that has all of the host.
struct HostUpdate : Builder {
  DiagnosticEngine diagnostics;
  LayerClassId layer;

  explicit HostUpdate(double elements, int64_t ranks = 1) : Builder(1, {{"dp", ranks}}), layer(unit("layer", 1, true)) {
    plan.workload.optimizer->name = Symbol("cpu_adam");
    plan.workload.optimizer->onHost = true;
    Device& device = edit(plan.cluster).device;
    device.set(DeviceFact::HostBandwidth, number(12e9));
    device.set(DeviceFact::HostMemory, number(1.5e12));
    device.set(DeviceFact::HostMemoryBandwidth, number(2 * 6 * 8 * 2.666e9)); // six channels of DDR4-2666, twice
    device.set(DeviceFact::HostUpdateEfficiency, number(.49));
    ParamState p;
    p.param = param(op("matmul", OpKind::Gemm, "up"), "w", {1});
    p.elements = elements;
    p.host = {false, false, true};
    body(layer).params.edit() = {p};
    const OpId work = op("work", OpKind::Memory, "work");
    body(layer).forward.edit() = {lasting(work, .01)};
    body(layer).backward.edit() = {lasting(work, .02, true)};
    program.precisions = {plan.precision};
    stages(1, 1, {{1}});
  }
  ParamState& matrix() { return body(layer).params.edit()[0]; }
  StageUpdate update() { return model(diagnostics)->update(program, stagesOn(program, 0)); }
};

// ZeRO-Offload, arXiv 2101.06840, Table 4: CPU-Adam on the two Xeon 8168 of a DGX-2. It reads gradients in fp32.
TEST(CostHostUpdate, CpuAdamOfZeroOffload) {
  const std::pair<double, double> published[] = {{1e9, .22}, {4e9, 1.03}, {10e9, 2.57}};
  for (const auto& [elements, seconds] : published) {
    HostUpdate h(elements);
    EXPECT_NEAR(h.update().host / seconds, 1, .10) << elements;
  }
}

TEST(CostHostUpdate, IsBytesOverTheHostsMemory) {
  HostUpdate h(1e9);
  const double memory = 2 * 6 * 8 * 2.666e9;
  const StageUpdate u = h.update();
  EXPECT_NEAR(u.host, 30e9 / (.49 * memory), 1e-12);
  EXPECT_EQ(u.device, 0);
  EXPECT_DOUBLE_EQ(u.toDevice, 2e9); // new parameters in fp16
  EXPECT_DOUBLE_EQ(u.toHost, 0);     // gradients left in backward
  EXPECT_NEAR(u.memory, u.host + 2e9 / memory, 1e-12);
  EXPECT_NEAR(u.link, 2e9 / 12e9, 1e-12);
  EXPECT_DOUBLE_EQ(u.seconds(), u.memory);
  EXPECT_DOUBLE_EQ(sentToHost(h.program, h.matrix()), 4e9);
  h.plan.precision.reduce = DType::fp16;
  h.program.precisions = {h.plan.precision};
  EXPECT_DOUBLE_EQ(sentToHost(h.program, h.matrix()), 2e9);
  EXPECT_NEAR(h.update().host, 28e9 / (.49 * memory), 1e-12); // and is read as it came
  h.matrix().host = {true, true, true}; // parameters come before their use, gradients leave after each pass
  EXPECT_DOUBLE_EQ(h.update().toDevice, 0);
  EXPECT_DOUBLE_EQ(sentToHost(h.program, h.matrix()), 0);
}

// Each device updates its shard with its share of the host; of an optimizer on the device the host does nothing.
TEST(CostHostUpdate, EachDeviceUpdatesItsShard) {
  HostUpdate h(8e9, 8);
  h.matrix().optimizer = h.axis("dp");
  const double shard = h.update().host;
  EXPECT_NEAR(shard, HostUpdate(1e9).update().host, 1e-12);
  h.plan.workload.optimizer->onHost = false;
  h.matrix().host = {};
  const StageUpdate device = h.update();
  EXPECT_EQ(device.host, 0);
  EXPECT_EQ(device.link, 0);
  EXPECT_DOUBLE_EQ(device.seconds(), device.device);
}

// Lists of the parts of every tensor on every rank, which a whole optimizer does not need.
TEST(CostHostUpdate, PartsTakeTimePerRank) {
  HostUpdate h(8e9, 8);
  h.plan.workload.optimizer->onHost = false;
  h.matrix().host = {};
  const double whole = h.update().device;
  h.matrix().optimizer = h.axis("dp");
  const double shard = h.update().device;
  edit(h.plan.stack).set(StackFact::OptimizerPart, h.plan.workload.optimizer->name, number(5e-6));
  EXPECT_NEAR(h.update().device, shard + 8 * 5e-6, 1e-12);
  h.matrix().optimizer = {};
  EXPECT_DOUBLE_EQ(h.update().device, whole);
}

// A gradient leaves when it is summed: the longer of the two ways, and a bucket of the other, are what the step may
// wait for.
TEST(CostHostUpdate, GradientsLeaveBehindTheirReduction) {
  HostUpdate h(1e9, 8);
  h.schedule.blockingShare.fill(0);
  StateCollective leaves = h.state(CollectiveKind::HostCopy, CollectiveClass::Offload, Phase::Step, 0, 1e9);
  leaves.out = true;
  leaves.level = h.program.mesh.levelNames.size();
  h.body(h.layer).states.edit() = {
      h.state(CollectiveKind::ReduceScatter, CollectiveClass::Gradient, Phase::Step, h.axis("dp"), 8e9), leaves};
  for (StateCollective& s : h.body(h.layer).states.edit()) s.params = {h.matrix().param};
  h.stages(1, 1, {{4}});
  h.finish();
  const Simulation sim = h.simulated(h.diagnostics);
  const double reduce = sim.classes[0].states[0], leave = sim.classes[0].states[1];
  EXPECT_NEAR(leave, 1e9 / 12e9, 1e-12);
  const LastPass& last = sim.pipeline.virtualStages[0].last;
  EXPECT_NEAR(last.longer, 0, 1e-12);
  EXPECT_NEAR(last.carried, 4 * std::max(reduce, leave), 1e-12);
  // Each way takes one after the other, from the end of the first of four layers on, which take .02 s.
  EXPECT_NEAR(last.tail, std::max(4 * reduce + leave, reduce + 4 * leave) - 3 * .02, 1e-12);
  EXPECT_GE(sim.end, .02 + reduce + leave);
}

} // namespace
} // namespace planc::cost::test
