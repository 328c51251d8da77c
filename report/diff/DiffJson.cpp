// A difference as JSON: all numbers, all facts, all parts.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/Verdict.h"
#include "report/diff/DiffParts.h"
#include "report/tables/JsonNumber.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace planc::report {

namespace {

using Json = nlohmann::ordered_json;

Json textOrNull(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

/// Returns the metrics before and after, in the units of their fields in results.
Json metricsJson(const diff::Result* before, const diff::Result* after) {
  Json out = Json::object();
  for (const verdict::Metric* metric : verdict::metrics().rows()) {
    const auto value = [&](const diff::Result* result) {
      const std::optional<double> found = fieldOf(result, *metric);
      return found && metric->isBool ? Json(*found != 0) : jsonNumber(found);
    };
    const Json a = value(before), b = value(after);
    if (!a.is_null() || !b.is_null()) out[std::string(metric->jsonField)] = {{"before", a}, {"after", b}};
  }
  return out;
}

Json changesJson(const std::vector<diff::FactChange>& facts) {
  Json out = Json::array();
  for (const diff::FactChange& fact : facts)
    out.push_back({{"path", fact.path},
                   {"before", fact.before ? Json(*fact.before) : Json(nullptr)},
                   {"after", fact.after ? Json(*fact.after) : Json(nullptr)},
                   {"below", changesJson(fact.below)},
                   {"where", textOrNull(fact.where)}});
  return out;
}

Json attributionJson(const diff::Attribution& parts) {
  Json out = Json::array();
  for (const diff::Part& p : parts.parts)
    out.push_back({{"cause", std::string(diff::name(p.cause))},
                   {"layer", textOrNull(p.what.layer)},
                   {"op", textOrNull(p.what.collective)},
                   {"class", textOrNull(p.what.cls)},
                   {"axis", textOrNull(p.what.axis)},
                   {"before_s", jsonNumber(p.a)},
                   {"after_s", jsonNumber(p.b)},
                   {"difference_s", jsonNumber(p.difference())},
                   {"because", textOrNull(p.because)}});
  return out;
}

Json ownedJson(const diff::Difference& d) {
  Json out = Json::array();
  for (const diff::OwnedChange& owned : d.owned)
    out.push_back({{"whose", std::string(diff::name(owned.owner))},
                   {"step_time_s", jsonNumber(owned.stepTime)},
                   {"facts", changesJson(owned.facts)}});
  return out;
}

/// Returns the name with underscores: `still_broken`.
std::string fateName(Fate fate) {
  std::string text(name(fate));
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

Json planDiffJson(const PlanDiff& plan) {
  Json out = {{"id", plan.id}, {"was", textOrNull(plan.was)}, {"fate", fateName(plan.fate)}};
  out["error"] = textOrNull(plan.error);
  out["where"] = textOrNull(plan.where);
  out["metrics"] = metricsJson(plan.before(), plan.after());
  if (!plan.difference) return out;
  const diff::Difference& d = *plan.difference;
  out["changes"] = ownedJson(d);
  out["together_because"] = textOrNull(d.unsplit);
  out["failing"] = d.failing;
  out["critical_stage"] = {{"before", d.before->critical}, {"after", d.after->critical}};
  out["stages"] = {{"before", d.before->stages.size()}, {"after", d.after->stages.size()}};
  out["difference_s"] = jsonNumber(d.parts.b - d.parts.a);
  out["parts"] = attributionJson(d.parts);
  return out;
}

} // namespace

Json diffJson(const DiffReport& report) {
  Json out = {
      {"before", report.before}, {"after", report.after}, {"planc_toml", report.project}, {"equal", report.equal}};
  out["plans"] = Json::array();
  for (const PlanDiff& plan : report.plans) out["plans"].push_back(planDiffJson(plan));
  out["gates"] = report.gates;
  out["unheld"] = report.unheld;
  out["failures"] = Json::array();
  for (const GateFailure& f : report.failures)
    out["failures"].push_back({{"id", f.id}, {"gate", f.gate}, {"what", f.what}, {"where", textOrNull(f.where)}});
  return out;
}

} // namespace planc::report
