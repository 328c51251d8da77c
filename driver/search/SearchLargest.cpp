// Reports the largest or smallest value that fits, and the next value.
// SPDX-License-Identifier: Apache-2.0
#include "driver/search/SearchLargest.h"

#include "driver/files/JsonDocument.h"
#include "driver/files/PrintResult.h"
#include "report/tables/Csv.h"
#include "report/tables/JsonNumber.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <thread>

namespace planc::driver {
namespace {

using nlohmann::ordered_json;
using search::TriedValue;

std::string memoryText(const TriedValue& value, const api::ShownValue& shown) {
  return fmt::format("{} of {}", formatQuantity(value.peak, units::bytes),
                     formatQuantity(shown.capacity, units::bytes));
}

std::string lawText(const TriedValue& value, const api::ShownValue& shown) {
  return value.code ? fmt::format("PLAN{:04}: {}", value.code, shown.message) : shown.message;
}

/// Returns why a value does not fit: `needs 84 GB`, and the excess if the printed digits do not show it.
std::string missText(const api::FittingValue& of, const TriedValue& value, const api::ShownValue& shown) {
  if (value.fate == TriedValue::Fate::Missed)
    return fmt::format("misses `where {}`{}", of.conditions[value.condition],
                       shown.missed ? ": its best has " + formatQuantity(shown.missed->value, shown.missed->unit) : "");
  const std::string needs = formatQuantity(value.peak, units::bytes);
  if (shown.capacity == 0 || needs != formatQuantity(shown.capacity, units::bytes)) return "needs " + needs;
  return fmt::format("needs {}, {} too much", needs, formatQuantity(value.peak - shown.capacity, units::bytes));
}

/// Returns `13`, `13 to 15`, `11 to 9`.
std::string rangeText(int64_t first, int64_t count, bool up) {
  const int64_t last = up ? first + count - 1 : first - count + 1;
  return count == 1 ? std::to_string(first) : fmt::format("{} to {}", first, last);
}

/// Returns a text about the values beyond the answer.
std::string behindText(const api::FittingValue& of, bool up) {
  const search::ExtremeFound& found = of.found;
  const int64_t sign = up ? 1 : -1, first = found.in->value + sign;
  if (found.end && found.looked == 0) return "; it is the least possible value";
  if (found.ended) return "; no limit was found";
  const bool met = found.out && found.looked == (found.out->value - found.in->value) * sign;
  const int64_t refused = found.looked - (met ? 1 : 0);
  std::string text;
  if (found.out) text += fmt::format("; {} {}", found.out->value, missText(of, *found.out, of.out));
  if (refused > 0 && found.refused)
    text += fmt::format("{} {} {}: {}", text.empty() ? ";" : ", and", rangeText(first, refused, up),
                        refused == 1 ? "is refused" : "are refused", lawText(*found.refused, of.refused));
  return text;
}

/// Returns which values were tried, because conditions may hold between them.
std::string triedText(const api::FittingValue& of) {
  if (of.best) return "  tried: doublings and small values, each with the whole search of the plan\n";
  if (of.conditions.empty()) return {};
  return "  tried: 1 to 64, doublings of 1 and of the plan's value, and values between two that fail for different "
         "reasons\n";
}

/// Returns ` on 64 devices, with mesh.tp = 8, mesh.dp = 8` for the best candidate of a search.
std::string bestText(const api::ShownValue& shown) {
  if (shown.choices.empty()) return "";
  std::string choices;
  for (const auto& [path, value] : shown.choices)
    choices += (choices.empty() ? "" : ", ") + ir::Choice::str(path, value);
  return fmt::format(" on {} {}, with {}", shown.devices, shown.devices == 1 ? "device" : "devices", choices);
}

std::string text(const api::FittingValue& of, const std::string& path, bool up) {
  const search::ExtremeFound& found = of.found;
  if (!found.in) {
    if (!found.nearest && found.refused && found.refused->lawful())
      return fmt::format("none of {} tried values of `{}` is valid: {} {}\n{}", found.tried, path, found.refused->value,
                         missText(of, *found.refused, of.refused), triedText(of));
    if (!found.nearest)
      return fmt::format("no whole value of `{}` is lawful: {}\n", path,
                         found.refused ? lawText(*found.refused, of.refused) : "none was tried");
    std::string out = fmt::format("none of {} tried values of `{}` fits; the least peak is {} with {}", found.tried,
                                  path, memoryText(*found.nearest, of.nearest), found.nearest->value);
    if (found.nearest->fate == TriedValue::Fate::Missed) out += ", which " + missText(of, *found.nearest, of.nearest);
    return out + "\n" + triedText(of);
  }
  std::string out = fmt::format("{} of {} fits {} (peak {}){}\n", path, of.plan,
                                up        ? fmt::format("up to {}", found.in->value)
                                : of.best ? fmt::format("with {}", found.in->value)
                                          : fmt::format("from {} on", found.in->value),
                                memoryText(*found.in, of.in), behindText(of, up));
  out += fmt::format("  its step takes {}{}\n", formatQuantity(found.in->stepTime, units::time), bestText(of.in));
  for (const auto& [condition, value] : of.in.met)
    out += fmt::format("  it meets `where {}` with {}\n", condition, formatQuantity(value.value, value.unit));
  if (found.contrary)
    out += fmt::format("  not every {} value fits: {} {}\n", up ? "smaller" : "larger", found.contrary->value,
                       missText(of, *found.contrary, {}));
  return out;
}

/// Returns what a path is if it has no whole numbers; empty if something else is wrong.
std::string quantityText(InputFile& file) {
  constexpr std::string_view kThisIs = "; this is ";
  constexpr int kFactType = 502;
  for (const Diagnostic* one : file.diagnostics().sorted())
    if (one->kind->code == kFactType && file.sources().path(one->range.file) == "--vary")
      return one->message.substr(0, one->message.find(kThisIs));
  return {};
}

ordered_json valueJson(const api::FittingValue& of, const std::optional<TriedValue>& value,
                       const api::ShownValue& shown) {
  if (!value) return nullptr;
  ordered_json out{{"value", value->value}, {"fits", value->fits()}};
  if (!value->lawful()) {
    out["code"] = value->code ? ordered_json(fmt::format("PLAN{:04}", value->code)) : ordered_json(nullptr);
    out["message"] = shown.message;
    return out;
  }
  out["condition"] =
      value->fate == TriedValue::Fate::Missed ? ordered_json(of.conditions[value->condition]) : ordered_json(nullptr);
  out["step_time_s"] = report::jsonNumber(value->stepTime);
  out["memory_peak_bytes"] = report::jsonNumber(value->peak);
  out["memory_capacity_bytes"] = shown.capacity > 0 ? report::jsonNumber(shown.capacity) : ordered_json(nullptr);
  out["devices"] = shown.devices > 0 ? ordered_json(shown.devices) : ordered_json(nullptr);
  out["choices"] = nullptr;
  for (const auto& [path, text] : shown.choices) out["choices"][path] = text;
  return out;
}

ordered_json json(const api::FittingValue& of, const std::string& path, bool up) {
  const search::ExtremeFound& found = of.found;
  return {{"plan", of.plan},
          {"path", path},
          {"asked", up ? "largest" : "fewest"},
          {"found", valueJson(of, found.in, of.in)},
          {"next_lawful", valueJson(of, found.out, of.out)},
          {"next", valueJson(of, found.refused, of.refused)},
          {"looked_beyond", found.looked},
          {"ended", found.ended},
          {"monotone", !found.contrary},
          {"contrary", valueJson(of, found.contrary, {})},
          {"least_peak", valueJson(of, found.nearest, of.nearest)},
          {"tried", found.tried}};
}

/// A row for the value that fits, and one for the next value that is lawful.
report::Sheet sheet(const api::FittingValue& of, const std::string& path) {
  report::Sheet rows{{"plan", "path", "value", "fits", "step_time_s", "memory_peak_bytes"}};
  for (const std::optional<TriedValue>& value : {of.found.in, of.found.out})
    if (value)
      rows.push_back({of.plan, path, std::to_string(value->value), value->fits() ? "true" : "false",
                      report::csvNumber(value->stepTime), report::csvNumber(value->peak)});
  return rows;
}

} // namespace

bool asksForLargest(const Arguments& arguments) {
  return arguments.has("--largest") || arguments.has("--fewest");
}

int searchLargest(Console& console, const Arguments& arguments, InputFile& file, const ir::SearchWords& words) {
  const bool up = arguments.has("--largest");
  const std::string option = up ? "--largest" : "--fewest", format = *arguments.value("--format");
  if (const int code = file.set(arguments)) {
    if (code == kFailed && format == "json") printJson(console, kSearchFormat, {{option.substr(2), nullptr}});
    return code;
  }
  const bool best = arguments.has("--best") || arguments.text;
  const std::string path = *arguments.value(option), plan = arguments.value("--plan").value_or("");
  ir::SearchWords first = words; // checks the path, the conditions and the plan
  first.numbers = {{path, {{1, {}}}}};
  first.goals = {"minimize step_time"};
  first.alone = true;
  const auto refused = [&] {
    file.report({});
    console.summarize();
    if (format == "json") printJson(console, kSearchFormat, {{option.substr(2), nullptr}});
    return kFailed;
  };
  if (!file.search(plan, first)) {
    const std::string quantity = quantityText(file);
    if (quantity.empty()) return refused();
    return console.usageError(
        fmt::format("`{}` tries whole numbers; {}", option, quantity),
        "`planc sweep` varies quantities; `memory.peak` of `planc estimate` is the memory that a plan needs");
  }
  const api::FittingValue found = file.fittingValue(
      plan, words, up ? search::Extreme::Largest : search::Extreme::Fewest, path,
      best ? api::PlanAtValue::Best : api::PlanAtValue::Written, std::max(1u, std::thread::hardware_concurrency()));
  if (found.wrong) console.diagnose(found.wrong->plan().diagnostics(), file.sources());
  file.report({});
  if (found.found.failed) return refused();
  report::Document document;
  document.data[option.substr(2)] = json(found, path, up);
  document.addLines(text(found, path, up));
  document.sheets = {sheet(found, path)};
  printResult(console, format, kSearchFormat, {}, {&document, 1});
  return found.found.in ? kClean : kFailed;
}

} // namespace planc::driver
