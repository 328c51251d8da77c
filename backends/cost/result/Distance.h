// How far a plan lies from the published runs of its stack, and how much less sure that makes its step time
// (docs/cost-model.md, section 5).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "backends/cost/result/Estimate.h"
#include "ir/Program.h"

#include <vector>

namespace planc::cost {

/// Devices of the largest run of a stack on a device's architecture, with `experts` of a model that has experts; 0
/// without one, and for software of another platform.
double reachOf(const ir::Stack& stack, const ir::Device& device, bool experts);

/// Whether tokens are routed: the model has experts.
bool hasExperts(const ir::Model& model);

/// A kind of run that a plan would be and no run of its stack was.
struct UnseenKind {
  std::string of; ///< which kind, whatever the stack is called
  std::string what;
  double error = 0; ///< what it adds to the relative error of the step time
};
/// Those of a plan with cluster and software, by architecture and experts; none of a stack without `accuracy`.
std::vector<UnseenKind> unseenKinds(const ir::Plan& plan);
/// PLAN0825 for each of them. `fitting`: stacks that had such runs, a line each.
void warnOfUnseenKinds(const ir::Plan& plan, const std::vector<std::string>& fitting, DiagnosticEngine& diagnostics);

/// One term for each way in which the stack's runs do not reach the plan: its architecture, experts on it, its type of
/// products, its number of devices, its sequences. The whole step stands on each, on a type by its share of the
/// products. A stack that does not say what it ran on ran nowhere.
std::vector<RecordShare> distances(const ir::Program& program, const Facts& facts, const ir::Accuracy& accuracy);

/// Keys of the attention with the most of them; 0 without attention in one kernel.
double longestKeys(const ir::Program& program);

} // namespace planc::cost
