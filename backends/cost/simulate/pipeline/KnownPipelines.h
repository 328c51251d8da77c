// What simulations of many pipelines share: the shapes that they have in common, and room to run in.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/pipeline/PipelineRun.h"
#include "backends/cost/simulate/pipeline/PipelineShape.h"
#include "support/Memo.h"

#include <memory>

namespace planc::cost {

/// Holds nothing of the times, so for pipelines of any machine. Serves one thread.
class KnownPipelines {
public:
  /// `many`: the same shapes will come again and again, so that tapes are written at once.
  explicit KnownPipelines(bool many = false) : many_(many) {}

  /// With its tape where it is asked for again.
  std::shared_ptr<const PipelineShape> shapeOf(const PipelineInput& in);
  /// The orders that a schedule makes whatever its passes take.
  const ir::Orders& ordersOf(ir::OrderMaker make, const ir::ScheduleShape& shape);
  PipelineRun& run() { return run_; }

private:
  static constexpr size_t kMostSteps = 1 << 20; ///< of all tapes
  static constexpr size_t kMostShapes = 256;
  Memo<std::shared_ptr<PipelineShape>> shapes_{kMostShapes}; ///< the first of those that look alike
  size_t steps_ = 0;                                         ///< of the tapes that are held
  Memo<ir::Orders> orders_{kMostShapes};
  ir::Orders unkept_; ///< of a schedule with more arguments than are looked at
  PipelineRun run_;
  bool many_;
};

} // namespace planc::cost
