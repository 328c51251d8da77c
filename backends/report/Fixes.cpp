// What would make a plan use less memory: sharding its states over replicated axes, recomputation, a smaller
// micro-batch. SPDX-License-Identifier: Apache-2.0
#include "backends/report/Fixes.h"

#include <algorithm>
#include <array>

namespace planc::report {
namespace {

using ir::AxisMask;
using ir::ParamState;

/// The states in the order in which one implies the next: `params -> dp` shards gradients and optimizer states too.
struct State {
  const char* key;
  const char* effect;
  AxisMask ParamState::*axes;
  double cost::StageMemory::*bytes;
};
constexpr std::array<State, 3> kStates = {{
    {"optimizer", "shards the optimizer states", &ParamState::optimizer, &cost::StageMemory::optimizer},
    {"grads", "shards gradients and optimizer states", &ParamState::grads, &cost::StageMemory::grads},
    {"params", "shards parameters, gradients and optimizer states, gathered for each use", &ParamState::params,
     &cost::StageMemory::params},
}};

const cost::StageMemory* fullestStage(const cost::Memory& memory) {
  for (const cost::StageMemory& stage : memory.stages)
    if (stage.stage == memory.fullest) return &stage;
  return nullptr;
}

/// Calls `visit(param state, copies)` for the parameters that a device stage owns.
template <class Visit> void eachParam(const ir::Program& program, int64_t stage, Visit visit) {
  for (size_t vs : program.heldBy(stage))
    for (const auto& [body, count] : program.virtualStages[vs].bodies)
      for (const ParamState& p : program.bodies[body].params)
        if (p.owner && p.trainable) visit(p, static_cast<double>(count));
}

/// The axes over which gradients of this stage are pending sums: parameters are copies there.
AxisMask replicatedAxes(const ir::Program& program, int64_t stage) {
  AxisMask axes = 0;
  eachParam(program, stage, [&](const ParamState& p, double) { axes |= p.partial; });
  for (ir::AxisId axis : program.mesh.list(axes))
    if (program.mesh.axes[axis].size == 1) axes &= ~ir::maskOf(axis);
  return axes;
}

/// The part of a state's bytes that stays when it is sharded over `axes` too.
double remainingShare(const ir::Program& program, int64_t stage, AxisMask ParamState::*state, AxisMask axes) {
  double before = 0, after = 0;
  eachParam(program, stage, [&](const ParamState& p, double copies) {
    AxisMask now = p.*state, then = now | (axes & p.partial);
    before += copies * p.elements / static_cast<double>(program.mesh.size(now));
    after += copies * p.elements / static_cast<double>(program.mesh.size(then));
  });
  return before > 0 ? after / before : 1;
}

/// Axes as the plan writes them: `dp`, or `[dp, cp]`; a refined axis once.
std::string axesText(const ir::Mesh& mesh, AxisMask axes) {
  std::vector<std::string> names;
  for (ir::AxisId id : mesh.list(axes)) {
    const ir::Axis& axis = mesh.axes[id];
    const std::string& name = (axis.written.empty() ? axis.name : axis.written).str();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return names.size() > 1 ? "[" + text + "]" : text;
}

void addStateFixes(const ir::Program& program, const cost::StageMemory& memory, std::vector<Fix>& fixes) {
  AxisMask axes = replicatedAxes(program, memory.stage);
  if (!axes) return;
  double saved = 0;
  for (const State& state : kStates) {
    double more = memory.*state.bytes * (1 - remainingShare(program, memory.stage, state.axes, axes));
    saved += more;
    if (more <= 0) continue;
    fixes.push_back({std::string("states { ") + state.key + " -> " + axesText(program.mesh, axes) + " }", state.effect,
                     saved, false});
  }
}

void addActivationFixes(const ir::Plan& plan, const ir::Program& program, const cost::StageMemory& memory,
                        std::vector<Fix>& fixes) {
  if (!plan.workload.train || memory.activations <= 0) return;
  auto micro = static_cast<double>(plan.workload.microBatch);
  if (micro > 1)
    fixes.push_back({"micro_batch = 1", "keeps the activations of one sample at a time",
                     memory.activations * (1 - 1 / micro), false});
  std::string repeats;
  for (const ir::Unit& unit : program.model.units)
    if (unit.repeat) repeats += (repeats.empty() ? "" : ", ") + unit.name.str();
  if (plan.recompute.empty() && !repeats.empty())
    fixes.push_back({"recompute " + repeats, "keeps only the inputs of each layer", memory.activations, true});
}

} // namespace

std::vector<Fix> memoryFixes(const PlanReport& report) {
  std::vector<Fix> fixes;
  const cost::StageMemory* memory = fullestStage(report.estimate->memory);
  if (!memory || !report.program || !report.plan) return fixes;
  addStateFixes(*report.program, *memory, fixes);
  addActivationFixes(*report.plan, *report.program, *memory, fixes);
  std::stable_sort(fixes.begin(), fixes.end(), [](const Fix& a, const Fix& b) { return a.saved > b.saved; });
  return fixes;
}

} // namespace planc::report
