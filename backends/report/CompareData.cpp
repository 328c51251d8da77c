// A comparison for programs: JSON and CSV, numbers in full.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Compare.h"
#include "backends/report/CompareParts.h"
#include "backends/report/Csv.h"
#include "backends/report/JsonNumber.h"

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
          {"runs_high", jsonNumber(r.runsHigh)}};
}

nlohmann::ordered_json partsJson(const diff::Attribution& parts) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const diff::Part& p : parts.parts)
    out.push_back({{"cause", std::string(diff::name(p.cause))},
                   {"what", p.what.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(p.what)},
                   {"best_s", jsonNumber(p.a)},
                   {"plan_s", jsonNumber(p.b)},
                   {"difference_s", jsonNumber(p.difference())}});
  return out;
}

std::string csvOptional(const std::optional<double>& value) {
  return value ? csvNumber(*value) : "";
}

} // namespace

nlohmann::ordered_json comparisonJson(const std::vector<PlanReport>& plans, const diff::Comparison& c) {
  const std::vector<std::string> names = comparedNames(plans);
  nlohmann::ordered_json out{{"measure", measureText(c)}, {"best", names[c.best]}};
  out["plans"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < plans.size(); ++i) {
    const diff::Entry& e = c.entries[i];
    out["plans"].push_back({{"name", names[i]},
                            {"file", plans[i].file},
                            {"best", i == c.best},
                            {"fits", plans[i].estimate->memory.fits},
                            {"scale", jsonNumber(e.side.scale)},
                            {"ratio", ratioJson(e.ratio)},
                            {"difference_s", jsonNumber(e.parts.b - e.parts.a)},
                            {"parts", partsJson(e.parts)}});
  }
  return out;
}

std::string comparisonCsv(const std::vector<PlanReport>& plans, const diff::Comparison& c) {
  const std::vector<std::string> names = comparedNames(plans);
  std::string out = "plan,best,step_time_s,tokens_per_s_per_device,samples_per_s,mfu,memory_peak_bytes,fits,"
                    "cost_usd_per_1t_tokens,cost_usd,ratio,ratio_low,ratio_high,difference_s";
  for (int cause = 0; cause < diff::kCauses; ++cause)
    out += fmt::format(",{}_difference_s", diff::name(static_cast<diff::Cause>(cause)));
  out += "\n";
  for (size_t i = 0; i < plans.size(); ++i) {
    const cost::Estimate& e = *plans[i].estimate;
    const diff::Entry& entry = c.entries[i];
    const bool known = entry.ratio.coverage > 0;
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}", csvField(names[i]), i == c.best,
                       csvNumber(e.totals.stepTime), csvOptional(e.totals.tokensPerSecondPerDevice),
                       csvNumber(e.totals.samplesPerSecond), csvNumber(e.totals.mfu), csvNumber(e.memory.peak),
                       e.memory.fits, csvOptional(e.totals.costPer1t), csvOptional(e.totals.cost),
                       csvNumber(entry.ratio.value), known ? csvNumber(entry.ratio.low) : "",
                       known ? csvNumber(entry.ratio.high) : "", csvNumber(entry.parts.b - entry.parts.a));
    std::vector<double> causes(diff::kCauses);
    for (const diff::Part& p : entry.parts.parts) causes[static_cast<size_t>(p.cause)] += p.difference();
    for (double d : causes) out += "," + csvNumber(d);
    out += "\n";
  }
  return out;
}

} // namespace planc::report
