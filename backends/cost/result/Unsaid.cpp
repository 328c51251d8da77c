// What a plan does not say, and what its stack's runs never had, as terms of the interval.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/Unsaid.h"

#include "backends/cost/result/Confidence.h"
#include "backends/cost/result/Distance.h"
#include "ir/facts/FactTable.h"
#include "ir/facts/StackFacts.h"
#include "ir/layout/Routed.h"
#include "ir/machine/Release.h"
#include "ir/plan/MeshUse.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace planc::cost {

namespace {

/// Years from the newest release of a stack to the software that a plan runs, if the plan does not state it. An
/// assumption: releases are a quarter of a year apart, and users run software one or two releases newer than the stack.
constexpr double kUnstatedYears = 0.5;
constexpr double kMonthsOfYear = 12;

RecordShare distanceTerm(const ir::Stack& stack, std::string of, std::string what, double share, double error,
                         Ends ends) {
  return {std::move(what), share, error, 0, 0, true, std::move(of), ir::RecordKind::Stack, stack.name, 0, ends};
}

/// A kind of operators, by the fact that holds a stack's runs of it.
struct KindText {
  ir::StackFact runs;
  std::string_view what;
};
constexpr std::array<KindText, 3> kKinds{
    {{ir::StackFact::AccuracyKindsScores, "scores that are not one fused attention"},
     {ir::StackFact::AccuracyKindsChosenKeys, "attention to keys that the data chooses"},
     {ir::StackFact::AccuracyKindsPooledKeys, "attention to pooled keys"}}};

std::string_view textOf(const ir::Stack& stack, ir::StackFact fact) {
  const auto keys = stack.keys(fact);
  return keys.empty() ? std::string_view() : keys.front().text();
}

/// Returns whether the plan says how uneven the loads of experts are.
bool statesRouting(const ir::Workload& workload) {
  return workload.imbalanceRange.valid() || workload.giniRange.valid();
}

/// Returns the loads of the busiest devices by dim: 1 if the dim is not routed to devices or its load is stated.
std::vector<double> unstatedLoads(const ir::Program& program, const ir::Stack& stack) {
  const ir::Model& model = program.model;
  const double gini = stack.value(ir::StackFact::AccuracyNewRouting, 0);
  std::vector<double> loads(model.dims.size(), 1);
  if (gini <= 0 || statesRouting(program.plan->workload)) return loads;
  for (size_t d = 0; d < loads.size(); ++d) {
    const ir::Dim& dim = model.dims[ir::DimId(static_cast<uint32_t>(d))];
    if (dim.kind != ir::DimKind::Routed || !dim.chosen.valid() || dim.capacity > 0) continue;
    const ir::Dim& experts = model.dims[dim.chosen];
    loads[d] = ir::busiestLoad(gini, static_cast<double>(experts.extent),
                               static_cast<double>(ir::devicesOver(*program.plan, experts.name)));
  }
  return loads;
}

} // namespace

UnsaidTime::UnsaidTime(const ir::Program& program, const ir::Stack& stack)
    : program_(program), stack_(stack), loads_(unstatedLoads(program, stack)) {}

double UnsaidTime::loadOf(const std::vector<ir::DimId>& dims) const {
  double load = 1;
  for (const ir::DimId d : dims) load = std::max(load, loads_[d.index]);
  return load;
}

void UnsaidTime::add(const ir::Node& node, double seconds) {
  const ir::Model& model = program_.model;
  if (!node.isCompute()) {
    if (!node.isCollective() || !node.collective().value.valid()) return;
    const double load = loadOf(model.values[node.collective().value].dims);
    if (load > 1) routed_ += seconds, busier_ += seconds * (load - 1);
    return;
  }
  const ir::Op& op = model.ops[node.op];
  if (const double load = loadOf(op.dims); load > 1) routed_ += seconds, busier_ += seconds * (load - 1);
  if (!ir::isAttention(op.kind) || stack_.number(ir::StackFact::RatesForward, op.name)) return;
  const bool fused = op.kind == ir::OpKind::Attention;
  const ir::Dim keys = fused && op.keys.valid() ? model.dims[op.keys] : ir::Dim();
  if (!fused) kinds_[0] += seconds;
  if (keys.kind == ir::DimKind::Routed) kinds_[1] += seconds;
  if (keys.kind == ir::DimKind::Pooled && keys.scale < 1) kinds_[2] += seconds;
}

std::vector<RecordShare> UnsaidTime::terms(double total) const {
  std::vector<RecordShare> terms;
  if (busier_ > 0)
    terms.push_back(distanceTerm(
        stack_, "routing", "experts whose loads the plan does not state: `expert_gini`, or `expert_imbalance = 1`",
        routed_ / total, busier_ / routed_ / kNinetyPercent, Ends::Slower));
  const double error = stack_.value(ir::StackFact::AccuracyNewKind, 0);
  for (size_t k = 0; k < kKinds.size(); ++k)
    if (error > 0 && kinds_[k] > 0 && !stack_.number(kKinds[k].runs))
      terms.push_back(distanceTerm(stack_, std::string(ir::factRow(ir::FactRef(kKinds[k].runs).id).path),
                                   fmt::format("no run of stack `{}` with {}", stack_.name.view(), kKinds[k].what),
                                   kinds_[k] / total, error, Ends::Both));
  return terms;
}

std::vector<RecordShare> releaseTerm(const ir::Plan& plan) {
  const ir::Stack& stack = *plan.stack;
  const std::string_view known = textOf(stack, ir::StackFact::Released), runs = textOf(stack, ir::StackFact::Installed);
  const bool fitted = !textOf(stack, ir::StackFact::FittedDate).empty();
  const std::optional<ir::ReleaseSpan> of = ir::parseRelease(known), here = ir::parseRelease(runs);
  if (!of || (!here && fitted)) return {};
  const bool experts = plan.model && hasExperts(*plan.model);
  const double faster =
      stack.value(experts ? ir::StackFact::AccuracyNewYearExperts : ir::StackFact::AccuracyNewYear, 0);
  const double newer = !here ? kUnstatedYears : (here->last - of->last) / kMonthsOfYear;
  const double older = !here ? 0 : (of->first - here->first) / kMonthsOfYear;
  const double years = std::max({newer, older, 0.0});
  if (!(years * faster > 0)) return {};
  std::string what = !here ? fmt::format("a release that the plan does not state (`installed`); stack `{}` knows {}",
                                         stack.name.view(), known)
                           : fmt::format("release {}, and stack `{}` knows {}", runs, stack.name.view(), known);
  return {distanceTerm(stack, "release", std::move(what), 1, years * faster / kNinetyPercent,
                       older > newer ? Ends::Slower : Ends::Faster)};
}

} // namespace planc::cost
