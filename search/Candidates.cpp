// From a number to a plan, and from a plan to its price.
// SPDX-License-Identifier: Apache-2.0
#include "search/Candidates.h"

#include "backends/verdict/Verdict.h"
#include "search/BalanceStages.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace planc::search {
using ir::CandidateId;

namespace {

/// The first error.
int codeOf(const DiagnosticEngine& diagnostics) {
  for (const Diagnostic* found : diagnostics.sorted())
    if (found->kind->severity == Severity::Error) return found->kind->code;
  return 0;
}

/// What all conditions and goals of a plan ask of its estimate.
cost::Wanted wantedBy(const ir::SearchTerms* terms) {
  cost::Wanted wanted = cost::Wanted::totals();
  if (!terms) return wanted;
  const auto ask = [&](const ir::ExprTree& tree) {
    const cost::Wanted asked = verdict::wantedBy(tree);
    wanted.rows |= asked.rows, wanted.confidence |= asked.confidence;
  };
  for (const ir::Condition& condition : terms->conditions) ask(condition.tree);
  for (const ir::Goal& goal : terms->goals) ask(goal.tree);
  return wanted;
}

/// Does it hold for sure? A condition without a value does not.
bool holds(const std::optional<ir::ExprValue>& value) {
  return value && value->isBool && value->truth;
}

std::optional<ir::ExprValue> ofFacts(const ir::ExprTree& tree, const ir::Plan& plan) {
  const auto values = ir::evaluate(tree, [&](const ir::ExprNode& node) { return ir::sizeAt(plan, node.metric); });
  return values[tree.root.index];
}

/// The rest of the devices beside all other axes; nothing if it is not whole.
std::optional<int64_t> restOf(const ir::Plan& plan, Symbol axis) {
  int64_t others = 1;
  for (const ir::AxisId id : plan.mesh.order)
    if (plan.mesh.axes[id].name != axis && __builtin_mul_overflow(others, plan.mesh.axes[id].size, &others))
      return std::nullopt;
  const int64_t devices = plan.mesh.levelSizes.empty() ? 1 : plan.mesh.levelSizes.back();
  return devices % others == 0 ? std::optional(devices / others) : std::nullopt;
}

/// Is the step time the one goal?
bool seeksStepTime(const ir::SearchTerms* terms) {
  if (!terms || terms->goals.empty()) return true;
  return terms->goals.size() == 1 && !terms->goals[0].maximize && verdict::isStepTime(terms->goals[0].tree);
}

/// Infinite without a value.
double goalOf(const ir::Goal& goal, const ir::Plan& plan, const cost::Estimate& estimate) {
  constexpr double kWorst = std::numeric_limits<double>::infinity();
  const auto value = verdict::valueOf(goal.tree, plan, estimate);
  if (!value || value->isBool) return kWorst;
  return goal.maximize ? -value->quantity.value : value->quantity.value;
}

} // namespace

bool before(const Outcome& a, const Outcome& b) {
  if (a.goals != b.goals) return a.goals < b.goals;
  return a.id < b.id;
}

bool dominates(const Outcome& a, const Outcome& b) {
  bool better = false;
  for (size_t i = 0; i < a.goals.size(); ++i) {
    if (a.goals[i] > b.goals[i]) return false;
    better |= a.goals[i] < b.goals[i];
  }
  return better;
}

bool Candidates::isCandidate(std::span<const uint32_t> digits) const {
  for (size_t i = 0; i < space_.choices.size(); ++i)
    if (!space_.has(digits, i)) return false;
  return true;
}

const Candidates::Base& Candidates::baseOf(CandidateId id, std::span<const uint32_t> digits) {
  const CandidateId outer = id / innerEnd_;
  if (base_ && base_->outer == outer) return *base_;
  base_ = std::make_unique<Base>();
  Base& base = *base_;
  base.outer = outer;
  DiagnosticEngine found;
  base.plan = source_->plan(digits.first(space_.outerCount()), std::nullopt, found);
  if (!base.plan) {
    base.code = codeOf(found);
    return base;
  }
  base.wanted = wantedBy(base.plan->search.get());
  base.bounded = seeksStepTime(base.plan->search.get());
  engine_.forgetFloors();
  const auto reads = [&](std::string_view path) {
    return std::find(base.plan->reads.begin(), base.plan->reads.end(), path) != base.plan->reads.end();
  };
  base.elaborates = space_.fill && reads("mesh." + space_.fill->str());
  for (const ir::Choice& choice : space_.choices)
    if (choice.inner) base.elaborates |= std::any_of(choice.paths.begin(), choice.paths.end(), reads);
  return base;
}

