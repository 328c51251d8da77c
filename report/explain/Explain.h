// Explains every number and row of a report by its name there.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/CostModel.h"
#include "ir/program/Task.h"
#include "report/Report.h"
#include "report/document/Document.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::report {

/// The inputs of an explanation.
struct ExplainInput {
  const PlanReport* report = nullptr;
  const ir::Schedule* schedule = nullptr;
  const cost::CostModel* model = nullptr;
  cost::Facts* facts = nullptr; ///< facts of the model
};

/// Returns the names that can be explained: numbers as reports and plans name them, and rows of layers, stages and
/// collectives.
std::vector<std::string> explainable(const PlanReport& report);

/// Explains a number as the sum of its rows or by its equation with numbers, and a row by its operators with their
/// equations, constants and sources. Every path into the model can be explained, too. Returns null if the report has
/// nothing of that name. `options.allLayers`: also write parts that do not fit on a screen.
std::optional<Page> explain(const ExplainInput& input, const std::string& what, const SourceManager& sources,
                                   const PageOptions& options = {});

} // namespace planc::report
