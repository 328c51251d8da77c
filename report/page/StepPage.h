// A step as one page of HTML: pictures with the tables behind them. It needs no other file and no network, and is
// complete without its script.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/timeline/Timeline.h"
#include "report/Report.h"

#include <span>
#include <string>

namespace planc::report {

/// One plan of the page.
struct StepPageInput {
  PlanReport report;
  const timeline::Timeline* line = nullptr; ///< of the same estimate; null: the step has more passes than one holds
};

/// Returns the page. Its bytes depend on the input alone.
std::string stepPage(std::span<const StepPageInput> plans);

} // namespace planc::report
