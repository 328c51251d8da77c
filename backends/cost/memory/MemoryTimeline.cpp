// Live bytes over the actions of a stage, and over the instances inside an action (docs/cost-model.md, section 3a).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/memory/MemoryTimeline.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>

namespace planc::cost {

namespace {

void cover(Inside& most, const Inside& other) {
  if (!most.layerClass.valid() || other.sum() > most.sum()) most = other;
}

/// Returns the peak inside a forward pass. Instances run one after the other; each adds what it keeps.
Inside forwardPeak(const StageParts& parts) {
  Inside most;
  double kept = 0;
  for (const InstanceMemory& i : parts.instances) {
    if (i.count <= 0) continue;
    kept += i.saved * static_cast<double>(i.count); // the last of equal instances has the most
    cover(most, {kept, i.workingForward, 0, i.logits, i.layerClass});
  }
  return most;
}

/// Returns the peak inside a backward pass. Instances run in reverse order. Each frees what it kept when it ends, and
/// leaves its gradients if they wait for accumulation. The first pass of a step allocates the freed gradients again.
Inside backwardPeak(const StageParts& parts, bool frees, bool weights, bool first = false) {
  Inside most;
  double freed = 0, narrow = 0, remade = 0;
  for (auto i = parts.instances.rbegin(); i != parts.instances.rend(); ++i) {
    if (i->count <= 0) continue;
    const double each = frees ? i->saved : 0, left = weights ? i->narrow : 0, last = static_cast<double>(i->count - 1);
    const double own = first && weights ? i->remade : 0;
    // Before an instance computes its own gradients, it holds its working set. The last of equal instances also holds
    // the gradients of the others.
    cover(most, {-freed, i->workingBackward, narrow + left, i->logits, i->layerClass, remade});
    cover(most, {-freed - each * last, i->workingBackward, narrow + left * (last + 1), i->logits, i->layerClass,
                 remade + own * (last + 1)});
    freed += each * (last + 1);
    narrow += left * (last + 1);
    remade += own * (last + 1);
  }
  return most;
}

/// Returns the peak while gradients of parameters are computed alone, after a backward pass that postponed them.
Inside weightPeak(const StageParts& parts, bool first = false) {
  Inside most;
  double narrow = 0, remade = 0;
  for (auto i = parts.instances.rbegin(); i != parts.instances.rend(); ++i) {
    narrow += i->narrow * static_cast<double>(i->count);
    if (first) remade += i->remade * static_cast<double>(i->count);
    cover(most, {0, 0, narrow, 0, i->layerClass, remade});
  }
  return most;
}

/// Returns the peak of a forward pass that runs together with the backward pass of another micro-batch, instance by
/// instance. One adds what the other frees, so little more is kept than before.
Inside pairPeak(const StageParts& forward, const StageParts& backward, bool first) {
  Inside most;
  double kept = 0, narrow = 0, remade = 0;
  auto f = forward.instances.begin();
  auto b = backward.instances.rbegin();
  int64_t ofF = 0, ofB = 0; // finished instances of the current runs
  while (f != forward.instances.end() || b != backward.instances.rend()) {
    const bool forwards = f != forward.instances.end(), backwards = b != backward.instances.rend();
    const int64_t leftF = forwards ? f->count - ofF : 0, leftB = backwards ? b->count - ofB : 0;
    const int64_t steps = !forwards ? leftB : !backwards ? leftF : std::min(leftF, leftB);
    const InstanceMemory none;
    const InstanceMemory &one = forwards ? *f : none, &other = backwards ? *b : none;
    for (const int64_t step : {int64_t{0}, steps - 1}) { // linear in between
      if (step < 0 || step >= steps) continue;
      const auto before = static_cast<double>(step);
      cover(most, {kept + before * (one.saved - other.saved) + one.saved, one.workingForward + other.workingBackward,
                   narrow + (before + 1) * other.narrow, one.logits + other.logits,
                   backwards ? other.layerClass : one.layerClass, remade + (before + 1) * (first ? other.remade : 0)});
    }
    kept += static_cast<double>(steps) * (one.saved - other.saved);
    narrow += static_cast<double>(steps) * other.narrow;
    remade += static_cast<double>(steps) * (first ? other.remade : 0);
    if (forwards && (ofF += steps) >= f->count) ++f, ofF = 0;
    if (backwards && (ofB += steps) >= b->count) ++b, ofB = 0;
  }
  return most;
}

/// Walks the actions of one device in order.
class Walk {
public:
  Walk(const std::vector<const PassMoments*>& moments, int64_t stages, double remade)
      : moments_(moments), stages_(stages), absent_(remade), made_(moments.size()) {}

