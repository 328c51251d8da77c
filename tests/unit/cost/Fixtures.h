// Machines with the constants of the cost model's own sources, and small programs put together by hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/Estimator.h"
#include "backends/cost/facts/Facts.h"
#include "backends/cost/price/CostModel.h"
#include "backends/cost/simulate/Simulation.h"
#include "tests/unit/support/Build.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace planc::cost::test {

ir::Number number(double value);
/// A table that stands for a number.
ir::Number curve(std::vector<double> x, std::vector<double> y);
/// `bandwidth` per device and direction.
ir::ClusterLevel levelOf(Symbol name, int64_t count, ir::Fabric fabric, double bandwidth, double latency,
                         ir::Topology topology = {});

/// A100 SXM 80 GB: 312 TFLOP/s, e .772, f .73, t0 6.6 us, 2.039 TB/s, memory operators .85 and 3 us.
ir::Device a100();
/// H100 SXM in fp8: 1979 TFLOP/s, e .586, f .81, t0 3.5 us, 3.35 TB/s.
ir::Device h100();
/// NVLink 3 in a node of eight: three-term fits for 2, 4 and 8 ranks.
ir::Fabric nvlink3();
/// NVLink 5: the same for B200, `a` growing by 15 % per doubling beyond eight.
ir::Fabric nvlink5();
/// HDR InfiniBand, priced from the network card.
ir::Fabric hdr();
ir::Topology fatTree(double oversubscription);
/// `nodes` nodes of `perNode` devices, 25 GB/s of network card per device.
ir::Cluster superpod(int64_t nodes, int64_t perNode = 8);
/// Megatron of 2022: ratio 1.9, fused accumulation, everything inline but half of the re-gathers.
ir::Stack megatron();
/// Seconds that a received value holds its stage.
void setReceive(ir::Stack& stack, double seconds);

/// Axes inner to outer.
ir::Mesh mesh(const ir::Cluster& cluster, const std::vector<std::pair<std::string, int64_t>>& axes);

/// A program at level comm on a superpod of A100, and its schedule.
struct Builder : planc::test::Build {
  ir::Schedule schedule;

  Builder(int64_t nodes, const std::vector<std::pair<std::string, int64_t>>& axes);

  /// A layer of `count` instances, folded into a repeat or not. What is added next goes there.
  ir::LayerClassId unit(const std::string& name, int64_t count = 1, bool repeat = false);
  /// An operator of the last unit without values, called `name`, in its child layer `child`.
  ir::OpId op(const std::string& name, ir::OpKind kind, const std::string& child = "");
  using Build::body;
  ir::LayerClass& body(ir::LayerClassId id) { return program.classes[id]; }

  /// Computes in fp16.
  ir::Node compute(ir::OpId op, ir::Role role = ir::Role::Forward, ir::Phase phase = ir::Phase::Forward) const;
  /// A node that takes `seconds` in forward or backward: a memory operator of the bytes that take that long.
  ir::Node lasting(ir::OpId op, double seconds, bool backward = false) const;
  ir::ValueId param(ir::OpId reader, const std::string& name, std::vector<int64_t> extents);

  /// Tasks of every class by the schedule's blocking shares, as the schedule pass makes them.
  void finish();
  /// Its facts live as long as this.
  std::unique_ptr<CostModel> model(DiagnosticEngine& diagnostics) const;
  std::vector<ClassCost> classCosts(DiagnosticEngine& diagnostics) const;
  Simulation simulated(DiagnosticEngine& diagnostics) const;
  std::unique_ptr<Estimate> estimate(DiagnosticEngine& diagnostics);

private:
  mutable std::deque<Facts> facts_; ///< of each model
};

/// Rows of the schedule table.
const ir::ScheduleKind& scheduleNamed(std::string_view name);
const ir::ScheduleKind& oneForwardOneBackward();
const ir::ScheduleKind& interleaved();
const ir::ScheduleKind& gpipe();
/// Input gradients at once, weight gradients of each micro-batch after the next input gradient.
const ir::ScheduleKind& splitBackward();

} // namespace planc::cost::test
