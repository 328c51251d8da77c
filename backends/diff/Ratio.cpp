// The interval of a ratio, from the terms and runs of two estimates.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/Ratio.h"

#include "backends/cost/result/Confidence.h"
#include "backends/diff/Attribution.h"
#include "backends/diff/RecordValues.h"
#include "backends/diff/SameModel.h"
#include "ir/plan/MeshUse.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace planc::diff {

namespace {

/// Measured ratios differ from predicted ones by at most this multiple of the unshared part of the steps. With 2, 85 %
/// of the pairs in published sweeps lie in their intervals; with 1, 79 % (tests/measured/ratio_coverage.py).
constexpr double kUnsharedTimes = 2;

// ---- terms ------------------------------------------------------------------

/// A pair of terms that may belong to the same record, and the distance of their records.
struct TermPair {
  size_t a = 0, b = 0;
  double far = 0;
};

/// Returns the pairs of terms with the same record or distance, nearest first.
std::vector<TermPair> candidates(const ComparedEstimate& x, const ComparedEstimate& y) {
  const auto& a = x.estimate->totals.confidence.terms;
  const auto& b = y.estimate->totals.confidence.terms;
  std::vector<TermPair> out;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j)
      if (a[i].kind == b[j].kind && a[i].distance == b[j].distance && a[i].ends == b[j].ends &&
          a[i].record == b[j].record)
        out.push_back({i, j, farness(recordValues(*x.plan, a[i]), recordValues(*y.plan, b[j]))});
  std::stable_sort(out.begin(), out.end(), [](const TermPair& p, const TermPair& q) { return p.far < q.far; });
  return out;
}

/// Returns the variance that an error of both records adds to the logarithm of the ratio. If both are one record, they
/// have one error, which moves each step by the share that depends on it. The larger the distance of two records
/// relative to their errors, the more independent the errors are.
double variance(const cost::RecordShare& a, const cost::RecordShare& b, double far) {
  const double least = std::max(std::min(a.error, b.error), 1e-15);
  const double together = std::exp(-far * far / (2 * least * least));
  const double base = std::min(a.base, b.base); // equal numbers have equal errors, whatever each record states
  const auto moved = [&](const cost::RecordShare& t) { return t.share * (t.error - together * (t.base - base)); };
  const double x = moved(a), y = moved(b);
  return (x - y) * (x - y) + 2 * (1 - together) * x * y;
}

/// Returns the half-width from the terms.
double termsOf(const ComparedEstimate& x, const ComparedEstimate& y) {
  const auto& a = x.estimate->totals.confidence.terms;
  const auto& b = y.estimate->totals.confidence.terms;
  std::vector<bool> usedA(a.size()), usedB(b.size());
  double sum = 0;
  for (const TermPair& pair : candidates(x, y)) {
    if (usedA[pair.a] || usedB[pair.b]) continue;
    usedA[pair.a] = usedB[pair.b] = true;
    sum += variance(a[pair.a], b[pair.b], pair.far);
  }
  const auto alone = [&](const auto& terms, const std::vector<bool>& used) {
    for (size_t i = 0; i < terms.size(); ++i)
      if (!used[i]) sum += terms[i].share * terms[i].error * terms[i].share * terms[i].error;
  };
  alone(a, usedA);
  alone(b, usedB);
  return cost::kNinetyPercent * std::sqrt(sum);
}

// ---- runs -------------------------------------------------------------------

/// Replaces the names of the split dimensions by their indices in the model, so that names do not matter.
void withoutNames(ir::AxisUse& use, const ir::Model& model) {
  for (std::string& name : use.splits) {
    for (uint32_t d = 0; d < model.dims.size(); ++d)
      if (model.dims[ir::DimId(d)].name.view() == name) {
        name = fmt::format("{}", d);
        break;
      }
    for (uint32_t c = 0; c < model.composites.size(); ++c)
      if (model.composites[ir::CompositeId(c)].name.view() == name) {
        name = fmt::format("composite {}", c);
        break;
      }
  }
  std::sort(use.splits.begin(), use.splits.end());
}

