// Computes differences by pricing copies of the plan with one constant scaled, through the engine.
// SPDX-License-Identifier: Apache-2.0
#include "search/sensitivity/Sensitivity.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace planc::search {

namespace {

using verdict::Metric;
using Values = std::vector<std::optional<double>>;

/// Relative step of a constant. Far above rounding (about 1e-12 of a step time), far below the effect of curvature.
constexpr double kStep = 1e-4;
/// Division of the step when both sides disagree, to tell a kink at the constant's value from one near it.
constexpr double kCloser = 64;
/// Step that averages over staircases, because a run has a whole number of steps.
constexpr double kWide = 1e-2;
/// Smaller slopes are rounding; smaller differences of slopes agree.
constexpr double kNothing = 1e-9, kAgrees = 1e-5;
/// Slopes disagree if they differ by more than this share of the larger one.
constexpr double kKink = 0.01;
/// Relative width at which bisection ends.
constexpr double kNear = 1e-5;

Values valuesOf(const cost::Estimate& estimate, const std::vector<const Metric*>& metrics) {
  Values values;
  for (const Metric* metric : metrics) values.push_back(metric->read(estimate));
  return values;
}

/// Prices copies of a plan with one constant scaled.
class ScaledPrices {
public:
  ScaledPrices(const ir::Plan& plan, Engine& engine, std::vector<const Metric*> metrics)
      : plan_(plan), engine_(engine), metrics_(std::move(metrics)) {
    const Values whole = priced(plan, {}), totals = priced(plan, cost::Wanted::totals());
    if (whole == totals) wanted_ = cost::Wanted::totals();
  }

  /// Returns the values of the metrics; empty if the plan has no price.
  Values at(const Constant& constant, double factor) {
    ir::Plan changed = plan_;
    constant.scale(changed, factor);
    return priced(changed, wanted_);
  }

private:
  Values priced(const ir::Plan& plan, cost::Wanted wanted) {
    DiagnosticEngine ignored;
    const auto estimate = engine_.estimate(plan, ignored, wanted);
    return estimate ? valuesOf(*estimate, metrics_) : Values();
  }

  const ir::Plan& plan_;
  Engine& engine_;
  std::vector<const Metric*> metrics_;
  cost::Wanted wanted_{}; ///< the least content of an estimate that includes all metrics
};

/// Returns the slope between logarithms; nothing if a value is missing or the signs differ.
std::optional<double> slope(const Values& at, size_t metric, double value, double factor) {
  if (at.empty() || !at[metric] || !(*at[metric] / value > 0)) return std::nullopt;
  return std::log(*at[metric] / value) / std::log(factor);
}

bool agree(double a, double b) {
  return std::abs(a - b) <= kAgrees + kKink * std::max(std::abs(a), std::abs(b));
}

/// Slopes on both sides of the constant at one step size.
struct Sides {
  std::optional<double> below, above;
};

/// Returns whether the slope grows as the step shrinks, which reveals a jump.
bool jumps(double far, double near) {
  return std::abs(near) > std::abs(far) * (kCloser / 4) && !agree(far, near);
}

/// Classifies slopes that disagree at the larger step by those at the smaller one. Returns nothing if neither a smooth
/// bend, a kink nor a jump explains them, as on a staircase.
std::optional<Elasticity> kinked(const Sides& far, const Sides& near) {
  const double below = *near.below, above = *near.above;
  if (agree(below, above)) return Elasticity{.value = (below + above) / 2};
  if (agree(*far.below, below) && agree(*far.above, above))
    return Elasticity{.value = (below + above) / 2, .below = below, .above = above};
  const bool jumpsBelow = jumps(*far.below, below), jumpsAbove = jumps(*far.above, above);
  if (!jumpsBelow && !jumpsAbove) return std::nullopt;
  Elasticity e{.jumps = true};
  if (!jumpsBelow) e.value = *(e.below = below);
  if (!jumpsAbove) e.value = *(e.above = above);
  return e;
}

class Differences {
public:
  Differences(ScaledPrices& prices, const std::vector<double>& values) : prices_(prices), values_(values) {}

