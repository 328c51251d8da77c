// What an optimizer of a trace updated, where its lists of tensors have no shapes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/kineto/KinetoOperators.h"

namespace planc::calibrate {

/// All updates of one step.
struct TraceUpdate {
  Sample sample;        ///< without times
  std::vector<int> ops; ///< one per group of parameters
};
/// Newer versions of PyTorch write lists of tensors as `[]`. What was updated are the parameters whose gradients were
/// accumulated in the backward pass before: AccumulateGrad has their shapes. Nothing for traces in which gradients or
/// parameters are sharded, since a shard is updated there, and of steps that began before the trace did.
std::vector<TraceUpdate> updatesOf(const Trace& trace);

/// The type of the parameters that this rank updates: that of the gradients which autograd accumulates, since lists of
/// tensors have none in a trace. PyTorch's optimizers keep their states in it. Nothing: no gradient has a type, or the
/// rank updates a shard, which may be of another type than what it accumulates.
std::optional<ir::DType> updatedType(const Trace& trace);

} // namespace planc::calibrate
