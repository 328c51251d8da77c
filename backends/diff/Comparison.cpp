// Finds the common measure of plans and the best plan.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/Comparison.h"

#include "backends/diff/SameModel.h"
#include "support/Rounding.h"

#include <algorithm>
#include <cmath>

namespace planc::diff {

PLANC_ERROR(CompareOne, 940, "a comparison needs at least two plans that can be priced; there {count}")
PLANC_ERROR(CompareUnits, 941, "`{a}` counts tokens and `{b}` does not, so their work cannot be compared")
PLANC_WARNING(CompareModels, 942, "these plans do not train the same model: `{a}` and `{b}` are compared {measure}",
              Reached::Compared)

namespace {

double devices(const ComparedEstimate& s) {
  return static_cast<double>(s.plan->mesh.devices());
}
bool near(double a, double b) {
  return std::abs(a - b) <= kRounding * std::max(a, b);
}

/// Returns whether all plans count the same unit of work. Reports an error if not.
bool sameUnits(const std::vector<ComparedEstimate>& plans, DiagnosticEngine& diagnostics) {
  const ComparedEstimate* with = nullptr;
  const ComparedEstimate* without = nullptr;
  for (const ComparedEstimate& s : plans) (s.estimate->totals.tokensPerSecond ? with : without) = &s;
  if (!with || !without) return true;
  diagnostics.report(CompareUnits, without->range, {{"a", with->plan->title}, {"b", without->plan->title}})
      .help("compare plans of which both models count tokens, or neither");
  return false;
}

Measure measureOf(const std::vector<ComparedEstimate>& plans) {
  const auto same = [&](auto of) {
    return std::all_of(plans.begin(), plans.end(),
                       [&](const ComparedEstimate& s) { return near(of(s), of(plans.front())); });
  };
  if (!same(devices)) return Measure::DevicesByWork;
  return same(workOf) ? Measure::Step : Measure::Work;
}

void warnOfModels(const std::vector<ComparedEstimate>& plans, Measure measure, bool tokens,
                  DiagnosticEngine& diagnostics) {
  const ComparedEstimate& first = plans.front();
  const auto other = std::find_if(plans.begin(), plans.end(),
                                  [&](const ComparedEstimate& s) { return !sameModel(*s.plan, *first.plan); });
  if (other == plans.end()) return;
  diagnostics.report(CompareModels, other->range,
                     {{"a", first.plan->modelText},
                      {"b", other->plan->modelText},
                      {"measure", std::string(measure == Measure::Step ? "by the step"
                                              : tokens                 ? "per token"
                                                                       : "per sample")}});
}

} // namespace

double workOf(const ComparedEstimate& side) {
  const cost::Totals& t = side.estimate->totals;
  return t.tokensPerSecond ? *t.tokensPerSecond * t.stepTime : static_cast<double>(side.plan->workload.globalBatch);
}

std::optional<Comparison> compare(const std::vector<ComparedEstimate>& plans, DiagnosticEngine& diagnostics) {
  if (plans.size() < 2) {
    diagnostics
        .report(CompareOne, plans.empty() ? SourceRange{} : plans.front().range,
                {{"count", std::string(plans.empty() ? "is none" : "is one")}})
        .help("name more: `--plan NAME` may be repeated, and so may the file")
        .note("plans of a `compare` declaration are compared without `--compare`");
    return std::nullopt;
  }
  if (!sameUnits(plans, diagnostics)) return std::nullopt;
  Comparison out;
  out.measure = measureOf(plans);
  out.tokens = plans.front().estimate->totals.tokensPerSecond.has_value();
  warnOfModels(plans, out.measure, out.tokens, diagnostics);
  const bool anyFits =
      std::any_of(plans.begin(), plans.end(), [](const ComparedEstimate& s) { return s.estimate->memory.fits; });
  const auto measured = [&](const ComparedEstimate& s) {
    const double time = s.estimate->totals.stepTime / workOf(s);
    return out.measure == Measure::DevicesByWork ? time * devices(s) : time;
  };
  const auto worse = [&](const ComparedEstimate& a, const ComparedEstimate& b) {
    if (anyFits && a.estimate->memory.fits != b.estimate->memory.fits) return b.estimate->memory.fits;
    return measured(a) > measured(b);
  };
  for (size_t i = 1; i < plans.size(); ++i)
    if (worse(plans[out.best], plans[i])) out.best = i;
  const ComparedEstimate& best = plans[out.best];
  for (const ComparedEstimate& s : plans) {
    Entry entry{s, {}, {}};
    if (out.measure != Measure::Step) entry.side.scale = workOf(best) / workOf(s);
    if (out.measure == Measure::DevicesByWork) entry.side.scale *= devices(s) / devices(best);
    if (&s == &best) entry.side.scale = 1;
    entry.ratio = ratio(best, entry.side);
    entry.parts = attribute(*best.estimate, *s.estimate, 1, entry.side.scale);
    out.entries.push_back(std::move(entry));
  }
  return out;
}

} // namespace planc::diff