  std::vector<std::optional<Elasticity>> of(const Constant& constant) {
    const Pair far = sides(constant, kStep);
    std::optional<Pair> near, wide;
    std::vector<std::optional<Elasticity>> out;
    for (size_t m = 0; m < values_.size(); ++m) {
      const Sides s = slopes(far, m, kStep);
      if (s.below && s.above && agree(*s.below, *s.above)) {
        out.push_back(Elasticity{.value = central(far, m, kStep)});
        continue;
      }
      if (!s.below && !s.above) {
        out.push_back(std::nullopt);
        continue;
      }
      if (!near) near = sides(constant, kStep / kCloser);
      const Sides closer = slopes(*near, m, kStep / kCloser);
      if (!s.below || !s.above) {
        out.push_back(oneSided(s, closer));
      } else if (std::optional<Elasticity> e = closer.below && closer.above ? kinked(s, closer) : std::nullopt) {
        out.push_back(e);
      } else {
        if (!wide) wide = sides(constant, kWide);
        const Sides further = slopes(*wide, m, kWide);
        const bool both = further.below && further.above;
        out.push_back(Elasticity{.value = both ? central(*wide, m, kWide) : central(far, m, kStep)});
      }
    }
    return out;
  }

private:
  using Pair = std::pair<Values, Values>;
  Sides slopes(const Pair& at, size_t m, double h) const {
    return {slope(at.first, m, values_[m], 1 - h), slope(at.second, m, values_[m], 1 + h)};
  }
  static double central(const Pair& at, size_t m, double h) {
    return std::log(*at.second[m] / *at.first[m]) / std::log((1 + h) / (1 - h));
  }
  static Elasticity oneSided(const Sides& far, const Sides& near) {
    const double slope = far.below ? *far.below : *far.above;
    const std::optional<double>& closer = far.below ? near.below : near.above;
    if (closer && jumps(slope, *closer)) return {.jumps = true, .oneSided = true};
    return {.value = slope, .oneSided = true};
  }
  /// Returns the metrics on both sides of a constant; a side is empty if it lies outside of the constant's range.
  Pair sides(const Constant& constant, double h) {
    return {1 - h >= constant.least ? prices_.at(constant, 1 - h) : Values(),
            1 + h <= constant.most ? prices_.at(constant, 1 + h) : Values()};
  }

  ScaledPrices& prices_;
  const std::vector<double>& values_;
};

bool moves(const std::vector<std::optional<Elasticity>>& elasticities) {
  return std::ranges::any_of(elasticities, [](const std::optional<Elasticity>& e) {
    return e && (std::abs(e->value) > kNothing || e->kinked());
  });
}

/// Returns the sort key of an elasticity: the largest slope on either side.
double sizeOf(const std::optional<Elasticity>& e) {
  return e ? std::max({std::abs(e->value), std::abs(e->below.value_or(0)), std::abs(e->above.value_or(0))}) : 0;
}

bool movesMore(const SensitiveRow& a, const SensitiveRow& b) {
  for (size_t m = 0; m < a.elasticities.size(); ++m) {
    const double x = sizeOf(a.elasticities[m]), y = sizeOf(b.elasticities[m]);
    if (std::abs(x - y) > kNothing) return x > y;
  }
  return false;
}

} // namespace

double Sensitivity::homogeneity(size_t metric, BaseUnit base) const {
  double sum = 0;
  for (const SensitiveRow& row : rows)
    if (const auto& e = row.elasticities[metric])
      sum += e->value * row.constant.unit.exponents[static_cast<size_t>(base)];
  return sum;
}

