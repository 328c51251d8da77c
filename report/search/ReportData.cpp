// A search as JSON and as a sheet.
// SPDX-License-Identifier: Apache-2.0
#include "report/search/ReportParts.h"
#include "report/tables/JsonNumber.h"
#include "support/Diagnostics.h"

#include <fmt/format.h>

namespace planc::search {

using nlohmann::ordered_json;
using report::jsonNumber;

ordered_json choicesJson(const ir::Space& space, ir::CandidateId id, std::optional<int64_t> filled) {
  ordered_json out = ordered_json::object();
  const std::vector<uint32_t> digits = space.digits(id);
  for (size_t c = 0; c < digits.size(); ++c)
    for (size_t p = 0; p < space.choices[c].paths.size(); ++p)
      out[space.choices[c].paths[p]] = space.choices[c].values[digits[c]].texts[p];
  if (space.fill && filled) out["mesh." + space.fill->str()] = std::to_string(*filled);
  return out;
}

namespace {

ordered_json choicesOf(const SearchReport& report, ir::CandidateId id) {
  return choicesJson(*report.space, id, report.filled ? report.filled(id) : std::nullopt);
}

ordered_json outcomeJson(const SearchReport& report, const Outcome& outcome) {
  ordered_json goals = ordered_json::array();
  for (size_t g = 0; g < outcome.goals.size(); ++g) {
    const bool maximize = report.terms && g < report.terms->goals.size() && report.terms->goals[g].maximize;
    goals.push_back(jsonNumber(maximize ? -outcome.goals[g] : outcome.goals[g]));
  }
  return {{"candidate", outcome.id},
          {"choices", choicesOf(report, outcome.id)},
          {"goals", goals},
          {"step_time_s", jsonNumber(outcome.stepTime)},
          {"memory_peak_bytes", jsonNumber(outcome.peak)}};
}

ordered_json rankedJson(const SearchReport& report, const std::vector<Ranked>& lines) {
  ordered_json out = ordered_json::array();
  for (const Ranked& one : lines) {
    ordered_json made = outcomeJson(report, one.outcome);
    made["missed_assertions"] = one.missed;
    made["mfu"] = jsonNumber(one.estimate->totals.mfu);
    made["tokens_per_s_per_device"] = jsonNumber(one.estimate->totals.tokensPerSecondPerDevice);
    made["cost_usd_per_1t_tokens"] = jsonNumber(one.estimate->totals.costPer1t);
    out.push_back(std::move(made));
  }
  return out;
}

ordered_json fatesJson(const SearchReport& report) {
  const Answer& answer = *report.answer;
  ordered_json codes = ordered_json::array();
  for (const auto& [code, counted] : answer.unlawful())
    codes.push_back({{"code", fmt::format("PLAN{:04}", code)},
                     {"count", counted.count},
                     {"example", choicesOf(report, counted.first)}});
  ordered_json conditions = ordered_json::array();
  for (size_t i = 0; i < answer.unmet().size(); ++i) {
    const ir::Condition& condition = report.terms->conditions[i];
    ordered_json made = {
        {"condition", condition.tree.text}, {"reason", condition.reason}, {"missed", answer.unmet()[i].count}};
    if (const Outcome* without = answer.bestWithout(i); binds(report, without))
      made["best_without"] = outcomeJson(report, *without);
    conditions.push_back(std::move(made));
  }
  return {{"priced", answer.priced()},
          {"no_whole_rest", answer.of(Fate::Rest).count},
          {"unlawful", codes},
          {"conditions", conditions},
          {"do_not_fit", answer.of(Fate::Unfit).count},
          {"answers", answer.of(Fate::Met).count}};
}

} // namespace

ordered_json searchJson(const SearchReport& report) {
  ordered_json out;
  out["plan"] = report.plan;
  out["goals"] = goalNames(report);
  out["candidates"] = jsonNumber(report.space->size());
  out["decided"] = jsonNumber(report.decided);
  if (!report.shard.empty()) out["shard"] = report.shard;
  for (const auto& [key, pairs] : {std::pair{"set", &report.set}, std::pair{"assumed", &report.assumed}}) {
    out[key] = ordered_json::object();
    for (const auto& [name, value] : *pairs) out[key][name] = value;
  }
  if (report.stopped())
    out["least_of_rest"] =
        report.least ? jsonNumber(report.maximizes() ? -*report.least : *report.least) : ordered_json(nullptr);
  out["exhaustive"] = report.exhaustive;
  out["fates"] = report.exhaustive ? fatesJson(report) : ordered_json(nullptr);
  out["best"] = rankedJson(report, report.best);
  out["front"] = rankedJson(report, report.front);
  out["front_left_out"] = report.leftOut();
  ordered_json values = ordered_json::array();
  for (size_t c = 0; report.exhaustive && c < report.space->choices.size(); ++c) {
    const ir::Choice& choice = report.space->choices[c];
    for (uint32_t v = 0; v < choice.values.size(); ++v) {
      const Outcome* of = report.answer->bestOf(c, v);
      values.push_back({{"choice", choiceText(choice)},
                        {"value", valueText(choice, v)},
                        {"best", of ? outcomeJson(report, *of) : ordered_json(nullptr)}});
    }
  }
  out["values"] = std::move(values);
  const Outcome* unfit = report.answer->bestUnfit();
  out["best_without_memory"] = binds(report, unfit) ? outcomeJson(report, *unfit) : ordered_json(nullptr);
  if (report.why) out["first_beside_second"] = report::comparisonJson(*report.why);
  return out;
}

report::Sheet searchSheet(const SearchReport& report) {
  std::vector<std::string> head{"rank", "candidate"};
  for (const std::string& goal : goalNames(report)) head.push_back(goal);
  for (const char* name : {"step_time_s", "memory_peak_bytes", "mfu"}) head.emplace_back(name);
  for (const ir::Choice& choice : report.space->choices)
    for (const std::string& path : choice.paths) head.push_back(path);
  if (report.space->fill) head.push_back("mesh." + report.space->fill->str());
  report::Sheet rows{head};
  size_t rank = 0;
  for (const Ranked& one : report.table()) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {std::to_string(++rank), std::to_string(one.outcome.id)};
    for (size_t g = 0; g < goalNames(report).size(); ++g) {
      const auto value = goalValue(report, g, one);
      row.push_back(value ? fmt::format("{}", value->value) : "");
    }
    row.push_back(fmt::format("{}", one.estimate->totals.stepTime));
    row.push_back(fmt::format("{}", one.estimate->memory.peak));
    row.push_back(fmt::format("{}", one.estimate->totals.mfu));
    const std::vector<uint32_t> digits = report.space->digits(one.outcome.id);
    for (size_t c = 0; c < digits.size(); ++c)
      for (const std::string& text : report.space->choices[c].values[digits[c]].texts) row.push_back(text);
    if (report.space->fill) row.push_back(fmt::format("{:.0f}", ir::sizeAt(*one.plan, head.back())->quantity.value));
  }
  return rows;
}

} // namespace planc::search
