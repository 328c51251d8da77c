// The facts of each kind of workload, besides the extents of the model's dimensions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Symbol.h"

#include <string>
#include <string_view>
#include <vector>

namespace planc::frontend {

/// A required fact, and how to write it.
struct NeededFact {
  Symbol name;
  std::string_view help;
};

/// `train`, `finetune` or `infer`.
struct WorkloadKind {
  std::string_view name;
  std::vector<std::string> facts;
  std::vector<NeededFact> needed;
};
const std::vector<WorkloadKind>& workloadKinds();

/// The facts of a workload by its name; empty if there is no such workload.
std::vector<std::string> factsOf(std::string_view workload);

} // namespace planc::frontend
