// Sums over the instances of all classes.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/bounds/LayerWork.h"

#include "backends/cost/bounds/Rounding.h"
#include "backends/cost/price/Buckets.h"
#include "backends/cost/price/DeviceStages.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>

namespace planc::cost {

namespace {

/// Ranks of the axes that the stages lie on.
double stagesOf(const ir::Plan& plan) {
  double stages = 1;
  if (!plan.pipeline) return stages;
  for (const Symbol name : plan.pipeline->axes)
    if (const auto axes = plan.mesh.resolve(name))
      for (const ir::AxisId id : *axes) stages *= static_cast<double>(plan.mesh.axes[id].size);
  return stages;
}

/// Seconds of a micro-batch on a kind of virtual stage.
struct StageFloor {
  double work = 0;  ///< both passes
  double reach = 0; ///< forward, and the gradients that the stage before waits for
};

std::optional<StageFloor> stageFloor(const ir::Program& program, const ir::StageKind& kind, const KnownPrices& prices,
                                     bool pairs) {
  StageFloor floor;
  for (const auto& [id, count] : instancesOf(kind)) {
    const ClassCost* cost = prices.find(program.classes[id]);
    if (!cost) return std::nullopt;
    const SegmentCost &forward = cost->forward, &backward = cost->backward;
    const double times = static_cast<double>(count);
    const double ahead = forward.seconds - forward.padding, back = backward.seconds - backward.padding;
    const double computing = forward.computing + backward.computing;
    floor.work += times * (pairs ? std::min(ahead + back, computing) : ahead + back);
    floor.reach += times * (ahead + std::max(0.0, back - backward.weight));
  }
  return floor;
}

double unattributed(const ir::Plan& plan) {
  const ir::Number* factor = plan.stack->number(ir::StackFact::Unattributed);
  return factor ? factor->value : 1;
}

} // namespace

std::optional<LayerWork> layerWork(const ir::Program& program, const KnownPrices& prices) {
  LayerWork work;
  for (const ir::VirtualStage& stage : program.virtualStages)
    for (const auto& [id, count] : instancesOf(program.stageKinds[stage.kind])) {
      const ClassCost* cost = prices.find(program.classes[id]);
      if (!cost) return std::nullopt;
      const SegmentCost &forward = cost->forward, &backward = cost->backward;
      const double times = static_cast<double>(count);
      // The host may be ahead by what other layers take.
      work.alone += times * (forward.seconds - forward.padding + backward.seconds - backward.padding);
      work.computing += times * (forward.computing + backward.computing);
    }
  return work;
}

double stepFloor(const LayerWork& work, const ir::Plan& plan, bool pairs) {
  const ir::Workload& w = plan.workload;
  const double replicas = static_cast<double>(ir::replicas(plan));
  if (!w.hasBackward() || !plan.stack || w.microBatch < 1 || replicas < 1) return 0;
  const double microBatches = static_cast<double>(w.globalBatch) / (replicas * static_cast<double>(w.microBatch));
  const double each = pairs ? std::min(work.alone, work.computing) : work.alone;
  return kRoundedDown * unattributed(plan) * microBatches * each / stagesOf(plan);
}

double pipelineFloor(const ir::Program& program, const KnownPrices& prices, const ir::ScheduleKind& kind) {
  const ir::Plan& plan = *program.plan;
  if (!plan.workload.hasBackward() || !plan.stack || kind.routes > 1) return 0;
  std::vector<StageFloor> kinds;
  for (const ir::StageKind& stage : program.stageKinds) {
    const auto floor = stageFloor(program, stage, prices, kind.pairs);
    if (!floor) return 0;
    kinds.push_back(*floor);
  }
  const DeviceStages devices(program);
  double most = 0, reach = 0;
  std::vector<double> before; // of each virtual stage: what a micro-batch needs to reach it and to come back
  for (const ir::VirtualStage& stage : program.virtualStages) {
    before.push_back(reach);
    reach += kinds[stage.kind.index].reach;
  }
  for (size_t device = 0; device < devices.size(); ++device) {
    double work = 0, first = reach;
    for (const uint32_t stage : devices.heldBy(device)) {
      work += kinds[program.virtualStages[stage].kind.index].work;
      first = std::min(first, before[stage]);
    }
    // Stages that go on to the next step by themselves begin and end apart.
    most = std::max(most, work * static_cast<double>(program.microBatches) + (kind.waitsForAll ? first : 0));
  }
  return kRoundedDown * unattributed(plan) * most;
}

} // namespace planc::cost
