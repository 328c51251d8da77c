// Changes that reduce the memory of a plan that does not fit, as edits of its text.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "ir/plan/PlanEdit.h"
#include "ir/program/Program.h"

#include <string>
#include <vector>

namespace planc::lint {

/// A change, written as the lines of a plan that extends the original plan.
struct Candidate {
  std::string kind; ///< changes of one kind exclude each other
  std::vector<std::string> lines;
  std::string effect;  ///< its effect as text
  ir::PlanEdit edit{}; ///< the change as data
};

/// Returns the changes that a plan leaves open: sharded or offloaded states, recomputation, a split residual stream,
/// smaller micro-batches, more stages. Some may break a law; the caller drops the ones that cannot be priced.
std::vector<Candidate> memoryCandidates(const ir::Plan& plan, const ir::Program& program,
                                        const cost::Estimate& estimate);

/// One or several candidates together, priced by the same passes as the plan.
struct Fix {
  std::vector<std::string> lines;
  std::string effect;
  std::string text;                  ///< the plan to paste
  double peak = 0, saved = 0;        ///< bytes on the fullest stage
  double stepTime = 0, slowdown = 0; ///< seconds; relative to the original plan, 0.05 for 5 %
  bool fits = false;
};

/// The effect of a `recompute` statement: the plan compared with the plan without it, both priced.
struct RecomputeEffect {
  std::string statement;             ///< selectors and facts of the statement
  double freed = 0, peakWithout = 0; ///< bytes at the peak of the fullest stage
  double cost = 0, stepWithout = 0;  ///< seconds of a step
};

/// Sorts fixes: first the fixes that fit, fastest first; then the other fixes by peak.
void rank(std::vector<Fix>& fixes);
/// Returns the plan to paste: `plan NAME extends BASE { … }`, BASE with its arguments.
std::string fixText(const std::string& name, const std::string& base, const std::vector<std::string>& lines);

} // namespace planc::lint
