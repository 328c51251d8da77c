// Shared by simulations of many pipelines: their common shapes, and memory to run in.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/pipeline/FastPipeline.h"
#include "backends/cost/simulate/pipeline/PipelineShape.h"
#include "support/Memo.h"

#include <memory>

namespace planc::cost {

/// Holds no times, so it serves pipelines of any machine. Serves one thread.
class KnownPipelines {
public:
  std::shared_ptr<const PipelineShape> shapeOf(const PipelineInput& in);
  /// The orders that a schedule makes whatever the times of its passes.
  const ir::Orders& ordersOf(ir::OrderMaker make, const ir::ScheduleShape& shape);
  FastPipeline& engine() { return engine_; }

private:
  static constexpr size_t kMostShapes = 256;
  Memo<std::shared_ptr<const PipelineShape>, kMostShapes> shapes_; ///< the first of those with equal keys
  Memo<ir::Orders, kMostShapes> orders_;
  ir::Orders unkept_; ///< of a schedule with more arguments than a key holds
  FastPipeline engine_;
};

} // namespace planc::cost
