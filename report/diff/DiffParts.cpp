// Numbers and sentences of a difference.
// SPDX-License-Identifier: Apache-2.0
#include "report/diff/DiffParts.h"

#include "backends/verdict/Verdict.h"
#include "report/tables/Cells.h"
#include "report/tables/JsonNumber.h"
#include "support/Rounding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace planc::report {

namespace {

/// A part gets its own line from this share of the whole difference, or of a hundredth of the step if that is larger.
/// Four digits of a number show a hundredth; smaller parts would be rounding noise.
constexpr double kShareOfDifference = 0.01, kSmallStep = 0.01;
/// Most lines that are read at a glance; `--all` and JSON list the rest.
constexpr size_t kMostPartLines = 12, kMostFacts = 8;

std::string factsText(const std::vector<diff::FactChange>& facts) {
  std::string text;
  for (size_t i = 0; i < std::min(facts.size(), kMostFacts); ++i) text += (i ? ", " : "") + facts[i].str();
  if (facts.size() > kMostFacts) text += fmt::format(", and {} more", facts.size() - kMostFacts);
  return text;
}

std::string partName(const diff::Part& part) {
  const std::string what = part.what.str();
  switch (part.cause) {
  case diff::Cause::Layers:
    return what;
  case diff::Cause::Slowed:
    return what + ", slowed by concurrent communication";
  case diff::Cause::Launches:
    return what + ", waiting for launches";
  case diff::Cause::Collectives:
    return what;
  default:
    return std::string(diff::name(part.cause));
  }
}

/// Returns the facts that changed in any plan, the most frequent ones first.
std::string changedFacts(const DiffReport& report) {
  std::map<std::string, size_t> counts;
  std::vector<std::pair<std::string, const diff::FactChange*>> order;
  for (const PlanDiff& plan : report.plans)
    if (plan.difference)
      for (const diff::OwnedChange& owned : plan.difference->owned)
        for (const diff::FactChange& fact : owned.facts)
          if (std::string text = fact.str(); counts[text]++ == 0) order.emplace_back(std::move(text), &fact);
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto& a, const auto& b) { return counts[a.first] > counts[b.first]; });
  std::vector<diff::FactChange> facts;
  for (size_t i = 0; i < order.size(); ++i) // only as many as are written keep their details
    facts.push_back(i < kMostFacts ? *order[i].second : diff::FactChange());
  return factsText(facts);
}

/// Returns how many plans no longer fit, and the range of the changes of steps.
std::string rangeText(const DiffReport& report) {
  size_t unfit = 0, moved = 0;
  double least = 0, most = 0;
  for (const PlanDiff& plan : report.plans) {
    if (plan.fate != Fate::Changed) continue;
    unfit += plan.newlyUnfit();
    const double change = plan.difference->relative("step_time").value_or(0);
    least = moved ? std::min(least, change) : change;
    most = moved ? std::max(most, change) : change;
    ++moved;
  }
  std::string text;
  if (unfit) text = unfit == 1 ? "1 no longer fits" : fmt::format("{} no longer fit", unfit);
  if (moved > 1)
    text += fmt::format("{}step {}", text.empty() ? "" : "; ",
                        least == most ? errorText(least) : errorText(least) + " to " + errorText(most));
  return text.empty() ? "" : " (" + text + ")";
}

std::optional<bool> fits(const diff::Result* result) {
  const auto value = result ? result->metric("memory.fits") : std::nullopt;
  return value ? std::optional(*value != 0) : std::nullopt;
}

} // namespace

std::string_view name(Fate fate) {
  static constexpr std::array<std::string_view, 7> kNames = {"changed", "renamed",      "added", "removed",
                                                             "broken",  "still broken", "mended"};
  return kNames[static_cast<size_t>(fate)];
}

std::optional<double> fieldOf(const diff::Result* result, const verdict::Metric& metric) {
  const std::optional<double> found = result ? result->metric(metric.name()) : std::nullopt;
  return found ? std::optional(fieldValue(*found, metric.jsonField)) : std::nullopt;
}