/// Makes a candidate of its base; `whole` is false if what is left of the devices is not.
bool Candidates::changed(const Base& base, std::span<const uint32_t> digits, ir::Plan& plan,
                         DiagnosticEngine& diagnostics, bool& whole) {
  plan = *base.plan;
  ir::PlanEdit edit;
  for (size_t i = 0; i < digits.size(); ++i)
    if (space_.choices[i].inner) ir::append(edit, space_.choices[i].values[digits[i]].edit);
  if (!ir::apply(edit, plan, diagnostics)) return false;
  std::optional<int64_t> rest;
  if (space_.fill) {
    rest = restOf(plan, *space_.fill);
    whole = rest.has_value();
    if (!whole || !ir::apply({.axes = {{*space_.fill, *rest}}}, plan, diagnostics)) return false;
  }
  if (!base.elaborates) return true;
  const auto made = source_->plan(digits, rest, diagnostics);
  if (made) plan = std::move(*made);
  return made != nullptr;
}

std::unique_ptr<ir::Plan> Candidates::plan(CandidateId id, DiagnosticEngine& diagnostics) {
  const std::vector<uint32_t> digits = space_.digits(id);
  const Base& base = baseOf(id, digits);
  if (!base.plan) return source_->plan(digits, std::nullopt, diagnostics); // says why
  auto made = std::make_unique<ir::Plan>();
  bool whole = true;
  return changed(base, digits, *made, diagnostics, whole) ? std::move(made) : nullptr;
}

std::optional<int64_t> Candidates::filled(const ir::Plan& plan) const {
  const auto axis = space_.fill ? plan.mesh.findAxis(*space_.fill) : std::nullopt;
  return axis ? std::optional(plan.mesh.axes[*axis].size) : std::nullopt;
}

Outcome Candidates::price(CandidateId id, double limit) {
  Outcome out;
  out.id = id;
  const std::vector<uint32_t> digits = space_.digits(id);
  if (!isCandidate(digits)) return out;
  const Base& base = baseOf(id, digits);
  const auto refused = [&](Fate fate, int code) {
    out.fate = fate;
    out.code = code;
    return out;
  };
  if (!base.plan) return refused(Fate::Unlawful, base.code);
  DiagnosticEngine found;
  ir::Plan plan;
  bool whole = true;
  if (!changed(base, digits, plan, found, whole)) return refused(whole ? Fate::Unlawful : Fate::Rest, codeOf(found));
  static const ir::SearchTerms kNone;
  const ir::SearchTerms& terms = base.plan->search ? *base.plan->search : kNone;
  for (out.condition = 0; out.condition < terms.conditions.size(); ++out.condition)
    if (const ir::Condition& c = terms.conditions[out.condition]; c.ofChoices() && !holds(ofFacts(c.tree, plan)))
      return refused(Fate::Cut, 0);
  if (base.bounded && engine_.stepFloor(plan) > limit) return refused(Fate::Worse, 0);
  settleStages(plan, engine_);
  const auto estimate = engine_.estimate(plan, found, base.wanted);
  if (!estimate) return refused(Fate::Unlawful, codeOf(found));
  out.stepTime = estimate->totals.stepTime;
  out.peak = estimate->memory.peak;
  for (const ir::Goal& goal : terms.goals) out.goals.push_back(goalOf(goal, plan, *estimate));
  if (terms.goals.empty()) out.goals.push_back(out.stepTime);
  constexpr int kNoValue = 903; // what the page of a metric without meaning says
  if (std::any_of(out.goals.begin(), out.goals.end(), [](double goal) { return !std::isfinite(goal); }))
    return refused(Fate::Unlawful, kNoValue);
  size_t unmet = 0;
  for (uint32_t i = static_cast<uint32_t>(terms.conditions.size()); i-- > 0;)
    if (const ir::Condition& c = terms.conditions[i];
        !c.ofChoices() && !holds(verdict::valueOf(c.tree, plan, *estimate)))
      out.condition = i, ++unmet;
  const bool fits = estimate->memory.fits;
  out.fate = unmet ? Fate::Unmet : fits ? Fate::Met : Fate::Unfit;
  out.alone = unmet + (fits ? 0 : 1) == 1;
  return out;
}

} // namespace planc::search
