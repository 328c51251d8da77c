// The shape of a pipeline, which does not depend on the times of its passes: the slots of each stage, and the
// stretches that its orders repeat.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/pipeline/Pipeline.h"
#include "backends/cost/simulate/pipeline/SteadyState.h"

#include <cstdint>
#include <span>
#include <vector>

namespace planc::cost {

/// A slot is a virtual stage on a route.
class PipelineShape {
public:
  static constexpr size_t kKinds = 4; ///< number of action kinds

  explicit PipelineShape(const PipelineInput& in);
  /// Returns whether another input has this shape.
  bool fits(const PipelineInput& in) const;

  size_t routes() const { return routes_; }
  int64_t perRoute() const { return perRoute_; } ///< micro-batches of one route
  size_t slots() const { return holdOf_.size(); }
  size_t stages() const { return heldFrom_.size() - 1; }
  bool pairs() const { return pairs_; } ///< whether any passes run together
  /// Slots of a stage, in the order in which their new parameters arrive.
  std::span<const uint32_t> holds(size_t stage) const {
    return std::span(heldSlots_).subspan(heldFrom_[stage], heldFrom_[stage + 1] - heldFrom_[stage]);
  }
  /// Returns the index of the first slot of a stage in a list of the slots of all stages.
  size_t heldFrom(size_t stage) const { return heldFrom_[stage]; }
  /// Returns the index of a slot in `holds` of its stage.
  uint32_t holdOf(size_t slot) const { return holdOf_[slot]; }
  /// The stretches that can be leapt over.
  const std::vector<SteadyOrders>& steady() const { return steady_; }

private:
  void hold(const PipelineInput& in);

  ir::Orders orders_;
  StageDevices devices_;
  int64_t microBatches_;
  size_t routes_;
  int64_t perRoute_;
  bool pairs_ = false;
  std::vector<uint32_t> heldSlots_, holdOf_;
  std::vector<size_t> heldFrom_; ///< by stage
  std::vector<SteadyOrders> steady_;
};

} // namespace planc::cost
