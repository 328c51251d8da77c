// Numbers and sentences of a difference.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/DiffParts.h"

#include "backends/report/Cells.h"
#include "backends/verdict/Verdict.h"
#include "support/Rounding.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace planc::report {

namespace {

/// A part is worth a line if it is this share of the larger of the whole difference and a hundredth of the step.
constexpr double kShareOfDifference = 0.01, kSmallStep = 0.01;
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
    return what + ", slowed beside communication";
  case diff::Cause::Launches:
    return what + ", waiting for launches";
  case diff::Cause::Collectives:
    return what;
  default:
    return std::string(diff::name(part.cause));
  }
}

/// What all plans have in common that changed, most frequent first.
std::string commonFacts(const DiffReport& report) {
  std::map<std::string, size_t> counts;
  std::vector<diff::FactChange> order;
  for (const PlanDiff& plan : report.plans)
    if (plan.difference)
      for (const diff::OwnedChange& owned : plan.difference->owned)
        for (const diff::FactChange& fact : owned.facts)
          if (counts[fact.str()]++ == 0) order.push_back(fact);
  std::stable_sort(order.begin(), order.end(), [&](const diff::FactChange& a, const diff::FactChange& b) {
    return counts[a.str()] > counts[b.str()];
  });
  return factsText(order);
}

} // namespace

std::string signedTime(double seconds) {
  return (seconds < 0 ? "-" : "+") + formatQuantity(std::abs(seconds), units::time);
}

std::string summaryText(const DiffReport& report) {
  std::map<Fate, size_t> counts;
  for (const PlanDiff& plan : report.plans) ++counts[plan.fate];
  std::string text;
  const auto add = [&](size_t count, const char* what) {
    if (count) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(counts[Fate::Broken], "broken");
  add(counts[Fate::Changed], "changed");
  add(counts[Fate::Added], "added");
  add(counts[Fate::Removed], "removed");
  add(counts[Fate::Mended], "mended");
  add(report.equal, "equal");
  if (text.empty()) return "there is no plan on either side";
  const std::string facts = commonFacts(report);
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
    return fmt::format("critical stage {} → {}: both steps are taken apart on stage {}", d.before->critical,
                       d.after->critical, d.after->critical);
  if (d.before->stages.size() != d.after->stages.size())
    return fmt::format("{} → {} stages: each step is taken apart on its critical one, {} and {}",
                       d.before->stages.size(), d.after->stages.size(), d.before->critical, d.after->critical);
  return "";
}

std::vector<std::string> reasonLines(const diff::Difference& d) {
  std::vector<std::string> out;
  const bool several = d.owned.size() > 1;
  for (const diff::OwnedChange& owned : d.owned) {
    const std::string facts = factsText(owned.facts);
    if (owned.owner == diff::Owner::Plan && !several) {
      if (!facts.empty()) out.push_back(facts);
      continue;
    }
    const std::string whose =
        owned.owner == diff::Owner::Together ? "planc, libraries or plan" : std::string(diff::name(owned.owner));
    out.push_back(fmt::format("{} {}{}{}", whose, signedTime(owned.stepTime), facts.empty() ? "" : ": ", facts));
  }
  if (!d.unsplit.empty()) out.push_back("told together: " + d.unsplit);
  return out;
}

} // namespace planc::report
