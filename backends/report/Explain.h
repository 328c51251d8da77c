// Where the numbers of one layer come from: shapes, work, equations, constants with their sources, collectives and
// their overlap.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/report/Report.h"
#include "backends/verdict/LayerPath.h"

#include <string>
#include <vector>

namespace planc::report {

/// Every path that can be explained: each layer of the model, at any depth, once, in order of the model.
std::vector<std::string> explainablePaths(const ir::Model& model);
/// Whether an operator of the model lies at or below the path; slices must be inside the repeat's count.
bool explains(const ir::Model& model, const std::vector<verdict::LayerStep>& path);

/// What an explanation looks at.
struct ExplainInput {
  const PlanReport* report = nullptr;
  const ir::Schedule* schedule = nullptr;
  const cost::CostModel* model = nullptr;
};
/// The derivation of the numbers of the layers at or below `path`, node by node in program order.
std::string explain(const ExplainInput& input, const std::vector<verdict::LayerStep>& path,
                    const SourceManager& sources, const TextOptions& options = {});

/// The derivation of the optimizer's step: every parameter of one instance of every layer, what is communicated, and the sums of the stages.
std::string explainOptimizer(const ExplainInput& input, const SourceManager& sources, const TextOptions& options = {});

/// What the interval of the step time is made of: the stack's runs and each calibrated record, widest first.
std::string explainInterval(const PlanReport& report, const TextOptions& options = {});

} // namespace planc::report
