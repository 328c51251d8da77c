// The distance of a plan from the published runs of its stack, and the uncertainty that it adds to the step time
// (docs/cost-model.md, section 5).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "backends/cost/result/Estimate.h"
#include "ir/program/Program.h"

#include <vector>

namespace planc::cost {

/// Returns the number of devices in the largest run of a stack on a device's architecture; with `experts`, in the
/// largest run of a model with experts. Returns 0 if there was no such run, or if the stack is software of another
/// platform.
double reachOf(const ir::Stack& stack, const ir::Device& device, bool experts);

/// Returns whether the model has experts, to which tokens are routed.
bool hasExperts(const ir::Model& model);

/// A kind of run: the plan belongs to it, and the stack has no run of this kind.
struct UnseenKind {
  std::string of; ///< the kind, `architecture ampere`, without the name of the stack
  std::string what;
  double error = 0; ///< addition to the relative error of the step time
};
/// Returns the unseen kinds of a plan with cluster and stack, by architecture and experts. Empty for a stack without
/// `accuracy`.
std::vector<UnseenKind> unseenKinds(const ir::Plan& plan);
/// Reports the unseen kinds of a plan (PLAN0825). `fitting`: one line of text for each stack that had such runs.
void warnOfUnseenKinds(const ir::Plan& plan, const std::vector<std::string>& fitting, DiagnosticEngine& diagnostics);

/// Returns one term for each property of the plan outside of the stack's runs: architecture, experts on that
/// architecture, type of products, number of devices, sequence length. Each term applies to the whole step, except that
/// a type applies to its share of the products' FLOPs. A stack that does not list its runs counts as one without runs.
std::vector<RecordShare> distances(const ir::Program& program, const Facts& facts, const ir::Accuracy& accuracy);

/// Returns a term of the stack for a distance named `of`, which moves `ends`.
RecordShare distanceTerm(const ir::Stack& stack, std::string of, std::string what, double share, double error,
                         Ends ends = Ends::Both);

/// Returns the largest number of keys of any attention in one kernel; 0 if the program has none.
double longestKeys(const ir::Program& program);

} // namespace planc::cost
