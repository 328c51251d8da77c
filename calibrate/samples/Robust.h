// Robust statistics on the logarithm of times: quantiles, closed forms with a few parameters, and tables with many,
// both by iteratively reweighted least squares, so that a tenth of wild points does not move them. Deterministic.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/machine/Machine.h"

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace planc::calibrate {

/// The q-quantile (0 to 1), interpolated; 0 of nothing.
double quantile(std::vector<double> values, double q);
double median(std::vector<double> values);

/// Positive parameters that bring `predict(parameters, i)` near `measured[i]`, both positive: minimises a loss of the
/// logarithms' difference that is quadratic near 0 and linear beyond a few percent. Levenberg-Marquardt in the
/// logarithms of the parameters, from `start`. Parameters stay within a factor of 1e6 of it.
using PredictAt = std::function<double(std::span<const double> parameters, size_t i)>;
std::vector<double> fitClosed(std::vector<double> start, std::span<const double> measured, const PredictAt& predict);

/// One equation of a linear system: Σ weight · unknown[index] = value.
struct LinearRow {
  std::vector<std::pair<size_t, double>> terms;
  double value = 0;
};
/// Unknowns that satisfy the rows robustly (the same loss). What no row asks for is drawn to its neighbours in index;
/// those from `second` on are of another table, and no neighbours of those before.
std::vector<double> fitLinear(std::span<const LinearRow> rows, size_t unknowns, size_t second = 0);

/// Points of a curve by x: the distinct values if there are few, else quantiles of them, at most `most` and at least a
/// tenth apart.
std::vector<double> knots(std::vector<double> x, size_t most);
/// The curve through these points, robustly.
ir::Table fitCurve(std::span<const double> x, std::span<const double> y, size_t most);
/// y = first(x) · second(z), and second(anchor) = 1: the two share a factor, which is the first one's.
struct Factors {
  ir::Table first, second;
};
Factors fitFactors(std::span<const double> x, size_t mostX, std::span<const double> z, size_t mostZ,
                   std::span<const double> y, double anchor);
/// The same curve with `time(x, y)` made monotone in x by pooling neighbours; `value(x, time)` gives y back.
ir::Table monotone(const ir::Table& curve, const std::function<double(double x, double y)>& time,
                   const std::function<double(double x, double time)>& value);

} // namespace planc::calibrate
