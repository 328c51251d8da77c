// The parts of the page of an estimate from top to bottom. Estimate.cpp joins them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/Report.h"
#include "report/document/Document.h"

#include <string>
#include <utility>
#include <vector>

namespace planc::report {

/// Returns the lines of the heading: name and text.
std::vector<std::pair<std::string, std::string>> headingRows(const PlanReport& report);
/// Returns `train.micro_batch = 2 (was 1), mesh.dp = 8 (as it was)`.
std::string setText(const std::vector<ir::SetFact>& facts);

// A part without content is empty.

/// If the plan does not fit: by how much, the largest contents, and changes that free memory.
Page doesNotFitPage(const PlanReport& report);
/// Plan, model, cluster, software, workload, mesh.
Page headingPage(const PlanReport& report);
/// The step time and its parts, throughput, rates, costs.
Page totalsPage(const PlanReport& report);
/// The run: its time by use, and its totals.
Page runPage(const PlanReport& report);
/// The parts of a step by kind of stage, if there are several.
Page stagesPage(const PlanReport& report);
/// A row per layer: its part of the critical stage's step, and the numbers of one instance.
Page layersPage(const PlanReport& report, const PageOptions& options);
/// The collectives of the critical stage, per step, and the rules that cause them.
Page communicationPage(const PlanReport& report);
/// The peak memory of each stage by kind.
Page memoryPage(const PlanReport& report, const PageOptions& options);
/// The memory that each `recompute` statement frees, and the time that it costs.
Page recomputePage(const PlanReport& report);
/// The assertions and measured lines.
Page verdictPage(const PlanReport& report);

} // namespace planc::report
