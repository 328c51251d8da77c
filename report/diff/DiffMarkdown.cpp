// A difference as a comment on a pull request, and as annotations of its lines.
// SPDX-License-Identifier: Apache-2.0
#include "report/diff/DiffParts.h"
#include "report/tables/Markdown.h"
#include "support/text/TextCells.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace planc::report {

namespace {

/// GitHub accepts 65,536 characters. The text after the last plan needs some of them.
constexpr size_t kMostCharacters = 65'536 - 1'024;
constexpr size_t kMostAnnotations = 10;
/// Most failed gates that are listed above the table.
constexpr size_t kMostFailures = 20;

std::string oneLine(std::string_view text) {
  std::string out = printable(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return out;
}

/// Returns the text as code that no backtick in it can end.
std::string code(std::string text) {
  std::replace(text.begin(), text.end(), '`', '\'');
  return fmt::format("`{}`", oneLine(text));
}

/// Returns the text on one line and without the beginning of a tag or a comment; `a < b` stays as it is.
std::string plain(std::string_view written) {
  const std::string text = oneLine(written);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool tag = text[i] == '<' && (std::isalpha(static_cast<unsigned char>(next)) ||
                                        std::string_view("!/?").find(next) != std::string_view::npos);
    out += tag ? "&lt;" : std::string(1, text[i]);
  }
  return out;
}

std::vector<std::string> row(const PlanDiff& plan) {
  const std::string fate(name(plan.fate)), fit = fitText(plan);
  const auto withFit = [&](std::string memory) { return fit.empty() ? memory : memory + " **" + fit + "**"; };
  const auto priceOf = [&](std::string_view metric, const Unit& unit) {
    const auto value = plan.result ? plan.result->metric(metric) : std::nullopt;
    return value ? formatQuantity(*value, unit) : std::string("-");
  };
  if (!plan.difference)
    return {code(plan.id), fate, priceOf("step_time", units::time), withFit(priceOf("memory.peak", units::bytes)), "-"};
  const std::vector<Headline> heads = headlines(*plan.difference);
  return {code(plan.id), fate, metricChange(*plan.difference, heads[0].metric),
          withFit(metricChange(*plan.difference, heads[1].metric)),
          heads.size() > 2 ? fmt::format("{} ({})", metricChange(*plan.difference, heads[2].metric), heads[2].head)
                           : "-"};
}

std::string details(const PlanDiff& plan) {
  std::string out = fmt::format("\n<details><summary><code>{}</code></summary>\n\n", plain(plan.id));
  if (!plan.error.empty()) return out + plain(plan.error) + "\n\n</details>\n";
  const diff::Difference& d = *plan.difference;
  if (!plan.was.empty()) out += "- was " + code(plan.was) + "\n";
  for (const std::string& line : reasonLines(d)) out += "- " + plain(line) + "\n";
  if (const std::string stage = stageText(d); !stage.empty()) out += "- " + stage + "\n";
  std::vector<std::vector<std::string>> rows = {{"step", "from", "because"}};
  for (const PartLine& line : partLines(d, false))
    rows.push_back({line.time, plain(line.what), line.because.empty() ? "" : code(line.because)});
  if (rows.size() > 1) out += "\n" + markdownTable(rows, "rll");
  return out + "\n</details>\n";
}

/// Returns the text with percent signs and line breaks escaped for GitHub's runner.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '%' ? "%25" : c == '\n' ? "%0A" : c == '\r' ? "%0D" : std::string(1, c);
  return out;
}

/// Returns `a.plan:20` as properties of an annotation, in which commas and colons are also escaped.
std::string place(const std::string& where) {
  const size_t colon = where.rfind(':');
  if (where.empty() || colon == std::string::npos) return "";
  std::string file;
  for (const char c : escaped(where.substr(0, colon))) file += c == ',' ? "%2C" : c == ':' ? "%3A" : std::string(1, c);
  return fmt::format(" file={},line={}", file, where.substr(colon + 1));
}

