// Reads foreign fields by tables, and reports what they have that plans lack.
// SPDX-License-Identifier: Apache-2.0
#include "import/Settings.h"

#include "support/text/Spelling.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace planc::foreign {

PLANC_ERROR(ForeignType, 1204, "`{key}` is {value}, and must be {wanted}")
PLANC_ERROR(ForeignLacks, 1205, "planc cannot express `{key} = {value}`: {why}")
PLANC_ERROR(ForeignMissing, 1206, "`{key}` is missing: {what}")
PLANC_WARNING(ForeignUnknown, 1207, "`{key}` is unknown to the importer of {format}, so it is left out")
PLANC_ERROR(ForeignConflict, 1210, "`{key} = {value}` contradicts `{other} = {second}`: {why}")
PLANC_WARNING(ForeignLeft, 1214, "`{key} = {value}` is left out: {why}")

namespace {

/// So many unknown fields are reported one by one.
constexpr size_t kMostUnknown = 100;
/// No size of a model or a machine is larger.
constexpr int64_t kMostCount = int64_t(1) << 50;

/// The value as tables write it.
std::string written(const ForeignValue& value) {
  if (value.kind == ForeignValue::Kind::Null) return "null";
  if (value.kind == ForeignValue::Kind::List) {
    std::string out;
    for (const ForeignValue& item : value.items) out += (out.empty() ? "" : " ") + written(item);
    return out;
  }
  if (value.kind == ForeignValue::Kind::Number && std::isfinite(value.number) && !value.whole &&
      value.number == std::floor(value.number) && std::abs(value.number) < 1e15)
    return std::to_string(static_cast<int64_t>(value.number));
  return value.text;
}

void reportType(Import& import, const ForeignField& field, std::string_view wanted) {
  import.found
      .report(ForeignType, field.value->range,
              {{"key", import.prefix + oneLine(field.key)},
               {"value", field.value->shown()},
               { "wanted",
                 wanted }})
      .help(fmt::format("correct the file, or give a value with `--set {}=VALUE`", oneLine(field.key)));
}

std::optional<int64_t> wholeOf(const ForeignValue& value) {
  if (value.kind != ForeignValue::Kind::Number) return std::nullopt;
  if (value.whole) return value.whole;
  if (std::isfinite(value.number) && value.number == std::floor(value.number) &&
      std::abs(value.number) < static_cast<double>(kMostCount))
    return static_cast<int64_t>(value.number); // 1e3
  return std::nullopt;
}

/// The setting that a value of a plain kind gives; nullopt after an error, or if a flag is off.
std::optional<std::string> plainSetting(Import& import, const FieldRow& row, const ForeignField& field) {
  const ForeignValue& value = *field.value;
  switch (row.takes) {
  case Takes::Count:
  case Takes::Whole: {
    const std::optional<int64_t> whole = wholeOf(value);
    const int64_t least = row.takes == Takes::Count ? 1 : 0;
    if (whole && *whole >= least && *whole <= kMostCount) return std::to_string(*whole);
    reportType(import, field, least ? "a whole number from 1" : "a whole number from 0");
    return std::nullopt;
  }
  case Takes::Number:
    if (value.kind == ForeignValue::Kind::Number && value.number >= 0 && value.number < 1e15) {
      std::string text = fmt::format("{}", value.number);
      return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    }
    reportType(import, field, "a number from 0");
    return std::nullopt;
  case Takes::Truth:
  case Takes::Not:
  case Takes::Flag: {
    const bool on = value.text == "true" || (value.kind == ForeignValue::Kind::Number && value.whole == 1);
    const bool off = value.text == "false" || (value.kind == ForeignValue::Kind::Number && value.whole == 0);
    if (value.kind == ForeignValue::Kind::List || value.kind == ForeignValue::Kind::Table || (!on && !off)) {
      reportType(import, field, "true or false");
      return std::nullopt;
    }
    if (row.takes == Takes::Flag) return on ? std::optional(row.value) : std::nullopt;
    return std::string(on == (row.takes == Takes::Truth) ? "true" : "false");
  }
  default:
    return written(value);
  }
}

void takeList(Import& import, const FieldRow& row, const ForeignField& field) {
  if (field.value->kind != ForeignValue::Kind::List) return reportType(import, field, "a list");
  for (const ListPattern& pattern : row.patterns) {
    const std::optional<int64_t> times = repetitions(*field.value, pattern);
    if (!times) continue;
    if (!row.as.empty())
      import.settings.set(row.as, Setting{std::to_string(*times), field.value->range, import.prefix + field.key});
    for (const auto& [name, value] : pattern.given)
      import.settings.set(name, Setting{value, field.value->range, import.prefix + field.key});
    return;
  }
  import.lacks(import.prefix + field.key, field.value->range, field.value->shown(), row.why);
}

void takeField(Import& import, const FieldRow& row, const ForeignField& field) {
  ++import.use.used;
  if (field.value->kind == ForeignValue::Kind::Null) return;
  if (!row.patterns.empty()) return takeList(import, row, field);
  const std::string text = written(*field.value);
  if (std::find(row.only.begin(), row.only.end(), text) != row.only.end()) return;
  if (row.takes == Takes::Flag && text == "false") return;
  std::optional<std::string> value;
  if (const auto word = row.words.find(text); word != row.words.end())
    value = word->second;
  else if (row.takes != Takes::Any && (row.words.empty() || row.takes != Takes::Flag) &&
           (row.why.empty() || !row.as.empty()))
    value = plainSetting(import, row, field);
  else if (row.takes == Takes::Any && row.as.empty() && row.words.empty() && row.only.empty() && row.why.empty())
    return; // used by its presence
  else if (row.leaves)
    return import.leave(import.prefix + field.key, field.value->range, field.value->shown(), row.why);
  else {
    auto report = import.lacks(import.prefix + field.key, field.value->range, field.value->shown(),
                               row.why.empty() ? "the importer knows no such value" : row.why);
    std::vector<std::string> known;
    for (const auto& [one, meaning] : row.words) known.push_back(one);
    if (!known.empty()) report.meant(text, known, "its values here are ");
    return;
  }
  if (value && !row.as.empty())
    import.settings.set(row.as, Setting{*value, field.value->range, import.prefix + field.key});
}

/// Reports a field that no table has. Of very many only the first are reported, each with the nearest known key.
void reportUnknown(Import& import, const ForeignField& field, const std::vector<std::string>& known) {
  const std::string key = import.prefix + oneLine(field.key);
  import.use.unknown.push_back(key);
  if (import.use.unknown.size() > kMostUnknown) return;
  auto report = import.found.report(ForeignUnknown, field.range, {{"key", key}, {"format", import.format}});
  if (const std::string near = nearest(field.key.substr(0, 80), known); !near.empty())
    report.help(fmt::format("did you mean `{}{}`?", import.prefix, near));
}

} // namespace

