// Makes plans from candidate numbers, and prices them.
// SPDX-License-Identifier: Apache-2.0
#include "search/Candidates.h"

#include "backends/verdict/Verdict.h"
#include "search/BalanceStages.h"
#include "search/Goals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace planc::search {
using ir::CandidateId;

namespace {

int codeOf(const DiagnosticEngine& diagnostics) {
  const Diagnostic* const error = diagnostics.firstError();
  return error ? error->kind->code : 0;
}

/// Returns whether a condition certainly holds. A condition without a value does not.
bool holds(const std::optional<ir::ExprValue>& value) {
  return value && value->isBool && value->truth;
}

std::optional<ir::ExprValue> ofFacts(const ir::ExprTree& tree, const ir::Plan& plan) {
  const auto values = ir::evaluate(tree, [&](const ir::ExprNode& node) { return ir::factAt(plan, node.metric); });
  return values[tree.root.index];
}

const ir::SearchTerms& termsOf(const ir::Plan* plan) {
  static const ir::SearchTerms kNone;
  return plan && plan->search ? *plan->search : kNone;
}

/// Returns the devices that remain for `axis` after all other axes; nothing if they do not divide.
std::optional<int64_t> restOf(const ir::Plan& plan, Symbol axis) {
  int64_t others = 1;
  for (const ir::AxisId id : plan.mesh.order)
    if (plan.mesh.axes[id].name != axis && __builtin_mul_overflow(others, plan.mesh.axes[id].size, &others))
      return std::nullopt;
  const int64_t devices = plan.mesh.levelSizes.empty() ? 1 : plan.mesh.levelSizes.back();
  return devices % others == 0 ? std::optional(devices / others) : std::nullopt;
}

} // namespace

Candidates::Candidates(const ir::Space& space, std::unique_ptr<PlanSource> source, size_t kept)
    : space_(space), source_(std::move(source)), innerEnd_(space.innerEnd()), engine_(kept) {
  for (size_t i = space.outerCount(); i < space.choices.size(); ++i)
    if (const auto& values = space.choices[i].values;
        std::any_of(values.begin(), values.end(), [](const auto& value) { return !value.edit.facts.empty(); }))
      ofMachine_.push_back(i);
}

const ir::SearchTerms& Candidates::terms() const {
  return termsOf(base_ ? base_->plan.get() : nullptr);
}

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

uint64_t Candidates::countIn(CandidateId from, CandidateId to) const {
  const auto depends = [](const ir::Choice& choice) { return !choice.depends.empty(); };
  if (std::none_of(space_.choices.begin(), space_.choices.end(), depends)) return to - from;
  uint64_t count = 0;
  for (CandidateId id = from; id < to; ++id) count += isCandidate(space_.digits(id));
  return count;
}

void Candidates::elaborate(Base& base, std::span<const uint32_t> digits) {
  DiagnosticEngine found;
  base.plan = source_->plan(digits.first(space_.outerCount()), std::nullopt, found);
  if (!base.plan) {
    base.code = codeOf(found);
    return;
  }
  base.wanted = wantedBy(termsOf(base.plan.get()));
  base.bounded = followFloors(termsOf(base.plan.get()));
  const auto reads = [&](std::string_view path) {
    return std::find(base.plan->reads.begin(), base.plan->reads.end(), path) != base.plan->reads.end();
  };
  base.elaborates = space_.fill && reads("mesh." + space_.fill->str());
  for (const ir::Choice& choice : space_.choices)
    if (choice.inner) base.elaborates |= std::any_of(choice.paths.begin(), choice.paths.end(), reads);
}

Candidates::Base& Candidates::baseOf(CandidateId id, std::span<const uint32_t> digits) {
  const CandidateId outer = id / innerEnd_;
  if (base_ && base_->outer == outer) return *base_;
  const ir::Plan* const before = base_ ? base_->plan.get() : nullptr;
  base_ = bases_.find([&](const Base& base) { return base.outer == outer; });
  if (!base_) {
    Base made;
    made.outer = outer;
    elaborate(made, digits);
    base_ = &bases_.add(std::move(made));
  }
  if (!before || !base_->plan || !shareFloors(*before, *base_->plan)) engine_.forgetFloors();
  return *base_;
}

