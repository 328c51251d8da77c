// One factor per software stack from measured step times: what kernel gaps, data loading and the like add to
// everything.
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

/// A plan with a measured step time. The prediction is linear in the stack's `unattributed`: stragglers are added to
/// what it multiplies.
struct StepRun {
  std::string plan, stack;          ///< the stack as the plan names it: `megatron.megatron_2022`
  double measured = 0;              ///< seconds
  double predicted = 0;             ///< with the factor as it is
  double factor = 1;                ///< `unattributed` now
  double slope = 0;                 ///< seconds per unit of it
  std::string source;               ///< of the measurement
  SourceRange range;                ///< of the measured line
  std::string architecture{};       ///< of its device; none if it says none
  std::string device{};             ///< the library's name of the part, or its own if that has none
  double devices = 0, sequence = 0; ///< how many, and the longest keys of an attention; 0 without one
  bool experts = false;             ///< its model routes tokens to experts
  double terms = 0;                 ///< half-width of the interval that its records make, in logarithms
  double believed = 0; ///< standard deviation of the logarithm of its prediction, by the interval; 0: it has none

  double at(double f) const { return predicted + slope * (f - factor); }
  /// The factor that hits the measurement.
  double wanted() const { return factor + (measured - predicted) / slope; }
};

/// A run under the fit: predicted / measured - 1.
struct ScaledRun {
  const StepRun* run = nullptr;
  double before = 0;
  double after = 0; ///< with the factor of the other runs
};

struct StackScale {
  std::string stack;
  double old = 1, factor = 1;   ///< `unattributed` before, and as fitted
  double spread = 0;            ///< median distance of what the runs want from their median, relative to it
  double before = 0, after = 0; ///< median absolute errors
  double low = 1, high = 1;     ///< measured over predicted: nine of ten further runs should lie between, beside what
                                ///< the records that they stand on make of it
  size_t sources = 1;           ///< distinct ones of the measurements
  std::vector<ScaledRun> runs;
};

/// Fewest runs of a stack that are fitted.
inline constexpr size_t kFewestRuns = 3;

/// A fit per stack, in order of name: between what the library has and the median of what the runs want, by how sure
/// the one is (the interval of the predictions) and the other (how far the runs lie apart, and how many they are). No
/// runs at all (reported at `plans`) and stacks with too few of them are errors, fits that gain less than their runs
/// disagree are warnings. Predictions must rise with the factor.
std::vector<StackScale> fitScales(std::span<const StepRun> runs, SourceRange plans, DiagnosticEngine& diagnostics);

/// A table per stack: what was measured, predicted, and predicted from the other runs.
std::string scaleReport(std::span<const StackScale> scales);
/// The array `stacks` of the JSON result.
nlohmann::ordered_json scaleJson(std::span<const StackScale> scales);

/// What a record extends: `import std.stacks.te`, and the name under that import.
struct StackBase {
  std::string stack;  ///< as in StackScale
  std::string import; ///< `std.stacks.te`, or `"ours.plan" as base`
  std::string name;   ///< `te.te_2604`
  /// How far its predictions lie, as far as it says so itself; the fit replaces it.
  struct Accuracy {
    std::optional<double> runs{}, sources{}, low{}, high{};
    std::map<std::string, double> seen{}; ///< devices of its largest run by architecture
    std::optional<double> sequence{};
    std::map<std::string, double> experts{}; ///< as `seen`, of runs of models with experts
  };
  Accuracy accuracy{};
  FittedFacts fitted{}; ///< what it says of its own making
};
/// As it may stand between quotes, or in a comment, of a plan.
std::string quotable(std::string_view text);
/// A module with one stack per fit. `origin` is stated as the source of its facts: `runs.plan`.
std::string scaleLibrary(std::span<const StackScale> scales, std::span<const StackBase> bases,
                         const std::string& origin, const Fitted& fitted = {});

} // namespace planc::calibrate
