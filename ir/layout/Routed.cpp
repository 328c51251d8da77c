// Computes the expected sizes of routed dimensions.
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Routed.h"

#include "ir/program/Program.h"

#include <algorithm>
#include <cmath>

namespace planc::ir {

double sizeOf(const Model& model, const Dim& dim) {
  constexpr double kRounding = 1e-12;
  if (dim.kind != DimKind::Routed && dim.kind != DimKind::Pooled) return static_cast<double>(dim.extent);
  double size = dim.scale;
  for (DimId part : dim.parts) size *= sizeOf(model, part);
  if (dim.kind == DimKind::Pooled) return std::ceil(size * (1 - kRounding));
  const double whole = std::round(size);
  return std::abs(size - whole) <= kRounding * whole ? whole : size;
}

double sizeOf(const Model& model, DimId dim) {
  return sizeOf(model, model.dims[dim]);
}

int64_t wholeExtent(double size) {
  constexpr double kMost = 9e18;
  return std::max<int64_t>(1, static_cast<int64_t>(std::min(size, kMost)));
}

double overExtents(const Model& model, const std::vector<DimId>& dims) {
  double over = 1;
  for (DimId d : dims)
    if (const Dim& dim = model.dims[d]; dim.kind == DimKind::Routed)
      over *= sizeOf(model, dim) / static_cast<double>(dim.extent);
  return over;
}

double flopsOf(const ProgramHead& program, const Op& op) {
  return op.flops.evaluate([&](DimId d) { return sizeOf(program.model, d); },
                           [&](int o) { return program.widthOf(o < 0 ? op.result : op.operands[o].value); });
}

double modelFlopsOf(const ProgramHead& program, const Op& op) {
  double useful = op.kind == OpKind::Attention ? 1 : op.packed;
  for (DimId d : op.dims)
    if (const Dim& dim = program.model->dims[d]; dim.kind == DimKind::Routed) useful /= std::max(1.0, dim.capacity);
  return flopsOf(program, op) * useful;
}

namespace {

/// Returns the x with erf(x) = y, for y from 0 to below 1.
double inverseErf(double y) {
  constexpr int kSteps = 60;
  double low = 0, high = 6;
  for (int i = 0; i < kSteps; ++i) (std::erf((low + high) / 2) < y ? low : high) = (low + high) / 2;
  return (low + high) / 2;
}

} // namespace

double busiestLoad(double gini, double experts, double devices) {
  if (gini <= 0 || devices <= 1 || experts <= 1) return 1;
  const double sigma = 2 * inverseErf(gini), each = experts / devices;
  const double variance = std::expm1(sigma * sigma) / each * std::max(0.0, (experts - each) / (experts - 1));
  const double largest = std::sqrt(2.0) * inverseErf(2 * (devices - 0.375) / (devices + 0.25) - 1);
  return std::min(devices, 1 + std::sqrt(variance) * largest);
}

} // namespace planc::ir
