// The result of pricing a schedule, as plain data: totals, memory, rows, a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/memory/Memory.h"
#include "backends/cost/price/Price.h"
#include "backends/cost/result/RunTimes.h"
#include "backends/cost/simulate/Account.h"
#include "backends/cost/simulate/TriedOrder.h"
#include "ir/layout/Layout.h"
#include "ir/program/Program.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::cost {

/// One row per (layer, stage). Layers do not nest, so rows add up. Numbers are per instance, micro-batch and device.
struct LayerRow {
  ir::LayerRef layer;
  int64_t count = 0; ///< instances on the stage, nested repeats multiplied out
  int64_t stage = 0;
  double forward = 0, backward = 0, recompute = 0; ///< seconds on the compute stream, exposed communication included
  double comm = 0, exposed = 0;
  double flops = 0, bytes = 0;
  double params = 0;          ///< elements, unsharded
  double activationBytes = 0; ///< saved for backward, on one device
  Bound bound = Bound::Compute;
  /// Seconds per step on the critical path, all instances and micro-batches together; 0 in rows of other stages.
  /// `onPath` counts only computing. Communication that the row's instances expose is in the rows of collectives.
  double onPath = 0, slowed = 0, launches = 0;
  double exposedOnPath = 0; ///< this row's part of the collectives' `CollectiveRow::onPath`
  /// Seconds per step of the row's own stage, all instances and micro-batches together.
  Spent inStep{};
  /// The exposed parts of `forward`, `backward` and `recompute`.
  double forwardExposed = 0, backwardExposed = 0, recomputeExposed = 0;
  int64_t times = 1; ///< number of runs in one instance of the top-level layer; above 1 only in nested repeats
};

/// One row per operation, axes, layer, phase and stage, for one device.
struct CollectiveRow {
  std::string op; ///< `all_gather`, …
  ir::CollectiveClass cls = ir::CollectiveClass::Activation;
  ir::Phase phase = ir::Phase::Forward;
  std::string axis; ///< the axes as the plan writes them
  ir::AxisMask axes = 0;
  int64_t group = 1;
  std::string level;
  std::optional<size_t> levelIndex; ///< index of the mesh level; null if the collective crosses no level
  int64_t stage = 0;
  double bytes = 0;
  double count = 0;                ///< messages per device and step
  double seconds = 0, exposed = 0; ///< seconds and exposed seconds of one message
  ir::LayerRef layer;              ///< layer, value that crosses stages, or parameter that several stages share
  SourceRange because;
  double onPath = 0; ///< exposed seconds per step on the critical path; 0 in rows of other stages
  std::string limit; ///< resource that takes most of its time: `nodes: card`, `node: nvlink4`, `nodes: latency`
  double inStep = 0; ///< exposed seconds per step of the row's own stage
};

/// One row per device stage, in seconds.
struct StageRow {
  int64_t stage = 0;
  double forward = 0, backward = 0; ///< per micro-batch, all chunks; backward includes recomputation
  double end = 0;
  /// Seconds per step. They add up to the step without optimizer, overhead and straggler. `communicating` is exposed
  /// communication. `idle` includes the time before the stage's first action and after its last one.
  double computing = 0, slowed = 0, launches = 0, communicating = 0, idle = 0;
  int64_t kind = 0; ///< equal for stages that run the same classes equally often
};

/// The ends of an interval that a term moves.
enum class Ends : uint8_t { Both, Faster, Slower };
std::string_view name(Ends ends); ///< `either`, `faster`, `slower`

/// A calibrated record on which the step time depends, or a distance between the plan and the stack's runs.
struct RecordShare {
  std::string what;      ///< `calibration.gemm.bf16` of device `h100_sxm5_80gb`
  double share = 0;      ///< share of the critical stage's time that is priced from it
  double error = 0;      ///< relative standard deviation, averaged over that time; larger outside of the samples
  double outside = 0;    ///< share of the critical stage's time whose price lies outside of the record's samples
  double samples = 0;    ///< number of samples; 0: derived or assumed
  bool distance = false; ///< true: distance of the plan from the stack's runs, not a record
  /// Path of the record in its owner, such as `calibration.gemm.bf16`. For a distance: the property that differs, such
  /// as `devices`. Empty for the nominal numbers of a level and for the network card of a fabric.
  std::string record{};
  ir::RecordKind kind = ir::RecordKind::Device; ///< kind of its owner
  Symbol owner{};
  double base = 0; ///< part of `error` that also applies inside the record's samples
  Ends ends = Ends::Both;
};
/// The uncertainty of the step time (docs/cost-model.md, section 5).
struct Confidence {
  std::vector<RecordShare> terms;   ///< widest first
  double outside = 0;               ///< share of the time that depends on a record read outside of its samples
  double coverage = 0;              ///< probability of the interval; 0: the stack does not state its accuracy
  double low = 1, high = 1;         ///< the interval, as multiples of the step time
  double runsLow = 1, runsHigh = 1; ///< interval from the spread of the stack's runs alone, without terms
};

