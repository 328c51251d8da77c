// Elasticities of a plan's metrics to its constants by central differences, and the smallest change of each constant
// that reaches a target alone (docs/sensitivity.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/verdict/Verdict.h"
#include "search/Engine.h"
#include "search/sensitivity/SensitivityConstants.h"

#include <optional>
#include <vector>

namespace planc::search {

/// An elasticity: d ln metric / d ln constant.
struct Elasticity {
  /// If the metric is smooth, both sides agree. At a kink, their mean; at a jump, the value of the side without the
  /// jump, or 0.
  double value = 0;
  std::optional<double> below = {}, above = {}; ///< slopes for smaller and for larger constants, if they differ
  bool jumps = false;    ///< the metric jumps at the constant's value; the slope on that side is left out
  bool oneSided = false; ///< the constant is at the end of its range, or the plan breaks beyond it
  bool kinked() const { return below || above || jumps; }
};

/// A constant that changes at least one metric.
struct SensitiveRow {
  Constant constant;
  std::vector<std::optional<Elasticity>> elasticities = {}; ///< by metric; nothing if the metric is 0
  double intervalShare = 0;                                 ///< share of its record in the interval of the step time
};

struct Sensitivity {
  std::vector<const verdict::Metric*> metrics;
  std::vector<double> values;      ///< by metric, of the plan as it is
  std::vector<SensitiveRow> rows;  ///< sorted by the size of the first metric's elasticity, then of the next
  std::vector<std::string> still;  ///< paths of constants that change no metric
  std::vector<std::string> zeros;  ///< paths of constants that are 0 and cannot be scaled
  std::vector<std::string> counts; ///< paths of whole numbers, which have no elasticity
  /// Returns the sum of the elasticities of a metric, each times the exponent of a base unit in the unit of its
  /// constant. It equals the exponent in the metric's unit if no constant is missing.
  double homogeneity(size_t metric, BaseUnit base) const;
};

/// `whole`: the plan's estimate with rows and confidence; metrics without a value in it are left out. A balanced cut
/// must be settled, and is kept. If a changed plan cannot be priced, that is not reported, and only the other side is
/// used.
Sensitivity sensitivity(const ir::Plan& plan, const cost::Estimate& whole, Engine& engine,
                        const std::vector<const verdict::Metric*>& metrics);

/// A value that a metric should reach.
struct Target {
  const verdict::Metric* metric = nullptr;
  double value = 0; ///< in base units
};

/// The change of one constant that reaches a target.
struct ReachedTarget {
  const Constant* constant = nullptr; ///< points into the rows given to `reach`
  bool reached = false;
  double factor = 1;       ///< the smallest change that reaches it; otherwise the largest that was tried
  double metric = 0;       ///< the metric at this factor
  double beside = 0;       ///< if reached: the metric at a factor up to 1e-5 nearer to 1, which misses the target
  bool endOfRange = false; ///< not reached: the constant cannot be larger, or smaller
};

/// Larger changes of a constant are not tried.
inline constexpr double kMostChange = 1000;

/// Returns a result for each constant that moves the metric towards the target. The metric must be one of `found`.
/// Constants that reach the target come first, the smallest change first. Empty if the plan has that value already.
std::vector<ReachedTarget> reach(const ir::Plan& plan, const Sensitivity& found, const Target& target, Engine& engine);

} // namespace planc::search
