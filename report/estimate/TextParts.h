// The parts of the text report, top to bottom; Text.cpp puts them together.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/Report.h"

#include <string>
#include <utility>
#include <vector>

namespace planc::report {

/// The lines of the heading: what each is about, and what it says.
std::vector<std::pair<std::string, std::string>> headingRows(const PlanReport& report);
/// `train.micro_batch = 2 (was 1), mesh.dp = 8 (as it was)`
std::string setText(const std::vector<ir::SetFact>& facts);
/// Plan, model, cluster, software, workload, mesh.
std::string headingText(const PlanReport& report, const TextOptions& options);
/// Only if the plan does not fit: by how much, what takes the room, what would free some.
std::string doesNotFitText(const PlanReport& report, const TextOptions& options);
/// Step time and what it is made of, throughput, rates, costs.
std::string totalsText(const PlanReport& report, const TextOptions& options);
/// The run: what becomes of its time, and what it takes. Empty where the plan says none.
std::string runText(const PlanReport& report, const TextOptions& options);
/// Peak memory of each stage by kind.
std::string memoryText(const PlanReport& report, const TextOptions& options);
/// What each `recompute` statement frees and costs.
std::string recomputeText(const PlanReport& report, const TextOptions& options);
/// What each kind of stage does in a step, where there are stages.
std::string stagesText(const PlanReport& report, const TextOptions& options);
/// A row per layer: its part of the step of the critical stage, and what one instance takes.
std::string layersText(const PlanReport& report, const TextOptions& options);
/// The collectives of the critical stage, per step, and who wants them.
std::string communicationText(const PlanReport& report, const SourceManager& sources, const TextOptions& options);
/// Assertions and measured lines.
std::string verdictText(const PlanReport& report, const SourceManager& sources, const TextOptions& options);

} // namespace planc::report
