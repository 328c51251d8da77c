// The inputs of reports on one plan, and declarations that all reports use.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/lint/Fixes.h"
#include "backends/verdict/Verdict.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace planc::report {

using lint::Fix;
using lint::RecomputeEffect;

/// The inputs of a report on one plan.
struct PlanReport {
  std::string file;
  const SourceManager* sources = nullptr; ///< sources of the file
  const ir::Plan* plan = nullptr;
  const ir::Program* program = nullptr;
  const cost::Estimate* estimate = nullptr;
  const verdict::Results* results = nullptr;
  const std::vector<Fix>* fixes = nullptr;                 ///< priced changes that need less memory, best first
  const std::vector<RecomputeEffect>* recompute = nullptr; ///< effect of each `recompute` statement
  std::string label{};                                     ///< label of its line in a declared comparison
};

/// Order of the layers' lines: as in the model, or by their time in the step.
enum class LayerOrder { Model, Time };

/// Options of pages.
struct PageOptions {
  bool allLayers = false; ///< one row per stage even if stages are alike; explanations are not shortened
  LayerOrder order = LayerOrder::Model;
};
/// Returns an assertion, a demand of a policy or a `measured` statement on one line, with its values and its reason.
std::string oneLine(const verdict::AssertionResult& result);
std::string oneLine(const verdict::MeasuredResult& result);
/// Returns the statement without the results of the plan. Test reports use this text as the name of the statement.
std::string asWritten(const verdict::AssertionResult& result);
std::string asWritten(const verdict::MeasuredResult& result);
/// Returns the name of a plan with all its arguments: `house_8b(nodes = 8)`.
std::string planName(const ir::Plan& plan);
/// Returns a unique name of a plan, from its file, its name and all its arguments: `plans/run.plan#house_8b(nodes =
/// 8)`.
std::string planId(std::string_view file, const ir::Plan& plan);
/// Returns one element of `plans` in the JSON contract (docs/report.md).
nlohmann::ordered_json json(const PlanReport& report);

} // namespace planc::report
