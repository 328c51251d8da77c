// Fits one factor per software stack to measured step times. The factor covers gaps between kernels, data loading and
// other time that no model term describes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fitted.h"
#include "support/Diagnostics.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace planc::calibrate {

/// A plan with a measured step time. The prediction is linear in the stack's fact `unattributed`, because stragglers
/// are added to the time that it multiplies.
struct StepRun {
  std::string plan, stack;          ///< the stack as the plan names it: `megatron.megatron_2022`
  double measured = 0;              ///< seconds
  double predicted = 0;             ///< seconds, with the current factor
  double factor = 1;                ///< current value of `unattributed`
  double slope = 0;                 ///< seconds per unit of the factor
  std::string source;               ///< source of the measurement
  SourceRange range;                ///< place of the `measured` line
  std::string architecture{};       ///< architecture of the plan's device; empty if the device has none
  std::string device{};             ///< the library's name of the part, or else the device's own name
  double devices = 0, sequence = 0; ///< count of devices; longest keys of an attention, 0 without attention
  bool experts = false;             ///< the model routes tokens to experts
  double terms = 0;                 ///< half-width of the interval from the records' errors, in logarithms
  double believed = 0; ///< standard deviation of the logarithm of the prediction, from the interval; 0: no interval

  double at(double f) const { return predicted + slope * (f - factor); }
  /// Returns the factor with which the prediction equals the measurement.
  double wanted() const { return factor + (measured - predicted) / slope; }
};

/// A run with its errors: predicted / measured - 1.
struct ScaledRun {
  const StepRun* run = nullptr;
  double before = 0;
  double after = 0; ///< with the factor fitted to the other runs
};

struct StackScale {
  std::string stack;
  double old = 1, factor = 1;   ///< `unattributed` before and after the fit
  double spread = 0;            ///< median relative distance of the runs' wanted factors from their median
  double before = 0, after = 0; ///< median absolute errors
  double low = 1, high = 1;     ///< 90 % range of measured / predicted, less the errors of records
  size_t sources = 1;           ///< count of distinct sources
  std::vector<ScaledRun> runs;
};

/// Stacks with fewer runs are not fitted.
inline constexpr size_t kFewestRuns = 3;

/// Fits each stack; the result is sorted by name. The factor lies between the library's factor and the median of the
/// factors that the runs want, weighted by their confidence: the interval of the predictions, and the count and scatter
/// of the runs. Reports errors if there are no runs (at `plans`) or too few for a stack, and a warning if a fit gains
/// less than its runs disagree. Each prediction must rise with the factor.
std::vector<StackScale> fitScales(std::span<const StepRun> runs, SourceRange plans, DiagnosticEngine& diagnostics);

/// Returns a table per stack with measured times, predictions, and predictions fitted to the other runs.
std::string scaleReport(std::span<const StackScale> scales);
/// Returns the array `stacks` of the JSON result.
nlohmann::ordered_json scaleJson(std::span<const StackScale> scales);

/// The stack that a record extends.
struct StackBase {
  std::string stack;  ///< same name as in StackScale
  std::string import; ///< `std.stacks.te`, or `"ours.plan" as base`
  std::string name;   ///< `te.te_2604`
  /// The accuracy that the base record states; the fit replaces it.
  struct Accuracy {
    std::optional<double> runs{}, sources{}, low{}, high{};
    std::map<std::string, double> seen{}; ///< devices of its largest run, by architecture
    std::optional<double> sequence{};
    std::map<std::string, double> experts{}; ///< the same for runs of models with experts
  };
  Accuracy accuracy{};
  FittedFacts fitted{}; ///< its `fitted` section
};
/// Returns text escaped so that it may stand in a string or comment of a plan; control characters become blanks.
std::string quotable(std::string_view text);
/// Returns a module with one stack per fit. `origin` is the source of its facts: `runs.plan`.
std::string scaleLibrary(std::span<const StackScale> scales, std::span<const StackBase> bases,
                         const std::string& origin, const Fitted& fitted = {});

} // namespace planc::calibrate
