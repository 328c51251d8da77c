// A comparison as a person reads it: one line per plan, then what sets each apart from the best.
// SPDX-License-Identifier: Apache-2.0
#include "report/estimate/Compare.h"

#include "report/estimate/CompareParts.h"
#include "report/estimate/EstimateParts.h"
#include "report/tables/Cells.h"
#include "support/Rounding.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

namespace planc::report {

std::vector<std::string> comparedNames(const ComparisonReport& report) {
  const std::vector<PlanReport>& plans = report.plans;
  std::vector<std::string> names;
  for (const PlanReport& p : plans) {
    if (!p.label.empty()) {
      names.push_back(p.label);
      continue;
    }
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

/// `+12.3 ms`; `-` where nothing differs, or no more than the sums of a `step` are rounded by.
std::string signedTime(double seconds, double step) {
  if (std::abs(seconds) <= kRounding * step) return "-";
  return (seconds > 0 ? "+" : "-") + formatQuantity(std::abs(seconds), units::time);
}

std::string intervalOf(const diff::Ratio& r) {
  if (r.coverage <= 0) return "no interval";
  return fmt::format("{} to {}", errorText(r.low - 1), errorText(r.high - 1));
}

/// A column of the table of plans, besides the name.
struct Column {
  std::string head;
  char align = 'r';
  std::function<StyledText(size_t)> cell; ///< of the plan of that index
};

/// Adds the costs of the plans: of their runs if every plan has one, else of as many tokens.
void addCost(const ComparisonReport& report, std::vector<Column>& columns) {
  const auto estimate = [&report](size_t i) -> const cost::Estimate& { return *report.plans[i].estimate; };
  const auto money = [](const std::optional<double>& cost) { return StyledText(cost ? countText(*cost) : "-"); };
  const bool tokens = report.comparison.tokens;
  if (std::all_of(report.plans.begin(), report.plans.end(), [](const PlanReport& p) { return p.estimate->run; })) {
    columns.push_back({"run", 'r', [=](size_t i) {
                         return StyledText(formatQuantity(estimate(i).run->middle.times.time(), units::time));
                       }});
    columns.push_back({"run USD", 'r', [=](size_t i) { return money(estimate(i).run->middle.cost); }});
  } else {
    columns.push_back({tokens ? "USD/10^12 tokens" : "USD/step", 'r', [=](size_t i) {
                         return money(tokens ? estimate(i).totals.costPer1t : estimate(i).totals.cost);
                       }});
  }
}

std::vector<Column> columnsOf(const ComparisonReport& report) {
  const diff::Comparison& c = report.comparison;
  const auto estimate = [&report](size_t i) -> const cost::Estimate& { return *report.plans[i].estimate; };
  const std::vector<std::string> names = comparedNames(report);
  std::vector<Column> out;
  out.push_back({"", 'l', [&c](size_t i) { return StyledText(i == c.best ? "*" : ""); }});
  out.push_back({"plan", 'l', [&c, names](size_t i) {
                   return StyledText(names[i], i == c.best ? TextStyle::Bold : TextStyle::Plain);
                 }});
  if (!report.name.empty()) // what they stand for
    out.push_back({"", 'l', [&report](size_t i) { return StyledText(report.plans[i].plan->title); }});
  out.push_back({"step time", 'r',
                 [=](size_t i) { return StyledText(formatQuantity(estimate(i).totals.stepTime, units::time)); }});
  out.push_back({c.tokens ? "tokens/s/device" : "samples/s", 'r', [=, &c](size_t i) {
                   const cost::Totals& t = estimate(i).totals;
                   return StyledText(countText(c.tokens ? t.tokensPerSecondPerDevice.value_or(0) : t.samplesPerSecond));
                 }});
  out.push_back({"MFU", 'r', [=](size_t i) { return StyledText(percentText(estimate(i).totals.mfu)); }});
  out.push_back(
      {"memory", 'r', [=](size_t i) { return StyledText(formatQuantity(estimate(i).memory.peak, units::bytes)); }});
  out.push_back({"", 'l', [=](size_t i) {
                   const cost::Memory& m = estimate(i).memory;
                   if (!m.fits) return StyledText("does not fit", TextStyle::Error);
                   const bool doubt = m.fitsProbability && *m.fitsProbability <= kCertain;
                   return StyledText(doubt ? "fits, " + chanceText(*m.fitsProbability) : "fits");
                 }});
  addCost(report, out);
  out.push_back({measureText(c), 'r', [&c](size_t i) {
                   return StyledText(i == c.best ? "best" : errorText(c.entries[i].ratio.value - 1));
                 }});
  double coverage = 0;
  for (const diff::Entry& e : c.entries) coverage = std::max(coverage, e.ratio.coverage);
  out.push_back({coverage > 0 ? fmt::format("{:.0f} % interval", 100 * coverage) : "", 'l',
                 [&c](size_t i) { return StyledText(i == c.best ? "" : intervalOf(c.entries[i].ratio)); }});
  return out;
}

Table plansTable(const ComparisonReport& report) {
  const std::vector<Column> columns = columnsOf(report);
  std::string aligned;
  std::vector<StyledText> head;
  for (const Column& c : columns) {
    aligned += c.align;
    head.emplace_back(c.head, TextStyle::Gutter);
  }
  Table table{aligned, {std::move(head)}, true};
  for (size_t i = 0; i < report.plans.size(); ++i) {
    std::vector<StyledText> row;
    for (const Column& c : columns) row.push_back(c.cell(i));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// A cause or a part of it with its difference in every plan; the label of a part is indented.
struct Line {
  std::string label;
  std::vector<double> differences;
  diff::Subject what = {};
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
        if (part.what == diff::Subject()) continue;
        auto at = std::find_if(parts.begin(), parts.end(), [&](const Line& l) { return l.what == part.what; });
        if (at == parts.end())
          at = parts.insert(parts.end(), {part.what.str(), std::vector<double>(c.entries.size()), part.what});
        at->differences[i] += part.difference();
      }
    out.emplace_back(std::move(whole), std::move(parts));
  }
  return out;
}

Table causesTable(const ComparisonReport& report) {
  const std::vector<std::string> names = comparedNames(report);
  const diff::Comparison& c = report.comparison;
  Table table{"l" + std::string(names.size() - 1, 'r'), {}, true};
  const auto row = [&](const std::string& label, TextStyle style, auto cellOf) {
    std::vector<StyledText> cells{{label, style}};
    for (size_t i = 0; i < names.size(); ++i)
      if (i != c.best) cells.emplace_back(cellOf(i));
    table.rows.push_back(std::move(cells));
  };
  row("", TextStyle::Gutter, [&](size_t i) { return names[i]; });
  const double step = c.entries[c.best].parts.a, worth = kWorthALine * step;
  for (auto& [whole, parts] : causeLines(c)) {
    if (whole.largest() == 0 && std::all_of(parts.begin(), parts.end(), [](const Line& l) { return l.largest() == 0; }))
      continue;
    row(whole.label, TextStyle::Gutter, [&, &all = whole](size_t i) { return signedTime(all.differences[i], step); });
    std::erase_if(parts, [&](const Line& l) { return l.largest() < worth; });
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Line& x, const Line& y) { return x.largest() > y.largest(); });
    if (parts.size() > kMostParts) parts.resize(kMostParts);
    for (const Line& part : parts)
      row("  " + part.label, TextStyle::Gutter, [&](size_t i) { return signedTime(part.differences[i], step); });
  }
  row("all", TextStyle::Gutter,
      [&](size_t i) { return signedTime(c.entries[i].parts.b - c.entries[i].parts.a, step); });
  return table;
}

/// `stage 3 of 8`
std::string criticalOf(const cost::Estimate& e) {
  return e.stages.size() > 1 ? fmt::format("stage {} of {}", e.totals.critical, e.stages.size()) : "the only stage";
}

/// Which stage of each plan the rows are of, if it is not the same one of as many.
std::string criticalLine(const ComparisonReport& report) {
  const std::vector<std::string> names = comparedNames(report);
  std::vector<std::string> stages;
  bool differ = false;
  for (size_t i = 0; i < report.plans.size(); ++i) {
    const std::string stage = criticalOf(*report.plans[i].estimate);
    differ |= stage != criticalOf(*report.plans.front().estimate);
    stages.push_back(fmt::format("{}: {}", names[i], stage));
  }
  if (!differ) return {};
  return fmt::format("the critical stages differ: the rows of each plan belong to its own critical stage ({})\n",
                     fmt::join(stages, "; "));
}

/// Plans of a declaration have no report of their own that says they are not priced as they are written. What a fact
/// was may differ between them.
std::string setLines(const ComparisonReport& report) {
  std::string out;
  std::vector<std::string> stated;
  for (const PlanReport& p : report.plans) {
    std::string text = setText(p.plan->set);
    if (report.name.empty() || text.empty() || std::find(stated.begin(), stated.end(), text) != stated.end()) continue;
    out += "  set  " + text + "\n";
    stated.push_back(std::move(text));
  }
  return out;
}

} // namespace

Page comparisonPage(const ComparisonReport& report) {
  const diff::Comparison& c = report.comparison;
  const std::string best = comparedNames(report)[c.best];
  Document out;
  out.page.push_back(Heading{fmt::format("{}{} plans compared by {}", report.name.empty() ? "" : report.name + ": ",
                                         report.plans.size(), measureText(c))});
  out.addLines(setLines(report));
  if (!report.failed.empty()) out.addLines(fmt::format("  not priced  {}", fmt::join(report.failed, ", ")));
  out.page.push_back(plansTable(report));
  out.addLines(c.measure == diff::Measure::Step
                   ? fmt::format("differences from {}, in its step", best)
                   : fmt::format("differences from {}, scaled to the {} of its step", best,
                                 c.measure == diff::Measure::Work ? "work" : "work and devices"));
  out.addLines(criticalLine(report));
  out.page.push_back(causesTable(report));
  return std::move(out.page);
}

} // namespace planc::report
