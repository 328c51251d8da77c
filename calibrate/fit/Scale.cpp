// Fits one parameter per stack: the median of the runs, because step times have outliers, drawn towards the library's
// value by the confidence of both.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit/Scale.h"

#include "calibrate/samples/Robust.h"
#include "ir/facts/Ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>

namespace planc::calibrate {

PLANC_ERROR(TooFewRuns, 1060, "{count} of `{stack}` {have} a measured step time, but a factor needs {fewest}")
PLANC_WARNING(ScaleGainsLittle, 1061, "scaling `{stack}` by {gain} does not improve its predictions: {reason}")
PLANC_ERROR(ScaleOutOfRange, 1063,
            "the runs of `{stack}` take {times} times the predicted time: its `unattributed` would be {factor}, which "
            "is {range}")
PLANC_WARNING(ScaleIsNoOverhead, 1064, "`unattributed` of `{stack}` becomes {factor}: {share} of every step")
PLANC_ERROR(NoMeasuredSteps, 1062, "no plan of this file has a measured step time, or a rate from which it follows")

namespace {

/// Student's t: the 95 % quantile for 1, 2, … degrees of freedom.
constexpr std::array<double, 30> kStudent{6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812,
                                          1.796, 1.782, 1.771, 1.761, 1.753, 1.746, 1.740, 1.734, 1.729, 1.725,
                                          1.721, 1.717, 1.714, 1.711, 1.708, 1.706, 1.703, 1.701, 1.699, 1.697};

/// Assumed scatter of runs around a stack that fits them, weighted like two further runs: the value that the fit of the
/// library uses (docs/accuracy.md, constants). It is needed because three runs may agree by chance.
constexpr double kScatter = 0.05, kScatterRuns = 2;
/// Variance of a median relative to that of a mean, for normal runs.
constexpr double kMedianVariance = std::numbers::pi / 2;

/// Returns the weight of the runs against the library, from 0 to 1. Both estimate the logarithm of the factor; the
/// library's uncertainty is the width of its intervals. Without an interval, only the runs count.
double weightOf(const std::vector<double>& wanted, double centre, double believed) {
  if (!(believed > 0)) return 1;
  double square = kScatterRuns * kScatter * kScatter;
  for (double w : wanted) square += w > 0 ? std::pow(std::min(std::abs(std::log(w / centre)), 1.0), 2) : 1;
  const double n = static_cast<double>(wanted.size());
  const double runs = kMedianVariance * square / (kScatterRuns + n - 1) / n;
  return believed * believed / (believed * believed + runs);
}

/// Returns the factor between the library's factor and the median that the runs want. `without`: a run that is left
/// out.
double factorOf(const std::vector<const StepRun*>& runs, const StepRun* without) {
  std::vector<double> wanted, believed;
  for (const StepRun* run : runs)
    if (run != without) {
      wanted.push_back(run->wanted());
      believed.push_back(run->believed);
    }
  const double old = runs.front()->factor, centre = median(std::vector<double>(wanted));
  if (!(centre > 0)) return centre;
  return old * std::pow(centre / old, weightOf(wanted, centre, median(std::move(believed))));
}

/// The largest factor of an interval; runs that have nothing in common justify no wider one.
constexpr double kWidest = 10;
/// The smallest half-width of an interval: runs that agree by chance do not make a stack more certain than any other
/// (docs/cost-model.md, section 5).
const double kSurest = std::log(1.03);
/// Published traces show gaps between kernels, logging and data loading of 0 to 5 % of a step (docs/accuracy.md,
/// constants). A factor that far below 1 is a gain that no gap explains; one ten times that far above 1 indicates
/// another plan.
constexpr double kLeastOverhead = 0.95, kMostOverhead = 1.5;

/// Sets the range of 90 % of further runs, assuming that logarithms of measured / predicted are normal: mean ± t · s ·
/// √(1 + 1/n).
void setInterval(StackScale& scale) {
  const double n = static_cast<double>(scale.runs.size());
  double mean = 0, square = 0;
  for (const ScaledRun& run : scale.runs) mean -= std::log1p(run.after) / n;
  for (const ScaledRun& run : scale.runs) square += std::pow(-std::log1p(run.after) - mean, 2);
  const double t = kStudent[std::min(scale.runs.size() - 1, kStudent.size()) - 1];
  const double half = t * std::sqrt(square / (n - 1) * (1 + 1 / n));
  std::vector<double> terms;
  for (const ScaledRun& run : scale.runs) terms.push_back(run.run->terms);
  const double records = median(std::move(terms));
  // Subtract the width that comes from the records, because prices with this stack add it again.
  const auto beside = [&](double whole) {
    return std::clamp(std::sqrt(std::max(whole * whole - records * records, 0.0)), kSurest, std::log(kWidest));
  };
  scale.low = std::exp(-beside(std::max(half - mean, 0.0)));
  scale.high = std::exp(beside(std::max(half + mean, 0.0)));
}

StackScale fit(const std::string& stack, const std::vector<const StepRun*>& runs) {
  StackScale out;
  out.stack = stack;
  out.old = runs.front()->factor;
  out.factor = factorOf(runs, nullptr);
  std::vector<double> wanted, distances, before, after;
  for (const StepRun* run : runs) wanted.push_back(run->wanted());
  const double centre = median(std::move(wanted));
  std::set<std::string> sources;
  for (const StepRun* run : runs) {
    ScaledRun scaled{run, run->predicted / run->measured - 1, run->at(factorOf(runs, run)) / run->measured - 1};
    distances.push_back(std::abs(run->wanted() / centre - 1));
    before.push_back(std::abs(scaled.before));
    after.push_back(std::abs(scaled.after));
    sources.insert(run->source);
    out.runs.push_back(scaled);
  }
  out.spread = median(distances);
  out.before = median(before);
  out.after = median(after);
  out.sources = sources.size();
  setInterval(out);
  return out;
}

/// Warns if the fit is noise: it does not improve runs that are left out, or moves less than the runs differ.
void judge(const StackScale& scale, DiagnosticEngine& diagnostics) {
  const double gain = std::abs(scale.factor / scale.old - 1);
  std::string reason;
  if (scale.after >= scale.before)
    reason = fmt::format("the median error of a run left out goes from {:.1f} % to {:.1f} %", 100 * scale.before,
                         100 * scale.after);
  else if (scale.spread >= gain)
    reason = fmt::format("their factors scatter by {:.1f} % around their median", 100 * scale.spread);
  if (reason.empty()) return;
  diagnostics
      .report(ScaleGainsLittle, scale.runs.front().run->range,
              {{"stack", scale.stack},
               {"gain", fmt::format("{:+.1f} %", 100 * (scale.factor / scale.old - 1))},
               {"reason", reason}})
      .help("keep the stack, or measure more similar runs; a term of the model is wrong rather than its scale");
}

/// Rejects a factor that no stack can have, which indicates a wrong unit or another plan than the one that ran. Warns
/// of factors that overhead does not explain.
bool possible(const StackScale& scale, DiagnosticEngine& diagnostics) {
  const ir::FactRange& range = ir::ranges::kRelative;
  const SourceRange at = scale.runs.front().run->range;
  const std::string factor = fmt::format("{:.4g}", scale.factor);
  constexpr std::string_view way = "check the unit of the measured times, and that the plans are those that ran: "
                                   "recomputation, micro-batches and precision weigh most";
  if (!range.holds(scale.factor) || scale.factor * kWidest < scale.old) {
    diagnostics
        .report(ScaleOutOfRange, at,
                {{"stack", scale.stack},
                 {"times", fmt::format("{:.3g}", scale.factor / scale.old)},
                 {"factor", factor},
                 {"range", range.holds(scale.factor) ? "less than a tenth of its old value"
                                                     : fmt::format("not {}", range.text)}})
        .help(std::string(way));
    return false;
  }
  if (scale.factor < kLeastOverhead || scale.factor > kMostOverhead)
    diagnostics
        .report(ScaleIsNoOverhead, at,
                {{"stack", scale.stack},
                 {"factor", factor},
                 {"share", scale.factor < 1 ? fmt::format("a gain of {:.0f} %", 100 * (1 - scale.factor))
                                            : fmt::format("{:.0f} %, neither computation nor communication,",
                                                          100 * (1 - 1 / scale.factor))}})
        .help(std::string(way));
  return true;
}

std::string signedPercent(double share) {
  return fmt::format("{:+.1f} %", 100 * share);
}

/// Returns `megatron_2022_scaled` for `megatron.megatron_2022`.
std::string recordName(const std::string& stack) {
  const size_t dot = stack.rfind('.');
  return stack.substr(dot == std::string::npos ? 0 : dot + 1) + "_scaled";
}

} // namespace

std::vector<StackScale> fitScales(std::span<const StepRun> runs, SourceRange plans, DiagnosticEngine& diagnostics) {
  if (runs.empty())
    diagnostics.report(NoMeasuredSteps, plans)
        .help("write the measurement into its plan: `measured step_time = 13.75s : \"our run of October 3\"`, or "
              "`tokens_per_second`");
  std::map<std::string, std::vector<const StepRun*>> byStack;
  for (const StepRun& run : runs) byStack[run.stack].push_back(&run);
  std::vector<StackScale> out;
  for (const auto& [stack, own] : byStack) {
    if (own.size() < kFewestRuns) {
      const bool one = own.size() == 1;
      diagnostics
          .report(TooFewRuns, own.front()->range,
                  {{"count", one ? std::string("one plan") : fmt::format("{} plans", own.size())},
                   {"stack", stack},
                   {"have", one ? "has" : "have"},
                   {"fewest", kFewestRuns}})
          .help("add plans with `measured step_time = …` lines: other models, other degrees, other batches");
      continue;
    }
    StackScale scale = fit(stack, own);
    if (!possible(scale, diagnostics)) continue;
    judge(scale, diagnostics);
    out.push_back(std::move(scale));
  }
  return out;
}

std::string scaleReport(std::span<const StackScale> scales) {
  std::string out;
  for (const StackScale& scale : scales) {
    size_t width = 4;
    for (const ScaledRun& run : scale.runs) width = std::max(width, run.run->plan.size());
    out += fmt::format(
        "{}{}: unattributed {:.4g} -> {:.4g}, from {} runs whose factors scatter by {:.1f} % around their median\n",
        out.empty() ? "" : "\n", scale.stack, scale.old, scale.factor, scale.runs.size(), 100 * scale.spread);
    out += fmt::format("  {:<{}}  {:>10}  {:>10}  {:>8}  {:>8}\n", "plan", width, "measured", "predicted", "error",
                       "left out");
    for (const ScaledRun& run : scale.runs)
      out += fmt::format("  {:<{}}  {:>8.4g} s  {:>8.4g} s  {:>8}  {:>8}\n", run.run->plan, width, run.run->measured,
                         run.run->predicted, signedPercent(run.before), signedPercent(run.after));
    out += fmt::format("  {:<{}}  {:>10}  {:>10}  {:>8}  {:>8}\n", "median", width, "", "",
                       fmt::format("{:.1f} %", 100 * scale.before), fmt::format("{:.1f} %", 100 * scale.after));
  }
  return out;
}

nlohmann::ordered_json scaleJson(std::span<const StackScale> scales) {
  nlohmann::ordered_json stacks = nlohmann::ordered_json::array();
  for (const StackScale& scale : scales) {
    nlohmann::ordered_json runs = nlohmann::ordered_json::array();
    for (const ScaledRun& run : scale.runs)
      runs.push_back({{"plan", run.run->plan},
                      {"measured_s", run.run->measured},
                      {"predicted_s", run.run->predicted},
                      {"error", run.before},
                      {"error_left_out", run.after},
                      {"source", run.run->source}});
    stacks.push_back({{"stack", scale.stack},
                      {"unattributed", scale.old},
                      {"fitted", scale.factor},
                      {"spread", scale.spread},
                      {"median_error", scale.before},
                      {"median_error_left_out", scale.after},
                      {"measured_over_predicted_low", scale.low},
                      {"measured_over_predicted_high", scale.high},
                      {"interval_coverage", 0.9},
                      {"runs", std::move(runs)}});
  }
  return stacks;
}

namespace {

/// Returns a fact with its source; empty if the base record has the same number, because an override must change
/// something.
std::string fact(std::string_view indent, std::string_view name, double value, const std::string& why,
                 std::optional<double> inherited) {
  const auto written = [](double v) { // counts without an exponent
    return std::floor(v) == v ? fmt::format("{:.0f}", v) : fmt::format("{:.4g}", v);
  };
  const std::string text = written(value);
  if (inherited && text == written(*inherited)) return {};
  return fmt::format("{}{}{} = {} : \"{}\"\n", indent, inherited ? "override " : "", name, text, why);
}

/// Returns the `accuracy` facts that follow from the runs. Other accuracy facts of the base record are inherited.
std::string accuracyOf(const StackScale& scale, const StackBase::Accuracy& base) {
  const std::string predicted = fmt::format("each of the {} runs predicted from the others", scale.runs.size());
  const std::string student = "nine of ten by Student's t";
  const auto runs = static_cast<double>(scale.runs.size()), sources = static_cast<double>(scale.sources);
  std::string facts =
      fact("    ", "runs", runs, predicted, base.runs) + fact("    ", "sources", sources, predicted, base.sources) +
      fact("    ", "low", scale.low, student, base.low) + fact("    ", "high", scale.high, student, base.high);
  std::map<std::string, double> reached, withExperts;
  double longest = 0;
  for (const ScaledRun& run : scale.runs) {
    const StepRun& r = *run.run;
    for (auto* most : {&reached, r.experts ? &withExperts : nullptr})
      if (most && !r.architecture.empty()) (*most)[r.architecture] = std::max((*most)[r.architecture], r.devices);
    longest = std::max(longest, run.run->sequence);
  }
  const std::string largest = "the largest of these runs";
  const auto section = [&](const char* name, const std::map<std::string, double>& most,
                           const std::map<std::string, double>& known) {
    std::string inside;
    for (const auto& [architecture, devices] : most) {
      const auto before = known.find(architecture);
      inside += fact("      ", architecture, devices, largest,
                     before == known.end() ? std::nullopt : std::optional(before->second));
    }
    if (!inside.empty()) facts += fmt::format("    {} {{\n{}    }}\n", name, inside);
  };
  section("seen", reached, base.seen);
  section("experts", withExperts, base.experts);
  if (longest > 0) facts += fact("    ", "sequence", longest, largest, base.sequence);
  return facts.empty() ? facts : "  accuracy {\n" + facts + "  }\n";
}

} // namespace

std::string scaleLibrary(std::span<const StackScale> scales, std::span<const StackBase> bases,
                         const std::string& origin, const Fitted& fitted) {
  const std::string file = quotable(origin);
  std::string out =
      fmt::format("/// Software stacks scaled to measured step times, by planc calibrate --steps {}.\n", file);
  std::set<std::string> imports, names;
  for (const StackScale& scale : scales)
    for (const StackBase& base : bases)
      if (base.stack == scale.stack) imports.insert(base.import);
  for (const std::string& import : imports) out += fmt::format("import {}\n", import);
  for (const StackScale& scale : scales) {
    const auto base =
        std::find_if(bases.begin(), bases.end(), [&](const StackBase& b) { return b.stack == scale.stack; });
    std::string name = recordName(scale.stack);
    for (int more = 2; !names.insert(name).second; ++more) name = fmt::format("{}_{}", recordName(scale.stack), more);
    out += fmt::format("\nexport stack {} extends {} {{\n", name, base == bases.end() ? scale.stack : base->name);
    out += fact(
        "  ", "unattributed", scale.factor,
        fmt::format(
            "{:.4g} times that of {}: towards the median of {} runs of {}; median error of a run left out {:.1f} %, "
            "before {:.1f} %",
            scale.factor / scale.old, scale.stack, scale.runs.size(), file, 100 * scale.after, 100 * scale.before),
        scale.old);
    out += accuracyOf(scale, base == bases.end() ? StackBase::Accuracy() : base->accuracy);
    std::map<std::string, size_t> on;
    for (const ScaledRun& run : scale.runs)
      if (!run.run->device.empty()) ++on[run.run->device];
    out += fittedText(fitted, on, base == bases.end() ? FittedFacts() : base->fitted);
    out += "}\n";
  }
  return out;
}

std::string quotable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out;
}

} // namespace planc::calibrate
