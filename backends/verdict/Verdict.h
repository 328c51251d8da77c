// The verdict on a plan's assert and measured lines: values drawn under the text, contributors,
// tolerance.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/verdict/Metric.h"
#include "ir/model/Expr.h"
#include "support/Diagnostics.h"

#include <string>
#include <vector>

namespace planc::verdict {

/// Type-checks the assertions and measured lines of a plan without an estimate: unknown metrics, units that do not
/// agree.
void check(const ir::Plan& plan, DiagnosticEngine& diagnostics);

struct AssertionResult {
  std::string text;
  bool ok = true;
  std::optional<double> value; ///< value of the left side of a comparison, in base units
  std::optional<double> limit; ///< value of its right side, in base units
  Unit unit;                   ///< unit of both sides
  bool percent = false;        ///< the plan writes it in %
  bool whole = true;           ///< the comparison is the whole condition, not a part of it
  std::string reason;
  SourceRange range;
  std::string policy = {}; ///< policy that demands the assertion; empty: the plan or its test demands it
  bool skipped = false;    ///< a policy that has no meaning for the plan; a diagnostic reports this
};
struct MeasuredResult {
  std::string metric;
  bool known = false; ///< both numbers have a value
  double measured = 0, predicted = 0;
  double error = 0; ///< predicted / measured - 1
  Unit unit;
  bool percent = false; ///< the plan writes it in %
  std::optional<double> tolerance;
  bool ok = true;
  std::string source;
  SourceRange range;
  /// The interval of the predicted value, and the share of measured values that lie in it. Null and 0 if the estimate
  /// has no interval for the metric.
  std::optional<double> low = {}, high = {};
  double coverage = 0;
  /// Returns whether the measured value lies in the interval; nullopt if there is no interval.
  std::optional<bool> inside() const {
    return low && high ? std::optional(*low <= measured && measured <= *high) : std::nullopt;
  }
};
struct Results {
  std::vector<AssertionResult> assertions;
  std::vector<MeasuredResult> measured;
  bool ok() const;
};
/// Returns the value of an expression over metrics and sizes of the plan; nullopt, without a diagnostic, if it has no
/// value.
std::optional<ir::ExprValue> valueOf(const ir::ExprTree& tree, const ir::Plan& plan, const cost::Estimate& estimate);
/// Returns whether the expression is the step time itself.
bool isStepTime(const ir::ExprTree& tree);
/// Returns how an expression follows the step time or the memory; `None` unless it is a single metric that follows
/// from one of these alone. If lower bounds replace both values of the estimate, an expression that rises is a lower
/// bound, and an expression that falls is an upper bound.
Follows followed(const ir::ExprTree& tree);
/// The parts that an estimate needs so that all metrics of an expression can be read from it.
cost::Wanted wantedBy(const ir::ExprTree& tree);

/// Evaluates the assertions and measured lines of a plan. Reports a failing line as a PLAN0901 or PLAN0902 error, with
/// the value of each sub-expression.
Results evaluate(const ir::Plan& plan, const cost::Estimate& estimate, DiagnosticEngine& diagnostics);

} // namespace planc::verdict
