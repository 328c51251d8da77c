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

/// The stage that ends last: totals are of it.
int64_t criticalStage(const cost::Estimate& estimate);
/// The parts of a metric, largest first; none where it has no parts worth naming.
std::vector<Contributor> contributors(const cost::Estimate& estimate, const Metric& metric);
/// `compute 6.02 s, exposed dp all-gather 1.31 s, pipeline bubble 620 ms` for the metrics of an expression; one text
/// per kind of part.
std::vector<std::string> contributorNotes(const cost::Estimate& estimate, const std::vector<const Metric*>& metrics);

} // namespace planc::verdict
