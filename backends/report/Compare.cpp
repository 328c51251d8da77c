// A comparison as a person reads it: one line per plan, then what sets each apart from the best.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Compare.h"

#include "backends/report/Cells.h"
#include "backends/report/CompareParts.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace planc::report {

std::vector<std::string> comparedNames(const std::vector<PlanReport>& plans) {
  std::vector<std::string> names;
  for (const PlanReport& p : plans) {
    const bool again = std::count_if(plans.begin(), plans.end(),
                                     [&](const PlanReport& o) { return o.plan->title == p.plan->title; }) > 1;
    names.push_back(again ? p.file + ": " + p.plan->title : p.plan->title);
  }
  return names;
}

std::string measureText(const diff::Comparison& c) {
  const std::string per = c.tokens ? "token" : "sample";
  switch (c.measure) {
  case diff::Measure::Step:
    return "step time";
  case diff::Measure::Work:
    return "time per " + per;
  case diff::Measure::DevicesByWork:
    return "device time per " + per;
  }
  return "";
}

namespace {

/// Parts that are worth a line: this share of the best plan's step, in any plan.
constexpr double kWorthALine = 0.005;
/// Lines of one cause.
constexpr size_t kMostParts = 6;

/// `+12.3 ms`; `-` where nothing differs.
std::string signedTime(double seconds) {
  if (seconds == 0) return "-";
  return (seconds > 0 ? "+" : "-") + formatQuantity(std::abs(seconds), units::time);
}

std::string intervalOf(const diff::Ratio& r) {
  if (r.coverage <= 0) return "no interval";
  return fmt::format("{} to {}", errorText(r.low - 1), errorText(r.high - 1));
}

std::string plansTable(const std::vector<PlanReport>& plans, const diff::Comparison& c, const TextOptions& options) {
  const std::vector<std::string> names = comparedNames(plans);
  Table table("llrrrrlrrl");
  const auto head = TextStyle::Gutter;
  double coverage = 0;
  for (const diff::Entry& e : c.entries) coverage = std::max(coverage, e.ratio.coverage);
  table.add({"",
             {"plan", head},
             {"step time", head},
             {c.tokens ? "tokens/s/device" : "samples/s", head},
             {"MFU", head},
             {"memory", head},
             {"", head},
             {c.tokens ? "USD/10^12 tokens" : "USD/step", head},
             {measureText(c), head},
             {coverage > 0 ? fmt::format("{:.0f} % interval", 100 * coverage) : "", head}});
  for (size_t i = 0; i < plans.size(); ++i) {
    const cost::Estimate& e = *plans[i].estimate;
    const cost::Totals& t = e.totals;
    const std::optional<double> cost = c.tokens ? t.costPer1t : t.cost;
    const bool best = i == c.best;
    table.add({best ? "*" : "",
               {names[i], best ? TextStyle::Bold : TextStyle::Plain},
               formatQuantity(t.stepTime, units::time),
               countText(c.tokens ? t.tokensPerSecondPerDevice.value_or(0) : t.samplesPerSecond),
               percentText(t.mfu),
               formatQuantity(e.memory.peak, units::bytes),
               {e.memory.fits ? "fits" : "does not fit", e.memory.fits ? TextStyle::Plain : TextStyle::Error},
               cost ? countText(*cost) : "-",
               best ? "best" : errorText(c.entries[i].ratio.value - 1),
               best ? "" : intervalOf(c.entries[i].ratio)});
  }
  return table.str(options.color);
}

/// A cause or a part of it with its difference in every plan; the label of a part is indented.
struct Line {
  std::string label;
  std::vector<double> differences;
  double largest() const {
    double most = 0;
    for (double d : differences) most = std::max(most, std::abs(d));
    return most;
  }
};

/// A line per cause, and below it the parts that make it.
std::vector<std::pair<Line, std::vector<Line>>> causeLines(const diff::Comparison& c) {
  std::vector<std::pair<Line, std::vector<Line>>> out;
  for (int cause = 0; cause < diff::kCauses; ++cause) {
    const auto kind = static_cast<diff::Cause>(cause);
    Line whole{std::string(diff::name(kind)), std::vector<double>(c.entries.size())};
    std::vector<Line> parts;
    for (size_t i = 0; i < c.entries.size(); ++i)
      for (const diff::Part& part : c.entries[i].parts.parts) {
        if (part.cause != kind) continue;
        whole.differences[i] += part.difference();
        if (part.what.empty()) continue;
        auto at = std::find_if(parts.begin(), parts.end(), [&](const Line& l) { return l.label == part.what; });
        if (at == parts.end()) at = parts.insert(parts.end(), {part.what, std::vector<double>(c.entries.size())});
        at->differences[i] += part.difference();
      }
    out.emplace_back(std::move(whole), std::move(parts));
  }
  return out;
}

std::string causesTable(const std::vector<PlanReport>& plans, const diff::Comparison& c, const TextOptions& options) {
  const std::vector<std::string> names = comparedNames(plans);
  Table table("l" + std::string(plans.size() - 1, 'r'));
  const auto row = [&](const std::string& label, TextStyle style, auto cellOf) {
    std::vector<StyledText> cells{{label, style}};
    for (size_t i = 0; i < plans.size(); ++i)
      if (i != c.best) cells.emplace_back(cellOf(i));
    table.add(std::move(cells));
  };
  row("", TextStyle::Gutter, [&](size_t i) { return names[i]; });
  const double worth = kWorthALine * c.entries[c.best].parts.a;
  for (auto& [whole, parts] : causeLines(c)) {
    if (whole.largest() == 0 && std::all_of(parts.begin(), parts.end(), [](const Line& l) { return l.largest() == 0; }))
      continue;
    row(whole.label, TextStyle::Gutter, [&, &all = whole](size_t i) { return signedTime(all.differences[i]); });
    std::erase_if(parts, [&](const Line& l) { return l.largest() < worth; });
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Line& x, const Line& y) { return x.largest() > y.largest(); });
    if (parts.size() > kMostParts) parts.resize(kMostParts);
    for (const Line& part : parts)
      row("  " + part.label, TextStyle::Gutter, [&](size_t i) { return signedTime(part.differences[i]); });
  }
  row("all", TextStyle::Gutter, [&](size_t i) { return signedTime(c.entries[i].parts.b - c.entries[i].parts.a); });
  return table.str(options.color);
}

} // namespace

std::string comparisonText(const std::vector<PlanReport>& plans, const diff::Comparison& c,
                           const TextOptions& options) {
  const std::string best = comparedNames(plans)[c.best];
  std::string out =
      styledLine(fmt::format("{} plans compared by {}", plans.size(), measureText(c)), TextStyle::Bold, options.color) +
      plansTable(plans, c, options);
  out += c.measure == diff::Measure::Step
             ? fmt::format("what sets them apart from {}, in its step\n", best)
             : fmt::format("what sets them apart from {}, brought to the {} of its step\n", best,
                           c.measure == diff::Measure::Work ? "work" : "work and devices");
  return out + causesTable(plans, c, options);
}

} // namespace planc::report
