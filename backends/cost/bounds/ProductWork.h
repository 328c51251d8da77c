// What the matrix products of a model take at least, however it is laid out: a floor of the step of every plan of one
// model and workload.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <optional>
#include <vector>

namespace planc::cost {

/// Products of one kind that are computed in one set of types.
struct ProductsOfKind {
  ir::OpKind kind = ir::OpKind::Gemm;
  std::vector<ir::DType> types; ///< that any of their nodes computes in
  double flops = 0;             ///< forward, of a sample, without what masks leave out
  double gradientFlops = 0;     ///< of those whose gradients are computed, by the share of them that is
};
/// Of a model whose workload is bound.
struct ProductWork {
  std::vector<ProductsOfKind> kinds;
  std::optional<double> tokensPerSample;
};

/// Of a program at level comm.
ProductWork productWork(const ir::Program& program);

/// Seconds that a step takes at least on all devices of the plan, which is one of the same model and sequence: all
/// products at the best rate that the plan's machine and software have for them, spread evenly, without waiting. 0
/// where nothing is known.
double productFloor(const ProductWork& work, const ir::Plan& plan);

} // namespace planc::cost
