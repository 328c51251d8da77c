// A step as one page of HTML: pictures with the tables behind them. It needs no other file and no network, and is
// complete without its script.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/timeline/Timeline.h"
#include "report/Report.h"
#include "report/document/Document.h"

#include <span>
#include <string>

namespace planc::report {

/// One plan of the page.
struct StepPageInput {
  PlanReport report;
  Page constants{};                         ///< what the step depends on most; empty: not known
  const timeline::Timeline* line = nullptr; ///< of the same estimate; null: the step has more passes than one holds
};

/// The sections above those of the plans.
struct StepPageHead {
  Page beside{};       ///< the plans beside each other; empty: there is one
  std::string against; ///< the older state; empty: none
  Page difference{};   ///< from that state
};

/// Returns the page. Its bytes depend on the input alone.
std::string stepPage(const StepPageHead& head, std::span<const StepPageInput> plans);

} // namespace planc::report
