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

/// One row per (layer, stage); layers do not nest, so rows add up. Numbers of one instance, one micro-batch, one
/// device.
struct LayerRow {
  ir::LayerRef layer;
  int64_t count = 0; ///< on the stage, nested repeats multiplied out
  int64_t stage = 0;
  double forward = 0, backward = 0, recompute = 0; ///< wall time on the compute stream, exposed communication included
  double comm = 0, exposed = 0;
  double flops = 0, bytes = 0;
  double params = 0;          ///< unsharded
  double activationBytes = 0; ///< saved, local
  Bound bound = Bound::Compute;
  /// Per step on the critical path, all instances and micro-batches together; nothing in rows of other stages than the
  /// critical one. `onPath` is computing; communication that the row's instances expose is in the rows of collectives.
  double onPath = 0, slowed = 0, launches = 0;
  double exposedOnPath = 0; ///< the part of those collectives' `onPath` that belongs to this row
  /// The same of any stage: what all instances take of a step of the row's own one.
  Spent inStep{};
  /// The exposed parts of `forward`, `backward` and `recompute`.
  double forwardExposed = 0, backwardExposed = 0, recomputeExposed = 0;
  int64_t times = 1; ///< how often it runs in one instance of the top-level layer: what nested repeats make of it
};

struct CollectiveRow {
  std::string op; ///< all_gather, …
  ir::CollectiveClass cls = ir::CollectiveClass::Activation;
  ir::Phase phase = ir::Phase::Forward;
  std::string axis; ///< the axes as the plan writes them
  ir::AxisMask axes = 0;
  int64_t group = 1;
  std::string level;
  std::optional<size_t> levelIndex; ///< of the mesh's levels; nothing where it crosses none of them
  int64_t stage = 0;
  double bytes = 0;
  double count = 0;                ///< per device and step
  double seconds = 0, exposed = 0; ///< of one
  ir::LayerRef layer;              ///< or the value that crosses stages, or the parameter that several share
  SourceRange because;
  double onPath = 0; ///< per step, exposed on the critical path; nothing in rows of other stages
  std::string limit; ///< what most of its time goes to: `nodes: card`, `node: nvlink4`, `nodes: latency`
  double inStep = 0; ///< as `onPath`, of any stage
};

struct StageRow {
  int64_t stage = 0;
  double forward = 0, backward = 0; ///< per micro-batch, all chunks; backward includes recomputation
  double end = 0;
  /// Per step; they add up to the step without optimizer, overhead and straggler. `communicating` is exposed
  /// communication, `idle` counts both ends: before the stage's first action and after its last one.
  double computing = 0, slowed = 0, launches = 0, communicating = 0, idle = 0;
  int64_t kind = 0; ///< the same for stages that run the same classes equally often
};

/// A calibrated record that the step time stands on.
struct RecordShare {
  std::string what;      ///< `calibration.gemm.bf16` of device `h100_sxm5_80gb`
  double share = 0;      ///< of the time of the critical stage that is priced from it
  double error = 0;      ///< relative standard deviation, mean of that time; more outside of the record's samples
  double outside = 0;    ///< share that is read outside of its samples
  double samples = 0;    ///< none: derived or assumed
  bool distance = false; ///< from the runs of the stack to this plan, not a record
  /// Path of the record in its owner: `calibration.gemm.bf16` of a device, `devices` of a distance. Empty for the
  /// nominal numbers of a level and for the card of a fabric.
  std::string record{};
  ir::RecordKind kind = ir::RecordKind::Device; ///< of its owner
  Symbol owner{};
  double base = 0; ///< of `error`, what the record says of itself wherever it is read
};
/// How sure the step time is (docs/cost-model.md, section 5).
struct Confidence {
  std::vector<RecordShare> terms; ///< widest first
  double outside = 0;             ///< share of the time that stands on any record read outside of its samples
  double coverage = 0;            ///< of the interval; 0: the stack does not say how far its runs lie from predictions
  double low = 1, high = 1;       ///< the interval, as multiples of the step time
  double runsLow = 1, runsHigh = 1; ///< the same without terms: what the stack's runs alone say
};

/// A part of an interval's width: the share of the square of its upper half, in logarithms.
struct WidthPart {
  std::string what;
  double share = 0;
};
/// What the first of these parts is called.
inline constexpr std::string_view kRunsPart = "the spread of the stack's runs";
/// Largest first: the spread of the stack's runs and each term. Empty without an interval.
std::vector<WidthPart> widthParts(const Confidence& confidence);

