// Reports: pure functions from an estimate to text, JSON and CSV.
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

/// All that a report of one plan needs.
struct PlanReport {
  std::string file;
  const SourceManager* sources = nullptr; ///< of the file
  const ir::Plan* plan = nullptr;
  const ir::Program* program = nullptr;
  const cost::Estimate* estimate = nullptr;
  const verdict::Results* results = nullptr;
  const std::vector<Fix>* fixes = nullptr;                 ///< priced changes that need less memory, best first
  const std::vector<RecomputeEffect>* recompute = nullptr; ///< of each statement
  std::string label{};                                     ///< of its line in a declared comparison
};

/// Lines of layers as the model has them, or those first that take the most of the step.
enum class LayerOrder { Model, Time };

struct TextOptions {
  bool color = false;
  bool allLayers = false; ///< one row per stage even where stages are alike; explanations of any length
  LayerOrder order = LayerOrder::Model;
};
std::string text(const PlanReport& report, const TextOptions& options = {});
/// An assertion, a demand of a policy, or a measured line with its values and its reason, as one line.
std::string oneLine(const verdict::AssertionResult& result);
std::string oneLine(const verdict::MeasuredResult& result);
/// The same without what the plan comes to: a name of the line.
std::string asWritten(const verdict::AssertionResult& result);
std::string asWritten(const verdict::MeasuredResult& result);
/// A plan with all its arguments: `house_8b(nodes = 8)`.
std::string planName(const ir::Plan& plan);
/// What no other plan is called: its file, its name, all its arguments: `plans/run.plan#house_8b(nodes = 8)`.
std::string planId(std::string_view file, const ir::Plan& plan);
/// One element of `plans` of the JSON contract (docs/report.md).
nlohmann::ordered_json json(const PlanReport& report);
/// One line per layer row, with a header line.
std::string csv(const PlanReport& report, bool header);
/// One line per number of the plan's run, with its ends; nothing where the plan says none.
std::string runCsv(const PlanReport& report, bool header);

} // namespace planc::report