const diff::Result* PlanDiff::before() const {
  if (difference) return difference->before;
  return fate == Fate::Removed || fate == Fate::Broken ? result : nullptr;
}

const diff::Result* PlanDiff::after() const {
  if (difference) return difference->after;
  return before() ? nullptr : result;
}

bool PlanDiff::newlyUnfit() const {
  if (difference) return fits(difference->before) != false && fits(difference->after) == false;
  return (fate == Fate::Added || fate == Fate::Mended) && fits(result) == false;
}

void sortWorstFirst(DiffReport& report) {
  const auto rank = [](const PlanDiff& plan) {
    const bool broken = plan.fate == Fate::Broken || plan.fate == Fate::StillBroken;
    const double change = plan.difference ? plan.difference->relative("step_time").value_or(0) : 0;
    return std::pair(broken ? 0 : plan.newlyUnfit() ? 1 : plan.fate == Fate::Changed ? 2 : 3, -change);
  };
  std::stable_sort(report.plans.begin(), report.plans.end(),
                   [&](const PlanDiff& a, const PlanDiff& b) { return rank(a) < rank(b); });
}

std::string fitText(const PlanDiff& plan) {
  const diff::Result* const now = plan.difference ? plan.difference->after : plan.result;
  const auto capacity = now ? now->metric("memory.capacity") : std::nullopt;
  const std::string room = capacity ? " into " + formatQuantity(*capacity, units::bytes) : "";
  if (plan.newlyUnfit()) return (plan.difference ? "no longer fits" : "does not fit") + room;
  if (plan.difference && fits(plan.difference->before) == false)
    return fits(now) == true ? "fits" + room + " now" : "still does not fit" + room;
  return "";
}

std::string priceText(const diff::Result& result) {
  const auto step = result.metric("step_time"), memory = result.metric("memory.peak");
  return fmt::format("step {}   memory {}", step ? formatQuantity(*step, units::time) : "-",
                     memory ? formatQuantity(*memory, units::bytes) : "-");
}

std::string gatesText(const DiffReport& report) {
  if (!report.unheld.empty())
    return fmt::format("no plan has a value for {}, so it is not checked against {}", fmt::join(report.unheld, ", "),
                       report.unheld.size() == 1 ? "that gate" : "these gates");
  if (report.gates == 0 || !report.failures.empty()) return "";
  size_t judged = report.equal, broken = 0;
  for (const PlanDiff& plan : report.plans) {
    judged += plan.difference.has_value();
    broken += plan.fate == Fate::Broken || plan.fate == Fate::StillBroken;
  }
  if (judged == 0) return "no plan has a price on both sides, so no gate was checked";
  std::string text = fmt::format("{} of {}", report.gates == 1 ? "the gate holds" : "the gates hold",
                                 plural(static_cast<double>(judged), "plan", "plans"));
  if (broken) text += fmt::format("; {} could not be checked against {}", broken, report.gates == 1 ? "it" : "them");
  return text;
}

std::string signedTime(double seconds) {
  return (seconds < 0 ? "-" : "+") + formatQuantity(std::abs(seconds), units::time);
}

