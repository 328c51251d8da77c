// The explanations, by file; Explain.cpp finds the one that is asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/explain/ExplainPage.h"

namespace planc::report {

/// Of one number.
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

// ExplainRates.cpp: what follows from the time of the step.
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

// ExplainRun.cpp: what the plan's `run` takes; only where there is one.
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

// ExplainHeading.cpp: a line of the heading. False if there is none of that name.
bool explainHeading(ExplainPage& page, const ExplainInput& input, const std::string& what);

// ExplainLive.cpp: a row of what lives at the fullest moment.
bool explainLive(ExplainPage& page, const ExplainInput& input, const std::string& what);

// ExplainMemory.cpp: what lives at the fullest moment; how sure it is to fit.
void explainMemory(ExplainPage& page, const ExplainInput& input);
void explainFits(ExplainPage& page, const ExplainInput& input);
void explainPool(ExplainPage& page, const ExplainInput& input);

// ExplainRecompute.cpp
void explainRecompute(ExplainPage& page, const ExplainInput& input);

// ExplainRows.cpp: rows of stages and of collectives. False if there is no such row.
bool explainStage(ExplainPage& page, const ExplainInput& input, int64_t stage);
/// A column of the stages' table: of one stage, or of the critical one and beside it all. False if there is none.
bool explainStageColumn(ExplainPage& page, const ExplainInput& input, std::string_view name,
                        std::optional<int64_t> stage);
bool explainCollectives(ExplainPage& page, const ExplainInput& input, const std::string& what);

// ExplainLayer.cpp: a row of the layers, or any path into the model. False if there is none.
bool explainLayer(ExplainPage& page, const ExplainInput& input, const std::string& what);
/// Is it a row of the layers, or a path of an operator or block?
bool hasPage(const ExplainInput& input, const ir::LayerRef& layer);
/// Every path of an operator or block, each once, in order of the model.
std::vector<std::string> modelPaths(const ir::Model& model);

} // namespace planc::report
