// Event simulation of the pipeline (docs/cost-model.md, section 3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Pipeline.h"

#include <algorithm>
#include <stdexcept>

namespace planc::cost {

namespace {

using ir::Action;
using ir::ActionKind;

constexpr double kNotYet = -1;

/// An action starts at max(stage free, producer's end + transfer); the inline share of a transfer holds its sender.
class Simulation {
public:
  explicit Simulation(const PipelineInput& in)
      : in_(in), last_(static_cast<int64_t>(in.virtualStages.size()) - 1), forward_(cells(), kNotYet),
        backward_(cells(), kNotYet), remaining_(in.virtualStages.size(), in.microBatches),
        gathered_(in.virtualStages.size()), stages_(static_cast<size_t>(in.stages)) {
    // The new parameters of a stage arrive chunk after chunk from the beginning of the step.
    for (int64_t s = 0; s < in_.stages; ++s)
      for (int64_t c = 0, vs = s; c < in_.chunks; ++c, vs += in_.stages)
        gathered_[static_cast<size_t>(vs)] =
            (c ? gathered_[static_cast<size_t>(vs - in_.stages)] : 0) + cost(vs).gathers.total;
  }

  std::vector<StageTimes> run() {
    std::vector<int64_t> ready;
    for (int64_t s = in_.stages; s-- > 0;) ready.push_back(s);
    while (!ready.empty()) {
      const int64_t s = ready.back();
      ready.pop_back();
      advance(s, ready);
    }
    std::vector<StageTimes> times;
    for (int64_t s = 0; s < in_.stages; ++s) {
      Stage& stage = stages_[static_cast<size_t>(s)];
      if (stage.next != in_.actions[static_cast<size_t>(s)].size())
        throw std::logic_error("cost: the stages of the schedule wait for each other");
      stage.times.end = stage.free;
      stage.times.trailing += std::max(0.0, std::max(stage.commFree, stage.reduced) - stage.free);
      times.push_back(stage.times);
    }
    return times;
  }

private:
  struct Stage {
    size_t next = 0;     ///< action
    double free = 0;     ///< the compute stream
    double commFree = 0; ///< the comm stream, after passes
    double reduced = 0;  ///< the step's gradient reductions so far
    bool waiting = false;
    StageTimes times;
  };

  size_t cells() const { return in_.virtualStages.size() * static_cast<size_t>(in_.microBatches); }
  const VirtualStageCost& cost(int64_t vs) const { return in_.virtualStages[static_cast<size_t>(vs)]; }
  double& at(std::vector<double>& table, int64_t vs, int64_t mb) {
    return table[static_cast<size_t>(vs * in_.microBatches + mb)];
  }

  /// When what an action receives is there; negative if it was not sent yet.
  double received(const Action& a, int64_t vs) {
    const int64_t mb = a.microBatch;
    switch (a.kind) {
    case ActionKind::Forward: {
      if (vs == 0) return 0;
      const double sent = at(forward_, vs - 1, mb);
      return sent < 0 ? sent : sent + cost(vs - 1).send;
    }
    case ActionKind::Backward:
    case ActionKind::BackwardInput: {
      if (vs == last_) return at(forward_, vs, mb);
      const double sent = at(backward_, vs + 1, mb);
      return sent < 0 ? sent : sent + cost(vs + 1).sendBack;
    }
    case ActionKind::BackwardWeight:
      return at(backward_, vs, mb);
    }
    return kNotYet;
  }

  void advance(int64_t s, std::vector<int64_t>& ready) {
    Stage& stage = stages_[static_cast<size_t>(s)];
    const auto& actions = in_.actions[static_cast<size_t>(s)];
    stage.waiting = false;
    for (; stage.next < actions.size(); ++stage.next) {
      const Action& a = actions[stage.next];
      const int64_t vs = a.chunk * in_.stages + s;
      const double arrival = received(a, vs);
      if (arrival < 0) {
        stage.waiting = true;
        return;
      }
      perform(stage, a, vs, arrival);
      wake(a, vs, ready);
    }
  }

