// Compares errors of measured lines before and after calibration.
// SPDX-License-Identifier: Apache-2.0
#include "driver/calibrate/CalibrationCheck.h"

#include "backends/verdict/ExprText.h"
#include "driver/files/InputFile.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace planc::driver {

PLANC_WARNING(
    CalibrationDoesNotHelp, 1015,
    "after calibration, the measured lines of {file} have a mean error of {after}, but {before} with the library")
PLANC_WARNING(HalfOfTheRecords, 1055,
              "`{plan}` is not compared: its {other} is `{name}`, but `{device}` and `{stack}` were calibrated")
PLANC_ERROR(NothingToCheck, 1016, "none of the measured lines of {file} is priced with `{device}`{stack}")

namespace {

/// A line is worse if its error grew by more than this; smaller changes are within the scatter of runs.
constexpr double kPoints = 0.02;

using CheckedLine = api::CheckedLine;

double grown(const CheckedLine& line) {
  return std::abs(line.errorAfter()) - std::abs(line.errorBefore());
}
double mean(const std::vector<CheckedLine>& lines, double (CheckedLine::*error)() const) {
  double sum = 0;
  for (const CheckedLine& line : lines) sum += std::abs((line.*error)());
  return lines.empty() ? 0 : sum / static_cast<double>(lines.size());
}
std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}
std::string signedPercent(double share) {
  return fmt::format("{:+.1f} %", 100 * share);
}

} // namespace

double CalibrationCheck::before() const {
  return mean(lines, &CheckedLine::errorBefore);
}
double CalibrationCheck::after() const {
  return mean(lines, &CheckedLine::errorAfter);
}

std::vector<const CheckedLine*> CalibrationCheck::worse() const {
  std::vector<const CheckedLine*> out;
  for (const CheckedLine& line : lines)
    if (grown(line) > kPoints) out.push_back(&line);
  std::stable_sort(out.begin(), out.end(),
                   [](const CheckedLine* a, const CheckedLine* b) { return grown(*a) > grown(*b); });
  return out;
}

CalibrationCheck CalibrationCheck::only(bool memory) const {
  CalibrationCheck out{file, {}};
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(out.lines),
               [&](const CheckedLine& line) { return (line.unit == units::bytes) == memory; });
  return out;
}

namespace {

/// Warns if the lines of one kind are predicted worse than before.
void warn(const CalibrationCheck& check, DiagnosticEngine& found) {
  if (check.after() <= check.before()) return;
  const std::vector<const CheckedLine*> bad = check.worse();
  const CheckedLine& worst =
      *std::max_element(check.lines.begin(), check.lines.end(),
                        [](const CheckedLine& a, const CheckedLine& b) { return grown(a) < grown(b); });
  found
      .report(CalibrationDoesNotHelp, worst.range,
              {{"file", check.file}, {"before", percent(check.before())}, {"after", percent(check.after())}})
      .note(fmt::format("`{}` goes from {} to {}; {} of {} lines grow by more than {:.0f} points", worst.plan,
                        signedPercent(worst.errorBefore()), signedPercent(worst.errorAfter()), bad.size(),
                        check.lines.size(), 100 * kPoints))
      .help("the samples are of other kernels or clocks than the runs: `planc explain` on such a plan shows which part "
            "is wrong; until then price with the library's records");
}

/// Returns a sentence on the lines of one kind.
std::string sentence(const CalibrationCheck& check) {
  const auto nearer =
      std::count_if(check.lines.begin(), check.lines.end(), [](const CheckedLine& line) { return grown(line) < 0; });
  return fmt::format("it {}: {} of {} lines are nearer, {} worse by more than {:.0f} points\n",
                     check.after() < check.before() ? "helped" : "did not help", nearer, check.lines.size(),
                     check.worse().size(), 100 * kPoints);
}

/// Counts plans that use only one of two records that were calibrated together, and keeps the first of them.
class LeftOut {
public:
  void look(const ir::Plan& plan, const api::CalibratedRecords& records) {
    const api::TakenRecords taken = takenRecords(plan, records);
    if (plan.measured.empty() || !plan.cluster || !plan.stack || !taken.half || count_++ > 0) return;
    title_ = plan.title;
    range_ = plan.measured.front().range;
    other_ = taken.device ? "software" : "device";
    name_ = taken.device ? plan.stack->name : plan.cluster->device.name;
  }
  void warn(const api::CalibratedRecords& records, DiagnosticEngine& found) const {
    if (count_ == 0) return;
    auto report = found.report(HalfOfTheRecords, range_,
                               {{"plan", title_},
                                {"other", other_},
                                {"name", name_.view()},
                                {"device", records.device},
                                {"stack", records.stack}});
    report.note(
        "numbers of one record are relative to the other record, so a price with only one of them tests neither");
    if (count_ > 1) report.note(fmt::format("{} plans are not compared for this reason", count_));
    report.help("name the stack of the runs with `--stack`, and give the plans the sampled device");
  }

private:
  size_t count_ = 0;
  std::string title_;
  SourceRange range_;
  std::string_view other_;
  Symbol name_;
};

} // namespace

