// Tables of imports read backwards: a plan that extends a recipe becomes the arguments of another system.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"
#include "support/text/WrittenCall.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::foreign {

/// A plan to export: calls and statements as its text has them; devices, batch and types as planc computed them.
struct PlanWords {
  std::string name;
  WrittenCall recipe, model;
  std::string modelName;                                         ///< by which the plan names its model
  std::vector<std::string> statements;                           ///< on one line each
  int64_t devices = 1, seq = 0, globalBatch = 1, microBatch = 1; ///< seq 0: the plan has none
  std::string compute, grads;                                    ///< types
};

/// Returns the file of a format (`megatron`) that says what the plan says; what it cannot say stands in comments.
/// Nothing after errors: code 1219 for a model, a recipe or a value without a counterpart.
std::optional<std::string> writtenBack(std::string_view format, const PlanWords& plan, DiagnosticEngine& found);

} // namespace planc::foreign