/// Makes candidates with the same values of the machine's choices share one cluster and one stack object.
void Candidates::shareMachine(Base& base, std::span<const uint32_t> digits, ir::Plan& plan) const {
  if (ofMachine_.empty()) return;
  std::vector<uint32_t> values;
  for (const size_t i : ofMachine_) values.push_back(digits[i]);
  if (const Machine* known = base.machines.find([&](const Machine& machine) { return machine.values == values; }))
    plan.cluster = known->cluster, plan.stack = known->stack;
  else
    base.machines.add({std::move(values), plan.cluster, plan.stack});
}

/// Makes the plan of a candidate from its base. Returns false after errors; `whole` is set to false if the remaining
/// devices do not divide.
bool Candidates::changed(Base& base, std::span<const uint32_t> digits, ir::Plan& plan, DiagnosticEngine& diagnostics,
                         bool& whole) {
  plan = *base.plan;
  ir::PlanEdit edit;
  for (size_t i = 0; i < digits.size(); ++i)
    if (space_.choices[i].inner) ir::append(edit, space_.choices[i].values[digits[i]].edit);
  if (!ir::apply(edit, plan, diagnostics)) return false;
  shareMachine(base, digits, plan);
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
  Base& base = baseOf(id, digits);
  if (!base.plan) return source_->plan(digits, std::nullopt, diagnostics); // reports the error
  auto made = std::make_unique<ir::Plan>();
  bool whole = true;
  return changed(base, digits, *made, diagnostics, whole) ? std::move(made) : nullptr;
}

std::optional<int64_t> Candidates::filled(const ir::Plan& plan) const {
  const auto axis = space_.fill ? plan.mesh.findAxis(*space_.fill) : std::nullopt;
  return axis ? std::optional(plan.mesh.axes[*axis].size) : std::nullopt;
}

/// Lowers and schedules a candidate. Fate::None means that it can be priced; otherwise its fate is decided.
Outcome Candidates::prepare(CandidateId id, Asked& asked, const Answer* known) {
  Outcome out;
  out.id = id;
  const std::vector<uint32_t> digits = space_.digits(id);
  if (!isCandidate(digits)) return out;
  Base& base = baseOf(id, digits);
  const auto refused = [&](Fate fate, int code) {
    out.fate = fate;
    out.code = code;
    return out;
  };
  if (!base.plan) return refused(Fate::Unlawful, base.code);
  auto& [plan, found, program, schedule] = asked;
  bool whole = true;
  if (!changed(base, digits, plan, found, whole)) return refused(whole ? Fate::Unlawful : Fate::Rest, codeOf(found));
  const ir::SearchTerms& terms = this->terms();
  if (!base.bounded) known = nullptr;
  for (out.condition = 0; out.condition < terms.conditions.size(); ++out.condition)
    if (const ir::Condition& c = terms.conditions[out.condition]; c.ofChoices() && !holds(ofFacts(c.tree, plan)))
      return refused(Fate::Cut, 0);
  if (known && worse(plan, *known)) return refused(Fate::Worse, 0);
  settleStages(plan, engine_);
  program = engine_.lower(plan, found);
  if (program) schedule = engine_.schedule(*program);
  if (!schedule) return refused(Fate::Unlawful, codeOf(found));
  if (known && worse(plan, *schedule, *known)) return refused(Fate::Worse, 0);
  return out;
}

bool Candidates::isLawful(CandidateId id) {
  Asked asked;
  prepare(id, asked, nullptr);
  return asked.schedule != nullptr;
}

Outcome Candidates::price(CandidateId id, const Answer* known) {
  Asked asked;
  Outcome out = prepare(id, asked, known);
  if (out.fate != Fate::None || !asked.schedule) return out;
  auto& [plan, found, program, schedule] = asked;
  const ir::SearchTerms& terms = this->terms();
  const auto refused = [&](int code) {
    out.fate = Fate::Unlawful;
    out.code = code;
    return out;
  };
  const auto estimate = engine_.price(*schedule, found, base_->wanted);
  if (!estimate) return refused(codeOf(found));
  out.stepTime = estimate->totals.stepTime;
  out.peak = estimate->memory.peak;
  for (const ir::Goal& goal : terms.goals) out.goals.push_back(goalOf(goal, plan, *estimate));
  if (terms.goals.empty()) out.goals.push_back(out.stepTime);
  if (std::any_of(out.goals.begin(), out.goals.end(), [](double goal) { return !std::isfinite(goal); }))
    return refused(kNoValue);
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
