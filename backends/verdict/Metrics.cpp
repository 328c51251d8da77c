// The table of metrics: a row for every number that a plan may name in assert, measured, where and minimize.
// SPDX-License-Identifier: Apache-2.0
#include "ir/vocabulary/Metrics.h"

#include "backends/verdict/Metric.h"

#include <deque>

namespace planc::verdict {
namespace {

using cost::Estimate;
using cost::LayerRow;
using cost::RunAmounts;
using Value = std::optional<double>;

template <double cost::RunTimes::*part> Value partOfRun(const RunAmounts& a) {
  return a.times.*part;
}
/// Terms that a run does not have are 0.
template <double cost::RunTerms::*term> Value termOfRun(const Estimate& e) {
  return e.run && e.run->terms.*term > 0 ? Value(e.run->terms.*term) : Value();
}

const Unit kTokenRate = units::tokens / units::time;
const Unit kSampleRate = units::samples / units::time;

constexpr const ir::Word* wordFor(std::string_view name) {
  return ir::wordOf(ir::kMetricWords, name);
}

/// The part of an estimate that ends of intervals are read from.
constexpr cost::Wanted kInterval{false, true};
/// Counting full attention can double a rate; a plan may need twice the memory that there is.
constexpr double kTwice = 2;
constexpr Whole kPeak{"the peak", kTwice, true}, kStep{"step_time"}, kBubble{"bubble"}, kRun{"run.days"},
    kMemory{"memory.peak"}, kCapacity{"memory.capacity", kTwice};
using enum Breakdown;
constexpr std::string_view kCarbon = "carbon = 380g/kWh";

/// A row, built from what most metrics have and what some of them have.
struct MetricRow : Metric {
  constexpr MetricRow(std::string_view name, const Unit& in, std::string_view field, Value (*reader)(const Estimate&))
      : Metric{wordFor(name), in, field, reader} {}
  constexpr MetricRow(std::string_view name, const Unit& in, std::string_view field, Value (*reader)(const RunAmounts&))
      : Metric{wordFor(name), in, field, nullptr, reader} {}
  constexpr MetricRow(std::string_view name, const Unit& in, std::string_view field, double LayerRow::*number)
      : Metric{wordFor(name), in, field, nullptr, nullptr, number} {}

