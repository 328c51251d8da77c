// Metrics by name, and the verdict on a plan's assert and measured lines: values drawn under the text, contributors, tolerance.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/Estimate.h"

#include <string>
#include <vector>

namespace planc::verdict {

/// One row of the metric table: the name in plans, its unit, its JSON field.
struct Metric {
  std::string_view name;
  Unit unit;
  bool isBool = false;
  std::string_view jsonField; ///< `totals.step_time_s`
  std::optional<double> (*read)(const cost::Estimate&);
};
const std::vector<Metric>& metrics();

/// Type-checks the assertions and measured lines of a plan without an estimate: unknown metrics, units that do not agree.
void check(const ir::Plan& plan, DiagnosticEngine& diagnostics);

struct AssertionResult {
  std::string text;
  bool ok = true;
  std::optional<double> value; ///< of the left side of a comparison, in base units
  SourceRange range;
};
struct MeasuredResult {
  std::string metric;
  double measured = 0, predicted = 0, error = 0;
  std::optional<double> tolerance;
  bool ok = true;
  std::string source;
  SourceRange range;
};
struct Results {
  std::vector<AssertionResult> assertions;
  std::vector<MeasuredResult> measured;
};
/// Evaluates them; a failing one is a PLAN0901 or PLAN0902 error with the value of each sub-expression.
Results evaluate(const ir::Plan& plan, const cost::Estimate& estimate, DiagnosticEngine& diagnostics);

} // namespace planc::verdict