/// Returns whether both meshes have axes of the same sizes at the same levels that split the same dimensions, whatever
/// their names.
bool sameMesh(const ir::Plan& a, const ir::Plan& b) {
  const auto uses = [](const ir::Plan& plan) {
    std::vector<ir::AxisUse> out;
    for (auto& [axis, use] : ir::axisUses(plan)) {
      withoutNames(use, *plan.model);
      out.push_back(std::move(use));
    }
    std::sort(out.begin(), out.end());
    return out;
  };
  return uses(a) == uses(b);
}

/// Returns whether both compute their products in the same types, wherever the plans state them.
bool sameTypes(const cost::Flops& a, const cost::Flops& b) {
  return std::equal(a.types.begin(), a.types.end(), b.types.begin(), b.types.end(),
                    [](const cost::TypedFlops& x, const cost::TypedFlops& y) { return x.type == y.type; });
}

/// Returns the factor within which measured ratios agree with predicted ones, if both plans have the same architecture,
/// kind of device, stack and types. Their errors are then similar. Returns 0 otherwise.
double apartOf(const ComparedEstimate& x, const ComparedEstimate& y) {
  const ir::Plan &a = *x.plan, &b = *y.plan;
  const bool same = sameArchitecture(a, b) && sameFacts(*a.stack, *b.stack) &&
                    sameFacts(a.cluster->device, b.cluster->device) &&
                    sameTypes(x.estimate->totals.modelFlops, y.estimate->totals.modelFlops);
  if (!same) return 0;
  const ir::Accuracy known = a.stack->accuracy().value_or(ir::Accuracy{});
  return sameMesh(a, b) ? known.ratioSameMesh : known.ratioOtherMesh;
}

/// Returns the share of two steps that only one of them has: 0 if all parts are equal, 1 if no part is common. Layers
/// of only one step are paired in their order, because names do not matter.
double unshared(const Attribution& steps) {
  double differ = 0, all = 0;
  const auto add = [&](double a, double b) {
    differ += std::abs(a - b);
    all += std::max(a, b);
  };
  for (int c = 0; c < kCauses; ++c) {
    std::vector<double> onlyA, onlyB;
    for (const Part& p : steps.parts) {
      if (p.cause != static_cast<Cause>(c)) continue;
      if (p.what.layer.empty() || (p.a != 0 && p.b != 0))
        add(p.a, p.b);
      else
        (p.a != 0 ? onlyA : onlyB).push_back(p.a + p.b);
    }
    onlyA.resize(std::max(onlyA.size(), onlyB.size()));
    onlyB.resize(onlyA.size());
    for (size_t i = 0; i < onlyA.size(); ++i) add(onlyA[i], onlyB[i]);
  }
  return all > 0 ? differ / all : 0;
}

} // namespace

Ratio ratio(const ComparedEstimate& a, const ComparedEstimate& b) {
  const cost::Confidence& x = a.estimate->totals.confidence;
  const cost::Confidence& y = b.estimate->totals.confidence;
  Ratio out;
  out.value = b.scale * b.estimate->totals.stepTime / (a.scale * a.estimate->totals.stepTime);
  out.unshared = unshared(attribute(*a.estimate, *b.estimate, a.scale, b.scale));
  if (x.coverage <= 0 || y.coverage <= 0) return out;
  out.coverage = std::min(x.coverage, y.coverage);
  const double apart = apartOf(a, b);
  const bool shared = apart > 0;
  const double low = shared ? std::log(apart) : std::hypot(std::log(y.runsLow), std::log(x.runsHigh));
  const double high = shared ? std::log(apart) : std::hypot(std::log(y.runsHigh), std::log(x.runsLow));
  const double most = kUnsharedTimes * out.unshared;
  out.runsLow = std::exp(-std::min(low, most));
  out.runsHigh = std::exp(std::min(high, most));
  out.terms = termsOf(a, b);
  out.low = out.value * std::exp(-std::hypot(std::log(out.runsLow), out.terms));
  out.high = out.value * std::exp(std::hypot(std::log(out.runsHigh), out.terms));
  return out;
}

} // namespace planc::diff
