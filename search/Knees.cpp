// Finds knees by zooming in: starting at a point where the slope changes, it follows the largest change into ever
// smaller windows.
// SPDX-License-Identifier: Apache-2.0
#include "search/Knees.h"

#include "backends/diff/Attribution.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace planc::search {

namespace {

/// A point of the curve, in logarithms.
struct CurvePoint {
  double x, y;
};

double slopeOf(const CurvePoint& a, const CurvePoint& b) {
  return (b.y - a.y) / (b.x - a.x);
}

/// The smallest change of slope at a point that is examined. A knee between two points changes the slope at one of them
/// by at least half its own change.
constexpr double kSuspect = kLeastTurn / 2;
/// How often a window is halved, and after how many halvings a smooth bend is told from a knee: a smooth bend then
/// keeps a quarter of its change of slope, a knee at least half.
constexpr int kHalvings = 6, kTold = 2;
constexpr double kLeft = 0.4;

class Zoom {
public:
  explicit Zoom(const CurveAt& curve) : curve_(curve) {}

  /// Zooms in from three consecutive points of a curve that ends at `least` and `most`. Returns nothing if the curve
  /// only bends.
  std::optional<Knee> run(CurvePoint a, CurvePoint m, CurvePoint b, double least, double most) const {
    const double first = turn(a, m, b);
    for (int n = 0; n < kHalvings; ++n) {
      const auto low = between(a, m), high = between(m, b);
      if (!low || !high) return std::nullopt;
      const CurvePoint p[5] = {a, *low, m, *high, b};
      size_t at = 1;
      for (size_t i = 2; i < 4; ++i)
        if (turn(p[i - 1], p[i], p[i + 1]) > turn(p[at - 1], p[at], p[at + 1])) at = i;
      a = p[at - 1], m = p[at], b = p[at + 1];
      if (n + 1 == kTold && turn(a, m, b) < kLeft * first) return std::nullopt;
    }
    return knee(a, b, least, most);
  }

private:
  static double turn(const CurvePoint& a, const CurvePoint& m, const CurvePoint& b) {
    return std::abs(slopeOf(m, b) - slopeOf(a, m));
  }
  std::optional<CurvePoint> at(double x) const {
    const std::optional<double> y = curve_(std::exp(x));
    return y && *y > 0 ? std::optional(CurvePoint{x, std::log(*y)}) : std::nullopt;
  }
  std::optional<CurvePoint> between(const CurvePoint& a, const CurvePoint& b) const { return at((a.x + b.x) / 2); }

  /// Measures the knee in a small window by the slopes of the curve on both sides of it; nothing if there is no knee.
  std::optional<Knee> knee(const CurvePoint& a, const CurvePoint& b, double least, double most) const {
    constexpr double kBeside = 3; // width of the sides, in windows
    const double width = b.x - a.x;
    const auto before = at(std::max(least, a.x - kBeside * width)), behind = at(std::min(most, b.x + kBeside * width));
    if (!before || !behind || a.x - before->x < width / 2 || behind->x - b.x < width / 2) return std::nullopt;
    Knee out;
    out.from = std::exp(before->x), out.below = std::exp(a.x), out.above = std::exp(b.x), out.to = std::exp(behind->x);
    out.slopeBelow = slopeOf(*before, a), out.slopeAbove = slopeOf(b, *behind);
    const double slope = std::max(std::abs(out.slopeBelow), std::abs(out.slopeAbove));
    const double step = b.y - a.y;
    if (std::abs(step) - slope * width > kLeastJump) {
      out.jump = true;
      out.at = std::exp((a.x + b.x) / 2);
      out.change = std::expm1(step - (out.slopeBelow + out.slopeAbove) / 2 * width);
      return out;
    }
    const double change = out.slopeAbove - out.slopeBelow;
    if (std::abs(change) < kLeastTurn) return std::nullopt;
    const double meet = (a.y - out.slopeBelow * a.x - (b.y - out.slopeAbove * b.x)) / change;
    out.at = std::exp(std::clamp(meet, a.x, b.x));
    return out;
  }

  const CurveAt& curve_;
};

} // namespace

std::vector<Knee> findKnees(const std::vector<double>& x, const std::vector<std::optional<double>>& y,
                            const CurveAt& curve) {
  std::vector<Knee> out;
  const Zoom zoom(curve);
  for (size_t i = 1; i + 1 < x.size(); ++i) {
    if (!y[i - 1] || !y[i] || !y[i + 1] || x[i - 1] <= 0 || *y[i - 1] <= 0 || *y[i] <= 0 || *y[i + 1] <= 0) continue;
    const CurvePoint a{std::log(x[i - 1]), std::log(*y[i - 1])}, m{std::log(x[i]), std::log(*y[i])},
        b{std::log(x[i + 1]), std::log(*y[i + 1])};
    if (std::abs(slopeOf(m, b) - slopeOf(a, m)) < kSuspect) continue;
    const auto found = zoom.run(a, m, b, std::log(x.front()), std::log(x.back()));
    const auto same = [&](const Knee& known) { return known.from <= found->to && found->from <= known.to; };
    if (found && std::none_of(out.begin(), out.end(), same)) out.push_back(*found);
  }
  std::sort(out.begin(), out.end(), [](const Knee& a, const Knee& b) { return a.at < b.at; });
  return out;
}

