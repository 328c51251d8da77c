// Changes of a plan that does not fit: its file with one more plan that extends it, through all rooms again.
// SPDX-License-Identifier: Apache-2.0
#include "api/MemoryFixes.h"

#include "frontend/Frontend.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::api {

namespace {

using report::Candidate;
using report::Fix;

/// Rounds in which changes are combined, and what is tried in all of them together.
constexpr int kRounds = 4;
constexpr size_t kTrials = 48;

class Trials {
public:
  Trials(const Compilation& plan, const SourceManager& sources, const ir::PlanEdit& edit)
      : plan_(plan), edit_(edit), name_(plan.plan().name.str()), path_(sources.path(plan.plan().range.file)),
        text_(sources.text(plan.plan().range.file)), base_(plan.asked().named) {}

  std::vector<Fix> run() {
    const std::vector<Candidate> candidates =
        report::memoryCandidates(plan_.plan(), *plan_.program(), *plan_.estimate());
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
      // The change that frees most, with each of the others.
      const size_t best = *std::min_element(order.begin(), order.end(),
                                            [&](size_t a, size_t b) { return fixes[a].peak < fixes[b].peak; });
      tried = combined(tried[best], candidates);
    }
    report::rank(all);
    return all;
  }

private:
  static std::vector<Candidate> combined(const Candidate& base, const std::vector<Candidate>& others) {
    std::vector<Candidate> result;
    for (const Candidate& other : others) {
      if ((" " + base.kind + " ").find(" " + other.kind + " ") != std::string::npos) continue;
      Candidate both = base;
      both.kind += " " + other.kind;
      both.lines.insert(both.lines.end(), other.lines.begin(), other.lines.end());
      both.effect += "; " + other.effect;
      result.push_back(std::move(both));
    }
    return result;
  }

  /// One file holds them all. A change without an estimate comes back without lines.
  std::vector<Fix> price(const std::vector<Candidate>& candidates) {
    std::string text = text_ + "\n";
    auto nameOf = [&](size_t i) { return fmt::format("{}_change_{}", name_, i); };
    for (size_t i = 0; i < candidates.size(); ++i) text += report::fixText(nameOf(i), base_, candidates[i].lines);
    frontend::Session session;
    session.loadText(path_, text);
    session.set(edit_, name_);
    std::vector<Fix> fixes;
    for (size_t i = 0; i < candidates.size(); ++i) {
      Fix fix;
      if (trials_++ < kTrials)
        if (auto plans = session.plans(frontend::PlanChoice{nameOf(i)}); plans.size() == 1) {
          Compilation trial(std::move(*plans[0]));
          if (trial.priceAlone()) fix = fixOf(candidates[i], *trial.estimate());
        }
      fixes.push_back(std::move(fix));
    }
    return fixes;
  }

  Fix fixOf(const Candidate& candidate, const cost::Estimate& estimate) const {
    const cost::Estimate& before = *plan_.estimate();
    Fix fix;
    fix.lines = candidate.lines;
    fix.effect = candidate.effect;
    fix.text = report::fixText(name_ + "_fits", base_, fix.lines);
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
};

} // namespace

std::vector<Fix> memoryFixes(const Compilation& plan, const SourceManager& sources, const ir::PlanEdit& edit) {
  if (!plan.estimate() || plan.estimate()->memory.fits || !plan.plan().range.valid()) return {};
  return Trials(plan, sources, edit).run();
}

} // namespace planc::api
