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

/// Visits the moments inside a forward pass. Instances run one after the other; each adds what it keeps. The last of
/// equal instances has the most, so the others are left out unless `each` is true.
template <class Visit> void forwardMoments(const StageParts& parts, bool each, Visit visit) {
  double kept = 0;
  for (const InstanceMemory& i : parts.instances) {
    if (i.count <= 0) continue;
    for (int64_t n = each ? 1 : i.count; n <= i.count; ++n)
      visit(Inside{kept + i.saved * static_cast<double>(n), i.workingForward, 0, i.logits, i.layerClass});
    kept += i.saved * static_cast<double>(i.count);
  }
}

/// Visits the moments inside a backward pass. Instances run in reverse order. Each frees what it kept when it ends, and
/// leaves its gradients if they wait for accumulation. The first pass of a step allocates the freed gradients again.
template <class Visit>
void backwardMoments(const StageParts& parts, bool frees, bool weights, bool first, bool every, Visit visit) {
  double freed = 0, narrow = 0, remade = 0;
  for (auto i = parts.instances.rbegin(); i != parts.instances.rend(); ++i) {
    if (i->count <= 0) continue;
    const double each = frees ? i->saved : 0, left = weights ? i->narrow : 0;
    const double own = first && weights ? i->remade : 0;
    // Before an instance computes its own gradients, it holds its working set. The last of equal instances also holds
    // the gradients of the others.
    const auto last = static_cast<double>(i->count - 1);
    visit(Inside{-freed, i->workingBackward, narrow + left, i->logits, i->layerClass, remade});
    for (int64_t n = every ? 1 : i->count - 1; n < i->count; ++n) {
      const double before = static_cast<double>(n), share = i->count > 1 ? before / last : 1;
      visit(Inside{-freed - each * before, i->workingBackward, narrow + left * (before + 1), i->logits, i->layerClass,
                   remade + own * (last + 1) * share});
    }
    if (every && i->count == 1)
      visit(Inside{-freed, i->workingBackward, narrow + left, i->logits, i->layerClass, remade + own});
    freed += each * static_cast<double>(i->count);
    narrow += left * static_cast<double>(i->count);
    remade += own * static_cast<double>(i->count);
  }
}

/// Visits the moments while gradients of parameters are computed alone, after a backward pass that postponed them.
template <class Visit> void weightMoments(const StageParts& parts, bool first, Visit visit) {
  double narrow = 0, remade = 0;
  for (auto i = parts.instances.rbegin(); i != parts.instances.rend(); ++i) {
    narrow += i->narrow * static_cast<double>(i->count);
    if (first) remade += i->remade * static_cast<double>(i->count);
    visit(Inside{0, 0, narrow, 0, i->layerClass, remade});
  }
}

/// Visits the moments of a forward pass that runs together with the backward pass of another micro-batch, instance by
/// instance. One adds what the other frees, so little more is kept than before.
template <class Visit>
void pairMoments(const StageParts& forward, const StageParts& backward, bool first, Visit visit) {
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
      visit(Inside{kept + before * (one.saved - other.saved) + one.saved, one.workingForward + other.workingBackward,
                   narrow + (before + 1) * other.narrow, one.logits + other.logits,
                   backwards ? other.layerClass : one.layerClass, remade + (before + 1) * (first ? other.remade : 0)});
    }
    kept += static_cast<double>(steps) * (one.saved - other.saved);
    narrow += static_cast<double>(steps) * other.narrow;
    remade += static_cast<double>(steps) * (first ? other.remade : 0);
    if (forwards && (ofF += steps) >= f->count) ++f, ofF = 0;
    if (backwards && (ofB += steps) >= b->count) ++b, ofB = 0;
  }
}

/// Visits the moments inside an action. `first`: it is the first of a step that makes its gradients.
template <class Visit>
void momentsOf(const StageParts& parts, ir::ActionKind kind, bool first, bool each, Visit visit) {
  switch (kind) {
  case ir::ActionKind::Forward:
    return forwardMoments(parts, each, visit);
  case ir::ActionKind::Backward:
    return backwardMoments(parts, true, true, first, each, visit);
  case ir::ActionKind::BackwardInput:
    return backwardMoments(parts, false, false, false, each, visit);
  case ir::ActionKind::BackwardWeight:
    return weightMoments(parts, first, visit);
  }
}

