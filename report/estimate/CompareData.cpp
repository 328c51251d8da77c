// A comparison for programs: JSON and a sheet, numbers in full.
// SPDX-License-Identifier: Apache-2.0
#include "report/estimate/Compare.h"
#include "report/estimate/CompareParts.h"
#include "report/tables/Csv.h"
#include "report/tables/JsonNumber.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace planc::report {

namespace {

nlohmann::ordered_json ratioJson(const diff::Ratio& r) {
  const bool known = r.coverage > 0;
  return {{"value", jsonNumber(r.value)},
          {"low", known ? jsonNumber(r.low) : nlohmann::ordered_json(nullptr)},
          {"high", known ? jsonNumber(r.high) : nlohmann::ordered_json(nullptr)},
          {"coverage", known ? jsonNumber(r.coverage) : nlohmann::ordered_json(nullptr)},
          {"terms", jsonNumber(r.terms)},
          {"runs_low", jsonNumber(r.runsLow)},
          {"runs_high", jsonNumber(r.runsHigh)},
          {"unshared", jsonNumber(r.unshared)}};
}

nlohmann::ordered_json partsJson(const diff::Attribution& parts) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const diff::Part& p : parts.parts)
    out.push_back(
        {{"cause", std::string(diff::name(p.cause))},
         {"what", p.what == diff::Subject() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(p.what.str())},
         {"best_s", jsonNumber(p.a)},
         {"plan_s", jsonNumber(p.b)},
         {"difference_s", jsonNumber(p.difference())}});
  return out;
}

std::string csvOptional(const std::optional<double>& value) {
  return value ? csvNumber(*value) : "";
}

std::vector<std::string> heads(const ComparisonReport& report) {
  std::vector<std::string> out{"plan",
                               "best",
                               "step_time_s",
                               "tokens_per_s_per_device",
                               "samples_per_s",
                               "mfu",
                               "memory_peak_bytes",
                               "fits",
                               "cost_usd_per_1t_tokens",
                               "cost_usd",
                               "run_days",
                               "run_cost_usd",
                               "ratio",
                               "ratio_low",
                               "ratio_high",
                               "difference_s"};
  if (!report.name.empty()) out.insert(out.begin(), "comparison");
  for (int cause = 0; cause < diff::kCauses; ++cause)
    out.push_back(fmt::format("{}_difference_s", diff::name(static_cast<diff::Cause>(cause))));
  return out;
}

Sheet comparisonSheet(const ComparisonReport& report) {
  Sheet sheet{heads(report)};
  const std::vector<std::string> names = comparedNames(report);
  const diff::Comparison& c = report.comparison;
  const auto truth = [](bool value) { return std::string(value ? "true" : "false"); };
  for (size_t i = 0; i < report.plans.size(); ++i) {
    const cost::Estimate& e = *report.plans[i].estimate;
    const diff::Entry& entry = c.entries[i];
    const bool known = entry.ratio.coverage > 0;
    std::vector<std::string>& row = sheet.emplace_back();
    if (!report.name.empty()) row.push_back(report.name);
    row.insert(row.end(), {names[i], truth(i == c.best), csvNumber(e.totals.stepTime),
                           csvOptional(e.totals.tokensPerSecondPerDevice), csvNumber(e.totals.samplesPerSecond),
                           csvNumber(e.totals.mfu), csvNumber(e.memory.peak), truth(e.memory.fits),
                           csvOptional(e.totals.costPer1t), csvOptional(e.totals.cost),
                           e.run ? csvNumber(e.run->middle.times.time() / (24 * kHour)) : "",
                           e.run ? csvOptional(e.run->middle.cost) : "", csvNumber(entry.ratio.value),
                           known ? csvNumber(entry.ratio.low) : "", known ? csvNumber(entry.ratio.high) : "",
                           csvNumber(entry.parts.b - entry.parts.a)});
    std::vector<double> causes(diff::kCauses);
    for (const diff::Part& p : entry.parts.parts) causes[static_cast<size_t>(p.cause)] += p.difference();
    for (const double d : causes) row.push_back(csvNumber(d));
  }
  return sheet;
}

} // namespace

nlohmann::ordered_json comparisonJson(const ComparisonReport& report) {
  const std::vector<std::string> names = comparedNames(report);
  const std::vector<PlanReport>& plans = report.plans;
  const diff::Comparison& c = report.comparison;
  nlohmann::ordered_json out;
  if (!report.name.empty()) out["name"] = report.name;
  out["measure"] = measureText(c);
  out["best"] = names[c.best];
  if (!report.name.empty()) out["not_priced"] = report.failed;
  out["plans"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < plans.size(); ++i) {
    const diff::Entry& e = c.entries[i];
    out["plans"].push_back({{"name", names[i]},
                            {"plan", plans[i].plan->title},
                            {"file", plans[i].file},
                            {"best", i == c.best},
                            {"fits", plans[i].estimate->memory.fits},
                            {"critical_stage", plans[i].estimate->totals.critical},
                            {"stages", plans[i].estimate->stages.size()},
                            {"scale", jsonNumber(e.side.scale)},
                            {"ratio", ratioJson(e.ratio)},
                            {"difference_s", jsonNumber(e.parts.b - e.parts.a)},
                            {"parts", partsJson(e.parts)}});
    if (!report.name.empty()) out["plans"].back()["estimate"] = json(plans[i]); // plans that have no other report
  }
  return out;
}

Document comparisonDocument(const ComparisonReport& report, Shown shown) {
  Document out;
  if (shown == Shown::Data) out.data = comparisonJson(report);
  if (shown == Shown::Page) out.page = comparisonPage(report);
  if (shown == Shown::Sheets) out.sheets = {comparisonSheet(report)};
  return out;
}

} // namespace planc::report