bool CalibrationCheck::run(Console& console, const std::string& path, const api::CalibratedRecords& records) {
  file = path == "-" ? "<stdin>" : path;
  InputFile input(console, path);
  if (!input.load()) return false;
  Plans plans;
  SourceRange first;
  LeftOut leftOut;
  input.eachPlan({}, [&](std::unique_ptr<api::Compilation> plan) {
    if (plans.empty()) first = plan->plan().range;
    leftOut.look(plan->plan(), records);
    for (CheckedLine& line : api::checkedLines(*plan, records)) lines.push_back(std::move(line));
    plan->release();
    plans.push_back(std::move(plan));
  });
  input.report(plans);
  if (console.hasErrors()) return false;
  DiagnosticEngine found;
  leftOut.warn(records, found);
  if (lines.empty())
    found
        .report(NothingToCheck, first,
                {{"file", file},
                 {"device", records.device},
                 {"stack", records.measuredStack && !records.stack.empty() ? fmt::format(" and `{}`", records.stack)
                                                                           : std::string()}})
        .help("write measurements into plans with the library's device and the stack of `--stack`: `measured step_time "
              "= 176ms : \"our run of October 3\"`");
  for (const bool memory : {false, true}) warn(only(memory), found);
  console.diagnose(found, input.sources());
  return !found.hasErrors();
}

std::string CalibrationCheck::text() const {
  if (lines.empty()) return {};
  size_t plan = 4, metric = 6;
  for (const CheckedLine& line : lines)
    plan = std::max(plan, line.plan.size()), metric = std::max(metric, line.metric.size());
  std::string out = fmt::format("\nmeasured lines of {}, with the library and calibrated\n", file);
  const auto row = [&](std::string_view a, std::string_view b, std::string_view measured, std::string_view before,
                       std::string_view errorBefore, std::string_view after, std::string_view errorAfter) {
    std::string text = fmt::format("  {:<{}}  {:<{}}  {:>14}  {:>14}  {:>8}  {:>14}  {:>8}", a, plan, b, metric,
                                   measured, before, errorBefore, after, errorAfter);
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  row("plan", "metric", "measured", "library", "error", "calibrated", "error");
  for (const CheckedLine& line : lines) {
    const auto shown = [&](double value) { return verdict::quantityText(value, line.unit, line.percent); };
    row(line.plan, line.metric, shown(line.measured), shown(line.before), signedPercent(line.errorBefore()),
        shown(line.after), signedPercent(line.errorAfter()));
  }
  const CalibrationCheck times = only(false), memory = only(true);
  const auto mean = [&](const CalibrationCheck& of, std::string_view kind) {
    if (!of.lines.empty()) row("mean", kind, "", "", percent(of.before()), "", percent(of.after()));
  };
  mean(times, memory.lines.empty() ? "" : "time");
  mean(memory, "memory");
  if (memory.lines.empty()) return out + sentence(times);
  if (!times.lines.empty()) out += sentence(times);
  return out + (memory.after() == memory.before() ? "memory is as before: samples of operators do not move it\n"
                                                  : "of memory, " + sentence(memory));
}

nlohmann::ordered_json CalibrationCheck::json() const {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const CheckedLine& line : lines)
    rows.push_back({{"plan", line.plan},
                    {"metric", line.metric},
                    {"measured", line.measured},
                    {"library", line.before},
                    {"library_error", line.errorBefore()},
                    {"calibrated", line.after},
                    {"calibrated_error", line.errorAfter()}});
  using Json = nlohmann::ordered_json;
  const CalibrationCheck times = only(false), memory = only(true);
  const auto mean = [](const CalibrationCheck& of, double value) { return of.lines.empty() ? Json() : Json(value); };
  return {{"file", file},
          {"library_mean_error", mean(times, times.before())},
          {"calibrated_mean_error", mean(times, times.after())},
          {"helped", times.after() < times.before()},
          {"library_memory_mean_error", mean(memory, memory.before())},
          {"calibrated_memory_mean_error", mean(memory, memory.after())},
          {"lines", std::move(rows)}};
}

} // namespace planc::driver
