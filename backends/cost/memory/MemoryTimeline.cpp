// Live bytes over the actions of a stage, instance by instance inside the running one (docs/cost-model.md, section 3a).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/memory/MemoryTimeline.h"

#include <algorithm>
#include <span>
#include <utility>

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

/// What an action leaves behind, on the device and on the host.
struct Left {
  double device = 0, host = 0;
  Left& operator+=(const Left& other) {
    device += other.device, host += other.host;
    return *this;
  }
};

/// Walks one device's order.
class Walk {
public:
  Walk(const std::vector<const StageParts*>& parts, int64_t stages) : parts_(parts), stages_(stages) {}

  void visit(const ir::Action& a) {
    const Chunk& c = chunk(a);
    const Inside& inside = insideOf(c, a.kind);
    if (first_ || alive_ + inside.sum() > peak_.sum()) {
      first_ = false;
      const double hosted = peak_.host;
      peak_ = {a.kind == ir::ActionKind::Forward ? ir::Phase::Forward : ir::Phase::Backward,
               static_cast<int64_t>(a.virtualStage) / stages_,
               a.microBatch,
               inside.layerClass,
               alive_ + inside.kept,
               inside.working,
               inside.narrow,
               inside.logits,
               hosted};
    }
    const Left left = leftBy(c, a.kind);
    alive_ += left.device, host_ += left.host;
    peak_.host = std::max(peak_.host, host_);
  }
  /// Actions whose moments lie between others that are visited.
  void pass(std::span<const ir::Action> actions, int64_t times) {
    Left net;
    for (const ir::Action& a : actions) net += leftBy(chunk(a), a.kind);
    alive_ += net.device * static_cast<double>(times), host_ += net.host * static_cast<double>(times);
  }
  const PassPeak& peak() const { return peak_; }

private:
  const Chunk& chunk(const ir::Action& a) {
    for (const auto& [virtualStage, chunk] : chunks_) // a few
      if (virtualStage == a.virtualStage) return chunk;
    return chunks_.emplace_back(a.virtualStage, Chunk(*parts_[a.virtualStage])).second;
  }
  static const Inside& insideOf(const Chunk& c, ir::ActionKind kind) {
    return kind == ir::ActionKind::Forward         ? c.forward
           : kind == ir::ActionKind::Backward      ? c.backward
           : kind == ir::ActionKind::BackwardInput ? c.input
                                                   : c.weight;
  }
  static Left leftBy(const Chunk& c, ir::ActionKind kind) {
    switch (kind) {
    case ir::ActionKind::Forward:
      return {c.saved, c.host};
    case ir::ActionKind::Backward:
      return {-c.saved, -c.host};
    case ir::ActionKind::BackwardInput: // what the gradients of parameters read stays
      return {c.operands - c.saved, -c.host};
    case ir::ActionKind::BackwardWeight:
      return {-c.operands, 0};
    }
    return {};
  }

  const std::vector<const StageParts*>& parts_;
  int64_t stages_;
  std::vector<std::pair<uint16_t, Chunk>> chunks_; ///< by virtual stage
  PassPeak peak_;
  double alive_ = 0, host_ = 0;
  bool first_ = true;
};

} // namespace

PassPeak passPeak(const std::vector<const StageParts*>& parts, const ir::Order& actions, int64_t stages) {
  Walk walk(parts, stages);
  actions.eachEnd([&](const ir::Action& a) { walk.visit(a); },
                  [&](std::span<const ir::Action> between, int64_t times) { walk.pass(between, times); });
  return walk.peak();
}

} // namespace planc::cost
