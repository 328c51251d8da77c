// The explanations by file. Explain.cpp selects the requested one.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/explain/ExplainPage.h"

namespace planc::report {

/// The explanation of one number.
using Explanation = void (*)(ExplainPage& page, const ExplainInput& input);

// ExplainStep.cpp: the step and its parts.
void explainStep(ExplainPage& page, const ExplainInput& input);
void explainCompute(ExplainPage& page, const ExplainInput& input);
void explainSlowed(ExplainPage& page, const ExplainInput& input);
void explainLaunches(ExplainPage& page, const ExplainInput& input);
void explainExposed(ExplainPage& page, const ExplainInput& input);
void explainCommunication(ExplainPage& page, const ExplainInput& input);
void explainBubble(ExplainPage& page, const ExplainInput& input);
void explainStages(ExplainPage& page, const ExplainInput& input);
void explainOverhead(ExplainPage& page, const ExplainInput& input);
void explainStraggler(ExplainPage& page, const ExplainInput& input);

// ExplainOptimizer.cpp
void explainOptimizer(ExplainPage& page, const ExplainInput& input);

// ExplainRates.cpp: numbers that follow from the step time.
void explainTokens(ExplainPage& page, const ExplainInput& input);
void explainSamples(ExplainPage& page, const ExplainInput& input);
void explainModelFlops(ExplainPage& page, const ExplainInput& input);
void explainCausalFlops(ExplainPage& page, const ExplainInput& input);
void explainHardwareFlops(ExplainPage& page, const ExplainInput& input);
void explainDeviceHours(ExplainPage& page, const ExplainInput& input);
void explainCost(ExplainPage& page, const ExplainInput& input);
void explainEnergy(ExplainPage& page, const ExplainInput& input);
void explainParameters(ExplainPage& page, const ExplainInput& input);
void explainMicroBatches(ExplainPage& page, const ExplainInput& input);

// ExplainRun.cpp: numbers of the plan's `run`. Call them only if the plan has one.
void explainRunTime(ExplainPage& page, const ExplainInput& input);
void explainRunPart(ExplainPage& page, const ExplainInput& input, std::string_view label);
void explainGoodput(ExplainPage& page, const ExplainInput& input);
void explainFailures(ExplainPage& page, const ExplainInput& input);
void explainCheckpoints(ExplainPage& page, const ExplainInput& input);
void explainRunSteps(ExplainPage& page, const ExplainInput& input);
void explainRunDeviceHours(ExplainPage& page, const ExplainInput& input);
void explainRunCost(ExplainPage& page, const ExplainInput& input);
void explainRunEnergy(ExplainPage& page, const ExplainInput& input);
void explainRunCarbon(ExplainPage& page, const ExplainInput& input);

// ExplainHeading.cpp: a line of the heading. Returns false if there is no line of that name.
bool explainHeading(ExplainPage& page, const ExplainInput& input, const std::string& what);

// ExplainLive.cpp: a row of the contents of memory at the peak. Returns false if there is no such row.
bool explainLive(ExplainPage& page, const ExplainInput& input, const std::string& what);

// ExplainMemory.cpp: the peak of memory, and the probability that it fits.
void explainMemory(ExplainPage& page, const ExplainInput& input);
void explainFits(ExplainPage& page, const ExplainInput& input);
void explainPool(ExplainPage& page, const ExplainInput& input);

// ExplainRecompute.cpp
void explainRecompute(ExplainPage& page, const ExplainInput& input);

// ExplainRows.cpp: rows of stages and of collectives. The functions return false if there is no such row.
bool explainStage(ExplainPage& page, const ExplainInput& input, int64_t stage);
/// Explains a column of the stages' table for one stage, or for the critical one next to all. Returns false if there is
/// no such column.
bool explainStageColumn(ExplainPage& page, const ExplainInput& input, std::string_view name,
                        std::optional<int64_t> stage);
bool explainCollectives(ExplainPage& page, const ExplainInput& input, const std::string& what);

// ExplainLayer.cpp: a row of the layers, or any path into the model. Returns false if there is none.
bool explainLayer(ExplainPage& page, const ExplainInput& input, const std::string& what);
/// Returns whether the name is a row of the layers, or the path of an operator or block.
bool hasPage(const ExplainInput& input, const ir::LayerRef& layer);
/// Returns every path of an operator or block, each once, in the order of the model.
std::vector<std::string> modelPaths(const ir::Model& model);

} // namespace planc::report
