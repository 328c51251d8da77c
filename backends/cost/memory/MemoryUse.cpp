// Memory of a device: states by their storage, the peak of passes and optimizer, and overheads of the software
// (docs/cost-model.md, section 3a).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/memory/MemoryUse.h"

#include "backends/cost/facts/Facts.h"
#include "backends/cost/memory/MemoryTimeline.h"
#include "backends/cost/price/DeviceStages.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <string_view>

namespace planc::cost {

namespace {

/// Returns the probability that a peak, predicted with an error, fits into the room. The logarithm of the peak is
/// normally distributed. All devices share one prediction and its error, so the fullest device decides for all.
double chanceOf(double peak, double room, double error) {
  if (!(peak > 0) || !(room > 0) || !(error > 0)) return peak <= room ? 1 : 0;
  return 0.5 * std::erfc(-std::log(room / peak) / (error * std::numbers::sqrt2));
}

/// Returns the parts of all chunks of a device together: states add up, buffers are shared.
StageParts together(const std::vector<const StageParts*>& chunks) {
  StageParts sum;
  for (const StageParts* c : chunks) {
    for (auto part : {&StageParts::params, &StageParts::grads, &StageParts::optimizer, &StageParts::hostParams,
                      &StageParts::hostGrads, &StageParts::hostOptimizer, &StageParts::buckets, &StageParts::update,
                      &StageParts::copies, &StageParts::remade})
      sum.*part += c->*part;
    for (auto part : {&StageParts::received, &StageParts::gathered, &StageParts::reducing, &StageParts::boundary,
                      &StageParts::staged})
      sum.*part = std::max(sum.*part, c->*part);
  }
  return sum;
}

void live(StageMemory& m, std::string_view what, double bytes) {
  if (bytes > 0) m.live.push_back({std::string(what), bytes});
}

void onHost(StageMemory& m, std::string_view what, double bytes) {
  if (bytes <= 0) return;
  m.host.push_back({std::string(what), bytes});
  m.hostBytes += bytes;
}

/// Adds the lines of everything that lives through the whole run.
void stateLines(StageMemory& m, const StageParts& parts, double workspace) {
  live(m, "parameters", parts.params);
  live(m, m.grads < parts.grads ? "gradients that backward has made so far" : "gradients", m.grads);
  live(m, "optimizer states", parts.optimizer);
  live(m, "copies of gradients in buckets", parts.buckets);
  live(m, "kept receive buffers", parts.received);
  live(m, "workspace", workspace);
}

void addPass(StageMemory& m, const PassPeak& peak, const ir::Program& program) {
  m.phase = peak.phase;
  m.microBatch = peak.microBatch;
  m.chunk = peak.chunk;
  if (peak.layerClass.valid()) m.layer = program.model->layers[program.classes[peak.layerClass].layer].ref();
  m.activations = peak.kept + peak.working;
}

/// Adds the lines of everything that is alive at the peak of the passes.
void passLines(StageMemory& m, const StageParts& parts, const PassPeak& peak) {
  live(m, "activations kept for backward", peak.kept);
  live(m, fmt::format("working set of {}", runningText(m)), peak.working);
  live(m, "logits in fp32, and their gradient", peak.logits);
  live(m, "gradients of this pass, not accumulated yet", peak.narrow);
  live(m, "gathered parameters", parts.gathered);
  live(m, "gradients being reduced", parts.reducing);
  live(m, "sent and received between stages", parts.boundary);
  live(m, "on the way to and from the host", parts.staged);
}

/// Returns the bytes that the allocator holds. A caching allocator keeps freed blocks until memory runs short, so it
/// never holds more than the capacity.
std::optional<double> poolOf(const Memory& memory, const ir::Stack& stack) {
  const ir::Number* caching = stack.number(ir::StackFact::Caching);
  if (!caching) return std::nullopt;
  return std::clamp(caching->value * memory.peak, memory.peak,
                    std::max(memory.peak, memory.capacity - memory.reserved));
}

SteadyBytes steadyBytes(const StageParts& parts, const ir::Program& program, double workspace) {
  return {parts.params,
          parts.grads,
          parts.optimizer,
          parts.buckets + parts.received + workspace,
          parts.gathered + parts.reducing + parts.boundary + parts.staged,
          program.plan->workload.updatesParameters() ? parts.update + parts.copies : -1,
          parts.remade};
}

StageMemory account(const StageParts& parts, const PassPeak& peak, const ir::Program& program, double workspace,
                    bool lines) {
  StageMemory m;
  const double states = parts.params + parts.grads + parts.optimizer + parts.buckets + parts.received + workspace;
  const double pass = states + peak.sum() + parts.gathered + parts.reducing + parts.boundary + parts.staged;
  m.passPeak = pass;
  m.stepPeak = program.plan->workload.updatesParameters() ? states + parts.update + parts.copies : 0;
  onHost(m, "parameters", parts.hostParams);
  onHost(m, "gradients", parts.hostGrads);
  onHost(m, "optimizer states", parts.hostOptimizer);
  onHost(m, "activations kept for backward", peak.host);
  m.params = parts.params;
  m.grads = parts.grads;
  m.optimizer = parts.optimizer;
  if (m.stepPeak > m.passPeak)
    m.phase = ir::Phase::Step;
  else
    addPass(m, peak, program), m.grads -= peak.absent;
  m.peak = std::max(m.passPeak, m.stepPeak);
  m.buffers = m.peak - m.params - m.grads - m.optimizer - m.activations;
  if (std::abs(m.buffers) < 1e-12 * m.peak) m.buffers = 0; // a rounding error of the sums, which may be negative
  if (!lines) return m;
  stateLines(m, parts, workspace);
  if (m.phase == ir::Phase::Step) {
    live(m, "new parameters in one buffer", parts.update);
    live(m, "values of the update of all tensors at once", parts.copies);
  } else
    passLines(m, parts, peak);
  std::stable_sort(m.live.begin(), m.live.end(),
                   [](const LiveBytes& a, const LiveBytes& b) { return a.bytes > b.bytes; });
  return m;
}

} // namespace

std::string runningText(const StageMemory& stage) {
  return stage.layer.steps.empty() ? "the model" : stage.layer.str();
}

Memory accountMemory(const ir::Schedule& schedule, const ir::Orders& actions, Facts& facts, bool lines,
                     MemoryObserver* observer) {
  const ir::Program& program = *schedule.program;
  const ir::Number* capacity = facts.find(ir::DeviceFact::Memory, {});
  const std::vector<StageParts> ofKind = partsOfKinds(schedule, facts);
  const std::vector<PassMoments> momentsOf(ofKind.begin(), ofKind.end());
  std::vector<const PassMoments*> moments; // by virtual stage
  moments.reserve(program.virtualStages.size());
  for (const ir::VirtualStage& vs : program.virtualStages) moments.push_back(&momentsOf[vs.kind.index]);
  const double workspace = facts.stack.value(ir::StackFact::Workspace, 0);
  const DeviceStages devices(program);
  std::vector<StageParts> held; // by kind of device stage
  for (size_t kind = 0; kind < devices.kinds(); ++kind) {
    std::vector<const StageParts*> chunks;
    for (const uint32_t vs : devices.heldBy(devices.firstOf(kind)))
      chunks.push_back(&ofKind[program.virtualStages[vs].kind.index]);
    held.push_back(together(chunks));
  }
  Memory memory;
  memory.stages.reserve(actions.size());
  memory.capacity = capacity ? capacity->value : 0;
  for (size_t s = 0; s < actions.size(); ++s) {
    const StageParts& parts = held[devices.kindOf(s)];
    if (observer) observer->beginStage(static_cast<int64_t>(s), steadyBytes(parts, program, workspace));
    const PassPeak peak = passPeak(moments, actions[s], program.stages, parts.remade, observer);
    StageMemory m = account(parts, peak, program, workspace, lines);
    m.stage = static_cast<int64_t>(s);
    if (memory.stages.empty() || m.peak > memory.peak) {
      memory.peak = m.peak;
      memory.fullest = m.stage;
      memory.params = m.params;
      memory.grads = m.grads;
      memory.optimizer = m.optimizer;
      memory.activations = m.activations;
      memory.buffers = m.buffers;
    }
    memory.hostPeak = std::max(memory.hostPeak, m.hostBytes);
    memory.stages.push_back(std::move(m));
  }
  memory.reserved = facts.stack.value(ir::StackFact::Reserved, 0);
  memory.fragmentation = facts.stack.value(ir::StackFact::Fragmentation, 1);
  memory.pool = poolOf(memory, facts.stack);
  memory.fits = memory.peak <= memory.room();
  if (memory.hostPeak > 0) {
    const ir::Number* host = facts.find(ir::DeviceFact::HostMemory, {});
    memory.hostCapacity = host ? host->value : 0;
    memory.fits &= memory.hostPeak <= memory.hostCapacity;
  }
  if (const ir::Number* error = facts.stack.number(ir::StackFact::AccuracyMemory))
    memory.fitsProbability = memory.hostIsFuller() ? chanceOf(memory.hostPeak, memory.hostCapacity, error->value)
                                                   : chanceOf(memory.peak, memory.room(), error->value);
  return memory;
}

} // namespace planc::cost
