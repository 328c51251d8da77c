// Prices changes of a plan that does not fit: as data or, if the plan computes with the changed value, as text.
// SPDX-License-Identifier: Apache-2.0
#include "api/MemoryFixes.h"

#include "frontend/Frontend.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::api {

namespace {

using lint::Candidate;
using lint::Fix;

/// Rounds in which changes are combined, and trials in all rounds together.
constexpr int kRounds = 4;
constexpr size_t kTrials = 48;
/// Limit of simulated passes (micro-batches times virtual stages) in all trials together; takes about a second.
constexpr int64_t kTriedPasses = 1 << 24;

/// Returns whether two changes set the same state.
bool overlap(const ir::PlanEdit& one, const ir::PlanEdit& other) {
  return std::any_of(one.states.begin(), one.states.end(), [&](const ir::StateRule& a) {
    return std::any_of(other.states.begin(), other.states.end(), [&](const ir::StateRule& b) {
      return a.state == b.state && a.selector.str() == b.selector.str();
    });
  });
}

/// Merges two changes of different kinds.
ir::PlanEdit joined(ir::PlanEdit one, const ir::PlanEdit& other) {
  ir::append(one, other);
  return one;
}

class Trials {
public:
  Trials(const Compilation& plan, const SourceManager& sources, const ir::PlanEdit& edit)
      : plan_(plan), edit_(edit), name_(plan.plan().name.str()), path_(sources.path(plan.plan().range.file)),
        text_(sources.text(plan.plan().range.file)), base_(plan.asked().named) {}

  std::vector<Fix> run() {
    const std::vector<Candidate> candidates = lint::memoryCandidates(plan_.plan(), *plan_.program(), *plan_.estimate());
    std::vector<Candidate> tried = candidates;
    std::vector<Fix> all;
    for (int round = 0; round < kRounds && !tried.empty(); ++round) {
      std::vector<Fix> fixes = price(tried);
      std::vector<size_t> order;
      bool fits = false;
      for (size_t i = 0; i < fixes.size(); ++i) {
        if (fixes[i].lines.empty() || fixes[i].saved <= 0) continue;
        order.push_back(i);
        fits |= fixes[i].fits;
        if (round == 0 || fixes[i].fits) all.push_back(fixes[i]);
      }
      if (fits || order.empty()) break;
      // Combines the change that frees the most memory with each of the others.
      const size_t best = *std::min_element(order.begin(), order.end(),
                                            [&](size_t a, size_t b) { return fixes[a].peak < fixes[b].peak; });
      tried = combined(tried[best], candidates);
    }
    lint::rank(all);
    return all;
  }

private:
  static std::vector<Candidate> combined(const Candidate& base, const std::vector<Candidate>& others) {
    std::vector<Candidate> result;
    for (const Candidate& other : others) {
      if ((" " + base.kind + " ").find(" " + other.kind + " ") != std::string::npos) continue;
      if (overlap(base.edit, other.edit)) continue;
      Candidate both = base;
      both.edit = joined(base.edit, other.edit);
      both.kind += " " + other.kind;
      both.lines.insert(both.lines.end(), other.lines.begin(), other.lines.end());
      both.effect += "; " + other.effect;
      result.push_back(std::move(both));
    }
    return result;
  }

  /// Returns one fix per candidate. A change without an estimate gives a fix without lines.
  std::vector<Fix> price(const std::vector<Candidate>& candidates) {
    std::vector<Fix> fixes;
    for (const Candidate& candidate : candidates) {
      Fix& fix = fixes.emplace_back();
      if (trials_++ >= kTrials || passes_ > kTriedPasses) continue;
      const std::unique_ptr<Compilation> trial = changed(candidate);
      if (!trial || !trial->priceAlone(cost::Wanted::totals())) continue;
      fix = fixOf(candidate, *trial->estimate());
      passes_ += trial->program()->microBatches * static_cast<int64_t>(trial->program()->virtualStages.size());
    }
    return fixes;
  }

  /// Applies a change. Sizes that the plan's text computes with are changed in text: the file plus a plan that extends
  /// it.
  std::unique_ptr<Compilation> changed(const Candidate& candidate) const {
    const bool sizes = !candidate.edit.axes.empty() || candidate.edit.microBatch;
    if (!sizes || plan_.plan().reads.empty()) return plan_.with(candidate.edit);
    const std::string name = name_ + "_changed";
    frontend::Session session;
    session.loadText(path_, text_ + "\n" + lint::fixText(name, base_, candidate.lines));
    session.set(edit_, name_);
    auto plans = session.plans(frontend::PlanChoice{name});
    return plans.size() == 1 ? std::make_unique<Compilation>(std::move(*plans[0])) : nullptr;
  }

  Fix fixOf(const Candidate& candidate, const cost::Estimate& estimate) const {
    const cost::Estimate& before = *plan_.estimate();
    Fix fix;
    fix.lines = candidate.lines;
    fix.effect = candidate.effect;
    fix.text = lint::fixText(name_ + "_fits", base_, fix.lines);
    fix.peak = estimate.memory.peak;
    fix.saved = before.memory.peak - fix.peak;
    fix.stepTime = estimate.totals.stepTime;
    fix.slowdown = before.totals.stepTime > 0 ? fix.stepTime / before.totals.stepTime - 1 : 0;
    fix.fits = estimate.memory.fits;
    return fix;
  }

  const Compilation& plan_;
  const ir::PlanEdit& edit_;
  std::string name_, path_, text_, base_;
  size_t trials_ = 0;
  int64_t passes_ = 0;
};

} // namespace

std::vector<Fix> memoryFixes(const Compilation& plan, const SourceManager& sources, const ir::PlanEdit& edit) {
  if (plan.asked().named.empty()) return {}; // a plan in a comparison cannot be extended
  if (!plan.estimate() || plan.estimate()->memory.fits || !plan.plan().range.valid()) return {};
  return Trials(plan, sources, edit).run();
}

} // namespace planc::api