Inside peakOf(const StageParts& parts, ir::ActionKind kind, bool first = false) {
  Inside most;
  momentsOf(parts, kind, first, false, [&](const Inside& inside) { cover(most, inside); });
  return most;
}

/// Walks the actions of one device in order.
class Walk {
public:
  Walk(const std::vector<const PassMoments*>& moments, int64_t stages, double remade, MemoryObserver* observer)
      : moments_(moments), stages_(stages), observer_(observer), absent_(remade), made_(moments.size()) {}

  void visit(const ir::Action& a) {
    if (a.paired) {
      first_ = a;
      return;
    }
    note(a, first_ ? together(*first_, a) : inside(a));
    if (observer_) collect(a);
    if (first_) leave(*first_);
    leave(a);
    if (observer_) tell(a);
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
    Inside& most = at->second;
    if (fresh) pairMoments(*up.parts, *down.parts, begins, [&](const Inside& inside) { cover(most, inside); });
    return most;
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
    return peakOf(*moments_[a.virtualStage]->parts, a.kind, true);
  }
  void note(const ir::Action& a, const Inside& inside) {
    const double most = alive_ - absent_ + inside.sum();
    if (!empty_ && most <= most_) return;
    empty_ = false;
    most_ = most;
    peak_ = momentOf(a, inside);
  }
  PassPeak momentOf(const ir::Action& a, const Inside& inside) const {
    return {a.kind == ir::ActionKind::Forward ? ir::Phase::Forward : ir::Phase::Backward,
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
  /// Keeps the moments inside an action, for the observer.
  void collect(const ir::Action& a) {
    inside_.clear();
    const auto keep = [&](const Inside& inside) { inside_.push_back(momentOf(a, inside)); };
    const bool begins = makesGradients(a);
    if (first_)
      pairMoments(*moments_[first_->virtualStage]->parts, *moments_[a.virtualStage]->parts, begins, keep);
    else
      momentsOf(*moments_[a.virtualStage]->parts, a.kind, begins, visited_ < kEachInstance, keep);
    ++visited_;
  }
  void tell(const ir::Action& a) const {
    const PassPeak after = momentOf(a, {});
    first_ ? observer_->observe(*first_, &a, inside_, after) : observer_->observe(a, nullptr, inside_, after);
  }
  void leave(const ir::Action& a) {
    makeGradients(a);
    alive_ += of(a).device, host_ += of(a).host;
    mostHost_ = std::max(mostHost_, host_);
  }
  const PassMoments::Action& of(const ir::Action& a) const {
    return moments_[a.virtualStage]->actions[static_cast<size_t>(a.kind)];
  }

  /// The observer receives every instance of this many actions of a stage; of later actions it receives the ends of
  /// runs of equal instances.
  static constexpr size_t kEachInstance = 2048;

  const std::vector<const PassMoments*>& moments_;
  int64_t stages_;
  MemoryObserver* observer_;
  std::vector<PassPeak> inside_; ///< moments inside the action, for the observer
  size_t visited_ = 0;
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
  set(ir::ActionKind::Forward, peakOf(stage, ir::ActionKind::Forward), saved, host);
  set(ir::ActionKind::Backward, peakOf(stage, ir::ActionKind::Backward), -saved, -host);
  // The operands of the parameters' gradients stay.
  set(ir::ActionKind::BackwardInput, peakOf(stage, ir::ActionKind::BackwardInput), operands - saved, -host);
  set(ir::ActionKind::BackwardWeight, peakOf(stage, ir::ActionKind::BackwardWeight), -operands, 0);
}

PassPeak passPeak(const std::vector<const PassMoments*>& moments, const ir::Order& actions, int64_t stages,
                  double remade, MemoryObserver* observer) {
  Walk walk(moments, stages, remade, observer);
  if (observer) {
    for (const ir::Action& a : actions) walk.visit(a);
    return walk.peak();
  }
  // The first repetition, which allocates gradients again, differs from the later ones.
  actions.eachEnd([&](const ir::Action& a) { walk.visit(a); },
                  [&](std::span<const ir::Action> between, int64_t times) { walk.pass(between, times); },
                  remade > 0 ? 2 : 1);
  return walk.peak();
}

} // namespace planc::cost