/// A part of the width of an interval. `share` is the part's share of the squares of both half-widths, in logarithms.
struct WidthPart {
  std::string what;
  double share = 0;
};
/// Name of the part for the stack's own runs.
inline constexpr std::string_view kRunsPart = "the spread of the stack's runs";
/// Returns the parts, largest first: the spread of the stack's runs and each term. Empty without an interval.
std::vector<WidthPart> widthParts(const Confidence& confidence);

/// FLOPs of products of one element type per step and device, and the device's peak in FLOP/s for that type.
struct TypedFlops {
  ir::DType type = ir::DType::bf16;
  double flops = 0, peak = 1;
};
/// FLOPs by the type in which they are computed, in the order of `ir::DType`.
struct Flops {
  std::vector<TypedFlops> types;
  double sum() const;
  /// Returns the rate of a device that computes each type at its peak. Several types are averaged by their time.
  double peak() const;
};

/// Totals per step. An optional is null if it has no meaning for the workload, or if the stack or cluster lacks a fact.
struct Totals {
  double stepTime = 0;
  Confidence confidence;
  std::optional<double> stepTimeLow() const { return lowOf(stepTime); }
  std::optional<double> stepTimeHigh() const { return highOf(stepTime); }
  /// Return the ends of the interval of a value that grows with the step time; null without an interval. A rate falls
  /// as the step time grows: its upper end is `value / confidence.low`.
  std::optional<double> lowOf(const std::optional<double>& value) const { return scaled(value, confidence.low); }
  std::optional<double> highOf(const std::optional<double>& value) const { return scaled(value, confidence.high); }
  std::optional<double> scaled(const std::optional<double>& value, double factor) const {
    return value && confidence.coverage > 0 ? std::optional(*value * factor) : std::nullopt;
  }
  std::optional<double> tokensPerSecond, tokensPerSecondPerDevice;
  double samplesPerSecond = 0;
  double modelRate = 0, modelRateCausal = 0, hardwareRate = 0; ///< FLOP/s per device
  double mfu = 0, mfuCausal = 0, hfu = 0;                      ///< the rates over the peak of the computed types
  Flops modelFlops, modelFlopsCausal, hardwareFlops;           ///< FLOPs per device and step, numerators of the rates
  double unmasked = 1; ///< share of attention's FLOPs that no mask removes; the causal rate counts only these
  /// Seconds of the critical stage. compute + slowed + launches + exposedComm + bubble + optimizer + overhead +
  /// straggler = stepTime.
  double compute = 0, comm = 0, exposedComm = 0, bubble = 0, optimizer = 0, overhead = 0;
  double slowed = 0;   ///< slowdown of computing by concurrent communication
  double launches = 0; ///< time in which the device waits for the host
  /// Parts of `bubble`: idle time that the same order of passes has with equal stages, and the rest.
  double bubbleEven = 0, bubbleImbalance = 0;
  int64_t critical = 0;            ///< stage with the largest sum of computing, slowed, launches and communicating
  double work = 0, meanWork = 0;   ///< seconds of work of the critical stage, and the mean over all stages
  double imbalance = 0;            ///< seconds by which the step would be shorter if all stages had the mean work
  std::optional<double> straggler; ///< waiting for the slowest device; null if stack and cluster give no `jitter`
  double params = 0, paramsActive = 0;
  double devices = 0;                                    ///< devices that run the step
  std::optional<double> deviceHours, cost, energyJoules; ///< per step; deviceHours in device·hours
  std::optional<double> deviceHoursPer1t, costPer1t, energyPer1tJoules;
};

/// Amounts of a run at one step time.
struct RunAmounts {
  RunTimes times;
  double deviceTime = 0; ///< device·seconds
  std::optional<double> cost, energyJoules, carbonGrams;
};
/// The plan's `run` at the step time and at the ends of its interval.
struct Run {
  double steps = 0;
  double checkpointBytes = 0; ///< every saved state once
  RunTerms terms;
  RunAmounts middle;
  std::optional<RunAmounts> low, high;
};

/// Optional parts of an estimate. Step time, rates and memory are always computed. Parts that are not requested stay
/// empty and cost no time.
struct Wanted {
  bool rows = true;       ///< rows of layers, collectives and stages; also `comm` and the stage comparison in `totals`
  bool confidence = true; ///< the confidence and its diagnostics
  /// Requests only time, rates and memory, bit-identical to those of a whole estimate.
  static Wanted totals() { return {false, false}; }
};

/// The estimate of one plan.
struct Estimate {
  Totals totals;
  std::vector<TriedOrder> orders; ///< orders that the schedule chose from, if it has several
  std::optional<Run> run;         ///< null if the plan has no `run`
  Memory memory;
  std::vector<LayerRow> layers;
  std::vector<CollectiveRow> collectives;
  std::vector<StageRow> stages;
};

} // namespace planc::cost
