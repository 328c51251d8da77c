// The distance of a plan from the runs that its stack was fitted and checked with.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/Distance.h"

#include "backends/cost/result/Confidence.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/layout/Routed.h"
#include "ir/machine/Release.h"
#include "ir/plan/Plan.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace planc::cost {

PLANC_WARNING(UnseenKindOfRun, 825, "{what}: this widens the interval of the step time", Reached::Priced)

namespace {

/// Within this factor the distance is ignored, because the runs themselves scatter by more.
constexpr double kNear = 2;

constexpr double kMonthsOfYear = 12;
constexpr size_t kMonth = std::string_view("2026-02").size();

std::string_view textOf(const ir::Stack& stack, ir::StackFact fact) {
  const auto keys = stack.keys(fact);
  return keys.empty() ? std::string_view() : keys.front().text();
}

class Distances {
public:
  Distances(const ir::Program& program, const Facts& facts, const ir::Accuracy& accuracy)
      : program_(program), facts_(facts), accuracy_(accuracy) {}

  std::vector<RecordShare> all() {
    for (UnseenKind& kind : unseenKinds(*program_.plan)) add(std::move(kind.of), std::move(kind.what), kind.error);
    if (const double most = largestRun(); most > 0)
      beyond("devices", static_cast<double>(program_.mesh.devices()), most, accuracy_.newDevices);
    types();
    releases();
    if (accuracy_.sequence > 0)
      beyond("keys of a query", longestKeys(program_), accuracy_.sequence, accuracy_.newSequence);
    return std::move(terms_);
  }

private:
  /// `of`: name of the distance, without the name of the stack.
  void add(std::string of, std::string what, double error, double share = 1, Ends ends = Ends::Both) {
    if (error > 0) terms_.push_back(distanceTerm(facts_.stack, std::move(of), std::move(what), share, error, ends));
  }
  std::string stack() const { return fmt::format("stack `{}`", facts_.stack.name.view()); }

  /// Returns the devices of the largest run on the plan's architecture, with experts if the model has some and such a
  /// run exists. Without a run on the architecture: of all runs.
  double largestRun() const {
    double most = hasExperts(program_.model) ? reachOf(facts_.stack, facts_.device, true) : 0;
    if (most == 0) most = reachOf(facts_.stack, facts_.device, false);
    if (most > 0) return most;
    for (const ir::FactKey& key : facts_.stack.keys(ir::StackFact::AccuracySeen))
      most = std::max(most, facts_.stack.number(ir::StackFact::AccuracySeen, key)->value);
    return most;
  }

  /// Adds one distance per type without runs. Its share is the type's share of the FLOPs of products.
  void types() {
    const ir::Model& model = program_.model;
    std::map<ir::DType, double> flops;
    double all = 0;
    for (const ir::Op& op : model.ops) {
      if (op.kind != ir::OpKind::Gemm && op.kind != ir::OpKind::GroupedGemm) continue;
      const double n = static_cast<double>(model.times(op.region)) * ir::flopsOf(program_, op);
      flops[ir::arithmetic(program_.computeType(op))] += n;
      all += n;
    }
    for (const auto& [type, n] : flops)
      if (n > 0 && !facts_.device.has(ir::DeviceFact::GemmRuns, type))
        add(fmt::format("type {} {}", ir::name(type), facts_.device.architecture),
            fmt::format("no run in {} on device `{}`", ir::name(type), facts_.device.name.view()), accuracy_.newType,
            n / all);
  }

  /// Adds the distance of the plan's release from those that the stack knows: of its runs, or of its fit.
  void releases() {
    const ir::Stack& stack = facts_.stack;
    const std::string_view fitted = textOf(stack, ir::StackFact::FittedDate).substr(0, kMonth),
                           known = fitted.empty() ? textOf(stack, ir::StackFact::Released) : fitted,
                           runs = textOf(stack, ir::StackFact::Installed);
    const std::optional<ir::ReleaseSpan> of = ir::parseRelease(known), here = ir::parseRelease(runs);
    if (!of || (!here && !fitted.empty())) return;
    const double perYear = stack.value(hasExperts(program_.model) ? ir::StackFact::AccuracyNewYearExperts
                                                                  : ir::StackFact::AccuracyNewYear,
                                       0),
                 most = stack.value(ir::StackFact::AccuracyNewYears, std::numeric_limits<double>::infinity());
    const std::string what =
        here ? fmt::format("release {}, and {} knows {}", runs, this->stack(), known)
             : fmt::format("a release that the plan does not state (`installed`); {} knows {}", this->stack(), known);
    const auto reach = [&](double years, Ends ends) {
      add("release", what, std::min(years, most) * perYear / kNinetyPercent, 1, ends);
    };
    reach(here ? (here->last - of->last) / kMonthsOfYear : stack.value(ir::StackFact::AccuracyNewUnstated, 0),
          Ends::Faster);
    if (here) reach((of->first - here->first) / kMonthsOfYear, Ends::Slower);
  }

