// Sums over the instances of all classes.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/LayerWork.h"

#include "backends/cost/price/Buckets.h"
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

/// For all sums that are taken in another order than the simulation takes them.
constexpr double kRoundedDown = 1 - 1e-9;

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
  if (!w.train || !plan.stack || w.microBatch < 1 || replicas < 1) return 0;
  const double microBatches = static_cast<double>(w.globalBatch) / (replicas * static_cast<double>(w.microBatch));
  const ir::Number* factor = plan.stack->number(ir::StackFact::Unattributed);
  const double each = pairs ? std::min(work.alone, work.computing) : work.alone;
  return kRoundedDown * (factor ? factor->value : 1) * microBatches * each / stagesOf(plan);
}

} // namespace planc::cost