  void visit(const ir::Action& a) {
    if (a.paired) {
      first_ = a;
      return;
    }
    note(a, first_ ? together(*first_, a) : inside(a));
    if (first_) leave(*first_);
    leave(a);
    first_.reset();
  }
  /// Skips repeated actions whose peaks lie between those of visited repetitions.
  void pass(std::span<const ir::Action> actions, int64_t times) {
    double device = 0, host = 0;
    for (const ir::Action& a : actions) device += of(a).device, host += of(a).host, makeGradients(a);
    alive_ += device * static_cast<double>(times), host_ += host * static_cast<double>(times);
  }
  PassPeak peak() const {
    PassPeak peak = peak_;
    peak.host = mostHost_;
    return peak;
  }

private:
  const Inside& together(const ir::Action& forward, const ir::Action& backward) {
    const PassMoments &up = *moments_[forward.virtualStage], &down = *moments_[backward.virtualStage];
    const bool begins = makesGradients(backward);
    const auto [at, fresh] = pairs_.try_emplace({&up, &down, begins});
    if (fresh) at->second = pairPeak(*up.parts, *down.parts, begins);
    return at->second;
  }
  /// Returns whether the action is the first of a step that computes the gradients of its virtual stage.
  bool makesGradients(const ir::Action& a) const {
    const bool weights = a.kind == ir::ActionKind::Backward || a.kind == ir::ActionKind::BackwardWeight;
    return weights && !made_[a.virtualStage] && of(a).remade > 0;
  }
  void makeGradients(const ir::Action& a) {
    if (!makesGradients(a)) return;
    made_[a.virtualStage] = true;
    absent_ -= of(a).remade;
  }
  Inside inside(const ir::Action& a) const {
    if (!makesGradients(a)) return of(a).inside;
    const StageParts& parts = *moments_[a.virtualStage]->parts;
    return a.kind == ir::ActionKind::Backward ? backwardPeak(parts, true, true, true) : weightPeak(parts, true);
  }
  void note(const ir::Action& a, const Inside& inside) {
    const double most = alive_ - absent_ + inside.sum();
    if (!empty_ && most <= most_) return;
    empty_ = false;
    most_ = most;
    peak_ = {a.kind == ir::ActionKind::Forward ? ir::Phase::Forward : ir::Phase::Backward,
             static_cast<int64_t>(a.virtualStage) / stages_,
             a.microBatch,
             inside.layerClass,
             alive_ + inside.kept,
             inside.working,
             inside.narrow,
             absent_ - inside.remade,
             inside.logits,
             0};
  }
  void leave(const ir::Action& a) {
    makeGradients(a);
    alive_ += of(a).device, host_ += of(a).host;
    mostHost_ = std::max(mostHost_, host_);
  }
  const PassMoments::Action& of(const ir::Action& a) const {
    return moments_[a.virtualStage]->actions[static_cast<size_t>(a.kind)];
  }

  const std::vector<const PassMoments*>& moments_;
  int64_t stages_;
  PassPeak peak_;
  double alive_ = 0, host_ = 0, most_ = 0, mostHost_ = 0;
  bool empty_ = true;
  std::optional<ir::Action> first_; ///< first action of the current pair
  double absent_;                   ///< gradients that were absent when the step began and are not allocated yet
  std::vector<bool> made_;          ///< by virtual stage: its gradients are allocated
  std::map<std::tuple<const PassMoments*, const PassMoments*, bool>, Inside> pairs_;
};

} // namespace

PassMoments::PassMoments(const StageParts& stage) : parts(&stage) {
  const double saved = stage.saved(), host = stage.hostSaved;
  double operands = 0;
  for (const InstanceMemory& i : stage.instances) operands += i.weightOperands * static_cast<double>(i.count);
  const auto set = [&](ir::ActionKind kind, const Inside& inside, double device, double onHost) {
    actions[static_cast<size_t>(kind)] = {inside, device, onHost, stage.remade};
  };
  set(ir::ActionKind::Forward, forwardPeak(stage), saved, host);
  set(ir::ActionKind::Backward, backwardPeak(stage, true, true), -saved, -host);
  // The operands of the parameters' gradients stay.
  set(ir::ActionKind::BackwardInput, backwardPeak(stage, false, false), operands - saved, -host);
  set(ir::ActionKind::BackwardWeight, weightPeak(stage), -operands, 0);
}

PassPeak passPeak(const std::vector<const PassMoments*>& moments, const ir::Order& actions, int64_t stages,
                  double remade) {
  Walk walk(moments, stages, remade);
  // The first repetition, which allocates gradients again, differs from the later ones.
  actions.eachEnd([&](const ir::Action& a) { walk.visit(a); },
                  [&](std::span<const ir::Action> between, int64_t times) { walk.pass(between, times); },
                  remade > 0 ? 2 : 1);
  return walk.peak();
}

} // namespace planc::cost