/// FLOPs of products of one element type, of a step and device, and the device's peak in that type.
struct TypedFlops {
  ir::DType type = ir::DType::bf16;
  double flops = 0, peak = 1;
};
/// FLOPs by the type that they are computed in, in the order of `ir::DType`.
struct Flops {
  std::vector<TypedFlops> types;
  double sum() const;
  /// The rate of a device that computes each at the peak of its type: of one type its peak, of several their mean.
  double peak() const;
};

/// Per step. `optional` = has no meaning for the workload, or the stack does not give what it takes.
struct Totals {
  double stepTime = 0;
  Confidence confidence;
  std::optional<double> stepTimeLow() const { return lowOf(stepTime); }
  std::optional<double> stepTimeHigh() const { return highOf(stepTime); }
  /// Ends of the interval of what grows with the step time; of a rate they change places, as `value / low`.
  std::optional<double> lowOf(const std::optional<double>& value) const { return scaled(value, confidence.low); }
  std::optional<double> highOf(const std::optional<double>& value) const { return scaled(value, confidence.high); }
  std::optional<double> scaled(const std::optional<double>& value, double factor) const {
    return value && confidence.coverage > 0 ? std::optional(*value * factor) : std::nullopt;
  }
  std::optional<double> tokensPerSecond, tokensPerSecondPerDevice;
  double samplesPerSecond = 0;
  double modelRate = 0, modelRateCausal = 0, hardwareRate = 0; ///< FLOP/s per device
  double mfu = 0, mfuCausal = 0, hfu = 0;                      ///< these rates over the peak of what is computed
  Flops modelFlops, modelFlopsCausal, hardwareFlops;           ///< what they are rates of
  double unmasked = 1; ///< share of attention's FLOPs that masks leave: what the causal rate counts
  /// Of the critical stage. compute + slowed + launches + exposedComm + bubble + optimizer + overhead + straggler
  /// = stepTime.
  double compute = 0, comm = 0, exposedComm = 0, bubble = 0, optimizer = 0, overhead = 0;
  double slowed = 0;   ///< what computing loses beside communication
  double launches = 0; ///< the device waits for the host
  /// `bubble` is what the same order of passes idles where all stages are equal, and what their imbalance adds.
  double bubbleEven = 0, bubbleImbalance = 0;
  int64_t critical = 0;            ///< the stage with the most work: computing, slowed, launches and communicating
  double work = 0, meanWork = 0;   ///< of the critical stage, and the mean of all
  double imbalance = 0;            ///< what the step would take less if all stages had the mean work
  std::optional<double> straggler; ///< waiting for the slowest device, where stack or cluster say `jitter`
  double params = 0, paramsActive = 0;
  double devices = 0;                                    ///< that the step runs on
  std::optional<double> deviceHours, cost, energyJoules; ///< per step; deviceHours in device·hours
  std::optional<double> deviceHoursPer1t, costPer1t, energyPer1tJoules;
};

/// What a run takes at one step time.
struct RunAmounts {
  RunTimes times;
  double deviceTime = 0; ///< device·seconds
  std::optional<double> cost, energyJoules, carbonGrams;
};
/// What the plan's `run` takes: at the step time, and at the ends of its interval.
struct Run {
  double steps = 0;
  double checkpointBytes = 0; ///< of what is saved: every state once
  RunTerms terms;
  RunAmounts middle;
  std::optional<RunAmounts> low, high;
};

/// What of an estimate is asked for beside the times of the step, its rates, and its memory: what is not stays empty,
/// and takes no time.
struct Wanted {
  bool rows = true;       ///< of layers, collectives and stages; of the totals `comm` and what compares the stages
  bool confidence = true; ///< and what the diagnostics say of it
  /// Time, rates and memory alone, equal to those of a whole estimate bit for bit.
  static Wanted totals() { return {false, false}; }
};

struct Estimate {
  Totals totals;
  std::vector<TriedOrder> orders; ///< of the schedule, if it has several
  std::optional<Run> run;         ///< if the plan says one
  Memory memory;
  std::vector<LayerRow> layers;
  std::vector<CollectiveRow> collectives;
  std::vector<StageRow> stages;
};

} // namespace planc::cost
