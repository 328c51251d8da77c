// Explains the numbers of a run: its time part by part, its totals, and its failures.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "report/estimate/RunParts.h"
#include "report/explain/ExplainParts.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace planc::report {
namespace {

std::string time(double seconds) {
  return formatQuantity(seconds, units::time);
}

constexpr std::string_view kSegment = "segment = min(every, productive): the run is shorter than the interval";

/// The inputs of an explanation of a run.
struct RunPage {
  ExplainPage& page;
  const ExplainInput& input;
  const cost::Run& run;
  const ir::Run& stated;
  const ir::Cluster& cluster;
  double devices;

  RunPage(ExplainPage& p, const ExplainInput& in)
      : page(p), input(in), run(*in.report->estimate->run), stated(*in.report->plan->run),
        cluster(*in.report->plan->cluster), devices(static_cast<double>(in.report->plan->mesh.devices())) {}

  void constant(const char* name, const ir::Number* number) const {
    if (number) page.constant(name, *number);
  }
  void constant(const char* name, const ir::OptNumber& number) const { constant(name, number ? &*number : nullptr); }

  void steps() const {
    const cost::Totals& t = input.report->estimate->totals;
    const ir::OptNumber& amount = stated.tokens ? stated.tokens : stated.samples;
    const double perStep = (stated.tokens ? t.tokensPerSecond.value_or(0) : t.samplesPerSecond) * t.stepTime;
    const char* what = stated.tokens ? "tokens" : "samples";
    page.equation(fmt::format("steps = {0} / {0} of a step, rounded up", what),
                  fmt::format("{} / {} = {}", countText(amount->value), countText(perStep), countText(run.steps)));
    page.constant(what, *amount);
  }

  void failing() const {
    if (!stated.mtbf) {
      page.fact("mtbf", "not given: no failures are counted");
      return;
    }
    page.equation("M = mtbf / devices",
                  fmt::format("{} / {} = {}", time(stated.mtbf->value), countText(devices), time(run.terms.mtbf)));
    page.constant("mtbf", *stated.mtbf);
  }

  void saving() const {
    if (run.terms.every <= 0) {
      page.fact("every", "no checkpoint is taken");
      return;
    }
    if (!stated.every)
      page.equation(
          "every = √(2 · checkpoint · M), best to first order (Young 1974; Daly 2006)",
          fmt::format("√(2 · {} · {}) = {}", time(run.terms.checkpoint), time(run.terms.mtbf), time(run.terms.every)));
    constant("every", stated.every);
    if (run.terms.segment() < run.terms.every)
      page.equation(std::string(kSegment), fmt::format("min({}, {}) = {}", time(run.terms.every), time(run.terms.work),
                                                       time(run.terms.segment())));
    if (const ir::Number* storage = cluster.number(ir::ClusterFact::Storage); storage && !stated.checkpoint) {
      page.equation("checkpoint = states / storage",
                    fmt::format("{} / {} = {}", formatQuantity(run.checkpointBytes, units::bytes),
                                formatQuantity(storage->value, units::bandwidth), time(run.terms.checkpoint)));
      page.fact("states", "parameters that train, with their optimizer's states and master copies, each once");
      page.constant("storage", *storage);
    }
    constant("checkpoint", stated.checkpoint);
  }

  /// Writes the terms behind one part of the time.
  void terms(const RunPart& part) const {
    using cost::RunTimes;
    if (part.seconds == &RunTimes::productive) steps();
    if (part.seconds == &RunTimes::checkpointing || part.seconds == &RunTimes::lost) saving();
    if (part.seconds == &RunTimes::lost || part.seconds == &RunTimes::restarting) failing();
    if (part.seconds == &RunTimes::restarting) constant("restart", stated.restart);
    if (part.seconds == &RunTimes::unused) constant("utilisation", stated.utilisation);
  }

  void part(const RunPart& part) const {
    const double seconds = run.middle.times.*part.seconds;
    page.number(
        part.metric->label, time(seconds),
        fmt::format("{} of the run's {}", shareText(seconds / run.middle.times.time()), time(run.middle.times.time())));
    page.equation(equation(part), numbers(part));
    terms(part);
  }

