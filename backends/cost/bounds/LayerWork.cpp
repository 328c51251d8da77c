// Lower bounds of the step from the prices of layer instances.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/bounds/LayerWork.h"

#include "backends/cost/bounds/Rounding.h"
#include "backends/cost/price/Buckets.h"
#include "backends/cost/price/DeviceStages.h"
#include "backends/cost/simulate/Segments.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>

namespace planc::cost {

namespace {

/// Returns the number of pipeline stages: the product of the sizes of the pipeline's axes.
double stagesOf(const ir::Plan& plan) {
  double stages = 1;
  if (!plan.pipeline) return stages;
  for (const Symbol name : plan.pipeline->axes)
    if (const auto axes = plan.mesh.resolve(name))
      for (const ir::AxisId id : *axes) stages *= static_cast<double>(plan.mesh.axes[id].size);
  return stages;
}

/// Seconds of one micro-batch on one kind of virtual stage.
struct StageFloor {
  double work = 0;  ///< forward and backward
  double reach = 0; ///< forward, and the part of backward that computes the gradients for the stage before
};

std::optional<StageFloor> stageFloor(const ir::Program& program, const ir::StageKind& kind, const CachedCosts& prices,
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

std::optional<LayerWork> layerWork(const ir::Schedule& schedule, Memos& memos) {
  const ir::Program& program = *schedule.program;
  const CachedCosts prices(schedule, memos);
  LayerWork work;
  for (const ir::VirtualStage& stage : program.virtualStages)
    for (const auto& [id, count] : instancesOf(program.stageKinds[stage.kind])) {
      const ClassCost* cost = prices.find(program.classes[id]);
      if (!cost) return std::nullopt;
      const SegmentCost &forward = cost->forward, &backward = cost->backward;
      const double times = static_cast<double>(count);
      // Padding is left out: the host can gain that much lead during other layers.
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

double pipelineFloor(const ir::Schedule& schedule, Memos& memos) {
  const ir::Program& program = *schedule.program;
  const ir::Plan& plan = *program.plan;
  const ir::ScheduleKind& kind = *schedule.kind;
  if (!plan.workload.hasBackward() || !plan.stack || kind.routes > 1) return 0;
  const CachedCosts prices(schedule, memos);
  std::vector<StageFloor> kinds;
  for (const ir::StageKind& stage : program.stageKinds) {
    const auto floor = stageFloor(program, stage, prices, kind.pairs);
    if (!floor) return 0;
    kinds.push_back(*floor);
  }
  const DeviceStages devices(program);
  double most = 0, reach = 0;
  std::vector<double> before; // per virtual stage: seconds until a micro-batch reaches it, plus seconds from there back
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
    // Without a flush a stage starts the next step on its own, so the time to reach it and to return is not added.
    most = std::max(most, work * static_cast<double>(program.microBatches) + (kind.waitsForAll ? first : 0));
  }
  return kRoundedDown * unattributed(plan) * most;
}

} // namespace planc::cost
