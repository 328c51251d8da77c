// The largest parts of a metric, for the notes of a failed assertion: where the time or the memory goes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/verdict/Verdict.h"

#include <string>
#include <utility>
#include <vector>

namespace planc::verdict {

struct Contributor {
  std::string name; ///< `compute`, `exposed dp all-gather`
  double value = 0;
};

/// Returns the critical stage. The totals of an estimate are totals of this stage.
int64_t criticalStage(const cost::Estimate& estimate);
/// Returns the parts of a metric, largest first; empty if the metric has no breakdown.
std::vector<Contributor> contributors(const cost::Estimate& estimate, const Metric& metric);
/// Returns the notes for the metrics of an expression, one text per kind of part: `compute 6.02 s, exposed dp
/// all-gather 1.31 s, pipeline bubble 620 ms`.
std::vector<std::string> contributorNotes(const cost::Estimate& estimate, const std::vector<const Metric*>& metrics);

} // namespace planc::verdict
