// Live bytes over the actions of a stage, instance by instance inside the running one (docs/cost-model.md, section 3a).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/memory/MemoryTimeline.h"

#include <algorithm>
#include <map>

namespace planc::cost {

namespace {

/// The fullest moment inside an action, against what is alive when it begins.
struct Inside {
  double kept = 0; ///< change of what is kept
  double working = 0, narrow = 0, logits = 0;
  ir::LayerClassId layerClass;
  double sum() const { return kept + working + narrow + logits; }
};

void cover(Inside& most, const Inside& other) {
  if (!most.layerClass.valid() || other.sum() > most.sum()) most = other;
}

/// Instances run one after the other, each adding what it keeps.
Inside forwardPeak(const StageParts& parts) {
  Inside most;
  double kept = 0;
  for (const InstanceMemory& i : parts.instances) {
    if (i.count <= 0) continue;
    kept += i.saved * static_cast<double>(i.count); // a run of equal ones is fullest at its last
    cover(most, {kept, i.workingForward, 0, i.logits, i.layerClass});
  }
  return most;
}

/// In reverse order; each frees what it kept when it has ended, and leaves its gradients if they wait.
Inside backwardPeak(const StageParts& parts, bool frees, bool weights) {
  Inside most;
  double freed = 0, narrow = 0;
  for (auto i = parts.instances.rbegin(); i != parts.instances.rend(); ++i) {
    if (i->count <= 0) continue;
    const double each = frees ? i->saved : 0, left = weights ? i->narrow : 0, last = static_cast<double>(i->count - 1);
    cover(most, {-freed, i->workingBackward, narrow + left, i->logits, i->layerClass});
    cover(most, {-freed - each * last, i->workingBackward, narrow + left * (last + 1), i->logits, i->layerClass});
    freed += each * (last + 1);
    narrow += left * (last + 1);
  }
  return most;
}

/// Gradients of parameters alone, after a backward pass that left them for later.
Inside weightPeak(const StageParts& parts) {
  Inside most;
  double narrow = 0;
  for (auto i = parts.instances.rbegin(); i != parts.instances.rend(); ++i) {
    narrow += i->narrow * static_cast<double>(i->count);
    cover(most, {0, 0, narrow, 0, i->layerClass});
  }
  return most;
}

/// A chunk's moments, the same for every micro-batch.
struct Chunk {
  Inside forward, backward, input, weight;
  double saved = 0, operands = 0, host = 0;
  explicit Chunk(const StageParts& parts)
      : forward(forwardPeak(parts)), backward(backwardPeak(parts, true, true)),
        input(backwardPeak(parts, false, false)), weight(weightPeak(parts)), saved(parts.saved()),
        host(parts.hostSaved) {
    for (const InstanceMemory& i : parts.instances) operands += i.weightOperands * static_cast<double>(i.count);
  }
};

} // namespace

PassPeak passPeak(const std::vector<StageParts>& parts, const std::vector<ir::Action>& actions, int64_t stages) {
  std::map<size_t, Chunk> chunks;
  PassPeak peak;
  double alive = 0, host = 0;
  bool first = true;
  for (const ir::Action& a : actions) {
    const Chunk& c = chunks.try_emplace(a.virtualStage, parts[a.virtualStage]).first->second;
    const bool forward = a.kind == ir::ActionKind::Forward;
    const Inside& inside = forward                                   ? c.forward
                           : a.kind == ir::ActionKind::Backward      ? c.backward
                           : a.kind == ir::ActionKind::BackwardInput ? c.input
                                                                     : c.weight;
    if (first || alive + inside.sum() > peak.sum()) {
      first = false;
      const double hosted = peak.host;
      peak = {forward ? ir::Phase::Forward : ir::Phase::Backward,
              static_cast<int64_t>(a.virtualStage) / stages,
              a.microBatch,
              inside.layerClass,
              alive + inside.kept,
              inside.working,
              inside.narrow,
              inside.logits,
              hosted};
    }
    switch (a.kind) {
    case ir::ActionKind::Forward:
      alive += c.saved;
      host += c.host;
      break;
    case ir::ActionKind::Backward:
      alive -= c.saved;
      host -= c.host;
      break;
    case ir::ActionKind::BackwardInput: // what the gradients of parameters read stays
      alive += c.operands - c.saved;
      host -= c.host;
      break;
    case ir::ActionKind::BackwardWeight:
      alive -= c.operands;
      break;
    }
    peak.host = std::max(peak.host, host);
  }
  return peak;
}

} // namespace planc::cost
