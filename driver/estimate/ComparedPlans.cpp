// Reports of priced plans, and their comparison.
// SPDX-License-Identifier: Apache-2.0
#include "driver/estimate/ComparedPlans.h"

#include <utility>

namespace planc::driver {

report::PlanReport reportOf(InputFile& file, const api::Compilation& plan) {
  return {file.shownPath(), &file.sources(),          &plan.plan(),
          plan.program(),   plan.estimate(),          &plan.results(),
          &plan.fixes(),    &plan.recomputeEffects(), plan.asked().label};
}

void addReports(InputFile& file, const Plans& plans, bool oneFile, std::vector<report::PlanReport>& out,
                std::vector<diff::ComparedEstimate>& sides) {
  for (const auto& p : plans) {
    if (!p->estimate()) continue;
    out.push_back(reportOf(file, *p));
    sides.push_back({&p->plan(), p->estimate(), 1, oneFile ? p->asked().range : SourceRange{}});
  }
}

std::optional<report::ComparisonReport> compared(Console& console, InputFile& file, std::string name,
                                                 std::vector<report::PlanReport> plans,
                                                 const std::vector<diff::ComparedEstimate>& sides,
                                                 std::vector<std::string> failed) {
  DiagnosticEngine found;
  found.allow(file.diagnostics().allowances());
  auto comparison = diff::compare(sides, found);
  console.diagnose(found, file.sources());
  if (!comparison) return std::nullopt;
  return report::ComparisonReport{std::move(name), std::move(plans), std::move(*comparison), std::move(failed)};
}

} // namespace planc::driver
