// Checks of an estimate as a whole before it is reported.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/Doubts.h"

#include "backends/cost/price/Buckets.h"
#include "backends/cost/price/Update.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/program/States.h"
#include "support/Quantity.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <fmt/format.h>

namespace planc::cost {

PLANC_WARNING(SmallCollectives, 808,
              "{share} of the step is exposed communication in messages below {limit}, where public measurements "
              "differ by a factor of two",
              Reached::Priced)
PLANC_WARNING(
    DenseTable, 737,
    "table `{table}` is updated as a whole, which takes {share} of the step with the reduction of its gradient",
    Reached::Priced)
PLANC_WARNING(FastKernel, 819,
              "the {pass} pass of `{op}` computes {rate}, above the {peak} that `{device}` has in {type}",
              Reached::Priced)
PLANC_ERROR(NoWorkload, 809, "plan `{plan}` has no workload, so there is no step to price")
PLANC_ERROR(NotFinite, 920, "`{number}` of plan `{plan}` is {value}: there is nothing to report")

namespace {

/// Below this size, published times of collectives disagree (docs/cost-model.md, section 2). That matters if the step
/// depends on them.
constexpr double kSmallMessage = 4 << 20;
constexpr double kSmallShare = 0.1;
/// From this share of the step on, a dense table is worth a warning.
constexpr double kDenseShare = 0.1;

struct Named {
  std::string_view name; ///< name of the metric
  double (*read)(const Estimate& e);
};
constexpr Named kNumbers[] = {
    {"step_time", [](const Estimate& e) { return e.totals.stepTime; }},
    {"step_time.low", [](const Estimate& e) { return e.totals.stepTimeLow().value_or(0); }},
    {"step_time.high", [](const Estimate& e) { return e.totals.stepTimeHigh().value_or(0); }},
    {"compute", [](const Estimate& e) { return e.totals.compute; }},
    {"memory.peak", [](const Estimate& e) { return e.memory.peak; }},
    {"params", [](const Estimate& e) { return e.totals.params; }},
    {"model_rate", [](const Estimate& e) { return e.totals.modelRate; }},
    {"hardware_rate", [](const Estimate& e) { return e.totals.hardwareRate; }},
};

/// Returns the seconds per step in which the gradient of a parameter is reduced, for `count` instances. The parameter
/// has a part of its messages in proportion to its elements.
double reductionSeconds(const ir::Schedule& schedule, const CostModel& model, ir::LayerClassId id,
                        const ir::ParamState& p, double count) {
  const ir::Program& program = *schedule.program;
  const ir::LayerClass& layerClass = program.classes[id];
  double seconds = 0;
  for (const ir::StateCollective& state : layerClass.states) {
    if (state.cls != ir::CollectiveClass::Gradient || !llvm::is_contained(state.params, p.param)) continue;
    double all = 0;
    for (const ir::ParamState& other : layerClass.params)
      if (llvm::is_contained(state.params, other.param)) all += other.elements;
    const double times = state.phase == ir::Phase::Step ? 1 : static_cast<double>(program.passes());
    const Messages messages = messagesOf(schedule, id, state);
    seconds += model.price(program, messages.one).seconds * messages.count * times * count * p.elements / all;
  }
  return seconds;
}

} // namespace

bool reportNoWorkload(const ir::Plan& plan, DiagnosticEngine& diagnostics) {
  if (plan.workload.microBatch > 0) return false;
  diagnostics.report(NoWorkload, plan.range, {{"plan", plan.name.str()}})
      .help("write `train { … }`, or `infer { … }` for a forward pass");
  return true;
}

bool checkFinite(const Estimate& estimate, const ir::Plan& plan, DiagnosticEngine& diagnostics) {
  for (const Named& n : kNumbers) {
    const double value = n.read(estimate);
    if (std::isfinite(value)) continue;
    diagnostics
        .report(
            NotFinite, plan.range,
            {{"number", n.name}, {"plan", plan.name.str()}, {"value", std::isnan(value) ? "not a number" : "infinite"}})
        .help("look for an extent, a formula of an operator or a fact that is many orders of magnitude off");
    return false;
  }
  return true;
}

void warnOfSmallMessages(const Estimate& e, const ir::Plan& plan, int64_t critical, DiagnosticEngine& diagnostics) {
  double small = 0;
  for (const CollectiveRow& row : e.collectives)
    if (row.stage == critical && row.bytes < kSmallMessage && row.cls != ir::CollectiveClass::Pipeline)
      small += row.onPath;
  if (small <= kSmallShare * e.totals.stepTime) return;
  diagnostics
      .report(SmallCollectives, plan.range,
              {{"share", fmt::format("{:.0f} %", 100 * small / e.totals.stepTime)}, {"limit", "4 MiB"}})
      .help("measure collectives of these sizes on the cluster and give its fabrics the samples");
}

void warnOfDenseTables(const Simulation& sim, const CostModel& model, DiagnosticEngine& diagnostics) {
  const ir::Program& program = *sim.schedule->program;
  const std::vector<bool> tables = ir::tablesOf(program.model);
  for (size_t vs : program.heldBy(sim.critical)) {
    const double together = updatedTogether(program, program.kindOf(vs));
    for (const auto& part : instancesOf(program.kindOf(vs))) {
      const ir::LayerClass& layerClass = program.classes[part.first];
      const double count = static_cast<double>(part.second);
      for (const ir::ParamState& p : layerClass.params) {
        if (p.touched > 0 || !tables[program.model->values[p.param].storage.index] || !ir::updaterOf(program, p))
          continue;
        const double share = (model.update(program, p, together).seconds * count +
                              reductionSeconds(*sim.schedule, model, part.first, p, count)) /
                             sim.stepTime;
        if (!(share > kDenseShare)) continue;
        auto report = diagnostics.report(
            DenseTable, program.plan->workload.range,
            {{"table", program.model->pathOf(p.param)}, {"share", fmt::format("{:.0f} %", 100 * share)}});
        if (p.rowElements > 0)
          report.help("split its rows, its tables or its columns over all axes of the batch: only the used rows are "
                      "updated if no other device adds to its gradient");
        else
          report.help("add `table_optimizer = optimizers.rowwise_adagrad`: only the used rows are updated if its rows, "
                      "tables or columns are split over all axes of the batch");
      }
    }
  }
}

namespace {

/// An operator's node that computes faster than the peak of its type.
struct FastNode {
  const ir::Node* node = nullptr;
  double rate = 0, over = 1; ///< FLOP/s of unmasked work; over the peak
};

/// A fact of a stack that makes the rate of a kernel.
struct RateFact {
  ir::StackFact id;
  bool named;    ///< of one operator; otherwise of fused attention
  bool backward; ///< of backward passes only
};
/// In the order in which they count.
constexpr RateFact kRateFacts[] = {
    {ir::StackFact::RatesBackward, true, true},
    {ir::StackFact::AttentionBackward, false, true},
    {ir::StackFact::RatesForward, true, false},
    {ir::StackFact::AttentionFactor, false, false},
};

/// Returns the stack's fact that makes the rate of a node, and its path; null if the stack states none.
std::pair<const ir::Number*, std::string> rateFactOf(const ir::Op& op, bool backward, const ir::Stack& stack) {
  for (const RateFact& row : kRateFacts) {
    if ((row.backward && !backward) || (!row.named && op.kind != ir::OpKind::Attention)) continue;
    const ir::FactKey key = row.named ? ir::FactKey(op.name) : ir::FactKey{};
    if (const ir::Number* stated = stack.number(row.id, key)) return {stated, ir::FactRef(row.id, key).path()};
  }
  return {};
}

/// Returns whether a stack's facts can make an operator faster than its device: products whose rate it states, and
/// fused attention.
bool hasOwnRate(const ir::Op& op, const ir::Stack& stack) {
  if (op.kind == ir::OpKind::Attention) return true;
  return ir::isProduct(op.kind) &&
         (stack.has(ir::StackFact::RatesForward, op.name) || stack.has(ir::StackFact::RatesBackward, op.name));
}

FastNode fastestOf(const ir::Program& program, const CostModel& model, const ir::Device& device,
                   const ir::Stack& stack) {
  FastNode fastest;
  for (const ir::LayerClass& layerClass : program.classes)
    for (const bool backward : {false, true})
      for (const ir::Node& node : backward ? layerClass.backward : layerClass.forward) {
        if (!node.isCompute() || !node.op.valid() || !hasOwnRate(program.model->ops[node.op], stack)) continue;
        const Priced priced = model.price(program, node);
        const ir::Number* peak = device.number(ir::DeviceFact::Peak, node.compute().work.dtype);
        if (!peak || !(priced.seconds > 0) || priced.flops <= fastest.over * priced.seconds * peak->value) continue;
        const double rate = priced.flops / priced.seconds;
        fastest = {&node, rate, rate / peak->value};
      }
  return fastest;
}

} // namespace

void warnOfFastKernel(const Simulation& sim, const CostModel& model, const ir::Device& device, const ir::Stack& stack,
                      DiagnosticEngine& diagnostics) {
  const ir::Program& program = *sim.schedule->program;
  const FastNode fastest = fastestOf(program, model, device, stack);
  if (!fastest.node) return;
  const ir::Compute& compute = fastest.node->compute();
  const ir::Op& op = program.model->ops[fastest.node->op];
  const bool backward = compute.role != ir::Role::Forward;
  const auto [stated, path] = rateFactOf(op, backward, stack);
  auto report = diagnostics.report(
      FastKernel, stated ? stated->range : device.range,
      {{"op", program.model->pathOf(op.result)},
       {"pass", backward ? "backward" : "forward"},
       {"rate", formatQuantity(fastest.rate, units::rate)},
       {"peak", formatQuantity(device.number(ir::DeviceFact::Peak, compute.work.dtype)->value, units::rate)},
       {"device", device.name.view()},
       {"type", ir::name(compute.work.dtype)}});
  const ir::Number* curve = device.number(ir::DeviceFact::AttentionForward);
  if (curve && op.kind == ir::OpKind::Attention) report.label(curve->range, "the curve of the device");
  const bool ofCurve = op.kind == ir::OpKind::Attention && (!stated || stated->value == 1);
  if (ofCurve)
    report.help("the curve of the device, or its `calibration.attention.head`, is above the peak");
  else
    report.help(fmt::format("`{}` of the stack {}", path,
                            backward && path.ends_with("backward")
                                ? "is backward over forward, which is rarely below 1"
                                : "is relative to the device's curve, or to the equation of the operator's kind: 1 if "
                                  "that was measured with the software of the stack"));
}

} // namespace planc::cost
