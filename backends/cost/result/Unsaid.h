// The time of a step that depends on loads of experts that the plan does not state, and on scores that no run of the
// stack had (docs/cost-model.md, section 5).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "backends/cost/result/Estimate.h"
#include "ir/program/Program.h"

#include <vector>

namespace planc::cost {

/// Adds up the seconds of the critical stage in nodes with unstated routing, and in kinds of operators without runs.
class UnsaidTime {
public:
  UnsaidTime(const ir::Program& program, const ir::Stack& stack);
  void add(const ir::Node& node, double seconds);
  /// Returns the terms of a critical stage of `total` seconds.
  std::vector<RecordShare> terms(double total) const;

private:
  double loadOf(const std::vector<ir::DimId>& dims) const;

  const ir::Program& program_;
  const ir::Stack& stack_;
  std::vector<double>
      loads_;         ///< by dim: load of the busiest device over the mean, if routing is as uneven as published
  double busier_ = 0; ///< seconds that these nodes take longer under those loads
  double scores_ = 0; ///< seconds in scores and context without rates of their kernels
};

} // namespace planc::cost
