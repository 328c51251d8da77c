// The parts of the text report from top to bottom. Text.cpp joins them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/Report.h"

#include <string>
#include <utility>
#include <vector>

namespace planc::report {

/// Returns the lines of the heading: name and text.
std::vector<std::pair<std::string, std::string>> headingRows(const PlanReport& report);
/// Returns `train.micro_batch = 2 (was 1), mesh.dp = 8 (as it was)`.
std::string setText(const std::vector<ir::SetFact>& facts);
/// Returns plan, model, cluster, software, workload, mesh.
std::string headingText(const PlanReport& report, const TextOptions& options);
/// Returns, only if the plan does not fit: by how much, the largest contents, and changes that free memory.
std::string doesNotFitText(const PlanReport& report, const TextOptions& options);
/// Returns the step time and its parts, throughput, rates, costs.
std::string totalsText(const PlanReport& report, const TextOptions& options);
/// Returns the run: its time by use, and its totals. Empty if the plan has no run.
std::string runText(const PlanReport& report, const TextOptions& options);
/// Returns the peak memory of each stage by kind.
std::string memoryText(const PlanReport& report, const TextOptions& options);
/// Returns what each `recompute` statement frees and costs.
std::string recomputeText(const PlanReport& report, const TextOptions& options);
/// Returns the parts of a step by kind of stage. Empty without stages.
std::string stagesText(const PlanReport& report, const TextOptions& options);
/// Returns a row per layer: its part of the critical stage's step, and the numbers of one instance.
std::string layersText(const PlanReport& report, const TextOptions& options);
/// Returns the collectives of the critical stage, per step, and the rules that cause them.
std::string communicationText(const PlanReport& report, const SourceManager& sources, const TextOptions& options);
/// Returns the assertions and measured lines.
std::string verdictText(const PlanReport& report, const SourceManager& sources, const TextOptions& options);

} // namespace planc::report