  constexpr MetricRow& labelled(std::string_view text) { return label = text, *this; }
  constexpr MetricRow& scaled(double base) { return scale = base, *this; }
  constexpr MetricRow& truth() { return isBool = true, *this; }
  constexpr MetricRow& rises() { return follows = Follows::Rises, *this; }
  constexpr MetricRow& perTime() { return power = 1, rises(); }
  constexpr MetricRow& perSecond() { return power = -1, *this; }
  constexpr MetricRow& rate() { return follows = Follows::Falls, perSecond(); }
  constexpr MetricRow& partOf(Whole of) { return whole = of, *this; }
  constexpr MetricRow& needing(std::string_view fact) { return needs = fact, *this; }
  constexpr MetricRow& readsRows() { return wanted = {true, false}, *this; }
  constexpr MetricRow& by(Breakdown rows) { return breakdown = rows, *this; }
  constexpr MetricRow& withEnds() { return interval = true, *this; }
};

#define PLANC_STEP(expression) [](const Estimate& e) -> Value { return expression; }
#define PLANC_RUN(expression) [](const RunAmounts& a) -> Value { return expression; }

/// In the order of the JSON report.
// clang-format off
constexpr MetricRow kMetrics[] = {
    MetricRow("step_time", units::time, "totals.step_time_s", PLANC_STEP(e.totals.stepTime))
        .labelled("step time").perTime().by(Step).withEnds(),
    MetricRow("tokens_per_second", kTokenRate, "totals.tokens_per_s", PLANC_STEP(e.totals.tokensPerSecond))
        .labelled("tokens").rate().by(Step).withEnds(),
    MetricRow("tokens_per_second_per_device", kTokenRate, "totals.tokens_per_s_per_device",
        PLANC_STEP(e.totals.tokensPerSecondPerDevice))
        .labelled("tokens").rate().by(Step),
    MetricRow("samples_per_second", kSampleRate, "totals.samples_per_s", PLANC_STEP(e.totals.samplesPerSecond))
        .labelled("samples").rate().by(Step).withEnds(),
    MetricRow("model_rate", units::rate, "totals.model_tflops_per_device", PLANC_STEP(e.totals.modelRate))
        .labelled("model FLOPs").perSecond().by(Step),
    MetricRow("model_rate_causal", units::rate, "totals.model_tflops_per_device_causal",
        PLANC_STEP(e.totals.modelRateCausal))
        .labelled("with attention masked").perSecond().by(Step),
    MetricRow("hardware_rate", units::rate, "totals.hardware_tflops_per_device", PLANC_STEP(e.totals.hardwareRate))
        .labelled("executed FLOPs").perSecond().by(Step),
    MetricRow("mfu", units::none, "totals.mfu", PLANC_STEP(e.totals.mfu))
        .labelled("model FLOPs").perSecond().partOf(kPeak).by(Step).withEnds(),
    MetricRow("mfu_causal", units::none, "totals.mfu_causal", PLANC_STEP(e.totals.mfuCausal))
        .labelled("with attention masked").perSecond().partOf(kPeak).by(Step),
    MetricRow("hfu", units::none, "totals.hfu", PLANC_STEP(e.totals.hfu))
        .labelled("executed FLOPs").perSecond().partOf(kPeak).by(Step),
    MetricRow("compute", units::time, "totals.compute_s", PLANC_STEP(e.totals.compute))
        .labelled("compute").partOf(kStep).by(Compute),
    MetricRow("comm.total", units::time, "totals.comm_s", PLANC_STEP(e.totals.comm))
        .labelled("communication").readsRows().by(Communication),
    MetricRow("comm.exposed", units::time, "totals.exposed_comm_s", PLANC_STEP(e.totals.exposedComm))
        .labelled("exposed communication").partOf(kStep).by(Exposed),
    MetricRow("slowed", units::time, "totals.slowed_s", PLANC_STEP(e.totals.slowed))
        .labelled("slowed by communication").partOf(kStep).by(Slowed),
    MetricRow("launches", units::time, "totals.launches_s", PLANC_STEP(e.totals.launches))
        .labelled("host launches").partOf(kStep).by(Launches),
    MetricRow("bubble", units::time, "totals.bubble_s", PLANC_STEP(e.totals.bubble))
        .labelled("pipeline bubble").partOf(kStep),
    MetricRow("bubble.even", units::time, "totals.bubble_even_s", PLANC_STEP(e.totals.bubbleEven))
        .labelled("equal stages").partOf(kBubble).readsRows(),
    MetricRow("bubble.imbalance", units::time, "totals.bubble_imbalance_s", PLANC_STEP(e.totals.bubbleImbalance))
        .labelled("imbalance").partOf(kBubble).readsRows(),
    MetricRow("optimizer", units::time, "totals.optimizer_s", PLANC_STEP(e.totals.optimizer))
        .labelled("optimizer").partOf(kStep),
    MetricRow("overhead", units::time, "totals.overhead_s", PLANC_STEP(e.totals.overhead))
        .labelled("overhead").partOf(kStep),
    MetricRow("straggler", units::time, "totals.straggler_s", PLANC_STEP(e.totals.straggler))
        .labelled("straggler").partOf(kStep),
    MetricRow("params", units::none, "totals.params", PLANC_STEP(e.totals.params)).labelled("parameters").by(Params),
    MetricRow("params.active", units::none, "totals.params_active", PLANC_STEP(e.totals.paramsActive))
        .labelled("parameters").partOf({"params"}).by(Params),
    MetricRow("cluster.devices", units::none, "devices", PLANC_STEP(e.totals.devices)),
    MetricRow("device_hours", units::deviceTime, "totals.device_hours", PLANC_STEP(e.totals.deviceHours))
        .labelled("device-hours").scaled(kHour).perTime().by(Step).withEnds(),
    MetricRow("cost", units::money, "totals.cost_usd", PLANC_STEP(e.totals.cost))
        .labelled("cost").perTime().by(Step).withEnds(),
    MetricRow("energy", units::energy, "totals.energy_kwh", PLANC_STEP(e.totals.energyJoules))
        .labelled("energy").perTime().by(Step).withEnds(),
    MetricRow("device_hours.per_1t_tokens", units::deviceTime, "totals.device_hours_per_1t_tokens",
        PLANC_STEP(e.totals.deviceHoursPer1t))
        .labelled("device-hours").scaled(kHour).perTime().by(Step),
    MetricRow("cost.per_1t_tokens", units::money, "totals.cost_usd_per_1t_tokens", PLANC_STEP(e.totals.costPer1t))
        .labelled("cost").perTime().by(Step),
    MetricRow("energy.per_1t_tokens", units::energy, "totals.energy_kwh_per_1t_tokens",
        PLANC_STEP(e.totals.energyPer1tJoules))
        .labelled("energy").perTime().by(Step),
    MetricRow("memory.peak", units::bytes, "memory.peak_bytes", PLANC_STEP(e.memory.peak))
        .labelled("memory").rises().partOf(kCapacity).by(Memory),
    MetricRow("memory.pool", units::bytes, "memory.pool_bytes", PLANC_STEP(e.memory.pool))
        .labelled("the allocator holds").partOf(kCapacity).by(Memory),
    MetricRow("memory.capacity", units::bytes, "memory.capacity_bytes", PLANC_STEP(e.memory.capacity))
        .labelled("memory"),
    MetricRow("memory.fits", units::none, "memory.fits", PLANC_STEP(e.memory.fits ? 1.0 : 0.0))
        .labelled("memory").truth().by(Memory),
    MetricRow("memory.fits_probability", units::none, "memory.fits_probability", PLANC_STEP(e.memory.fitsProbability))
        .labelled("sure to fit").partOf({"certainty", 1, true}).by(Memory),
    MetricRow("memory.params", units::bytes, "memory.params_bytes", PLANC_STEP(e.memory.params))
        .labelled("memory").partOf(kMemory).by(Memory),
    MetricRow("memory.grads", units::bytes, "memory.grads_bytes", PLANC_STEP(e.memory.grads))
        .labelled("memory").partOf(kMemory).by(Memory),
    MetricRow("memory.optimizer", units::bytes, "memory.optimizer_bytes", PLANC_STEP(e.memory.optimizer))
        .labelled("memory").partOf(kMemory).by(Memory),
    MetricRow("memory.activations", units::bytes, "memory.activations_bytes", PLANC_STEP(e.memory.activations))
        .labelled("memory").partOf(kMemory).by(Memory),
    MetricRow("memory.buffers", units::bytes, "memory.buffers_bytes", PLANC_STEP(e.memory.buffers))
        .labelled("memory").partOf(kMemory).by(Memory),
    MetricRow("layer.forward", units::time, "layers[].forward_s", &LayerRow::forward).readsRows(),
    MetricRow("layer.backward", units::time, "layers[].backward_s", &LayerRow::backward).readsRows(),
    MetricRow("layer.recompute", units::time, "layers[].recompute_s", &LayerRow::recompute).readsRows(),
    MetricRow("layer.comm", units::time, "layers[].comm_s", &LayerRow::comm).readsRows(),
    MetricRow("layer.exposed", units::time, "layers[].exposed_comm_s", &LayerRow::exposed).readsRows(),
    MetricRow("run.days", units::time, "run.days", PLANC_RUN(a.times.time())).labelled("run").by(Run).withEnds(),
    MetricRow("run.device_hours", units::deviceTime, "run.device_hours", PLANC_RUN(a.deviceTime))
        .labelled("run device-hours").by(Run).withEnds(),
    MetricRow("run.cost", units::money, "run.cost_usd", PLANC_RUN(a.cost)).labelled("run cost").by(Run).withEnds(),
    MetricRow("run.energy", units::energy, "run.energy_kwh", PLANC_RUN(a.energyJoules))
        .labelled("run energy").by(Run).withEnds(),
    MetricRow("run.emissions", units::mass, "run.carbon_kg", PLANC_RUN(a.carbonGrams))
        .labelled("run carbon").needing(kCarbon).by(Run).withEnds(),
    MetricRow("run.goodput", units::none, "run.goodput", PLANC_RUN(a.times.goodput()))
        .labelled("goodput").partOf({"the run", 1, true}).by(Run),
    MetricRow("run.productive", units::time, "run.productive_s", partOfRun<&cost::RunTimes::productive>)
        .labelled("productive").partOf(kRun).by(Run),
    MetricRow("run.checkpointing", units::time, "run.checkpointing_s", partOfRun<&cost::RunTimes::checkpointing>)
        .labelled("checkpointing").partOf(kRun).by(Run),
    MetricRow("run.lost", units::time, "run.lost_s", partOfRun<&cost::RunTimes::lost>)
        .labelled("lost").partOf(kRun).by(Run),
    MetricRow("run.restarting", units::time, "run.restarting_s", partOfRun<&cost::RunTimes::restarting>)
        .labelled("restarting").partOf(kRun).by(Run),
    MetricRow("run.unused", units::time, "run.unused_s", partOfRun<&cost::RunTimes::unused>)
        .labelled("not running").partOf(kRun).by(Run),
    MetricRow("run.failures", units::none, "run.failures", partOfRun<&cost::RunTimes::failures>)
        .labelled("failures").by(Run),
    MetricRow("run.checkpoints", units::none, "run.checkpoints", partOfRun<&cost::RunTimes::checkpoints>)
        .labelled("checkpoints").by(Run),
    MetricRow("run.steps", units::none, "run.steps", PLANC_STEP(e.run ? Value(e.run->steps) : Value()))
        .labelled("steps").by(Run),
    MetricRow("run.job_mtbf", units::time, "run.mtbf_s", termOfRun<&cost::RunTerms::mtbf>)
        .labelled("failures").needing("mtbf = 50000h").by(Run),
    MetricRow("run.every", units::time, "run.every_s", termOfRun<&cost::RunTerms::every>)
        .labelled("checkpoints").needing("every = 30min").by(Run),
    MetricRow("run.checkpoint", units::time, "run.checkpoint_s", termOfRun<&cost::RunTerms::checkpoint>)
        .labelled("checkpoints").needing("checkpoint = 3min").by(Run),
    MetricRow("run.checkpoint_bytes", units::bytes, "run.checkpoint_bytes",
        PLANC_STEP(e.run ? Value(e.run->checkpointBytes) : Value()))
        .labelled("checkpoints").by(Run),
};
// clang-format on

#undef PLANC_STEP
#undef PLANC_RUN

/// Whether `name` is a metric of the row, or an end of its interval.
constexpr bool names(const Metric& row, std::string_view name) {
  const std::string_view base = row.word->name;
  return name.starts_with(base) && (name == base || (row.interval && (name.substr(base.size()) == ".low" ||
                                                                      name.substr(base.size()) == ".high")));
}
constexpr bool everyWordHasOneRow() {
  for (const ir::Word& word : ir::kMetricWords)
    if (std::count_if(std::begin(kMetrics), std::end(kMetrics),
                      [&](const Metric& row) { return names(row, word.name); }) != 1)
      return false;
  return true;
}
static_assert(everyWordHasOneRow(), "every word of ir/vocabulary/Metrics.h has one row here");

/// `totals.step_time_low_s` for `totals.step_time_s`: the unit stays at the end.
std::string fieldOfEnd(std::string_view field, std::string_view end) {
  for (const std::string_view unit : {"_per_s", "_s", "_usd", "_kwh", "_kg"})
    if (field.ends_with(unit))
      return std::string(field.substr(0, field.size() - unit.size())) + "_" + std::string(end) + std::string(unit);
  return std::string(field) + "_" + std::string(end);
}

/// The rows with those of the ends of their intervals. The ends are never bounded or scaled by themselves.
struct AllRows {
  std::deque<Metric> rows;
  std::deque<std::string> fields;

