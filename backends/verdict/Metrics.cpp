// The metric table: every number that a plan may name in assert, measured, where and minimize, and its field in the
// JSON report.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/Verdict.h"

#include <algorithm>

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
Value perTime(const Estimate& e, const Value& rate, double times) {
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

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> table = {
      {"step_time", units::time, false, "totals.step_time_s", PLANC_READ(e.totals.stepTime)},
      {"step_time.low", units::time, false, "totals.step_time_low_s", PLANC_READ(e.totals.stepTimeLow())},
      {"step_time.high", units::time, false, "totals.step_time_high_s", PLANC_READ(e.totals.stepTimeHigh())},
      {"tokens_per_second", kTokenRate, false, "totals.tokens_per_s", PLANC_READ(e.totals.tokensPerSecond)},
      {"tokens_per_second.low", kTokenRate, false, "totals.tokens_low_per_s",
       PLANC_READ(perTime(e, e.totals.tokensPerSecond, e.totals.confidence.high))},
      {"tokens_per_second.high", kTokenRate, false, "totals.tokens_high_per_s",
       PLANC_READ(perTime(e, e.totals.tokensPerSecond, e.totals.confidence.low))},
      {"tokens_per_second_per_device", kTokenRate, false, "totals.tokens_per_s_per_device",
       PLANC_READ(e.totals.tokensPerSecondPerDevice)},
      {"samples_per_second", kSampleRate, false, "totals.samples_per_s", PLANC_READ(e.totals.samplesPerSecond)},
      {"samples_per_second.low", kSampleRate, false, "totals.samples_low_per_s",
       PLANC_READ(perTime(e, e.totals.samplesPerSecond, e.totals.confidence.high))},
      {"samples_per_second.high", kSampleRate, false, "totals.samples_high_per_s",
       PLANC_READ(perTime(e, e.totals.samplesPerSecond, e.totals.confidence.low))},
      {"model_rate", units::rate, false, "totals.model_tflops_per_device", PLANC_READ(e.totals.modelRate)},
      {"model_rate_causal", units::rate, false, "totals.model_tflops_per_device_causal",
       PLANC_READ(e.totals.modelRateCausal)},
      {"hardware_rate", units::rate, false, "totals.hardware_tflops_per_device", PLANC_READ(e.totals.hardwareRate)},
      {"mfu", units::none, false, "totals.mfu", PLANC_READ(e.totals.mfu)},
      {"mfu.low", units::none, false, "totals.mfu_low", PLANC_READ(perTime(e, e.totals.mfu, e.totals.confidence.high))},
      {"mfu.high", units::none, false, "totals.mfu_high",
       PLANC_READ(perTime(e, e.totals.mfu, e.totals.confidence.low))},
      {"mfu_causal", units::none, false, "totals.mfu_causal", PLANC_READ(e.totals.mfuCausal)},
      {"hfu", units::none, false, "totals.hfu", PLANC_READ(e.totals.hfu)},
      {"compute", units::time, false, "totals.compute_s", PLANC_READ(e.totals.compute)},
      {"comm.total", units::time, false, "totals.comm_s", PLANC_READ(e.totals.comm)},
      {"comm.exposed", units::time, false, "totals.exposed_comm_s", PLANC_READ(e.totals.exposedComm)},
      {"slowed", units::time, false, "totals.slowed_s", PLANC_READ(e.totals.slowed)},
      {"launches", units::time, false, "totals.launches_s", PLANC_READ(e.totals.launches)},
      {"bubble", units::time, false, "totals.bubble_s", PLANC_READ(e.totals.bubble)},
      {"bubble.even", units::time, false, "totals.bubble_even_s", PLANC_READ(e.totals.bubbleEven)},
      {"bubble.imbalance", units::time, false, "totals.bubble_imbalance_s", PLANC_READ(e.totals.bubbleImbalance)},
      {"optimizer", units::time, false, "totals.optimizer_s", PLANC_READ(e.totals.optimizer)},
      {"overhead", units::time, false, "totals.overhead_s", PLANC_READ(e.totals.overhead)},
      {"straggler", units::time, false, "totals.straggler_s", PLANC_READ(e.totals.straggler)},
      {"params", units::none, false, "totals.params", PLANC_READ(e.totals.params)},
      {"params.active", units::none, false, "totals.params_active", PLANC_READ(e.totals.paramsActive)},
      {"device_hours", units::deviceTime, false, "totals.device_hours", PLANC_READ(seconds(e.totals.deviceHours))},
      {"device_hours.low", units::deviceTime, false, "totals.device_hours_low",
       PLANC_READ(seconds(e.totals.lowOf(e.totals.deviceHours)))},
      {"device_hours.high", units::deviceTime, false, "totals.device_hours_high",
       PLANC_READ(seconds(e.totals.highOf(e.totals.deviceHours)))},
      {"cost", units::money, false, "totals.cost_usd", PLANC_READ(e.totals.cost)},
      {"cost.low", units::money, false, "totals.cost_low_usd", PLANC_READ(e.totals.lowOf(e.totals.cost))},
      {"cost.high", units::money, false, "totals.cost_high_usd", PLANC_READ(e.totals.highOf(e.totals.cost))},
      {"energy", units::energy, false, "totals.energy_kwh", PLANC_READ(e.totals.energyJoules)},
      {"energy.low", units::energy, false, "totals.energy_low_kwh", PLANC_READ(e.totals.lowOf(e.totals.energyJoules))},
      {"energy.high", units::energy, false, "totals.energy_high_kwh",
       PLANC_READ(e.totals.highOf(e.totals.energyJoules))},
      {"device_hours.per_1t_tokens", units::deviceTime, false, "totals.device_hours_per_1t_tokens",
       PLANC_READ(seconds(e.totals.deviceHoursPer1t))},
      {"cost.per_1t_tokens", units::money, false, "totals.cost_usd_per_1t_tokens", PLANC_READ(e.totals.costPer1t)},
      {"energy.per_1t_tokens", units::energy, false, "totals.energy_kwh_per_1t_tokens",
       PLANC_READ(e.totals.energyPer1tJoules)},
      {"memory.peak", units::bytes, false, "memory.peak_bytes", PLANC_READ(e.memory.peak)},
      {"memory.capacity", units::bytes, false, "memory.capacity_bytes", PLANC_READ(e.memory.capacity)},
      {"memory.fits", units::none, true, "memory.fits", PLANC_READ(e.memory.fits ? 1.0 : 0.0)},
      {"memory.params", units::bytes, false, "memory.params_bytes", PLANC_READ(e.memory.params)},
      {"memory.grads", units::bytes, false, "memory.grads_bytes", PLANC_READ(e.memory.grads)},
      {"memory.optimizer", units::bytes, false, "memory.optimizer_bytes", PLANC_READ(e.memory.optimizer)},
      {"memory.activations", units::bytes, false, "memory.activations_bytes", PLANC_READ(e.memory.activations)},
      {"memory.buffers", units::bytes, false, "memory.buffers_bytes", PLANC_READ(e.memory.buffers)},
      {"layer.forward", units::time, false, "layers[].forward_s", nullptr, &LayerRow::forward},
      {"layer.backward", units::time, false, "layers[].backward_s", nullptr, &LayerRow::backward},
      {"layer.recompute", units::time, false, "layers[].recompute_s", nullptr, &LayerRow::recompute},
      {"layer.comm", units::time, false, "layers[].comm_s", nullptr, &LayerRow::comm},
      {"layer.exposed", units::time, false, "layers[].exposed_comm_s", nullptr, &LayerRow::exposed},
      {"run.days", units::time, false, "run.days", ofRun<runTime>},
      {"run.days.low", units::time, false, "run.days_low", ofRunLow<runTime>},
      {"run.days.high", units::time, false, "run.days_high", ofRunHigh<runTime>},
      {"run.device_hours", units::deviceTime, false, "run.device_hours", ofRun<runDeviceTime>},
      {"run.device_hours.low", units::deviceTime, false, "run.device_hours_low", ofRunLow<runDeviceTime>},
      {"run.device_hours.high", units::deviceTime, false, "run.device_hours_high", ofRunHigh<runDeviceTime>},
      {"run.cost", units::money, false, "run.cost_usd", ofRun<runCost>},
      {"run.cost.low", units::money, false, "run.cost_low_usd", ofRunLow<runCost>},
      {"run.cost.high", units::money, false, "run.cost_high_usd", ofRunHigh<runCost>},
      {"run.energy", units::energy, false, "run.energy_kwh", ofRun<runEnergy>},
      {"run.energy.low", units::energy, false, "run.energy_low_kwh", ofRunLow<runEnergy>},
      {"run.energy.high", units::energy, false, "run.energy_high_kwh", ofRunHigh<runEnergy>},
      {"run.emissions", units::mass, false, "run.carbon_kg", ofRun<runCarbon>, nullptr, "carbon = 380g/kWh"},
      {"run.emissions.low", units::mass, false, "run.carbon_low_kg", ofRunLow<runCarbon>, nullptr, "carbon = 380g/kWh"},
      {"run.emissions.high", units::mass, false, "run.carbon_high_kg", ofRunHigh<runCarbon>, nullptr,
       "carbon = 380g/kWh"},
      {"run.goodput", units::none, false, "run.goodput", ofRun<runGoodput>},
      {"run.productive", units::time, false, "run.productive_s", partOfRun<&cost::RunTimes::productive>},
      {"run.checkpointing", units::time, false, "run.checkpointing_s", partOfRun<&cost::RunTimes::checkpointing>},
      {"run.lost", units::time, false, "run.lost_s", partOfRun<&cost::RunTimes::lost>},
      {"run.restarting", units::time, false, "run.restarting_s", partOfRun<&cost::RunTimes::restarting>},
      {"run.unused", units::time, false, "run.unused_s", partOfRun<&cost::RunTimes::unused>},
      {"run.failures", units::none, false, "run.failures", partOfRun<&cost::RunTimes::failures>},
      {"run.checkpoints", units::none, false, "run.checkpoints", partOfRun<&cost::RunTimes::checkpoints>},
      {"run.steps", units::none, false, "run.steps", PLANC_READ(e.run ? Value(e.run->steps) : Value())},
      {"run.job_mtbf", units::time, false, "run.mtbf_s", termOfRun<&cost::RunTerms::mtbf>, nullptr, "mtbf = 50000h"},
      {"run.every", units::time, false, "run.every_s", termOfRun<&cost::RunTerms::every>, nullptr, "every = 30min"},
      {"run.checkpoint", units::time, false, "run.checkpoint_s", termOfRun<&cost::RunTerms::checkpoint>, nullptr,
       "checkpoint = 3min"},
      {"run.checkpoint_bytes", units::bytes, false, "run.checkpoint_bytes",
       PLANC_READ(e.run ? Value(e.run->checkpointBytes) : Value())},
      {"ttft", units::time, false, "inference.ttft_s", noInference},
      {"tpot", units::time, false, "inference.tpot_s", noInference},
      {"throughput", kTokenRate, false, "inference.throughput_tokens_per_s", noInference},
      {"kv_cache", units::bytes, false, "inference.kv_cache_bytes", noInference},
  };
  return table;
}

#undef PLANC_READ

const Metric* findMetric(std::string_view name) {
  const auto& table = metrics();
  auto it = std::find_if(table.begin(), table.end(), [&](const Metric& m) { return m.name == name; });
  return it == table.end() ? nullptr : &*it;
}

} // namespace planc::verdict