  /// Returns the equation. In a run shorter than its interval, `segment` replaces `every`.
  std::string equation(const RunPart& part) const {
    std::string text(part.equation);
    if (run.terms.segment() < run.terms.every)
      for (size_t at = 0; (at = text.find("every", at)) != std::string::npos;) text.replace(at, 5, "segment");
    return text;
  }

  /// Returns the equation with numbers.
  std::string numbers(const RunPart& part) const {
    using cost::RunTimes;
    const cost::RunTerms& r = run.terms;
    const double seconds = run.middle.times.*part.seconds;
    const std::string segments = fmt::format("{} / {}", time(r.work), time(r.segment()));
    const std::string fails =
        fmt::format("(e^(({} + {}) / {}) - 1)", time(r.segment()), time(r.checkpoint), time(r.mtbf));
    std::string text;
    if (part.seconds == &RunTimes::productive)
      text = fmt::format("{} · {}", countText(run.steps), time(r.work / run.steps));
    else if (part.seconds == &RunTimes::unused)
      text = fmt::format("(1 / {} - 1) · {}", percentText(r.utilisation), time(run.middle.times.time() - seconds));
    else if (seconds <= 0)
      return {};
    else if (part.seconds == &RunTimes::checkpointing)
      text = fmt::format("{} · {}", segments, time(r.checkpoint));
    else if (part.seconds == &RunTimes::lost)
      text =
          fmt::format("{} · ({} · {} - {} - {})", segments, time(r.mtbf), fails, time(r.segment()), time(r.checkpoint));
    else
      text =
          fmt::format("{} · {} · {} · (e^({} / {}) - 1)", segments, fails, time(r.mtbf), time(r.restart), time(r.mtbf));
    return fmt::format("{} = {}", text, time(seconds));
  }
};

/// Returns `90 % interval … to …`, derived from the interval of the step time.
std::string interval(const ExplainInput& input, const verdict::Metric& amount) {
  const cost::Run& run = *input.report->estimate->run;
  if (!run.low) return "without an interval: the stack gives no `accuracy`";
  return fmt::format(
      "{:.0f} % interval {} to {}, as for the step time", 100 * input.report->estimate->totals.confidence.coverage,
      amountText(*amount.ofRun(*run.low), amount.unit), amountText(*amount.ofRun(*run.high), amount.unit));
}

/// Writes the heading of an amount that is a rate times device-hours. Returns false after writing `missing` if there is
/// no amount.
bool perDeviceHour(const RunPage& r, std::string_view metric, const char* missing) {
  const verdict::Metric& amount = *verdict::findMetric(metric);
  const auto value = amount.ofRun(r.run.middle);
  r.page.number(amount.label, value ? amountText(*value, amount.unit) : "-", value ? interval(r.input, amount) : "");
  if (!value) r.page.line(missing, 2);
  return value.has_value();
}

std::string hours(const RunPage& r) {
  return amountText(r.run.middle.deviceTime, units::deviceTime);
}

} // namespace

void explainRunTime(ExplainPage& page, const ExplainInput& input) {
  const RunPage r(page, input);
  const cost::RunTimes& t = r.run.middle.times;
  std::string about = lengthText(*input.report);
  if (r.run.low)
    about += fmt::format(", {:.0f} % interval {} to {}", 100 * input.report->estimate->totals.confidence.coverage,
                         time(r.run.low->times.time()), time(r.run.high->times.time()));
  page.number("run", time(t.time()), about);
  SumTable table(page, units::time);
  for (const RunPart& part : runParts()) table.add(std::string(part.metric->label), t.*part.seconds);
  table.write(t.time());
  for (const RunPart& part : runParts())
    if (t.*part.seconds > 0) page.gap(), r.part(part);
}

void explainRunPart(ExplainPage& page, const ExplainInput& input, std::string_view label) {
  const RunPage r(page, input);
  for (const RunPart& part : runParts())
    if (part.metric->label == label) r.part(part);
}

