// Explains numbers that follow from the step time: tokens and samples per second, rates of FLOPs, cost, energy; and
// counts.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/model/LayerTree.h"
#include "report/estimate/Lines.h"
#include "report/explain/ExplainParts.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>

namespace planc::report {
namespace {

constexpr double kSecondsPerHour = 3600, kTrillion = 1e12;

/// The numbers that these equations share.
struct Step {
  const cost::Totals& t;
  double devices, samples;
  explicit Step(const ExplainInput& input)
      : t(input.report->estimate->totals), devices(static_cast<double>(input.schedule->program->mesh.devices())),
        samples(static_cast<double>(input.report->plan->workload.globalBatch)) {}
  std::string time() const { return formatQuantity(t.stepTime, units::time); }
};

/// Writes `= A / step time = R` for an amount per step.
void perStep(ExplainPage& page, const Step& step, const char* what, double amount, const Unit& unit) {
  const std::string amountText = unit == units::flops ? formatQuantity(amount, unit) : countText(amount);
  page.equation(fmt::format("{} / step time", what),
                fmt::format("{} / {} = {}", amountText, step.time(),
                            formatQuantity(amount / step.t.stepTime, unit / units::time)));
}

/// Writes the peak behind a share: the fact of a single type; for several types the rate of a device that computes each
/// at its own peak.
void peaks(ExplainPage& page, const ExplainInput& input, const cost::Flops& flops) {
  if (flops.types.size() > 1) {
    std::string sum;
    for (const cost::TypedFlops& t : flops.types)
      sum += fmt::format("{}{} {} / {}", sum.empty() ? "" : " + ", formatQuantity(t.flops, units::flops),
                         ir::name(t.type), formatQuantity(t.peak, units::rate));
    page.equation("peak = FLOPs of a device / sum over types of FLOPs / peak of the type",
                  fmt::format("{} / ({}) = {}", formatQuantity(flops.sum(), units::flops), sum,
                              formatQuantity(flops.peak(), units::rate)));
  }
  for (const cost::TypedFlops& t : flops.types)
    if (const ir::Number* peak = input.facts->device.number(ir::DeviceFact::Peak, t.type))
      page.constant(ir::FactRef(ir::DeviceFact::Peak, t.type).path(), *peak);
}

/// Writes the FLOP rate of a device and its share of the peak.
void flopRate(ExplainPage& page, const ExplainInput& input, std::string_view name, const std::string& about,
              double rate, const char* share, double fraction, const cost::Flops& of) {
  const Step step(input);
  page.number(std::string(name), formatQuantity(rate, units::rate),
              fmt::format("per device, {} {}", percentText(fraction), share));
  page.line(about, 2);
  const double flops = rate * step.devices * step.t.stepTime;
  page.equation("FLOPs of a step / devices / step time",
                fmt::format("{} / {} / {} = {}", formatQuantity(flops, units::flops), countText(step.devices),
                            step.time(), formatQuantity(rate, units::rate)));
  if (of.types.empty()) return;
  page.equation(fmt::format("{} = rate / peak", share),
                fmt::format("{} / {} = {}", formatQuantity(rate, units::rate), formatQuantity(of.peak(), units::rate),
                            percentText(fraction)));
  peaks(page, input, of);
}

/// Writes the cost or energy of a device per time, over the step and over 10^12 tokens.
void perDevice(ExplainPage& page, const ExplainInput& input, const char* name, const ir::Number* rate,
               const std::optional<double>& amount, const std::optional<double>& trillion, const Unit& unit,
               const char* fact, const ir::Number* beside = nullptr) {
  const Step step(input);
  page.number(name, amount ? formatQuantity(*amount, unit) : "-", "per step");
  if (amount && rate) {
    const std::string both = beside ? fmt::format("({} + host_{})", fact, fact) : fact;
    std::string value = formatQuantity(rate->value, rate->unit);
    if (beside) value = fmt::format("({} + {})", value, formatQuantity(beside->value, beside->unit));
    page.equation(
        fmt::format("{} · devices · step time", both),
        fmt::format("{} · {} · {} = {}", value, countText(step.devices), step.time(), formatQuantity(*amount, unit)));
  }
  if (rate)
    page.constant(fact, *rate);
  else
    page.line(fmt::format("device `{}` gives no `{}`", input.facts->device.name.view(), fact), 2);
  if (rate && beside) page.constant(fmt::format("host_{}", fact), *beside);
  if (trillion && amount && *amount > 0)
    page.fact("10^12", fmt::format("{} per 10^12 tokens: {} steps", formatQuantity(*trillion, unit),
                                   countText(*trillion / *amount)));
}

} // namespace

void explainTokens(ExplainPage& page, const ExplainInput& input) {
  const Step step(input);
  const Unit rate = units::tokens / units::time;
  const std::optional<double>& tokens = step.t.tokensPerSecond;
  page.number("tokens", tokens ? formatQuantity(*tokens, rate) : "-");
  if (!tokens) {
    page.line("no input of the model counts tokens", 2);
    return;
  }
  const double all = *tokens * step.t.stepTime;
  perStep(page, step, "tokens of a step", all, units::tokens);
  page.fact("tokens", fmt::format("global batch {} x {} of a sample = {}", countText(step.samples),
                                  countText(all / step.samples), countText(all)));
  if (step.t.tokensPerSecondPerDevice)
    page.fact("device", fmt::format("{} on each of {}", formatQuantity(*step.t.tokensPerSecondPerDevice, rate),
                                    plural(step.devices, "device", "devices")));
}

void explainSamples(ExplainPage& page, const ExplainInput& input) {
  const Step step(input);
  page.number("samples", formatQuantity(step.t.samplesPerSecond, units::samples / units::time));
  perStep(page, step, "global batch", step.samples, units::samples);
}

void explainModelFlops(ExplainPage& page, const ExplainInput& input) {
  const cost::Totals& t = input.report->estimate->totals;
  flopRate(page, input, "model FLOPs",
           "products of the model's matrices and its attention, forward and once per operand with a gradient; no "
           "recomputation",
           t.modelRate, "MFU", t.mfu, t.modelFlops);
}

void explainCausalFlops(ExplainPage& page, const ExplainInput& input) {
  const cost::Totals& t = input.report->estimate->totals;
  flopRate(page, input, kCausalRate,
           fmt::format("model FLOPs with only the unmasked part of attention: {} here", percentText(t.unmasked)),
           t.modelRateCausal, "MFU", t.mfuCausal, t.modelFlopsCausal);
}

void explainHardwareFlops(ExplainPage& page, const ExplainInput& input) {
  const cost::Estimate& e = *input.report->estimate;
  const cost::Totals& t = e.totals;
  const bool again = recomputes(e);
  flopRate(page, input, again ? kRecomputedRate : kExecutedRate,
           fmt::format("executed products{}; a fused kernel skips masked pairs, two products of attention compute "
                       "them; mean of the devices",
                       again ? ", recomputation included" : ""),
           t.hardwareRate, "HFU", t.hfu, t.hardwareFlops);
}

void explainDeviceHours(ExplainPage& page, const ExplainInput& input) {
  const Step step(input);
  auto text = [](double hours) { return formatQuantity(hours * kSecondsPerHour, units::deviceTime); };
  const double hours = step.t.deviceHours.value_or(0);
  page.number("device-hours", text(hours), "per step");
  page.equation("devices · step time", fmt::format("{} · {} = {}", countText(step.devices), step.time(), text(hours)));
  if (step.t.deviceHoursPer1t && hours > 0)
    page.fact("10^12", fmt::format("{} per 10^12 tokens: {} steps of {} tokens", text(*step.t.deviceHoursPer1t),
                                   countText(*step.t.deviceHoursPer1t / hours),
                                   countText(kTrillion * hours / *step.t.deviceHoursPer1t)));
}

void explainCost(ExplainPage& page, const ExplainInput& input) {
  const cost::Totals& t = input.report->estimate->totals;
  perDevice(page, input, "cost", input.facts->cluster.priceOfDevice(), t.cost, t.costPer1t, units::money, "price");
}

void explainEnergy(ExplainPage& page, const ExplainInput& input) {
  const cost::Totals& t = input.report->estimate->totals;
  perDevice(page, input, "energy", input.facts->device.number(ir::DeviceFact::Power), t.energyJoules,
            t.energyPer1tJoules, units::energy, "power", input.facts->cluster.number(ir::ClusterFact::HostPower));
}

namespace {

/// Returns the elements of the parameters by the row of the report that reads them first.
std::vector<std::pair<std::string, double>> parametersByRow(const ir::Model& model) {
  const ir::LayerTree tree(model);
  std::vector<std::pair<std::string, double>> rows;
  std::map<uint32_t, size_t> seen;
  for (uint32_t i = 0; i < model.ops.size(); ++i)
    for (const ir::Operand& operand : model.ops[ir::OpId(i)].operands) {
      const ir::Value& value = model.values[operand.value];
      const bool tied = value.storage.valid() && value.storage != operand.value; // counted with its owner
      if (value.kind != ir::ValueKind::Param || tied || !seen.emplace(operand.value.index, i).second) continue;
      double elements = static_cast<double>(model.times(value.region));
      for (ir::DimId d : value.dims) elements *= static_cast<double>(model.dims[d].extent);
      const std::string path = ir::join(tree.rowOf(ir::OpId(i)));
      auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.first == path; });
      if (row == rows.end()) row = rows.insert(rows.end(), {path, 0});
      row->second += elements;
    }
  return rows;
}

} // namespace

void explainParameters(ExplainPage& page, const ExplainInput& input) {
  const cost::Totals& t = input.report->estimate->totals;
  page.number(
      "parameters", countText(t.params),
      t.paramsActive < t.params
          ? fmt::format("of all layers, {} active: only the experts that a token is sent to", countText(t.paramsActive))
          : "of all layers");
  SumTable table(page, units::none);
  for (const auto& [path, elements] : parametersByRow(*input.report->plan->model)) table.add(path, elements);
  table.write(t.params);
}

void explainMicroBatches(ExplainPage& page, const ExplainInput& input) {
  const ir::Workload& w = input.report->plan->workload;
  const auto count = static_cast<double>(input.schedule->program->microBatches);
  const double each = static_cast<double>(w.microBatch), all = static_cast<double>(w.globalBatch);
  page.number("micro-batches", countText(count), "per step");
  if (count * each > 0)
    page.equation("global batch / (micro-batch · copies of the batch)",
                  fmt::format("{} / ({} · {}) = {}", countText(all), countText(each), countText(all / (count * each)),
                              countText(count)));
}

} // namespace planc::report
