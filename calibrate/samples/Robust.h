// Robust statistics on logarithms of times: quantiles, closed forms with a few parameters, and tables with many. Both
// fits use iteratively reweighted least squares, so that a tenth of wild points hardly moves them. Deterministic.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/machine/Machine.h"

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace planc::calibrate {

/// Returns the q-quantile (0 to 1), interpolated; 0 if there are no values.
double quantile(std::vector<double> values, double q);
double median(std::vector<double> values);

/// Returns positive parameters that bring `predict(parameters, i)` near `measured[i]`, both positive. Minimises a loss
/// of the difference of logarithms that is quadratic near 0 and linear beyond a few percent, by Levenberg-Marquardt in
/// the logarithms of the parameters. Parameters stay within a factor of 1e6 of `start`.
using PredictAt = std::function<double(std::span<const double> parameters, size_t i)>;
std::vector<double> fitClosed(std::vector<double> start, std::span<const double> measured, const PredictAt& predict);

/// One equation of a linear system: Σ weight · unknown[index] = value.
struct LinearRow {
  std::vector<std::pair<size_t, double>> terms;
  double value = 0;
};
/// Returns unknowns that satisfy the rows robustly, with the same loss. An unknown that no row contains is drawn
/// towards its neighbours by index. Unknowns from `second` on form another table, and are not tied to the ones before.
std::vector<double> fitLinear(std::span<const LinearRow> rows, size_t unknowns, size_t second = 0);

/// Returns at most `most` points for a curve over x: the distinct values if they are few, otherwise quantiles that are
/// at least 10 % apart.
std::vector<double> knots(std::vector<double> x, size_t most);
/// Fits a curve through these points robustly.
ir::Table fitCurve(std::span<const double> x, std::span<const double> y, size_t most);
/// y = first(x) · second(z), with second(anchor) = 1, so that a common factor belongs to `first`.
struct Factors {
  ir::Table first, second;
};
Factors fitFactors(std::span<const double> x, size_t mostX, std::span<const double> z, size_t mostZ,
                   std::span<const double> y, double anchor);
/// Returns the curve with `time(x, y)` made monotone in x by pooling neighbours. `value(x, time)` is the inverse of
/// `time`.
ir::Table monotone(const ir::Table& curve, const std::function<double(double x, double y)>& time,
                   const std::function<double(double x, double time)>& value);

} // namespace planc::calibrate
