// Finds what an optimizer updated if the trace does not give the shapes of its tensor lists.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/kineto/KinetoOperators.h"

namespace planc::calibrate {

/// All updates of one optimizer step.
struct TraceUpdate {
  Sample sample;        ///< without times
  std::vector<int> ops; ///< one operator per group of parameters
};
/// Newer versions of PyTorch write tensor lists as `[]`. The updated parameters are then those whose gradients were
/// accumulated in the backward pass before, because AccumulateGrad has their shapes. Returns nothing for traces with
/// sharded gradients or parameters, where each rank updates a shard, and for steps that began before the trace.
std::vector<TraceUpdate> updatesOf(const Trace& trace);

/// Returns the type of the parameters that this rank updates, which is the type of the accumulated gradients. PyTorch's
/// optimizers keep their states in this type. Returns nothing if no gradient has a type, or if the rank updates a
/// shard, whose type may differ.
std::optional<ir::DType> updatedType(const Trace& trace);

} // namespace planc::calibrate