  AllRows() {
    for (const Metric& row : kMetrics) {
      const Metric& metric = rows.emplace_back(row);
      if (row.interval) add(metric, End::Low, "low"), add(metric, End::High, "high");
    }
  }
  void add(const Metric& of, End end, const std::string& name) {
    Metric& row = rows.emplace_back(of);
    row.word = ir::metricWords().find(std::string(of.name()) + "." + name);
    row.jsonField = fields.emplace_back(fieldOfEnd(of.jsonField, name));
    row.wanted = kInterval;
    row.follows = Follows::None;
    row.power = 0;
    row.interval = false;
    row.end = end;
    row.middle = &of;
  }
};

/// The amounts of the run at an end of the interval of the step time; null without a run or an interval.
const RunAmounts* amountsOf(const Estimate& e, End end) {
  if (!e.run) return nullptr;
  if (end == End::Middle) return &e.run->middle;
  const auto& amounts = end == End::Low ? e.run->low : e.run->high;
  return amounts ? &*amounts : nullptr;
}

} // namespace

std::optional<double> Metric::read(const Estimate& e) const {
  if (ofRun) {
    const RunAmounts* amounts = amountsOf(e, end);
    return amounts ? ofRun(*amounts) : Value();
  }
  Value value = ofStep(e);
  if (end != End::Middle) { // a rate is lowest at the upper end of the step time
    const bool rises = middle->power > 0, low = (end == End::Low) == rises;
    const double multiple = low ? e.totals.confidence.low : e.totals.confidence.high;
    value = e.totals.scaled(value, rises ? multiple : 1 / multiple);
  }
  return value ? Value(*value * scale) : value;
}

ir::Implementations<Metric>& metrics() {
  static const AllRows rows;
  static ir::Implementations<Metric> table(ir::metricWords(), rows.rows);
  return table;
}

const Metric* findMetric(std::string_view name) {
  return metrics().find(name);
}

std::vector<const Metric*> partsOf(std::string_view whole) {
  std::vector<const Metric*> parts;
  const auto isPart = [&](const Metric* metric) {
    for (; metric && !metric->whole.name.empty() && !metric->whole.inWords; metric = findMetric(metric->whole.name))
      if (metric->whole.name == whole) return true;
    return false;
  };
  for (const Metric* metric : metrics().rows())
    if (isPart(metric)) parts.push_back(metric);
  return parts;
}

} // namespace planc::verdict
