// A difference as a comment of a pull request, and as annotations of its lines.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/DiffParts.h"
#include "backends/report/Markdown.h"

#include <fmt/format.h>

namespace planc::report {

namespace {

/// GitHub takes 65,536 characters; what stands behind the last plan needs some of them.
constexpr size_t kMostCharacters = 65'536 - 1'024;
constexpr size_t kMostAnnotations = 10;

std::string code(std::string_view text) {
  return fmt::format("`{}`", text);
}

std::string fateText(Fate fate) {
  switch (fate) {
  case Fate::Changed:
    return "changed";
  case Fate::Added:
    return "added";
  case Fate::Removed:
    return "removed";
  case Fate::Broken:
    return "broken";
  case Fate::Mended:
    return "mended";
  }
  return "";
}

std::string priceOf(const diff::Result& result, std::string_view metric, const Unit& unit) {
  const auto value = result.metric(metric);
  return value ? formatQuantity(*value, unit) : "-";
}

std::vector<std::string> row(const PlanDiff& plan) {
  if (!plan.difference && !plan.result) return {code(plan.id), fateText(plan.fate), "-", "-", "-"};
  if (!plan.difference)
    return {code(plan.id), fateText(plan.fate), priceOf(*plan.result, "step_time", units::time),
            priceOf(*plan.result, "memory.peak", units::bytes), "-"};
  const std::vector<Headline> heads = headlines(*plan.difference);
  return {code(plan.id), fateText(plan.fate), metricChange(*plan.difference, heads[0].metric),
          metricChange(*plan.difference, heads[1].metric),
          heads.size() > 2 ? fmt::format("{} ({})", metricChange(*plan.difference, heads[2].metric), heads[2].head)
                           : "-"};
}

std::string details(const PlanDiff& plan) {
  std::string out = fmt::format("\n<details><summary><code>{}</code></summary>\n\n", plan.id);
  if (!plan.error.empty()) return out + plan.error + "\n\n</details>\n";
  const diff::Difference& d = *plan.difference;
  if (!plan.was.empty()) out += "- was " + code(plan.was) + "\n";
  for (const std::string& line : reasonLines(d)) out += "- " + line + "\n";
  if (const std::string stage = stageText(d); !stage.empty()) out += "- " + stage + "\n";
  std::vector<std::vector<std::string>> rows = {{"step", "from", "because"}};
  for (const PartLine& line : partLines(d, false))
    rows.push_back({line.time, line.what, line.because.empty() ? "" : code(line.because)});
  if (rows.size() > 1) out += "\n" + markdownTable(rows, "rll");
  return out + "\n</details>\n";
}

/// `a.plan:20` as a property list of an annotation.
std::string place(const std::string& where) {
  const size_t colon = where.rfind(':');
  if (where.empty() || colon == std::string::npos) return "";
  return fmt::format(" file={},line={}", where.substr(0, colon), where.substr(colon + 1));
}

/// Percent signs and line breaks are written as GitHub's runner reads them.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '%' ? "%25" : c == '\n' ? "%0A" : c == '\r' ? "%0D" : std::string(1, c);
  return out;
}

std::string firstPlace(const PlanDiff& plan) {
  if (plan.difference)
    for (const diff::OwnedChange& owned : plan.difference->owned)
      for (const diff::FactChange& fact : owned.facts)
        if (!fact.where.empty() && fact.after) return fact.where;
  return "";
}

} // namespace

std::string diffMarkdown(const DiffReport& report) {
  std::string out = fmt::format("<!-- planc:diff -->\n### planc: {} against {}\n\n{}\n", report.after, report.before,
                                summaryText(report));
  if (!report.failures.empty()) out += "\n";
  for (const GateFailure& f : report.failures)
    out += fmt::format("- ❌ gate {}: {}, {}\n", code(f.gate), code(f.id), f.what);
  if (report.failures.empty() && report.gates > 0) out += fmt::format("\n✅ {} gates hold\n", report.gates);
  if (report.plans.empty()) return out;
  std::vector<std::vector<std::string>> rows = {{"plan", "", "step", "memory", "cost"}};
  size_t size = out.size(), shown = 0;
  for (const PlanDiff& plan : report.plans) {
    std::vector<std::string> cells = row(plan);
    for (const std::string& cell : cells) size += cell.size() + 8;
    if (size > kMostCharacters / 2) break;
    rows.push_back(std::move(cells));
    ++shown;
  }
  out += "\n" + markdownTable(rows, "lllll");
  size_t told = 0, with = 0;
  for (size_t i = 0; i < shown; ++i) {
    if (!report.plans[i].difference && report.plans[i].error.empty()) continue;
    ++with;
    const std::string text = details(report.plans[i]);
    if (told + 1 != with || out.size() + text.size() > kMostCharacters) continue;
    out += text;
    ++told;
  }
  if (shown < report.plans.size()) out += fmt::format("\n{} more plans differ.\n", report.plans.size() - shown);
  if (told < with)
    out += fmt::format("\nDetails of {} more plans are left out: `--format text` has them.\n", with - told);
  return out;
}

std::string diffGithub(const DiffReport& report) {
  std::vector<std::string> lines;
  for (const GateFailure& f : report.failures)
    lines.push_back(fmt::format("::error{}::{}", place(f.where),
                                escaped(fmt::format("gate {} fails: {}, {}", f.gate, f.id, f.what))));
  for (const PlanDiff& plan : report.plans) {
    if (plan.fate == Fate::Broken) {
      lines.push_back("::error::" + escaped(plan.id + " is broken: " + plan.error));
    } else if (plan.difference) {
      std::string text = plan.id;
      for (const Headline& h : headlines(*plan.difference))
        text += fmt::format(", {} {}", h.head, metricChange(*plan.difference, h.metric));
      for (const std::string& reason : reasonLines(*plan.difference)) text += "\n" + reason;
      lines.push_back(fmt::format("::notice{}::{}", place(firstPlace(plan)), escaped(text)));
    } else {
      lines.push_back("::notice::" + escaped(plan.id + ": " + fateText(plan.fate)));
    }
  }
  std::string out;
  for (size_t i = 0; i < std::min(lines.size(), kMostAnnotations); ++i) out += lines[i] + "\n";
  if (lines.size() > kMostAnnotations) out += fmt::format("::notice::+{} more\n", lines.size() - kMostAnnotations);
  return out;
}

} // namespace planc::report
