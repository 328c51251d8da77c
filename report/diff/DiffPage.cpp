// A difference as a document: its page, and its sheet.
// SPDX-License-Identifier: Apache-2.0
#include "report/diff/DiffParts.h"
#include "report/tables/Csv.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace planc::report {

namespace {

constexpr size_t kBelowHead = 4;

void addChanged(Page& page, const PlanDiff& plan, const PageOptions& options) {
  const diff::Difference& d = *plan.difference;
  std::string head = "~ " + plan.id;
  for (const Headline& h : headlines(d)) head += fmt::format("   {} {}", h.head, metricChange(d, h.metric));
  if (const std::string fit = fitText(plan); !fit.empty()) head += "   " + fit;
  page.push_back(Remark{head, 0, plan.newlyUnfit() ? TextStyle::Error : TextStyle::Bold});
  if (!plan.was.empty()) page.push_back(Remark{"was " + plan.was, kBelowHead});
  for (const std::string& line : reasonLines(d, options.allLayers)) page.push_back(Remark{line, kBelowHead});
  if (const std::string stage = stageText(d); !stage.empty()) page.push_back(Remark{stage, kBelowHead});
  Table table{.align = "rll", .indent = kBelowHead};
  for (const PartLine& line : partLines(d, options.allLayers)) table.add({line.time, line.what, line.because});
  if (!table.empty()) page.push_back(std::move(table));
}

/// Adds a plan that only one side has, or no side.
void addSingle(Page& page, const PlanDiff& plan) {
  const bool broken = plan.fate == Fate::Broken || plan.fate == Fate::StillBroken;
  const char mark = broken ? '!' : plan.fate == Fate::Removed ? '-' : '+';
  std::string head = fmt::format("{} {}   ", mark, plan.id);
  head += broken ? fmt::format("is {}", name(plan.fate)) : plan.result ? priceText(*plan.result) : "";
  if (plan.fate == Fate::Mended) head += ", was broken";
  const std::string fit = fitText(plan);
  if (!fit.empty()) head += "   " + fit;
  page.push_back(Remark{head, 0, broken || !fit.empty() ? TextStyle::Error : TextStyle::Bold});
  Document error;
  error.addLines(std::string(kBelowHead, ' ') + plan.error);
  if (!plan.error.empty()) std::ranges::move(error.page, std::back_inserter(page));
}

Page diffPage(const DiffReport& report, const PageOptions& options) {
  Page page{Remark{summaryText(report), 0}};
  for (const std::string& line : report.project) page.push_back(Remark{"planc.toml: " + line, 0});
  for (const GateFailure& f : report.failures)
    page.push_back(Remark{fmt::format("gate {} fails: {}, {}", f.gate, f.id, f.what), 0, TextStyle::Error});
  if (const std::string gates = gatesText(report); !gates.empty()) page.push_back(Remark{gates, 0});
  for (const PlanDiff& plan : report.plans) {
    page.push_back(Gap{});
    plan.difference ? addChanged(page, plan, options) : addSingle(page, plan);
  }
  return page;
}

/// A row per plan and metric that one side has.
Sheet diffSheet(const DiffReport& report) {
  Sheet sheet{{"plan", "was", "fate", "metric", "before", "after"}};
  for (const PlanDiff& plan : report.plans)
    for (const verdict::Metric* metric : verdict::metrics().rows()) {
      const auto value = [&](const diff::Result* result) {
        const std::optional<double> found = fieldOf(result, *metric);
        return found ? csvNumber(*found) : std::string();
      };
      const std::string before = value(plan.before()), after = value(plan.after());
      if (!before.empty() || !after.empty())
        sheet.push_back(
            {plan.id, plan.was, std::string(name(plan.fate)), std::string(metric->jsonField), before, after});
    }
  return sheet;
}

} // namespace

Document diffDocument(const DiffReport& report, Shown shown, const PageOptions& options) {
  Document out;
  if (shown == Shown::Data) out.data = diffJson(report);
  if (shown == Shown::Page) out.page = diffPage(report, options), out.markdown = {Code{diffMarkdown(report), false}};
  if (shown == Shown::Sheets) out.sheets = {diffSheet(report)};
  return out;
}

} // namespace planc::report
