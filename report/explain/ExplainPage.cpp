// The page of an explanation: lines, facts, tables, equations with their constants and sources.
// SPDX-License-Identifier: Apache-2.0
#include "report/explain/ExplainPage.h"

#include <algorithm>
#include <fmt/core.h>

namespace planc::report {
namespace {

/// Returns the statistics of a calibrated fact: `; 4320 samples, error 7.1 %`.
std::string known(const ir::Statistics& s) {
  std::string text;
  if (s.samples > 0) text += fmt::format("; {:.0f} samples", s.samples);
  if (s.error > 0) text += fmt::format("{} error {:.3g} %", text.empty() ? ";" : ",", 100 * s.error);
  return text;
}

} // namespace

void ExplainPage::number(std::string_view name, const std::string& value, std::string_view about) {
  out_.push_back(Heading{fmt::format("{}  {}", name, value), 2, about.empty() ? "" : fmt::format("  {}", about)});
}

void ExplainPage::fact(std::string_view key, const std::string& text, size_t indent) {
  if (!text.empty()) line(fmt::format("{:<9} {}", key, text), indent);
}

void ExplainPage::equation(const std::string& symbols, const std::string& numbers, size_t indent) {
  fact("equation", symbols, indent);
  fact("", numbers.empty() ? "" : "= " + numbers, indent);
}

/// Returns the number as the library spells it, with its unit, if its place in the source holds only the number.
std::string ExplainPage::asWritten(const ir::Number& number) const {
  constexpr size_t kLongest = 24;
  const std::string_view text = number.range.valid() ? sources_.text(number.range) : std::string_view();
  const bool plain = !text.empty() && text.size() <= kLongest && text.front() >= '0' && text.front() <= '9';
  if (plain) return std::string(text);
  return number.unit.plain() ? fmt::format("{:.4g}", number.value) : formatQuantity(number.value, number.unit);
}

void ExplainPage::constant(const std::string& name, const ir::Number& number, size_t indent) {
  std::string text = fmt::format("{}: {}", name, asWritten(number));
  if (number.range.valid()) text += ", " + sources_.where(number.range);
  if (!number.source.empty()) text += ", \"" + number.source + "\"";
  fact("constant", text + known(number.statistics), indent);
}

void ExplainPage::derivation(const cost::Derivation& why, size_t indent) {
  if (why.formula) {
    equation(cost::symbols(*why.formula), cost::evaluated(*why.formula), indent);
    const std::string where = cost::where(*why.formula);
    fact("", where.empty() ? "" : "where " + where, indent);
  } else if (!why.reason.empty()) {
    equation("0", why.reason, indent);
  }
  std::set<std::string_view> seen; // a constant that is read twice is listed once
  for (const auto& entry : why.constants)
    if (seen.insert(entry.first).second) constant(entry.first, *entry.second, indent);
}

std::string ExplainPage::quote(SourceRange range) const {
  return range.valid() ? fmt::format("{}: {}", sources_.where(range), sources_.text(range)) : "";
}

size_t ExplainPage::lines() const {
  return static_cast<size_t>(std::ranges::count(textOf(out_, false), '\n'));
}

void SumTable::add(std::string name, double value, std::string note) {
  if (value != 0) parts_.push_back({std::move(name), value, std::move(note)});
}

void SumTable::write(double sum, size_t most) {
  std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.value > b.value; });
  const size_t shown = page_.options().allLayers || parts_.size() <= most ? parts_.size() : most;
  auto text = [&](double value) { return unit_ == units::none ? countText(value) : formatQuantity(value, unit_); };
  auto share = [&](double value) { return sum > 0 ? shareText(value / sum) : std::string("-"); };
  Table table{"lrrl"};
  for (size_t i = 0; i < shown; ++i)
    table.add({{parts_[i].name, TextStyle::Gutter}, text(parts_[i].value), share(parts_[i].value), parts_[i].note});
  double rest = 0;
  for (size_t i = shown; i < parts_.size(); ++i) rest += parts_[i].value;
  if (shown < parts_.size())
    table.add(
        {{fmt::format("{} more (--all)", parts_.size() - shown), TextStyle::Gutter}, text(rest), share(rest), ""});
  table.add({{"sum", TextStyle::Bold}, text(sum), "", ""});
  page_.table(table);
}

} // namespace planc::report
