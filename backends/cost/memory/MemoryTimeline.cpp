// Live bytes over the actions of a stage, instance by instance inside the running one (docs/cost-model.md, section 3a).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/memory/MemoryTimeline.h"

#include <algorithm>
#include <span>

namespace planc::cost {

namespace {

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

/// Walks one device's order.
class Walk {
public:
  Walk(const std::vector<const PassMoments*>& moments, int64_t stages) : moments_(moments), stages_(stages) {}

  void visit(const ir::Action& a) {
    const PassMoments::Action& m = of(a);
    if (first_ || alive_ + m.most > most_) {
      first_ = false;
      peak_ = {a.kind == ir::ActionKind::Forward ? ir::Phase::Forward : ir::Phase::Backward,
               static_cast<int64_t>(a.virtualStage) / stages_,
               a.microBatch,
               m.inside.layerClass,
               alive_ + m.inside.kept,
               m.inside.working,
               m.inside.narrow,
               m.inside.logits,
               0};
      most_ = peak_.sum();
    }
    alive_ += m.device, host_ += m.host;
    mostHost_ = std::max(mostHost_, host_);
  }
  /// Actions whose moments lie between others that are visited.
  void pass(std::span<const ir::Action> actions, int64_t times) {
    double device = 0, host = 0;
    for (const ir::Action& a : actions) device += of(a).device, host += of(a).host;
    alive_ += device * static_cast<double>(times), host_ += host * static_cast<double>(times);
  }
  PassPeak peak() const {
    PassPeak peak = peak_;
    peak.host = mostHost_;
    return peak;
  }

private:
  const PassMoments::Action& of(const ir::Action& a) const {
    return moments_[a.virtualStage]->actions[static_cast<size_t>(a.kind)];
  }

  const std::vector<const PassMoments*>& moments_;
  int64_t stages_;
  PassPeak peak_;
  double alive_ = 0, host_ = 0, most_ = 0, mostHost_ = 0;
  bool first_ = true;
};

} // namespace

PassMoments::PassMoments(const StageParts& parts) {
  const double saved = parts.saved(), host = parts.hostSaved;
  double operands = 0;
  for (const InstanceMemory& i : parts.instances) operands += i.weightOperands * static_cast<double>(i.count);
  const auto set = [&](ir::ActionKind kind, const Inside& inside, double device, double onHost) {
    actions[static_cast<size_t>(kind)] = {inside, inside.sum(), device, onHost};
  };
  set(ir::ActionKind::Forward, forwardPeak(parts), saved, host);
  set(ir::ActionKind::Backward, backwardPeak(parts, true, true), -saved, -host);
  // What the gradients of parameters read stays.
  set(ir::ActionKind::BackwardInput, backwardPeak(parts, false, false), operands - saved, -host);
  set(ir::ActionKind::BackwardWeight, weightPeak(parts), -operands, 0);
}

PassPeak passPeak(const std::vector<const PassMoments*>& moments, const ir::Order& actions, int64_t stages) {
  Walk walk(moments, stages);
  actions.eachEnd([&](const ir::Action& a) { walk.visit(a); },
                  [&](std::span<const ir::Action> between, int64_t times) { walk.pass(between, times); });
  return walk.peak();
}

} // namespace planc::cost