Sensitivity sensitivity(const ir::Plan& plan, const cost::Estimate& whole, Engine& engine,
                        const std::vector<const Metric*>& metrics) {
  Sensitivity out;
  for (const Metric* metric : metrics)
    if (const std::optional<double> value = metric->read(whole))
      out.metrics.push_back(metric), out.values.push_back(*value);
  Constants constants = constantsOf(plan);
  out.zeros = std::move(constants.zeros), out.counts = std::move(constants.counts);
  std::map<std::string, double, std::less<>> shares;
  for (const cost::WidthPart& part : cost::widthParts(whole.totals.confidence)) shares[part.what] = part.share;
  ScaledPrices prices(plan, engine, out.metrics);
  Differences differences(prices, out.values);
  for (Constant& constant : constants.scaled) {
    SensitiveRow row{.constant = std::move(constant)};
    row.elasticities = differences.of(row.constant);
    if (!moves(row.elasticities)) {
      out.still.push_back(std::move(row.constant.path));
      continue;
    }
    if (const auto share = shares.find(row.constant.record); share != shares.end()) row.intervalShare = share->second;
    out.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(out.rows, movesMore);
  return out;
}

namespace {

/// The search for the smallest change of one constant that reaches a target.
class Search {
public:
  Search(ScaledPrices& prices, const Constant& constant, double from, double to)
      : prices_(prices), constant_(constant), to_(to), sign_(to > from ? 1 : -1), before_{1, from} {}

  ReachedTarget run(bool up) {
    const double end = up ? std::min(kMostChange, constant_.most) : std::max(1 / kMostChange, constant_.least);
    Point far = before_;
    for (double factor = 1; !reaches(far) && factor != end;) {
      factor = up ? std::min(factor * 2, end) : std::max(factor / 2, end);
      const std::optional<Point> next = at(factor);
      if (!next) break; // the plan breaks a law, or a number overflows
      before_ = std::exchange(far, *next);
    }
    if (!reaches(far))
      return {&constant_, false,     far.factor,
              far.value,  far.value, far.factor == end && std::abs(std::log(end)) < std::log(kMostChange)};
    while (std::abs(std::log(far.factor / before_.factor)) > kNear) {
      const std::optional<Point> middle = at(std::sqrt(far.factor * before_.factor));
      if (!middle) break;
      (reaches(*middle) ? far : before_) = *middle;
    }
    return {&constant_, true, far.factor, far.value, before_.value, false};
  }

private:
  struct Point {
    double factor, value;
  };
  bool reaches(const Point& point) const { return sign_ * (point.value - to_) >= 0; }
  std::optional<Point> at(double factor) {
    const Values values = prices_.at(constant_, factor);
    return !values.empty() && values[0] ? std::optional(Point{factor, *values[0]}) : std::nullopt;
  }

  ScaledPrices& prices_;
  const Constant& constant_;
  double to_, sign_;
  Point before_; ///< the last point that misses the target
};

/// Orders results: reached ones first, then by the distance of the factor from 1.
bool sooner(const ReachedTarget& a, const ReachedTarget& b) {
  if (a.reached != b.reached) return a.reached;
  return a.reached && std::abs(std::log(a.factor)) < std::abs(std::log(b.factor));
}

} // namespace

std::vector<ReachedTarget> reach(const ir::Plan& plan, const Sensitivity& found, const Target& target, Engine& engine) {
  const auto at = std::ranges::find(found.metrics, target.metric);
  const auto m = static_cast<size_t>(at - found.metrics.begin());
  std::vector<ReachedTarget> out;
  if (at == found.metrics.end() || found.values[m] == target.value) return out;
  const double wanted = (target.value > found.values[m] ? 1 : -1) * (found.values[m] > 0 ? 1 : -1);
  ScaledPrices prices(plan, engine, {target.metric});
  for (const SensitiveRow& row : found.rows) {
    const std::optional<Elasticity>& e = row.elasticities[m];
    if (!e || sizeOf(e) <= kNothing) continue;
    const auto tried = [&](bool up, double slope) {
      if (slope * (up ? 1 : -1) * wanted <= kNothing) return;
      out.push_back(Search(prices, row.constant, found.values[m], target.value).run(up));
    };
    tried(true, e->above.value_or(e->value));
    tried(false, e->below.value_or(e->value));
  }
  std::ranges::stable_sort(out, sooner);
  return out;
}

} // namespace planc::search
