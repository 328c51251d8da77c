// A lower bound of the step time from the matrix products of a model, valid for every layout of the model.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <optional>
#include <vector>

namespace planc::cost {

/// Products of one kind that compute in the same set of types.
struct ProductsOfKind {
  ir::OpKind kind = ir::OpKind::Gemm;
  std::vector<ir::DType> types; ///< all types that their nodes compute in
  double flops = 0;             ///< forward, per sample, without masked FLOPs
  double gradientFlops = 0;     ///< part of `flops`: each product times the share of its backward pass that is computed
};
/// The products of a model with a bound workload.
struct ProductWork {
  std::vector<ProductsOfKind> kinds;
  std::optional<double> tokensPerSample;
};

/// Collects the matrix products of a program at level comm. Returns no products if the global batch is 0.
ProductWork productWork(const ir::Program& program);

/// Returns the lower bound in seconds of a step on all devices of the plan: all products at the best rate of the plan's
/// device and stack, spread evenly, without waiting. `work` may come from another plan with the same model and
/// sequence. Returns 0 if the plan does not train or lacks a stack or a cluster.
double productFloor(const ProductWork& work, const ir::Plan& plan);

} // namespace planc::cost
