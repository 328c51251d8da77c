// Where a number comes from: every number and every row that the report prints, by the name that it has there.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/CostModel.h"
#include "ir/program/Task.h"
#include "report/Report.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::report {

/// What an explanation looks at.
struct ExplainInput {
  const PlanReport* report = nullptr;
  const ir::Schedule* schedule = nullptr;
  const cost::CostModel* model = nullptr;
  cost::Facts* facts = nullptr; ///< of the model
};

/// What can be asked for: numbers as the report and as plans name them, and rows of layers, stages and collectives.
std::vector<std::string> explainable(const PlanReport& report);

/// A number as the sum of its rows or as its equation with numbers; a row as what it is made of: operators with their
/// equations, constants and sources. Besides rows, every path into the model can be asked for. Nothing if the report
/// has nothing of that name. `options.allLayers`: all of it, where the parts would not fit on a screen.
std::optional<std::string> explain(const ExplainInput& input, const std::string& what, const SourceManager& sources,
                                   const TextOptions& options = {});

} // namespace planc::report
