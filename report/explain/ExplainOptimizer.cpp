// Explains the time of the optimizer: every parameter of one instance of every layer, communication once per step, and
// the sums of the stages.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Update.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/program/States.h"
#include "report/explain/ExplainNodes.h"
#include "report/explain/ExplainParts.h"

#include <fmt/core.h>

namespace planc::report {
namespace {

/// Writes products of whole matrices. Their time belongs to the sum over a stage, so a parameter has only FLOPs of its
/// own.
void products(ExplainPage& page, const ExplainInput& input, const ir::ParamState& param) {
  const ir::Program& program = *input.schedule->program;
  const cost::MatrixProducts made = cost::matrixProducts(program, param);
  if (made.one == 0) return;
  cost::Derivation why;
  input.model->products(program, made.share, {&why});
  page.fact("products",
            fmt::format("{} of {} x {}, {} each, {} {}", plural(made.matrices, "matrix", "matrices"),
                        countText(made.rows), countText(made.columns), formatQuantity(made.one, units::flops),
                        ir::updaterOf(program, param)->repeated ? "repeated on each of" : "divided among",
                        plural(static_cast<double>(program.mesh.size(param.optimizer)), "device", "devices")),
            kIndent);
  page.derivation(why, kIndent);
}

void update(ExplainPage& page, const ExplainInput& input, const ir::ParamState& param, double together) {
  const ir::Program& program = *input.schedule->program;
  cost::Derivation why;
  const cost::Priced priced = input.model->update(program, param, together, {&why});
  const ir::Optimizer* by = ir::updaterOf(program, param);
  page.line(fmt::format("{}  {}  {}", program.model->pathOf(param.param), by->name.view(),
                        formatQuantity(priced.seconds, units::time)),
            4, TextStyle::Bold);
  const ir::StateBytes held = ir::stateBytes(program, param);
  page.fact("holds",
            fmt::format("{} of states, {} of master copy", formatQuantity(held.states, units::bytes),
                        formatQuantity(held.master, units::bytes)),
            kIndent);
  page.fact("work", formatQuantity(priced.bytes, units::bytes) + " moved", kIndent);
  for (const auto& [key, text] : why.notes) page.fact(key, text, kIndent);
  page.derivation(why, kIndent);
  products(page, input, param);
}

/// Writes the updated parameters of a class. Returns false if it has none.
bool updates(ExplainPage& page, const ExplainInput& input, ir::LayerClassId id) {
  const ir::Program& program = *input.schedule->program;
  bool any = false;
  for (const ir::ParamState& param : program.classes[id].params) {
    if (!ir::updaterHere(program, param)) continue;
    if (!any) page.gap(), page.line(classTitle(program, id), 0, TextStyle::Bold);
    any = true;
    update(page, input, param, cost::updatedTogether(program, id));
  }
  for (const ir::StateCollective& state : program.classes[id].states)
    if (state.phase == ir::Phase::Step)
      explainState(page, input, id, state, plural(static_cast<double>(state.params.size()), "parameter", "parameters"));
  return any;
}

/// Writes the parallel work of a device and its longest part.
void stage(ExplainPage& page, const ExplainInput& input, int64_t index) {
  const ir::Program& program = *input.schedule->program;
  const cost::StageUpdate u = input.model->update(program, cost::stagesOn(program, index));
  if (!(u.seconds() > 0)) return;
  const auto time = [](double seconds) { return formatQuantity(seconds, units::time); };
  const auto size = [](double bytes) { return formatQuantity(bytes, units::bytes); };
  page.line(fmt::format("stage {}: {} in all", index, time(u.seconds())), 0, TextStyle::Bold);
  if (u.host <= 0 && u.link <= 0) return;
  page.line("the longest of these times, which run concurrently:", 2);
  page.fact("device", time(u.device), kIndent);
  const ir::Number* memory = input.facts->device.number(ir::DeviceFact::HostMemoryBandwidth);
  page.fact("host",
            fmt::format("{} of updates there{} = {} of its memory", time(u.host),
                        memory && u.link > 0 ? fmt::format(" + ({} + {}) / {}", size(u.toDevice), size(u.toHost),
                                                           formatQuantity(memory->value, units::bandwidth))
                                             : "",
                        time(u.memory)),
            kIndent);
  if (memory) page.constant("host memory = host.memory_bandwidth", *memory, kIndent);
  if (u.link <= 0) return;
  cost::Derivation why;
  const double link = input.model->hostLink(program, {&why});
  page.fact("link",
            fmt::format("max({} to the device, {} to the host) / {} = {}", size(u.toDevice), size(u.toHost),
                        formatQuantity(link, units::bandwidth), time(u.link)),
            kIndent);
  page.derivation(why, kIndent);
}

} // namespace

void explainOptimizer(ExplainPage& page, const ExplainInput& input) {
  const ir::Program& program = *input.schedule->program;
  page.number("optimizer", formatQuantity(input.report->estimate->totals.optimizer, units::time),
              "update of the slowest stage; below by parameter, for one instance on one device:");
  bool any = false;
  for (uint32_t i = 0; i < program.classes.size(); ++i) any |= updates(page, input, ir::LayerClassId(i));
  if (!any) page.line("the plan does not train, so it has no update");
  for (int64_t s = 0; s < program.stages; ++s) stage(page, input, s);
}

} // namespace planc::report
