// Skips candidates whose lower bounds (floors) of step time and memory prove that they are worse than known ones.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/Totals.h"
#include "search/Candidates.h"
#include "search/Goals.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace planc::search {
using ir::CandidateId;

namespace {

/// Returns whether a value changes more than the layout: the machine, or the amount of work.
bool changesWork(const ir::ChoiceValue& value) {
  return !value.edit.facts.empty() || value.edit.globalBatch;
}

bool overlaps(const ir::Plan& plan) {
  const ir::Overlap& own = plan.overlap;
  return !own.blockingShare.empty() || own.prefetch || own.slowdown || own.bucket;
}

} // namespace

/// Returns whether floors from estimates of one plan hold for the other. Floors of layers need no check here, because
/// they are keyed by what the layers were lowered from.
bool Candidates::shareFloors(const ir::Plan& a, const ir::Plan& b) {
  return a.model == b.model && a.stack == b.stack && a.workload == b.workload && a.precision == b.precision &&
         a.precisionRules == b.precisionRules && !overlaps(a) && !overlaps(b);
}

/// Returns lower bounds of the goals of a plan whose step time and peak memory are at least `step` and `peak`.
std::vector<double> Candidates::floorsOf(const ir::Plan& plan, double step, double peak) const {
  if (terms().goals.empty()) return {step};
  cost::Estimate least;
  least.totals.stepTime = step;
  least.memory.peak = peak;
  const double devices = plan.mesh.levelSizes.empty() ? 1 : static_cast<double>(plan.mesh.levelSizes.back());
  cost::addAmounts(least.totals, plan, devices, engine_.tokensPerSample());
  std::vector<double> floors;
  for (const ir::Goal& goal : terms().goals) {
    const double floor = goalOf(goal, plan, least);
    floors.push_back(std::isfinite(floor) ? floor : -std::numeric_limits<double>::infinity());
  }
  return floors;
}

/// Returns whether a candidate is certainly worse, before it is lowered.
bool Candidates::worse(const ir::Plan& plan, const Answer& known) {
  return known.excludes(floorsOf(plan, engine_.stepFloor(plan), 0));
}

/// Returns whether a candidate is certainly worse, before its schedule is simulated.
bool Candidates::worse(const ir::Plan& plan, const ir::Schedule& schedule, const Answer& known) {
  const auto memory = engine_.memory(schedule);
  const double step = std::max(engine_.stepFloor(schedule), engine_.stepFloor(plan));
  const std::vector<double> floors = floorsOf(plan, step, memory ? memory->peak : 0);
  return known.excludes(floors) || (memory && !memory->fits && known.excludesUnfit(floors));
}

/// Stores the range and floors of the candidates that agree with this one in all choices up to the last one that
/// changes the work.
void Candidates::findCommon(CandidateId id, std::span<const uint32_t> digits) {
  Base& base = *base_;
  CandidateId each = innerEnd_;
  size_t last = space_.outerCount();
  for (size_t i = space_.outerCount(); i < space_.choices.size(); ++i)
    if (const auto& values = space_.choices[i].values; std::any_of(values.begin(), values.end(), changesWork))
      last = i + 1;
  for (size_t i = space_.outerCount(); i < last; ++i) each /= space_.choices[i].values.size();
  base.common = id / each * each;
  base.commonEnd = base.common + each;
  base.floors.clear();
  ir::Plan plan = *base.plan;
  ir::PlanEdit edit;
  DiagnosticEngine found;
  for (size_t i = space_.outerCount(); i < last; ++i)
    if (const ir::ChoiceValue& value = space_.choices[i].values[digits[i]]; changesWork(value))
      ir::append(edit, {.facts = value.edit.facts, .globalBatch = value.edit.globalBatch});
  if (ir::apply(edit, plan, found)) base.floors = floorsOf(plan, engine_.productFloor(plan), 0);
}

CandidateId Candidates::skip(CandidateId id, const Answer& known) {
  if (!base_ || !base_->plan || base_->outer != id / innerEnd_ || !base_->bounded || base_->elaborates) return id;
  if (!engine_.knowsFloors()) return id;
  if (id < base_->common || id >= base_->commonEnd || base_->floors.empty()) findCommon(id, space_.digits(id));
  return !base_->floors.empty() && known.excludes(base_->floors) ? base_->commonEnd : id;
}

std::optional<Candidates::Floor> Candidates::floor(CandidateId id) {
  constexpr CandidateId kTried = 512; // candidates priced until one is lawful, in strides of the golden ratio
  const std::vector<uint32_t> digits = space_.digits(id);
  const CandidateId end = id / innerEnd_ * innerEnd_ + innerEnd_;
  if (!baseOf(id, digits).plan) return Floor{std::numeric_limits<double>::infinity(), end};
  if (!base_->bounded || base_->elaborates) return std::nullopt;
  const auto stride = goldenStride(innerEnd_) + 1;
  for (CandidateId n = 0, at = 0; n < std::min(kTried, innerEnd_) && !engine_.knowsFloors(); ++n) {
    price(end - innerEnd_ + at);
    at = (at + stride) % innerEnd_;
  }
  if (!engine_.knowsFloors()) return std::nullopt;
  if (id < base_->common || id >= base_->commonEnd || base_->floors.empty()) findCommon(id, digits);
  return base_->floors.empty() ? std::nullopt : std::optional(Floor{base_->floors[0], base_->commonEnd});
}

} // namespace planc::search