  void beyond(std::string_view what, double here, double most, double error) {
    if (here > kNear * most)
      add(std::string(what), fmt::format("{:.0f} {}, but the runs of {} had {:.0f}", here, what, stack(), most),
          error * std::log(here / most));
  }

  const ir::Program& program_;
  const Facts& facts_;
  const ir::Accuracy& accuracy_;
  std::vector<RecordShare> terms_;
};

} // namespace

RecordShare distanceTerm(const ir::Stack& stack, std::string of, std::string what, double share, double error,
                         Ends ends) {
  return {std::move(what), share, error, 0, 0, true, std::move(of), ir::RecordKind::Stack, stack.name, 0, ends};
}

double reachOf(const ir::Stack& stack, const ir::Device& device, bool experts) {
  const bool other = !stack.platform.empty() && !device.platform.empty() && stack.platform != device.platform;
  if (device.architecture.empty() || other) return 0;
  const ir::Number* found =
      stack.number(experts ? ir::StackFact::AccuracyExperts : ir::StackFact::AccuracySeen, Symbol(device.architecture));
  return found ? found->value : 0;
}

bool hasExperts(const ir::Model& model) {
  return llvm::any_of(model.dims, [](const ir::Dim& d) { return d.kind == ir::DimKind::Routed; });
}

std::vector<UnseenKind> unseenKinds(const ir::Plan& plan) {
  const ir::Stack& stack = *plan.stack;
  const ir::Device& device = plan.cluster->device;
  const std::optional<ir::Accuracy> accuracy = stack.accuracy();
  if (!accuracy) return {};
  const std::string run = fmt::format("no run of stack `{}`", stack.name.view());
  const auto none = [&stack](ir::StackFact fact) { return stack.keys(fact).empty(); };
  if (none(ir::StackFact::AccuracySeen)) return {{"framework", run, accuracy->newFramework}};
  const std::string where = device.architecture.empty() ? fmt::format("on device `{}`", device.name.view())
                                                        : fmt::format("on architecture `{}`", device.architecture);
  const double newExperts = stack.value(ir::StackFact::AccuracyNewExperts, 0);
  const bool experts = plan.model && hasExperts(*plan.model), here = reachOf(stack, device, false) > 0;
  std::vector<UnseenKind> unseen;
  if (!here)
    unseen.push_back(
        {"architecture " + device.architecture, fmt::format("{} {}", run, where), accuracy->newArchitecture});
  if (experts && none(ir::StackFact::AccuracyExperts))
    unseen.push_back({"mixtures", run + " with experts", newExperts});
  else if (experts && here && reachOf(stack, device, true) == 0)
    unseen.push_back({"mixtures " + device.architecture, fmt::format("{} with experts {}", run, where), newExperts});
  return unseen;
}

void warnOfUnseenKinds(const ir::Plan& plan, const std::vector<std::string>& fitting, DiagnosticEngine& diagnostics) {
  const std::vector<UnseenKind> unseen = unseenKinds(plan);
  if (unseen.empty()) return;
  std::string what;
  for (const UnseenKind& kind : unseen) what += (what.empty() ? "" : ", and ") + kind.what;
  auto report = diagnostics.report(UnseenKindOfRun, plan.range, {{"what", what}});
  constexpr size_t kMost = 4;
  for (size_t i = 0; i < std::min(kMost, fitting.size()); ++i) report.note("such runs had " + fitting[i]);
  if (fitting.size() > kMost) report.note(fmt::format("and {} more stacks", fitting.size() - kMost));
  report.help(fitting.empty()
                  ? "no stack of the library had such runs: measure some steps and fit a stack to them, `planc "
                    "calibrate --steps FILE`; `planc show std.stacks` lists what each stack ran"
                  : "choose the stack whose release and dispatcher are yours: `planc show std.stacks` lists them");
}

double longestKeys(const ir::Program& program) {
  double most = 0;
  for (const ir::LayerClass& layerClass : program.classes)
    for (const ir::Node& node : layerClass.forward)
      if (node.isCompute()) most = std::max(most, node.compute().work.sequence);
  return most;
}

std::vector<RecordShare> distances(const ir::Program& program, const Facts& facts, const ir::Accuracy& accuracy) {
  return Distances(program, facts, accuracy).all();
}

} // namespace planc::cost