/// Returns the text above the table: failures, and changes in planc.toml.
std::string verdicts(const DiffReport& report) {
  std::string out;
  size_t told = 0;
  for (const GateFailure& f : report.failures) {
    const std::string line = fmt::format("- ❌ gate {}: {}, {}\n", code(f.gate), code(f.id), plain(f.what));
    if (told == kMostFailures || out.size() + line.size() > kMostCharacters / 4) break;
    out += line;
    ++told;
  }
  if (told < report.failures.size())
    out += fmt::format("- ❌ {} more fail: `--format json` lists them\n", report.failures.size() - told);
  for (const std::string& line : report.project)
    if (out.size() + line.size() < kMostCharacters / 3) out += fmt::format("- ⚠ planc.toml: {}\n", code(line));
  if (const std::string gates = gatesText(report); !gates.empty())
    out += fmt::format("{}{}\n", out.empty() ? "" : "\n", gates);
  return out;
}

/// Returns as many rows as fit into `room` characters.
std::vector<std::vector<std::string>> rowsOf(const DiffReport& report, size_t room) {
  std::vector<std::vector<std::string>> rows = {{"plan", "", "step", "memory", "cost"}};
  size_t size = 0;
  for (const PlanDiff& plan : report.plans) {
    std::vector<std::string> cells = row(plan);
    for (const std::string& cell : cells) size += cell.size() + 8;
    if (size > room) break;
    rows.push_back(std::move(cells));
  }
  return rows;
}

} // namespace

std::string diffMarkdown(const DiffReport& report) {
  std::string out = fmt::format("<!-- planc:diff -->\n### planc: {} against {}\n\n{}\n", plain(report.after),
                                plain(report.before), plain(summaryText(report)));
  if (const std::string text = verdicts(report); !text.empty()) out += "\n" + text;
  if (report.plans.empty()) return out;
  const std::vector<std::vector<std::string>> rows = rowsOf(report, kMostCharacters / 3);
  const size_t shown = rows.size() - 1;
  if (shown > 0) out += "\n" + markdownTable(rows, "lllll");
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
    out += fmt::format("\nDetails of {} more plans are omitted: `--format text` has them.\n", with - told);
  return out;
}

std::string diffGithub(const DiffReport& report) {
  std::vector<std::string> lines;
  for (const GateFailure& f : report.failures)
    lines.push_back(fmt::format("::error{}::{}", place(f.where),
                                escaped(fmt::format("gate {} fails: {}, {}", f.gate, f.id, f.what))));
  for (const std::string& line : report.project) lines.push_back("::warning::" + escaped("planc.toml: " + line));
  for (const PlanDiff& plan : report.plans) {
    if (plan.fate == Fate::Broken || plan.fate == Fate::StillBroken) {
      lines.push_back(fmt::format("::error{}::{}", place(plan.where),
                                  escaped(fmt::format("{} is {}: {}", plan.id, name(plan.fate), plan.error))));
    } else if (plan.difference) {
      std::string text = plan.was.empty() ? plan.id : fmt::format("{}, was {}", plan.id, plan.was);
      if (const std::string fit = fitText(plan); !fit.empty()) text += ", " + fit;
      for (const Headline& h : headlines(*plan.difference))
        text += fmt::format(", {} {}", h.head, metricChange(*plan.difference, h.metric));
      for (const std::string& reason : reasonLines(*plan.difference)) text += "\n" + reason;
      lines.push_back(
          fmt::format("::{}{}::{}", plan.newlyUnfit() ? "warning" : "notice", place(plan.where), escaped(text)));
    } else {
      std::string text = fmt::format("{}: {}", plan.id, name(plan.fate));
      if (const std::string fit = fitText(plan); !fit.empty()) text += ", " + fit;
      lines.push_back(fmt::format("::{}::{}", plan.newlyUnfit() ? "warning" : "notice", escaped(text)));
    }
  }
  std::string out;
  for (size_t i = 0; i < std::min(lines.size(), kMostAnnotations); ++i) out += lines[i] + "\n";
  if (lines.size() > kMostAnnotations) out += fmt::format("::notice::+{} more\n", lines.size() - kMostAnnotations);
  return out;
}

} // namespace planc::report