  /// Who receives from this action looks again.
  void wake(const Action& a, int64_t vs, std::vector<int64_t>& ready) {
    const int64_t to = a.kind == ActionKind::Forward ? vs + 1 : a.kind == ActionKind::BackwardWeight ? -1 : vs - 1;
    if (to < 0 || to > last_) return;
    Stage& other = stages_[static_cast<size_t>(to % in_.stages)];
    if (!other.waiting) return;
    other.waiting = false;
    ready.push_back(to % in_.stages);
  }

  void perform(Stage& stage, const Action& a, int64_t vs, double arrival) {
    const VirtualStageCost& c = cost(vs);
    const bool isForward = a.kind == ActionKind::Forward;
    const PassCost& pass = isForward ? c.forward : c.backward;
    double seconds = pass.seconds;
    if (a.kind == ActionKind::BackwardInput) seconds -= pass.weight;
    if (a.kind == ActionKind::BackwardWeight) seconds = pass.weight;
    double start = std::max(stage.free, arrival);
    if (pass.waitsForComm && a.kind != ActionKind::BackwardWeight && stage.commFree > start) {
      stage.times.exposed += stage.commFree - start;
      start = stage.commFree;
    }
    double end = start + seconds;
    stage.times.busy += seconds;
    if (isForward && a.microBatch == 0) end = afterGathers(stage, vs, start, end);
    if (pass.tail > 0) stage.commFree = end + pass.tail;
    if ((a.kind == ActionKind::Backward || a.kind == ActionKind::BackwardWeight) &&
        --remaining_[static_cast<size_t>(vs)] == 0)
      end = beginReductions(stage, vs, start, end);

    if (isForward)
      at(forward_, vs, a.microBatch) = end;
    else if (a.kind != ActionKind::BackwardWeight)
      at(backward_, vs, a.microBatch) = end;
    const double transfer = isForward                                         ? (vs < last_ ? c.send : 0)
                            : a.kind == ActionKind::BackwardWeight || vs == 0 ? 0
                                                                              : c.sendBack;
    stage.free = end + in_.inlineSend * transfer;
  }

  /// The first forward of a chunk meets the new parameters: its last instance cannot begin before their last bucket.
  double afterGathers(Stage& stage, int64_t vs, double start, double end) {
    const StepComm& comm = cost(vs).gathers;
    if (comm.total <= 0) return end;
    const double all = gathered_[static_cast<size_t>(vs)], firstBucket = all - comm.total + comm.edge;
    const double beside = std::clamp(all - start, 0.0, std::min(comm.total, end - start));
    const double late =
        std::max({end + in_.slowdown * beside, all + cost(vs).forward.last, firstBucket + (end - start)});
    stage.times.exposed += late - end;
    return late;
  }

  /// The last backward of a chunk completes its gradient buckets one by one; they are reduced in that order.
  double beginReductions(Stage& stage, int64_t vs, double start, double end) {
    const StepComm& comm = cost(vs).reductions;
    if (comm.total <= 0) return end;
    const double slowed = in_.slowdown * std::min(comm.total - comm.edge, end - start);
    stage.times.exposed += slowed;
    end += slowed;
    const double begin = std::max(stage.reduced, start + cost(vs).backward.first);
    stage.reduced = std::max(begin + comm.total, end + comm.edge);
    return end;
  }

  const PipelineInput& in_;
  int64_t last_;
  std::vector<double> forward_, backward_; ///< ends, by virtual stage and micro-batch
  std::vector<int64_t> remaining_;         ///< backward passes of a virtual stage
  std::vector<double> gathered_;           ///< when the new parameters of a virtual stage are there
  std::vector<Stage> stages_;
};

} // namespace

std::vector<StageTimes> runPipeline(const PipelineInput& input) {
  return Simulation(input).run();
}

} // namespace planc::cost
