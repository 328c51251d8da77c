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
  std::optional<double> value; ///< of the left side of a comparison, in base units
  std::optional<double> limit; ///< of its right side
  Unit unit;                   ///< of both
  bool percent = false;        ///< the plan writes it in %
  bool whole = true;           ///< the comparison is the whole condition, not a part of it
  std::string reason;
  SourceRange range;
  std::string policy = {}; ///< that demands it; empty: the plan or its test
  bool skipped = false;    ///< a policy that has no meaning for the plan, which was told
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
  /// The interval of the predicted value and the share of measured ones that lie in it; nothing where the estimate has
  /// no interval of what is measured.
  std::optional<double> low = {}, high = {};
  double coverage = 0;
  /// Whether the measured value lies in the interval; nothing without one.
  std::optional<bool> inside() const {
    return low && high ? std::optional(*low <= measured && measured <= *high) : std::nullopt;
  }
};
struct Results {
  std::vector<AssertionResult> assertions;
  std::vector<MeasuredResult> measured;
  bool ok() const;
};
/// The value of an expression over metrics and sizes of the plan; nothing, without a word, where it has none.
std::optional<ir::ExprValue> valueOf(const ir::ExprTree& tree, const ir::Plan& plan, const cost::Estimate& estimate);
/// Is the expression the step time itself?
bool isStepTime(const ir::ExprTree& tree);
/// How it follows the step time or the memory, if it is one number that follows from one of these alone: with floors of
/// both in place of an estimate's it is a floor itself where it rises, a ceiling where it falls.
Follows followed(const ir::ExprTree& tree);
/// The parts that an estimate needs so that all metrics of an expression can be read from it.
cost::Wanted wantedBy(const ir::ExprTree& tree);

/// Evaluates them; a failing one is a PLAN0901 or PLAN0902 error with the value of each sub-expression.
Results evaluate(const ir::Plan& plan, const cost::Estimate& estimate, DiagnosticEngine& diagnostics);

} // namespace planc::verdict
