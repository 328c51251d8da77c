// How every number that a plan may name in assert, measured, where and minimize is read off an estimate, and its field
// in the JSON report.
// SPDX-License-Identifier: Apache-2.0
#include "ir/vocabulary/Metrics.h"

#include "backends/verdict/Verdict.h"

namespace planc::verdict {
namespace {

using cost::Estimate;
using cost::LayerRow;
using Value = std::optional<double>;

constexpr double kSecondsPerHour = 3600;

Value seconds(const Value& hours) {
  return hours ? Value(*hours * kSecondsPerHour) : Value();
}

/// An end of the interval of a rate: what the other end of the step time leaves of it.
Value rateAt(const Estimate& e, const Value& rate, double times) {
  return e.totals.scaled(rate, 1 / times);
}

// What a plan's `run` takes: none without one.
using cost::RunAmounts;
Value runTime(const RunAmounts& a) {
  return a.times.time();
}
Value runDeviceTime(const RunAmounts& a) {
  return a.deviceTime;
}
Value runCost(const RunAmounts& a) {
  return a.cost;
}
Value runEnergy(const RunAmounts& a) {
  return a.energyJoules;
}
Value runCarbon(const RunAmounts& a) {
  return a.carbonGrams;
}
Value runGoodput(const RunAmounts& a) {
  return a.times.goodput();
}
template <Value (*of)(const RunAmounts&)> Value ofRun(const Estimate& e) {
  return e.run ? of(e.run->middle) : Value();
}
template <Value (*of)(const RunAmounts&)> Value ofRunLow(const Estimate& e) {
  return e.run && e.run->low ? of(*e.run->low) : Value();
}
template <Value (*of)(const RunAmounts&)> Value ofRunHigh(const Estimate& e) {
  return e.run && e.run->high ? of(*e.run->high) : Value();
}
template <double cost::RunTimes::*part> Value partOfRun(const Estimate& e) {
  return e.run ? Value(e.run->middle.times.*part) : Value();
}
/// What a run does not have is 0 in its terms.
template <double cost::RunTerms::*term> Value termOfRun(const Estimate& e) {
  return e.run && e.run->terms.*term > 0 ? Value(e.run->terms.*term) : Value();
}

/// No workload of this version is an inference workload.
Value noInference(const Estimate&) {
  return {};
}

const Unit kTokenRate = units::tokens / units::time;
const Unit kSampleRate = units::samples / units::time;

} // namespace

#define PLANC_READ(expression) [](const Estimate& e) -> Value { return expression; }

namespace {

constexpr const ir::Word* metric(std::string_view name) {
  return ir::wordOf(ir::kMetricWords, name);
}

/// What the ends of intervals, and what rows compare, are read from.
constexpr cost::Wanted kInterval{false, true}, kRows{true, false};

/// Of numbers that follow from the step time, workload and machine alone, or from the memory.
constexpr Metric rising(Metric metric) {
  metric.follows = Follows::Rises;
  return metric;
}
constexpr Metric falling(Metric metric) {
  metric.follows = Follows::Falls;
  return metric;
}
/// A metric that grows in proportion to the step time: a time, a cost, an energy.
constexpr Metric perTime(Metric metric) {
  metric.power = 1;
  return metric;
}
/// A metric that falls in proportion to the step time: a rate.
constexpr Metric overTime(Metric metric) {
  metric.power = -1;
  return metric;
}

/// In the order of the JSON report.
constexpr Metric kMetrics[] = {
    perTime(rising({metric("step_time"), units::time, false, "totals.step_time_s", PLANC_READ(e.totals.stepTime)})),
    {metric("step_time.low"),
     units::time,
     false,
     "totals.step_time_low_s",
     PLANC_READ(e.totals.stepTimeLow()),
     nullptr,
     {},
     kInterval},
    {metric("step_time.high"),
     units::time,
     false,
     "totals.step_time_high_s",
     PLANC_READ(e.totals.stepTimeHigh()),
     nullptr,
     {},
     kInterval},
    overTime(falling(
        {metric("tokens_per_second"), kTokenRate, false, "totals.tokens_per_s", PLANC_READ(e.totals.tokensPerSecond)})),
    {metric("tokens_per_second.low"),
     kTokenRate,
     false,
     "totals.tokens_low_per_s",
     PLANC_READ(rateAt(e, e.totals.tokensPerSecond, e.totals.confidence.high)),
     nullptr,
     {},
     kInterval},
    {metric("tokens_per_second.high"),
     kTokenRate,
     false,
     "totals.tokens_high_per_s",
     PLANC_READ(rateAt(e, e.totals.tokensPerSecond, e.totals.confidence.low)),
     nullptr,
     {},
     kInterval},
    overTime(falling({metric("tokens_per_second_per_device"), kTokenRate, false, "totals.tokens_per_s_per_device",
                      PLANC_READ(e.totals.tokensPerSecondPerDevice)})),
    overTime(falling({metric("samples_per_second"), kSampleRate, false, "totals.samples_per_s",
                      PLANC_READ(e.totals.samplesPerSecond)})),
    {metric("samples_per_second.low"),
     kSampleRate,
     false,
     "totals.samples_low_per_s",
     PLANC_READ(rateAt(e, e.totals.samplesPerSecond, e.totals.confidence.high)),
     nullptr,
     {},
     kInterval},
    {metric("samples_per_second.high"),
     kSampleRate,
     false,
     "totals.samples_high_per_s",
     PLANC_READ(rateAt(e, e.totals.samplesPerSecond, e.totals.confidence.low)),
     nullptr,
     {},
     kInterval},
    overTime(
        {metric("model_rate"), units::rate, false, "totals.model_tflops_per_device", PLANC_READ(e.totals.modelRate)}),
    overTime({metric("model_rate_causal"), units::rate, false, "totals.model_tflops_per_device_causal",
              PLANC_READ(e.totals.modelRateCausal)}),
    overTime({metric("hardware_rate"), units::rate, false, "totals.hardware_tflops_per_device",
              PLANC_READ(e.totals.hardwareRate)}),
    overTime({metric("mfu"), units::none, false, "totals.mfu", PLANC_READ(e.totals.mfu)}),
    {metric("mfu.low"),
     units::none,
     false,
     "totals.mfu_low",
     PLANC_READ(rateAt(e, e.totals.mfu, e.totals.confidence.high)),
     nullptr,
     {},
     kInterval},
    {metric("mfu.high"),
     units::none,
     false,
     "totals.mfu_high",
     PLANC_READ(rateAt(e, e.totals.mfu, e.totals.confidence.low)),
     nullptr,
     {},
     kInterval},
    overTime({metric("mfu_causal"), units::none, false, "totals.mfu_causal", PLANC_READ(e.totals.mfuCausal)}),
    overTime({metric("hfu"), units::none, false, "totals.hfu", PLANC_READ(e.totals.hfu)}),
    {metric("compute"), units::time, false, "totals.compute_s", PLANC_READ(e.totals.compute)},
    {metric("comm.total"), units::time, false, "totals.comm_s", PLANC_READ(e.totals.comm), nullptr, {}, kRows},
    {metric("comm.exposed"), units::time, false, "totals.exposed_comm_s", PLANC_READ(e.totals.exposedComm)},
    {metric("slowed"), units::time, false, "totals.slowed_s", PLANC_READ(e.totals.slowed)},
    {metric("launches"), units::time, false, "totals.launches_s", PLANC_READ(e.totals.launches)},
    {metric("bubble"), units::time, false, "totals.bubble_s", PLANC_READ(e.totals.bubble)},
    {metric("bubble.even"),
     units::time,
     false,
     "totals.bubble_even_s",
     PLANC_READ(e.totals.bubbleEven),
     nullptr,
     {},
     kRows},
    {metric("bubble.imbalance"),
     units::time,
     false,
     "totals.bubble_imbalance_s",
     PLANC_READ(e.totals.bubbleImbalance),
     nullptr,
     {},
     kRows},
    {metric("optimizer"), units::time, false, "totals.optimizer_s", PLANC_READ(e.totals.optimizer)},
    {metric("overhead"), units::time, false, "totals.overhead_s", PLANC_READ(e.totals.overhead)},
    {metric("straggler"), units::time, false, "totals.straggler_s", PLANC_READ(e.totals.straggler)},
    {metric("params"), units::none, false, "totals.params", PLANC_READ(e.totals.params)},
    {metric("params.active"), units::none, false, "totals.params_active", PLANC_READ(e.totals.paramsActive)},
    {metric("cluster.devices"), units::none, false, "devices", PLANC_READ(e.totals.devices)},
    perTime(rising({metric("device_hours"), units::deviceTime, false, "totals.device_hours",
                    PLANC_READ(seconds(e.totals.deviceHours))})),
    {metric("device_hours.low"),
     units::deviceTime,
     false,
     "totals.device_hours_low",
     PLANC_READ(seconds(e.totals.lowOf(e.totals.deviceHours))),
     nullptr,
     {},
     kInterval},
    {metric("device_hours.high"),
     units::deviceTime,
     false,
     "totals.device_hours_high",
     PLANC_READ(seconds(e.totals.highOf(e.totals.deviceHours))),
     nullptr,
     {},
     kInterval},
    perTime(rising({metric("cost"), units::money, false, "totals.cost_usd", PLANC_READ(e.totals.cost)})),
    {metric("cost.low"),
     units::money,
     false,
     "totals.cost_low_usd",
     PLANC_READ(e.totals.lowOf(e.totals.cost)),
     nullptr,
     {},
     kInterval},
    {metric("cost.high"),
     units::money,
     false,
     "totals.cost_high_usd",
     PLANC_READ(e.totals.highOf(e.totals.cost)),
     nullptr,
     {},
     kInterval},
    perTime(rising({metric("energy"), units::energy, false, "totals.energy_kwh", PLANC_READ(e.totals.energyJoules)})),
    {metric("energy.low"),
     units::energy,
     false,
     "totals.energy_low_kwh",
     PLANC_READ(e.totals.lowOf(e.totals.energyJoules)),
     nullptr,
     {},
     kInterval},
    {metric("energy.high"),
     units::energy,
     false,
     "totals.energy_high_kwh",
     PLANC_READ(e.totals.highOf(e.totals.energyJoules)),
     nullptr,
     {},
     kInterval},
    perTime(rising({metric("device_hours.per_1t_tokens"), units::deviceTime, false, "totals.device_hours_per_1t_tokens",
                    PLANC_READ(seconds(e.totals.deviceHoursPer1t))})),
    perTime(rising({metric("cost.per_1t_tokens"), units::money, false, "totals.cost_usd_per_1t_tokens",
                    PLANC_READ(e.totals.costPer1t)})),
    perTime(rising({metric("energy.per_1t_tokens"), units::energy, false, "totals.energy_kwh_per_1t_tokens",
                    PLANC_READ(e.totals.energyPer1tJoules)})),
    rising({metric("memory.peak"), units::bytes, false, "memory.peak_bytes", PLANC_READ(e.memory.peak)}),
    {metric("memory.pool"), units::bytes, false, "memory.pool_bytes", PLANC_READ(e.memory.pool)},
    {metric("memory.capacity"), units::bytes, false, "memory.capacity_bytes", PLANC_READ(e.memory.capacity)},
    {metric("memory.fits"), units::none, true, "memory.fits", PLANC_READ(e.memory.fits ? 1.0 : 0.0)},
    {metric("memory.fits_probability"), units::none, false, "memory.fits_probability",
     PLANC_READ(e.memory.fitsProbability)},
    {metric("memory.params"), units::bytes, false, "memory.params_bytes", PLANC_READ(e.memory.params)},
    {metric("memory.grads"), units::bytes, false, "memory.grads_bytes", PLANC_READ(e.memory.grads)},
    {metric("memory.optimizer"), units::bytes, false, "memory.optimizer_bytes", PLANC_READ(e.memory.optimizer)},
    {metric("memory.activations"), units::bytes, false, "memory.activations_bytes", PLANC_READ(e.memory.activations)},
    {metric("memory.buffers"), units::bytes, false, "memory.buffers_bytes", PLANC_READ(e.memory.buffers)},
    {metric("layer.forward"), units::time, false, "layers[].forward_s", nullptr, &LayerRow::forward, {}, kRows},
    {metric("layer.backward"), units::time, false, "layers[].backward_s", nullptr, &LayerRow::backward, {}, kRows},
    {metric("layer.recompute"), units::time, false, "layers[].recompute_s", nullptr, &LayerRow::recompute, {}, kRows},
    {metric("layer.comm"), units::time, false, "layers[].comm_s", nullptr, &LayerRow::comm, {}, kRows},
    {metric("layer.exposed"), units::time, false, "layers[].exposed_comm_s", nullptr, &LayerRow::exposed, {}, kRows},
    {metric("run.days"), units::time, false, "run.days", ofRun<runTime>},
    {metric("run.days.low"), units::time, false, "run.days_low", ofRunLow<runTime>, nullptr, {}, kInterval},
    {metric("run.days.high"), units::time, false, "run.days_high", ofRunHigh<runTime>, nullptr, {}, kInterval},
    {metric("run.device_hours"), units::deviceTime, false, "run.device_hours", ofRun<runDeviceTime>},
    {metric("run.device_hours.low"),
     units::deviceTime,
     false,
     "run.device_hours_low",
     ofRunLow<runDeviceTime>,
     nullptr,
     {},
     kInterval},
    {metric("run.device_hours.high"),
     units::deviceTime,
     false,
     "run.device_hours_high",
     ofRunHigh<runDeviceTime>,
     nullptr,
     {},
     kInterval},
    {metric("run.cost"), units::money, false, "run.cost_usd", ofRun<runCost>},
    {metric("run.cost.low"), units::money, false, "run.cost_low_usd", ofRunLow<runCost>, nullptr, {}, kInterval},
    {metric("run.cost.high"), units::money, false, "run.cost_high_usd", ofRunHigh<runCost>, nullptr, {}, kInterval},
    {metric("run.energy"), units::energy, false, "run.energy_kwh", ofRun<runEnergy>},
    {metric("run.energy.low"), units::energy, false, "run.energy_low_kwh", ofRunLow<runEnergy>, nullptr, {}, kInterval},
    {metric("run.energy.high"),
     units::energy,
     false,
     "run.energy_high_kwh",
     ofRunHigh<runEnergy>,
     nullptr,
     {},
     kInterval},
    {metric("run.emissions"), units::mass, false, "run.carbon_kg", ofRun<runCarbon>, nullptr, "carbon = 380g/kWh"},
    {metric("run.emissions.low"), units::mass, false, "run.carbon_low_kg", ofRunLow<runCarbon>, nullptr,
     "carbon = 380g/kWh", kInterval},
    {metric("run.emissions.high"), units::mass, false, "run.carbon_high_kg", ofRunHigh<runCarbon>, nullptr,
     "carbon = 380g/kWh", kInterval},
    {metric("run.goodput"), units::none, false, "run.goodput", ofRun<runGoodput>},
    {metric("run.productive"), units::time, false, "run.productive_s", partOfRun<&cost::RunTimes::productive>},
    {metric("run.checkpointing"), units::time, false, "run.checkpointing_s", partOfRun<&cost::RunTimes::checkpointing>},
    {metric("run.lost"), units::time, false, "run.lost_s", partOfRun<&cost::RunTimes::lost>},
    {metric("run.restarting"), units::time, false, "run.restarting_s", partOfRun<&cost::RunTimes::restarting>},
    {metric("run.unused"), units::time, false, "run.unused_s", partOfRun<&cost::RunTimes::unused>},
    {metric("run.failures"), units::none, false, "run.failures", partOfRun<&cost::RunTimes::failures>},
    {metric("run.checkpoints"), units::none, false, "run.checkpoints", partOfRun<&cost::RunTimes::checkpoints>},
    {metric("run.steps"), units::none, false, "run.steps", PLANC_READ(e.run ? Value(e.run->steps) : Value())},
    {metric("run.job_mtbf"), units::time, false, "run.mtbf_s", termOfRun<&cost::RunTerms::mtbf>, nullptr,
     "mtbf = 50000h"},
    {metric("run.every"), units::time, false, "run.every_s", termOfRun<&cost::RunTerms::every>, nullptr,
     "every = 30min"},
    {metric("run.checkpoint"), units::time, false, "run.checkpoint_s", termOfRun<&cost::RunTerms::checkpoint>, nullptr,
     "checkpoint = 3min"},
    {metric("run.checkpoint_bytes"), units::bytes, false, "run.checkpoint_bytes",
     PLANC_READ(e.run ? Value(e.run->checkpointBytes) : Value())},
    {metric("ttft"), units::time, false, "inference.ttft_s", noInference},
    {metric("tpot"), units::time, false, "inference.tpot_s", noInference},
    {metric("throughput"), kTokenRate, false, "inference.throughput_tokens_per_s", noInference},
    {metric("kv_cache"), units::bytes, false, "inference.kv_cache_bytes", noInference},
};
static_assert(ir::complete(ir::kMetricWords, kMetrics),
              "every word of ir/vocabulary/Metrics.h has one row here, and every row its word");

} // namespace

#undef PLANC_READ

ir::Implementations<Metric>& metrics() {
  static ir::Implementations<Metric> table(ir::metricWords(), kMetrics);
  return table;
}

const Metric* findMetric(std::string_view name) {
  return metrics().find(name);
}

} // namespace planc::verdict