void explainGoodput(ExplainPage& page, const ExplainInput& input) {
  const RunPage r(page, input);
  const cost::RunTimes& t = r.run.middle.times;
  page.number("goodput", percentText(t.goodput()), r.run.terms.mtbf > 0 ? "" : goodputText(r.run));
  page.equation("productive / run",
                fmt::format("{} / {} = {}", time(t.productive), time(t.time()), percentText(t.goodput())));
  SumTable table(page, units::time);
  for (const RunPart& part : runParts()) table.add(std::string(part.metric->label), t.*part.seconds);
  table.write(t.time());
}

void explainFailures(ExplainPage& page, const ExplainInput& input) {
  const RunPage r(page, input);
  const cost::RunTimes& t = r.run.middle.times;
  page.number("failures", countText(t.failures), "expected in the run");
  if (r.stated.mtbf)
    page.equation("(run - not running) / M", fmt::format("{} / {} = {}", time(t.time() - t.unused),
                                                         time(r.run.terms.mtbf), countText(t.failures)));
  r.failing();
}

void explainCheckpoints(ExplainPage& page, const ExplainInput& input) {
  const RunPage r(page, input);
  page.number("checkpoints", countText(r.run.middle.times.checkpoints), "finished in the run");
  if (r.run.terms.every > 0)
    page.equation(r.run.terms.segment() < r.run.terms.every ? "productive / segment" : "productive / every",
                  fmt::format("{} / {} = {}", time(r.run.terms.work), time(r.run.terms.segment()),
                              countText(r.run.middle.times.checkpoints)));
  r.saving();
  if (!r.stated.every) r.failing();
}

void explainRunSteps(ExplainPage& page, const ExplainInput& input) {
  const RunPage r(page, input);
  page.number("steps", countText(r.run.steps), "of the run");
  r.steps();
}

void explainRunDeviceHours(ExplainPage& page, const ExplainInput& input) {
  const RunPage r(page, input);
  perDeviceHour(r, "run.device_hours", "");
  page.equation("devices · run",
                fmt::format("{} · {} = {}", countText(r.devices), time(r.run.middle.times.time()), hours(r)));
}

void explainRunCost(ExplainPage& page, const ExplainInput& input) {
  const RunPage r(page, input);
  if (!perDeviceHour(r, "run.cost", "neither the cluster nor its device gives a `price`")) return;
  const ir::Number& price = *r.cluster.priceOfDevice();
  page.equation("price · device-hours", fmt::format("{} · {} = {}", formatQuantity(price.value, units::price), hours(r),
                                                    amountText(*r.run.middle.cost, units::money)));
  page.constant(r.cluster.has(ir::ClusterFact::Price) ? "price of the cluster" : "price", price);
}

void explainRunEnergy(ExplainPage& page, const ExplainInput& input) {
  const RunPage r(page, input);
  if (!perDeviceHour(r, "run.energy", "the device gives no `power`")) return;
  const double pue = r.stated.pue ? r.stated.pue->value : 1;
  const ir::Number *power = r.cluster.device.number(ir::DeviceFact::Power),
                   *hostPower = r.cluster.number(ir::ClusterFact::HostPower);
  page.equation("(power + host_power) · device-hours · pue",
                fmt::format("({} + {}) · {} · {:.4g} = {}", formatQuantity(power->value, units::power),
                            formatQuantity(hostPower ? hostPower->value : 0, units::power), hours(r), pue,
                            formatQuantity(*r.run.middle.energyJoules, units::energy)));
  r.constant("power", power);
  r.constant("host_power", hostPower);
  if (!hostPower) page.fact("host", "the cluster gives no `host_power`: only its devices are counted");
  r.constant("pue", r.stated.pue);
  if (!r.stated.pue) page.fact("pue", "not given: 1");
}

void explainRunCarbon(ExplainPage& page, const ExplainInput& input) {
  const RunPage r(page, input);
  if (!perDeviceHour(r, "run.emissions", "the run gives no `carbon`, mass per energy: `carbon = 380g/kWh`")) return;
  page.equation("carbon · energy", fmt::format("{} · {} = {}", formatQuantity(r.stated.carbon->value, units::intensity),
                                               formatQuantity(*r.run.middle.energyJoules, units::energy),
                                               formatQuantity(*r.run.middle.carbonGrams, units::mass)));
  page.constant("carbon", *r.stated.carbon);
}

} // namespace planc::report
