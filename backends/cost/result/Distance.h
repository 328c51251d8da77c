// How far a plan lies from the published runs of its stack, and how much less sure that makes its step time
// (docs/cost-model.md, section 5).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "backends/cost/result/Estimate.h"
#include "ir/program/Program.h"

#include <vector>

namespace planc::cost {

/// Number of devices in the largest run of a stack on a device's architecture; with `experts`, in the largest run of a
/// model with experts. 0 if there was no such run, or if the stack is software of another platform.
double reachOf(const ir::Stack& stack, const ir::Device& device, bool experts);

/// Returns whether the model has experts, to which tokens are routed.
bool hasExperts(const ir::Model& model);

/// A kind of run to which a plan belongs and no run of its stack did.
struct UnseenKind {
  std::string of; ///< the kind, `architecture ampere`, without the name of the stack
  std::string what;
  double error = 0; ///< what it adds to the relative error of the step time
};
/// The unseen kinds of a plan with cluster and software, by architecture and experts. Empty for a stack without
/// `accuracy`.
std::vector<UnseenKind> unseenKinds(const ir::Plan& plan);
/// Reports the unseen kinds of a plan (PLAN0825). `fitting`: a line for each stack that had such runs.
void warnOfUnseenKinds(const ir::Plan& plan, const std::vector<std::string>& fitting, DiagnosticEngine& diagnostics);

/// One term for each way in which the stack's runs do not reach the plan: its architecture, experts on it, its type of
/// products, its number of devices, its sequences. The whole step stands on each, on a type by its share of the
/// products. A stack that does not say what it ran on ran nowhere.
std::vector<RecordShare> distances(const ir::Program& program, const Facts& facts, const ir::Accuracy& accuracy);

/// The largest number of keys of any attention in one kernel; 0 if the program has none.
double longestKeys(const ir::Program& program);

} // namespace planc::cost
