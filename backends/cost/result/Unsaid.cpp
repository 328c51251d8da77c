// Terms of the interval for unstated loads of experts and for scores without runs.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/Unsaid.h"

#include "backends/cost/result/Confidence.h"
#include "backends/cost/result/Distance.h"
#include "ir/facts/StackFacts.h"
#include "ir/layout/Routed.h"
#include "ir/plan/MeshUse.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace planc::cost {

namespace {

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

} // namespace planc::cost