std::optional<FlatEnds> flatEnds(const std::vector<double>& x, const std::vector<std::optional<double>>& y) {
  size_t begin = 0, end = 0; // the range of points that counts
  for (size_t i = 0, first = 0; i < x.size(); ++i) {
    if (x[i] <= 0 || !y[i] || *y[i] <= 0) first = i + 1;
    if (i + 1 - first >= end - begin) begin = first, end = i + 1;
  }
  if (end < begin + 2) return std::nullopt;
  const auto change = [&](size_t i) { // relative change by a doubling of x, after point i
    return std::exp2(slopeOf({std::log(x[i]), std::log(*y[i])}, {std::log(x[i + 1]), std::log(*y[i + 1])})) - 1;
  };
  FlatEnds out{.first = change(begin), .last = change(end - 2)};
  size_t from = end - 1, upTo = begin;
  while (from > begin && std::abs(change(from - 1)) < kFlat) --from;
  while (upTo + 1 < end && std::abs(change(upTo)) < kFlat) ++upTo;
  if (from + 1 < end) out.from = x[from];
  if (upTo > begin) out.upTo = x[upTo];
  return out;
}

namespace {

using PartKey = std::pair<diff::Cause, diff::Subject>;

std::map<PartKey, diff::Part> partsOf(const cost::Estimate& a, const cost::Estimate& b) {
  std::map<PartKey, diff::Part> out;
  for (const diff::Part& part : diff::attribute(a, b).parts) out[{part.cause, part.what}] = part;
  return out;
}

/// Returns what bounds a layer if all of its rows agree; otherwise empty.
std::string boundOf(const cost::Estimate& estimate, const std::string& layer) {
  std::string bound;
  for (const cost::LayerRow& row : estimate.layers) {
    if (row.layer.str() != layer) continue;
    if (!bound.empty() && bound != cost::name(row.bound)) return {};
    bound = cost::name(row.bound);
  }
  return bound;
}

/// Returns the part of the step whose time changes the most across the knee.
std::string partCause(const Knee& knee, const cost::Estimate* const (&estimates)[4]) {
  const auto& [from, below, above, to] = estimates;
  auto before = partsOf(*from, *below), behind = partsOf(*above, *to), across = partsOf(*below, *above);
  const double left = std::log(knee.below / knee.from) * below->totals.stepTime,
               right = std::log(knee.to / knee.above) * above->totals.stepTime;
  const PartKey* most = nullptr;
  double largest = 0;
  for (auto* parts : {&across, &before, &behind})
    for (const auto& entry : *parts) {
      const PartKey& key = entry.first;
      const double change =
          knee.jump ? across[key].difference() : behind[key].difference() / right - before[key].difference() / left;
      if (std::abs(change) > std::abs(largest)) largest = change, most = &key;
    }
  if (!most) return {};
  const PartKey key = *most;
  std::string text(diff::name(key.first));
  if (const std::string what = key.second.str(); !what.empty()) text += " " + what;
  if (knee.jump) return text + fmt::format(": {:+.1f} % of the step", largest / below->totals.stepTime * 100);
  constexpr double kNone = 1e-6; // share of the step below which a part counts as absent
  const double first = before[key].a / from->totals.stepTime, last = behind[key].b / to->totals.stepTime;
  if (first > kNone && last <= kNone) return text + ": hidden from here on";
  if (first <= kNone && last > kNone) return text + ": exposed from here on";
  const std::string boundBelow = boundOf(*from, key.second.layer), boundAbove = boundOf(*to, key.second.layer);
  if (key.first == diff::Cause::Layers && boundBelow != boundAbove && !boundBelow.empty() && !boundAbove.empty())
    return text + fmt::format(": bound by {}, then by {}", boundBelow, boundAbove);
  return text + fmt::format(": its part of the slope {:+.2f}, then {:+.2f}", before[key].difference() / left + 0.0,
                            behind[key].difference() / right + 0.0);
}

} // namespace

std::string kneeCause(const Knee& knee, const cost::Estimate* const (&estimates)[4]) {
  std::string text = partCause(knee, estimates);
  const int64_t below = estimates[1]->totals.critical, above = estimates[2]->totals.critical;
  if (below == above) return text;
  return text + fmt::format("{}the critical stage is {}, then {}", text.empty() ? "" : "; ", below, above);
}

} // namespace planc::search
