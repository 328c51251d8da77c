// What a plan's numbers hang on: elasticities to its constants by central differences, and the least change of each
// that alone reaches a target (docs/sensitivity.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/verdict/Verdict.h"
#include "search/Engine.h"
#include "search/sensitivity/SensitivityConstants.h"

#include <optional>
#include <vector>

namespace planc::search {

/// d ln metric / d ln constant.
struct Elasticity {
  /// Of a smooth dependence both sides agree; at a kink it is their mean, at a jump that of the side without, or 0.
  double value = 0;
  std::optional<double> below = {},
                        above = {}; ///< where a smaller and a larger constant say different things: each side
  bool jumps = false;               ///< the metric itself jumps at the constant's value: that side is not given
  bool oneSided = false;            ///< the constant is at the end of its range, or the plan breaks beyond it
  bool kinked() const { return below || above || jumps; }
};

/// A constant that moves something.
struct SensitiveRow {
  Constant constant;
  std::vector<std::optional<Elasticity>> elasticities = {}; ///< by metric; nothing of a metric that is 0
  double intervalShare = 0;                                 ///< of the width of the step time's interval, its record's
};

struct Sensitivity {
  std::vector<const verdict::Metric*> metrics;
  std::vector<double> values;      ///< by metric, of the plan as it is
  std::vector<SensitiveRow> rows;  ///< by size of the first metric's elasticity, then of the next
  std::vector<std::string> still;  ///< constants that move nothing
  std::vector<std::string> zeros;  ///< that cannot be scaled
  std::vector<std::string> counts; ///< whole numbers, which have no elasticity
  /// Sum of the elasticities of a metric, each times the exponent of a base unit in the unit of the constant: the
  /// exponent in the unit of the metric, if nothing that it stands on is missing.
  double homogeneity(size_t metric, BaseUnit base) const;
};

/// `whole`: its estimate with rows and confidence. Metrics without a value there are left out. A balanced cut must be
/// settled, and stays. Prices of changed plans that fail are not reported: the other side of the difference counts.
Sensitivity sensitivity(const ir::Plan& plan, const cost::Estimate& whole, Engine& engine,
                        const std::vector<const verdict::Metric*>& metrics);

/// A value that a metric should have.
struct Target {
  const verdict::Metric* metric = nullptr;
  double value = 0; ///< in base units
};

/// What a constant alone does for a target.
struct ReachedTarget {
  const Constant* constant = nullptr; ///< of the rows asked with
  bool reached = false;
  double factor = 1;       ///< least change that reaches it; else the largest that was tried
  double metric = 0;       ///< there
  double beside = 0;       ///< the metric at a factor nearer to 1 by less than 1e-5, where it is not reached
  bool endOfRange = false; ///< not reached: the constant may be no more, or no less
};

/// Changes of a constant beyond this factor are not tried.
inline constexpr double kMostChange = 1000;

/// For each constant that moves the metric towards the target, which must be among those of `found`. Those that reach
/// it come first, the least change first. Empty where the plan has that value.
std::vector<ReachedTarget> reach(const ir::Plan& plan, const Sensitivity& found, const Target& target, Engine& engine);

} // namespace planc::search