std::string summaryText(const DiffReport& report) {
  std::map<Fate, size_t> counts;
  for (const PlanDiff& plan : report.plans) ++counts[plan.fate];
  std::string text;
  const auto add = [&](size_t count, std::string_view what) {
    if (count) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  for (const Fate fate :
       {Fate::Broken, Fate::StillBroken, Fate::Changed, Fate::Renamed, Fate::Added, Fate::Removed, Fate::Mended}) {
    add(counts[fate], name(fate));
    if (fate == Fate::Changed) text += rangeText(report);
  }
  add(report.equal, "equal");
  if (text.empty()) return "there is no plan on either side";
  const std::string facts = changedFacts(report);
  return "plans: " + text + (facts.empty() ? "" : "; " + facts);
}

std::string metricChange(const diff::Difference& d, std::string_view name) {
  const auto before = d.before->metric(name), after = d.after->metric(name);
  if (!before && !after) return "-";
  const verdict::Metric* metric = verdict::findMetric(name);
  const auto shown = [&](const std::optional<double>& value) {
    if (value && metric && metric->unit == units::money) return countText(*value) + " USD";
    return value ? formatQuantity(*value, metric ? metric->unit : units::none) : std::string("none");
  };
  if (before == after) return shown(after);
  std::string text = fmt::format("{} → {}", shown(before), shown(after));
  if (const auto relative = d.relative(name)) text += fmt::format(" ({})", errorText(*relative));
  return text;
}

std::vector<Headline> headlines(const diff::Difference& d) {
  std::vector<Headline> out = {{"step", "step_time"}, {"memory", "memory.peak"}};
  constexpr std::string_view kCosts[] = {"run.cost", "cost.per_1t_tokens", "cost"};
  for (const std::string_view cost : kCosts)
    if (d.before->metric(cost) && d.after->metric(cost)) {
      out.push_back({cost == kCosts[0] ? "run" : cost == kCosts[1] ? "10^12 tokens" : "cost of a step", cost});
      break;
    }
  return out;
}

std::vector<PartLine> partLines(const diff::Difference& d, bool all) {
  std::vector<diff::Part> parts;
  for (const diff::Part& part : d.parts.parts)
    if (std::abs(part.difference()) > kRounding * std::max(d.parts.a, d.parts.b)) parts.push_back(part);
  std::stable_sort(parts.begin(), parts.end(), [](const diff::Part& a, const diff::Part& b) {
    return std::abs(a.difference()) > std::abs(b.difference());
  });
  const double worth =
      kShareOfDifference * std::max(std::abs(d.parts.b - d.parts.a), kSmallStep * std::max(d.parts.a, d.parts.b));
  std::vector<PartLine> out;
  double rest = 0;
  size_t left = 0;
  for (const diff::Part& part : parts) {
    if (all || (out.size() < kMostPartLines && std::abs(part.difference()) >= worth)) {
      out.push_back({signedTime(part.difference()), partName(part), part.because});
    } else {
      rest += part.difference();
      ++left;
    }
  }
  if (left) out.push_back({signedTime(rest), plural(static_cast<double>(left), "smaller part", "smaller parts"), ""});
  return out;
}

std::string stageText(const diff::Difference& d) {
  if (d.moved())
    return fmt::format("critical stage {} → {}: both steps are broken down on stage {}", d.before->critical,
                       d.after->critical, d.after->critical);
  if (d.before->stages.size() != d.after->stages.size())
    return fmt::format("{} → {} stages: each step is broken down on its critical stage, {} and {}",
                       d.before->stages.size(), d.after->stages.size(), d.before->critical, d.after->critical);
  return "";
}

std::vector<std::string> reasonLines(const diff::Difference& d, bool all) {
  std::vector<std::string> out;
  for (const std::string& line : d.failing) out.push_back("no longer holds: " + line);
  const bool several = d.owned.size() > 1;
  for (const diff::OwnedChange& owned : d.owned) {
    const std::string facts = factsText(owned.facts);
    if (owned.owner == diff::Owner::Plan && !several) {
      if (!facts.empty()) out.push_back(facts);
      continue;
    }
    const std::string whose =
        owned.owner == diff::Owner::Together ? "planc, libraries or plan" : std::string(diff::name(owned.owner));
    out.push_back(fmt::format("{}{}{}{}", whose, owned.stepTime != 0 ? " " + signedTime(owned.stepTime) : "",
                              facts.empty() ? "" : ": ", facts));
  }
  for (const diff::OwnedChange& owned : d.owned)
    for (const diff::FactChange& fact : owned.facts)
      for (size_t i = 0; all && i < fact.below.size(); ++i) out.push_back("  " + fact.below[i].str());
  if (!d.unsplit.empty()) out.push_back("reported together: " + d.unsplit);
  return out;
}

} // namespace planc::report
