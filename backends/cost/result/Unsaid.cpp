// What a plan does not say, and what its stack's runs never had, as terms of the interval.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/Unsaid.h"

#include "backends/cost/result/Confidence.h"
#include "backends/cost/result/Distance.h"
#include "ir/facts/StackFacts.h"
#include "ir/layout/Routed.h"
#include "ir/machine/Release.h"
#include "ir/plan/MeshUse.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace planc::cost {

namespace {

/// Years from the newest release of a stack to the software that a plan runs, if the plan does not state it. An
/// assumption: releases are a quarter of a year apart, and users run software one or two releases newer than the stack.
constexpr double kUnstatedYears = 0.5;
constexpr double kMonthsOfYear = 12;
/// Years that published series of releases span (tests/measured/releases.py): beyond them nobody knows a gain.
constexpr double kMostYears = 2;
constexpr size_t kMonth = std::string_view("2026-02").size();

RecordShare distanceTerm(const ir::Stack& stack, std::string of, std::string what, double share, double error,
                         Ends ends) {
  return {std::move(what), share, error, 0, 0, true, std::move(of), ir::RecordKind::Stack, stack.name, 0, ends};
}

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
    busier_ += seconds * (load - 1);
    return;
  }
  const ir::Op& op = model.ops[node.op];
  busier_ += seconds * (loadOf(op.dims) - 1);
  const bool products = op.kind == ir::OpKind::Scores || op.kind == ir::OpKind::Context;
  if (products && !stack_.number(ir::StackFact::RatesForward, op.name)) scores_ += seconds;
}

std::vector<RecordShare> UnsaidTime::terms(double total) const {
  std::vector<RecordShare> terms;
  if (busier_ > 0)
    terms.push_back(distanceTerm(
        stack_, "routing", "experts whose loads the plan does not state: `expert_gini`, or `expert_imbalance = 1`", 1,
        std::log1p(busier_ / total) / kNinetyPercent, Ends::Slower));
  const double error = stack_.value(ir::StackFact::AccuracyNewKind, 0);
  if (error > 0 && scores_ > 0 && !stack_.number(ir::StackFact::AccuracyKindsScores))
    terms.push_back(distanceTerm(
        stack_, "kinds",
        fmt::format("no run of stack `{}` with scores that are not one fused attention", stack_.name.view()),
        scores_ / total, error, Ends::Both));
  return terms;
}

std::vector<RecordShare> releaseTerms(const ir::Plan& plan) {
  const ir::Stack& stack = *plan.stack;
  const std::string_view fitted = textOf(stack, ir::StackFact::FittedDate).substr(0, kMonth),
                         known = fitted.empty() ? textOf(stack, ir::StackFact::Released) : fitted,
                         runs = textOf(stack, ir::StackFact::Installed);
  const std::optional<ir::ReleaseSpan> of = ir::parseRelease(known), here = ir::parseRelease(runs);
  if (!of || (!here && !fitted.empty())) return {};
  const bool experts = plan.model && hasExperts(*plan.model);
  const double perYear =
      stack.value(experts ? ir::StackFact::AccuracyNewYearExperts : ir::StackFact::AccuracyNewYear, 0);
  const double newer = here ? (here->last - of->last) / kMonthsOfYear : kUnstatedYears;
  const double older = here ? (of->first - here->first) / kMonthsOfYear : 0;
  const std::string what =
      here ? fmt::format("release {}, and stack `{}` knows {}", runs, stack.name.view(), known)
           : fmt::format("a release that the plan does not state (`installed`); stack `{}` knows {}", stack.name.view(),
                         known);
  std::vector<RecordShare> terms;
  const auto add = [&](double years, Ends ends) {
    if (const double far = std::min(years, kMostYears) * perYear; far > 0)
      terms.push_back(distanceTerm(stack, "release", what, 1, far / kNinetyPercent, ends));
  };
  add(newer, Ends::Faster);
  add(older, Ends::Slower);
  return terms;
}

} // namespace planc::cost