void Settings::erase(std::string_view name) {
  if (const auto at = all_.find(name); at != all_.end()) all_.erase(at);
}

const Setting* Settings::find(std::string_view name) const {
  const auto at = all_.find(name);
  return at == all_.end() ? nullptr : &at->second;
}

std::string Settings::text(std::string_view name, std::string otherwise) const {
  const Setting* setting = find(name);
  return setting ? setting->value : otherwise;
}

std::optional<int64_t> Settings::count(std::string_view name) const {
  const Setting* setting = find(name);
  if (!setting) return std::nullopt;
  const ForeignValue value = valueOfWord(setting->value, {});
  return value.whole;
}

DiagnosticEngine::Builder Import::lacks(std::string_view key, SourceRange range, std::string_view value,
                                        std::string_view why) {
  return found.report(ForeignLacks, range.valid() ? range : whole,
                      {{"key", oneLine(key)}, {"value", oneLine(value)}, {"why", why}});
}

void Import::leave(std::string_view key, SourceRange range, std::string_view value, std::string_view why) {
  found.report(ForeignLeft, range.valid() ? range : whole,
               {{"key", oneLine(key)}, {"value", oneLine(value)}, {"why", why}});
  left.push_back(fmt::format("{} = {} ({})", oneLine(key), oneLine(value), why));
}

void Import::missing(std::string_view key, std::string_view what, std::string_view help) {
  found.report(ForeignMissing, whole, {{"key", key}, {"what", what}})
      .help(help.empty() ? fmt::format("give it: `--set {}=VALUE`", key) : std::string(help));
}

void Import::conflict(const Setting& a, const Setting& b, std::string_view why) {
  auto report = found.report(ForeignConflict, a.range.valid() ? a.range : whole,
                             {{"key", oneLine(a.key)},
                              {"value", oneLine(a.value)},
                              {"other", oneLine(b.key)},
                              {"second", oneLine(b.value)},
                              {"why", why}});
  if (b.range.valid()) report.label(b.range, "contradicts this");
}

void takeFields(Import& import, const FieldTable& table, const std::vector<ForeignField>& fields) {
  std::vector<std::string> known;
  for (const auto& [key, row] : table.rows) known.push_back(key);
  for (const ForeignField& field : fields) {
    if (const FieldRow* row = table.row(field.key))
      takeField(import, *row, field);
    else if (table.ignores(field.key))
      ++import.use.ignored;
    else
      reportUnknown(import, field, known);
  }
}

std::vector<ForeignField> fieldsOf(const ForeignValue& table) {
  std::vector<ForeignField> out;
  for (const ForeignMember& one : table.members) out.push_back({one.name, one.range, &one.value});
  return out;
}

std::vector<ForeignField> sectionFieldsOf(const ForeignValue& table) {
  std::vector<ForeignField> out;
  for (const ForeignMember& one : table.members) {
    if (one.value.kind != ForeignValue::Kind::Table) {
      out.push_back({one.name, one.range, &one.value});
      continue;
    }
    for (ForeignField inner : sectionFieldsOf(one.value)) {
      inner.key = one.name + "." + inner.key;
      out.push_back(std::move(inner));
    }
  }
  return out;
}

std::vector<std::string> textsOf(const ForeignValue& list) {
  std::vector<std::string> out;
  for (const ForeignValue& item : list.items) out.push_back(written(item));
  return out;
}

std::optional<int64_t> repetitions(const ForeignValue& list, const ListPattern& pattern) {
  const std::vector<std::string> items = textsOf(list);
  const size_t ends = pattern.start.size() + pattern.end.size();
  if (items.size() < ends || !std::equal(pattern.start.begin(), pattern.start.end(), items.begin()) ||
      !std::equal(pattern.end.begin(), pattern.end.end(),
                  items.end() - static_cast<std::ptrdiff_t>(pattern.end.size())))
    return std::nullopt;
  const size_t count = items.size() - ends, cycle = pattern.cycle.size();
  if (cycle == 0) return count == 0 ? std::optional<int64_t>(0) : std::nullopt;
  if (count % cycle != 0 && !pattern.cut) return std::nullopt;
  for (size_t i = 0; i < count; ++i)
    if (items[pattern.start.size() + i] != pattern.cycle[i % cycle]) return std::nullopt;
  return static_cast<int64_t>(count / cycle);
}

} // namespace planc::foreign
