// Explains a row of the contents of memory at the peak: the layers that hold it, or the cause of its size.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/memory/MemoryParts.h"
#include "backends/cost/price/Buckets.h"
#include "ir/facts/StackFacts.h"
#include "ir/program/States.h"
#include "report/explain/ExplainParts.h"

#include <algorithm>
#include <fmt/core.h>

namespace planc::report {
namespace {

/// A state of parameters with a row of its own, and its bytes per instance on one device.
struct StateRow {
  std::string_view what;
  size_t host; ///< its index among the states that the host's memory may hold
  double (*bytes)(const ir::StateBytes&);
};
constexpr StateRow kLiveStates[] = {
    {"parameters", 0, [](const ir::StateBytes& b) { return b.params; }},
    {"gradients", 1, [](const ir::StateBytes& b) { return b.grads; }},
    {"optimizer states", 2, [](const ir::StateBytes& b) { return b.optimizer(); }},
};

/// Rows that are not sums over layers, by the beginning of their names.
struct LiveRow {
  std::string_view begins, about;
};
constexpr LiveRow kLiveRows[] = {
    {"copies of gradients in buckets",
     "buckets of gradients in transit, in addition to the accumulated gradients, all the run"},
    {"kept receive buffers", "one buffer per class of gathered activations, as large as the largest, never freed"},
    {"workspace", "memory of the libraries and the allocator, all the run"},
    {"working set of", "values of the running instance that are not kept for backward, at their maximum"},
    {"logits", "the operands of the loss in fp32, and their gradient"},
    {"gradients of this pass", "deferred accumulation adds them at the end of the pass"},
    {"gathered parameters", "parameters of the running instance and of prefetched instances"},
    {"gradients that backward",
     "the update freed gradients; the first backward pass of a step makes them layer by layer"},
    {"values of the update", "`update_copies` of the stack for each element of the optimizer states, as wide as one"},
    {"gradients being reduced", "one bucket is filled while the previous bucket is reduced"},
    {"sent and received", "values of the stage's boundaries"},
    {"on the way to",
     "values are copied to the host while the next layer runs, and are back before their layer begins"},
    {"new parameters", "the update gathers them in one flat buffer of the stage and copies them from there"},
};

std::string bytesText(double bytes) {
  return formatQuantity(bytes, units::bytes);
}

void ofLayers(ExplainPage& page, const ExplainInput& input, const cost::StageMemory& stage, const StateRow& state,
              double sum) {
  const ir::Program& program = *input.schedule->program;
  SumTable table(page, units::bytes);
  for (const size_t vs : program.heldBy(stage.stage))
    for (const auto& [id, count] : cost::instancesOf(program.kindOf(vs))) {
      double bytes = 0;
      for (const ir::ParamState& p : program.classes[id].params)
        if (p.owner && !p.host[state.host]) bytes += state.bytes(ir::stateBytes(program, p));
      table.add(program.refOf(program.classes[id]).str(), bytes * static_cast<double>(count),
                count > 1 ? fmt::format("{} x {}", plural(static_cast<double>(count), "instance", "instances"),
                                        bytesText(bytes))
                          : "");
    }
  table.write(sum);
}

/// Writes what one pass keeps by layer, and how many passes are in flight.
void keptByLayer(ExplainPage& page, const ExplainInput& input, const cost::StageMemory& stage, double sum) {
  const ir::Program& program = *input.schedule->program;
  SumTable table(page, units::bytes);
  double pass = 0;
  for (const size_t vs : program.heldBy(stage.stage)) {
    const cost::StageParts parts = cost::partsOf(*input.schedule, program.kindOf(vs), input.facts->stack);
    pass += parts.saved();
    for (const auto& [id, count] : cost::instancesOf(program.kindOf(vs))) {
      const auto one =
          std::find_if(parts.instances.begin(), parts.instances.end(),
                       [&, layerClass = id](const cost::InstanceMemory& i) { return i.layerClass == layerClass; });
      table.add(program.refOf(program.classes[id]).str(), one->saved * static_cast<double>(count),
                count > 1 ? fmt::format("{} x {}", plural(static_cast<double>(count), "instance", "instances"),
                                        bytesText(one->saved))
                          : "");
    }
  }
  page.line("values that one micro-batch keeps in all layers of the stage", 2);
  table.write(pass);
  if (pass > 0)
    page.fact("in flight", fmt::format("{} of {}: {:.3g} of them at the fullest moment", bytesText(sum),
                                       bytesText(pass), sum / pass));
}

} // namespace

bool explainLive(ExplainPage& page, const ExplainInput& input, const std::string& what) {
  const cost::Memory& m = input.report->estimate->memory;
  for (const cost::StageMemory& s : m.stages) {
    if (s.stage != m.fullest) continue;
    const auto row =
        std::find_if(s.live.begin(), s.live.end(), [&](const cost::LiveBytes& l) { return l.what == what; });
    if (row == s.live.end()) return false;
    page.number(what, bytesText(row->bytes),
                fmt::format("{} of the memory's {}{}", shareText(row->bytes / s.peak), bytesText(s.peak),
                            m.stages.size() > 1 ? fmt::format(", stage {}", s.stage) : ""));
    for (const StateRow& state : kLiveStates)
      if (state.what == what) ofLayers(page, input, s, state, row->bytes);
    if (what.starts_with("activations kept")) keptByLayer(page, input, s, row->bytes);
    for (const LiveRow& known : kLiveRows)
      if (what.starts_with(known.begins)) page.line(std::string(known.about), 2);
    const ir::Number* workspace = input.facts->stack.number(ir::StackFact::Workspace);
    if (what == "workspace" && workspace) page.constant("workspace", *workspace);
    return true;
  }
  return false;
}

} // namespace planc::report
