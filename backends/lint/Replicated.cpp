// Replicated: a parameter that every device holds whole with its states, although an axis could split it.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Lints.h"
#include "ir/program/States.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace planc::lint {

PLANC_WARNING(ReplicatedParameter, 1175,
              "`{param}` is replicated on each of {ranks} devices along `{axis}`: {bytes} of {capacity}, {share}",
              Reached::Priced)

namespace {

/// Least share of the device's memory for a warning, equal to the free share that ThinMargin.cpp warns of.
constexpr double kLarge = 0.05;

struct LargestParam {
  double bytes = 0;
  const ir::ParamState* state = nullptr;
};

/// Returns the bytes of one instance that no axis splits: those of parameter, gradient and optimizer that lie on the
/// device.
double wholeBytes(const ir::Program& program, const ir::ParamState& p) {
  if (p.layout.axes() || !p.owner) return 0;
  const ir::StateBytes held = ir::stateBytes(program, p);
  const double parts[] = {held.params, held.grads, held.optimizer()};
  const ir::AxisMask split[] = {p.params, p.grads, p.optimizer};
  double bytes = 0;
  for (size_t i = 0; i < 3; ++i)
    if (!split[i] && !p.host[i]) bytes += parts[i];
  return bytes;
}

/// Returns the whole bytes by parameter of the model, for one instance, because layers of a repeat are gathered and
/// updated one by one.
std::map<uint32_t, LargestParam> heldWhole(const Subject& subject) {
  const ir::Program& program = subject.program;
  std::map<uint32_t, LargestParam> held;
  for (size_t virtualStage : program.heldBy(subject.estimate.memory.fullest))
    for (const auto& [id, count] : program.kindOf(virtualStage).classes)
      for (const ir::ParamState& p : program.classes[id].params)
        if (const double bytes = count > 0 ? wholeBytes(program, p) : 0; bytes > held[p.param.index].bytes)
          held[p.param.index] = {bytes, &p};
  return held;
}

/// Returns the largest axis that carries no stages; null if all such axes have one rank.
const ir::Axis* largestAxis(const ir::Program& program) {
  const ir::Axis* largest = nullptr;
  for (ir::AxisId a : program.mesh.order)
    if (const ir::Axis& axis = program.mesh.axes[a];
        !(program.stageAxes & ir::maskOf(a)) && axis.size > (largest ? largest->size : 1))
      largest = &axis;
  return largest;
}

} // namespace

/// Reports only the largest parameter and counts the others, because the same rule fixes them all.
void warnOfReplicated(const Subject& subject, DiagnosticEngine& diagnostics) {
  const double capacity = subject.estimate.memory.capacity;
  const ir::Axis* const axis = largestAxis(subject.program);
  if (!axis) return;
  const std::map<uint32_t, LargestParam> held = heldWhole(subject);
  LargestParam most;
  size_t others = 0;
  double together = 0;
  for (const auto& [param, one] : held) {
    if (one.bytes <= kLarge * capacity) continue;
    together += one.bytes, ++others;
    if (one.bytes > most.bytes) most = one;
  }
  if (!most.state) return;
  auto report = diagnostics.report(
      ReplicatedParameter, axis->range,
      {{"ranks", subject.program.mesh.size(subject.program.mesh.resolve(axis->written).value_or(ir::AxisList()))},
       {"axis", axis->written.str()},
       {"param", subject.program.model->pathOf(most.state->param)},
       {"bytes", bytes(most.bytes)},
       {"capacity", bytes(capacity)},
       {"share", percent(most.bytes / capacity)}});
  for (const int32_t index : most.state->rules)
    if (index >= 0) {
      const ir::StateRule& rule = subject.plan().states[static_cast<size_t>(index)];
      report.label(rule.range, rule.host              ? "this rule keeps a part of it on the host"
                               : rule.targets.empty() ? "this rule does not split it"
                                                      : "this rule splits a part of it");
    }
  if (others > 1)
    report.note(fmt::format("with {} other{} that {} as large: {}", others - 1, others > 2 ? "s" : "",
                            others > 2 ? "are" : "is", bytes(together)));
  report.help(fmt::format("store it split, and gather it before use: `states {{ params -> {} }}`; or split a dimension "
                          "of it in `place`",
                          axis->written.view()));
}

} // namespace planc::lint
