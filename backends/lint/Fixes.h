// What would make a plan that does not fit use less memory, as changes of its text.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "ir/plan/PlanEdit.h"
#include "ir/program/Program.h"

#include <string>
#include <vector>

namespace planc::lint {

/// A change as the lines of a plan that extends the one in question.
struct Candidate {
  std::string kind; ///< changes of one kind exclude each other
  std::vector<std::string> lines;
  std::string effect;  ///< what it does
  ir::PlanEdit edit{}; ///< the same as data
};

/// The changes that a plan leaves open: sharded or offloaded states, recomputation, a split residual stream, smaller
/// micro-batches, more stages. Not all of them obey every law: whoever prices them drops those that do not.
std::vector<Candidate> memoryCandidates(const ir::Plan& plan, const ir::Program& program,
                                        const cost::Estimate& estimate);

/// A candidate, or several together, priced by the same passes as the plan.
struct Fix {
  std::vector<std::string> lines;
  std::string effect;
  std::string text;                  ///< the plan to paste
  double peak = 0, saved = 0;        ///< bytes on the fullest stage
  double stepTime = 0, slowdown = 0; ///< seconds; against the plan as it is, 0.05 for 5 %
  bool fits = false;
};

/// What a `recompute` statement changes: the plan against the plan without that statement, both priced.
struct RecomputeEffect {
  std::string statement;             ///< selectors and facts
  double freed = 0, peakWithout = 0; ///< bytes at the fullest moment of the fullest stage
  double cost = 0, stepWithout = 0;  ///< seconds of a step
};

/// Those that fit first, the fastest of them first; then by peak.
void rank(std::vector<Fix>& fixes);
/// The plan to paste: `plan NAME extends BASE { … }`, BASE with its arguments.
std::string fixText(const std::string& name, const std::string& base, const std::vector<std::string>& lines);

} // namespace planc::lint
