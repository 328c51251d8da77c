// Prices every point of a space of one or two choices, through the code that prices all candidates.
// SPDX-License-Identifier: Apache-2.0
#include "search/Sweep.h"

#include "search/BalanceStages.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::search {

namespace {

SweepAxis axisOf(const ir::Choice& choice, size_t index) {
  SweepAxis axis{.choice = index, .path = choice.paths.front(), .at = {}, .whole = true};
  for (const ir::ChoiceValue& value : choice.values) {
    if (!value.number || (!axis.at.empty() && value.number->unit != axis.unit))
      return {.choice = index, .path = choice.paths.front(), .at = {}};
    axis.unit = value.number->unit;
    axis.whole = axis.whole && value.whole;
    axis.at.push_back(value.number->value);
  }
  return axis;
}

void refuse(SweepPoint& point, const DiagnosticEngine& found) {
  const Diagnostic* const error = found.firstError();
  if (!error) return;
  point.code = error->kind->code;
  point.message = error->message;
}

void price(SweepPoint& point, const ir::Space& space, Candidates& candidates,
           const std::vector<const verdict::Metric*>& metrics) {
  DiagnosticEngine found;
  const auto [plan, estimate] = pricedPlan(candidates, space.id(point.digits), found);
  if (!plan && !found.hasErrors())
    point.message = fmt::format("no whole number of ranks is left for `{}`", space.fill ? space.fill->str() : "");
  else if (!estimate)
    refuse(point, found);
  if (!plan) return;
  point.filled = candidates.filled(*plan);
  point.devices = plan->mesh.levelSizes.empty() ? 1 : plan->mesh.levelSizes.back();
  point.globalBatch = plan->workload.globalBatch;
  point.trains = plan->workload.updatesParameters();
  point.section = plan->workload.section.str();
  if (!estimate) return;
  point.priced = true;
  point.fits = estimate->memory.fits;
  point.stepTime = estimate->totals.stepTime;
  point.peak = estimate->memory.peak;
  point.capacity = estimate->memory.capacity;
  point.critical = estimate->totals.critical;
  point.work = estimate->totals.samplesPerSecond;
  for (const verdict::Metric* metric : metrics) point.values.push_back(metric->read(*estimate));
}

/// Adds all points from `axis` on; the last axis varies fastest.
void addPoints(Sweep& sweep, size_t axis, std::vector<uint32_t>& digits) {
  if (axis == sweep.axes.size()) {
    for (size_t i = 0; i < digits.size(); ++i)
      if (!sweep.space->has(digits, i)) return;
    sweep.points.push_back({.digits = digits});
    return;
  }
  const size_t choice = sweep.axes[axis].choice;
  for (uint32_t v = 0; v < sweep.space->choices[choice].values.size(); ++v) {
    digits[choice] = v;
    addPoints(sweep, axis + 1, digits);
  }
}

} // namespace

PricedPlan pricedPlan(Candidates& candidates, ir::CandidateId id, DiagnosticEngine& diagnostics) {
  PricedPlan out;
  out.plan = candidates.plan(id, diagnostics);
  if (!out.plan) return out;
  settleStages(*out.plan, candidates.engine());
  out.estimate = candidates.engine().estimate(*out.plan, diagnostics, {});
  return out;
}

std::vector<const SweepPoint*> curvePoints(const Sweep& sweep) {
  const bool one = sweep.axes.size() == 1 && sweep.space->choices[0].paths.size() == 1;
  std::vector<const SweepPoint*> points;
  if (!one || !sweep.axes[0].numeric() || sweep.axes[0].whole) return points;
  for (const SweepPoint& point : sweep.points) points.push_back(&point);
  std::stable_sort(points.begin(), points.end(),
                   [&](const SweepPoint* a, const SweepPoint* b) { return sweep.at(*a) < sweep.at(*b); });
  const auto same = [&](const SweepPoint* a, const SweepPoint* b) { return sweep.at(*a) == sweep.at(*b); };
  points.erase(std::unique(points.begin(), points.end(), same), points.end()); // equal, but written differently
  return points;
}

std::vector<ScaledPoint> scaledPoints(const Sweep& sweep) {
  std::vector<ScaledPoint> out;
  const SweepPoint* first = nullptr;
  for (const SweepPoint& point : sweep.points) {
    ScaledPoint& scaled = out.emplace_back();
    if (!point.priced) continue;
    if (!first) first = &point;
    scaled.speedup = point.work / first->work;
    scaled.efficiency = scaled.speedup * static_cast<double>(first->devices) / static_cast<double>(point.devices);
  }
  return out;
}

std::vector<SweepAxis> sweepAxes(const ir::Space& space) {
  std::vector<SweepAxis> axes;
  for (size_t i = 0; i < space.choices.size(); ++i) axes.push_back(axisOf(space.choices[i], i));
  std::stable_sort(axes.begin(), axes.end(), [&](const SweepAxis& a, const SweepAxis& b) {
    const SourceRange &x = space.choices[a.choice].range, &y = space.choices[b.choice].range;
    return std::pair(x.file.index, x.begin) < std::pair(y.file.index, y.begin); // an option counts as a file
  });
  return axes;
}

Sweep sweep(const ir::Space& space, Candidates& candidates, std::vector<const verdict::Metric*> metrics) {
  Sweep out{.space = &space, .axes = sweepAxes(space), .metrics = std::move(metrics), .points = {}};
  std::vector<uint32_t> digits(space.choices.size());
  addPoints(out, 0, digits);
  std::vector<SweepPoint*> order; // by number, so that points of one elaborated plan are adjacent
  for (SweepPoint& point : out.points) order.push_back(&point);
  std::sort(order.begin(), order.end(),
            [&](const SweepPoint* a, const SweepPoint* b) { return space.id(a->digits) < space.id(b->digits); });
  for (SweepPoint* point : order) price(*point, space, candidates, out.metrics);
  return out;
}

} // namespace planc::search
