// The interval of a ratio from the terms and runs of two estimates.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/Ratio.h"

#include "backends/cost/result/Confidence.h"
#include "backends/diff/Attribution.h"
#include "ir/MeshUse.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace planc::diff {

namespace {

/// Half-width of the terms: a fact that is off by its error moves both steps, each by the share that stands on it.
double termsOf(const cost::Confidence& a, const cost::Confidence& b) {
  std::map<std::string_view, double> moved;
  for (const cost::RecordShare& t : a.terms) moved[t.what] -= t.share * t.error;
  for (const cost::RecordShare& t : b.terms) moved[t.what] += t.share * t.error;
  double variance = 0;
  for (const auto& [what, by] : moved) variance += by * by;
  return cost::kNinetyPercent * std::sqrt(variance);
}

/// As many axes of the same sizes at the same levels that split the same dimensions, whatever they are called.
bool sameMesh(const ir::Plan& a, const ir::Plan& b) {
  const auto uses = [](const ir::Plan& plan) {
    std::vector<ir::AxisUse> out;
    for (auto& [axis, use] : ir::axisUses(plan)) out.push_back(std::move(use));
    std::sort(out.begin(), out.end());
    return out;
  };
  return uses(a) == uses(b);
}

/// Products in the same types, wherever a plan says them.
bool sameTypes(const cost::Flops& a, const cost::Flops& b) {
  return std::equal(a.types.begin(), a.types.end(), b.types.begin(), b.types.end(),
                    [](const cost::TypedFlops& x, const cost::TypedFlops& y) { return x.type == y.type; });
}

/// The factor within which ratios of runs lie from predictions: of one model on one kind of device under one stack,
/// whose runs are off by much the same. 0 where nothing is known to be shared.
double apartOf(const Side& x, const Side& y) {
  const ir::Plan &a = *x.plan, &b = *y.plan;
  const bool same = a.modelText == b.modelText && a.stack->name == b.stack->name &&
                    a.cluster->device.name == b.cluster->device.name &&
                    sameTypes(x.estimate->totals.modelFlops, y.estimate->totals.modelFlops);
  if (!same) return 0;
  const ir::Accuracy known = a.stack->accuracy().value_or(ir::Accuracy{});
  return sameMesh(a, b) ? known.ratioSameMesh : known.ratioOtherMesh;
}

/// Priced alike in every part, from the same records.
bool samePrice(const Side& a, const Side& b) {
  const Attribution parts = attribute(*a.estimate, *b.estimate, a.scale, b.scale);
  const auto& x = a.estimate->totals.confidence.terms;
  const auto& y = b.estimate->totals.confidence.terms;
  return parts.a == parts.b &&
         std::all_of(parts.parts.begin(), parts.parts.end(), [](const Part& p) { return p.a == p.b; }) &&
         std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const cost::RecordShare& s, const cost::RecordShare& t) {
           return s.what == t.what && s.share == t.share && s.error == t.error;
         });
}

} // namespace

Ratio ratio(const Side& a, const Side& b) {
  const cost::Confidence& x = a.estimate->totals.confidence;
  const cost::Confidence& y = b.estimate->totals.confidence;
  Ratio out;
  out.value = b.scale * b.estimate->totals.stepTime / (a.scale * a.estimate->totals.stepTime);
  if (x.coverage <= 0 || y.coverage <= 0) return out;
  out.coverage = std::min(x.coverage, y.coverage);
  out.low = out.high = out.value;
  if (samePrice(a, b)) return out;
  const double apart = apartOf(a, b);
  if (apart > 0) {
    out.runsLow = 1 / apart;
    out.runsHigh = apart;
  } else { // nothing is known to be shared
    out.runsLow = std::exp(-std::hypot(std::log(y.runsLow), std::log(x.runsHigh)));
    out.runsHigh = std::exp(std::hypot(std::log(y.runsHigh), std::log(x.runsLow)));
  }
  out.terms = termsOf(x, y);
  out.low = out.value * std::exp(-std::hypot(std::log(out.runsLow), out.terms));
  out.high = out.value * std::exp(std::hypot(std::log(out.runsHigh), out.terms));
  return out;
}

} // namespace planc::diff
