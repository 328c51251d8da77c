// Puts the step of a stage together: passes, what holds it, reductions, sums of tied parameters, optimizer, overhead.
// SPDX-License-Identifier: Apache-2.0
#include "backends/timeline/StageLines.h"

#include "backends/cost/simulate/StageAccounts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace planc::timeline {

using cost::Cause;
using cost::Slice;
using cost::SliceKind;

namespace {

/// A stage's account differs from its spans if more than this share of the step is elsewhere.
constexpr double kMoved = 1e-11;

bool isTransfer(Cause cause) {
  return cause == Cause::Send || cause == Cause::SendBack || cause == Cause::Receive || cause == Cause::ReceiveBack;
}

class StageBuilder {
public:
  StageBuilder(const cost::Simulation& sim, int64_t stage, const cost::StageTimes& times, WorkTable& works,
               PassDetails& details)
      : sim_(sim), stage_(stage), times_(times), works_(works), details_(details), at_(times.begin),
        rounding_(kNegligible * sim.stepTime) {
    line.begin = times.begin, line.end = times.begin + sim.stepTime;
  }

  void compute(const std::vector<Slice>& slices) {
    notePortWaits(slices);
    for (size_t i = 0; i < slices.size(); ++i) add(slices, i);
    const cost::StepTimes& step = sim_.steps[stage_];
    for (const cost::HeldStage& held : times_.holds) {
      cost::Account inlined = cost::inlinedReductions(sim_, held.virtualStage);
      divide(works_.sharesOf(inlined, SpanKind::Holds), inlined.sum().sum());
    }
    const double end = times_.begin + sim_.end;
    fill(SpanKind::Idle, end);
    tied();
    fill(SpanKind::Idle, end + sim_.tied);
    plain(SpanKind::Optimizer, "optimizer", step.optimizer);
    if (sim_.optimizer - step.optimizer > rounding_)
      plain(SpanKind::Optimizer, "wait for the slowest optimizer", sim_.optimizer - step.optimizer);
    at_ = end + sim_.tied + sim_.optimizer;
    plain(SpanKind::Overhead, "overhead", line.end - sim_.straggler - at_);
    plain(SpanKind::Straggler, "wait for the slowest device", line.end - at_);
    line.computing = line.spans.size();
    moveReductions();
  }

  void communicate(const std::vector<Slice>& slices) {
    for (const Slice& slice : slices) {
      StageSpan span;
      span.begin = slice.begin, span.end = slice.end;
      span.stream = static_cast<uint16_t>(slice.stream), span.kind = SpanKind::Communicates;
      span.pass = {slice.action, slice.virtualStage, slice.microBatch};
      span.work = works_.named(nameOf(slice));
      const std::vector<WorkShare>& shares = movedShares(slice);
      double all = 0;
      for (const WorkShare& share : shares) all += share.seconds;
      for (const WorkShare& share : shares) {
        span.work = share.work, span.end = span.begin + (slice.end - slice.begin) * share.seconds / all;
        if (&share == &shares.back()) span.end = slice.end;
        line.spans.push_back(span);
        span.begin = span.end;
      }
      if (shares.empty()) line.spans.push_back(span);
    }
  }

  StageLine line;

private:
  static std::string nameOf(const Slice& slice) {
    switch (slice.cause) {
    case Cause::ForwardTail:
      return "states after a forward pass";
    case Cause::BackwardTail:
      return "states after a backward pass";
    case Cause::Gathers:
      return "gathers of new parameters";
    case Cause::Reductions:
      return "reductions of gradients";
    default:
      return "transfer";
    }
  }

  void add(const std::vector<Slice>& slices, size_t i) {
    const Slice& slice = slices[i];
    const double seconds = slice.end - slice.begin;
    switch (slice.kind) {
    case SliceKind::Pass:
      return pass({slice.action, slice.virtualStage, slice.microBatch}, seconds);
    case SliceKind::Pair:
      return pair(slice, seconds);
    case SliceKind::Idle:
      return idle(slices, i);
    case SliceKind::Held:
      return divide(heldShares(slice), seconds, slice.virtualStage);
    case SliceKind::WaitsForPort:
      return divide(portShares(), seconds);
    default:
      return;
    }
  }

  StageSpan& push(SpanKind kind, double seconds) {
    StageSpan& span = line.spans.emplace_back();
    span.kind = kind, span.begin = at_, span.end = at_ += seconds;
    return span;
  }
  void plain(SpanKind kind, const char* name, double seconds) {
    if (seconds > rounding_) push(kind, seconds).work = works_.named(name);
  }
  void fill(SpanKind kind, double until) {
    if (until - at_ > rounding_) push(kind, until - at_);
    at_ = until;
  }

  void pass(const PassRef& pass, double seconds) {
    if (!(seconds > rounding_)) return;
    StageSpan& span = push(SpanKind::Computes, seconds);
    span.pass = pass, span.detail = details_.pass(pass.virtualStage, pass.action);
  }

  /// A pair that begins with one pass alone reaches a share of its saving: that share is drawn as a pair, and the rest
  /// as its passes, one before and one after it.
  void pair(const Slice& slice, double seconds) {
    const PassRef forward{ir::ActionKind::Forward, slice.virtualStage, slice.microBatch},
        backward{ir::ActionKind::Backward, slice.pairedVirtualStage, slice.pairedMicroBatch};
    const uint32_t detail = details_.pair(slice.virtualStage, slice.pairedVirtualStage);
    const double together = detail == kNone ? 0 : slice.together;
    const PassRef &first = slice.backwardFirst ? backward : forward, &second = slice.backwardFirst ? forward : backward;
    const auto alone = [&](const PassRef& of) {
      return (1 - together) * sim_.stagePass(of.virtualStage, isBackward(of.action)).seconds;
    };
    const double before = alone(first), after = alone(second);
    pass(first, before);
    if (const double both = seconds - before - after; together > 0 && both > rounding_) {
      StageSpan& span = push(SpanKind::Computes, both);
      span.pass = forward, span.paired = backward, span.detail = detail;
    }
    pass(second, after);
  }

  /// Names the pass that an idle stage waits for.
  void idle(const std::vector<Slice>& slices, size_t i) {
    StageSpan& span = push(SpanKind::Idle, slices[i].end - slices[i].begin);
    for (size_t next = i + 1; next < slices.size() && next < i + 4; ++next)
      if (slices[next].kind == SliceKind::Pass || slices[next].kind == SliceKind::Pair) {
        span.pass = {slices[next].action, slices[next].virtualStage, slices[next].microBatch};
        return;
      }
  }

  /// Adds seconds as spans, in proportion to shares.
  void divide(const std::vector<WorkShare>& shares, double seconds, int64_t virtualStage = -1) {
    double all = 0;
    for (const WorkShare& share : shares) all += share.seconds;
    const double end = at_ + seconds;
    for (const WorkShare& share : shares) {
      const double part = all > 0 ? seconds * share.seconds / all : 0;
      if (!(part > 0)) continue;
      StageSpan& span = push(share.kind, part);
      span.work = share.work, span.slowed = share.slowed ? part : 0, span.pass.virtualStage = virtualStage;
    }
    if (shares.empty() && seconds > rounding_) push(SpanKind::Waits, seconds).work = works_.named("communication");
    at_ = end;
  }

  const cost::HeldStage* holdOf(int64_t virtualStage) const {
    for (const cost::HeldStage& held : times_.holds)
      if (held.virtualStage == virtualStage) return &held;
    return nullptr;
  }

  std::vector<WorkShare> sharesOf(const cost::HeldStage& held, Cause cause) {
    if (isTransfer(cause)) return works_.sharesOf(cause, held.virtualStage);
    cost::Account account;
    cost::addBooked(account, sim_, held, cause, held.booked[cause]);
    return works_.sharesOf(account, SpanKind::Waits);
  }

  /// Returns what a comm stream moves: a transfer, or the states of a virtual stage in proportion to their seconds.
  const std::vector<WorkShare>& movedShares(const Slice& slice) {
    const auto [place, fresh] = moved_.try_emplace({slice.virtualStage, slice.cause});
    const cost::HeldStage* held = fresh ? holdOf(slice.virtualStage) : nullptr;
    if (!held) return place->second;
    if (isTransfer(slice.cause)) {
      place->second = works_.sharesOf(slice.cause, slice.virtualStage);
      if (place->second.size() > 1) place->second.resize(1); // one message carries all values
      return place->second;
    }
    cost::Account account;
    cost::addBooked(account, sim_, *held, slice.cause, slice.end - slice.begin);
    place->second = works_.sharesOf(account, SpanKind::Communicates);
    std::erase_if(place->second, [](const WorkShare& share) { return share.kind != SpanKind::Communicates; });
    return place->second;
  }

  const std::vector<WorkShare>& heldShares(const Slice& slice) {
    const auto [place, fresh] = held_.try_emplace({slice.virtualStage, slice.cause});
    if (const cost::HeldStage* held = holdOf(slice.virtualStage); fresh && held)
      place->second = sharesOf(*held, slice.cause);
    return place->second;
  }

  /// Waits for the port are booked on transfers, and on what passes left behind: as much as has no slice of its own.
  void notePortWaits(const std::vector<Slice>& slices) {
    for (const cost::HeldStage& held : times_.holds)
      for (size_t c = 0; c < cost::kCauses; ++c) unseen_[{held.virtualStage, static_cast<Cause>(c)}] += held.booked[c];
    for (const Slice& slice : slices)
      if (slice.kind == SliceKind::Held) unseen_[{slice.virtualStage, slice.cause}] -= slice.end - slice.begin;
  }
  const std::vector<WorkShare>& portShares() {
    if (port_) return *port_;
    port_.emplace();
    for (const auto& [key, seconds] : unseen_) {
      const cost::HeldStage* held = holdOf(key.first);
      if (!held || !(seconds > kMoved * sim_.stepTime)) continue;
      std::vector<WorkShare> shares = sharesOf(*held, key.second);
      double all = 0;
      for (const WorkShare& share : shares) all += share.seconds;
      for (WorkShare& share : shares) {
        share.seconds *= seconds / all, share.kind = SpanKind::Waits;
        port_->push_back(share);
      }
    }
    return *port_;
  }

  void tied() {
    const ir::Program& program = *sim_.schedule->program;
    std::vector<WorkShare> sums;
    for (size_t g = 0; g < program.stageGroups.size(); ++g) {
      const ir::StageGroup& group = program.stageGroups[g];
      if (group.stages.size() < 2 || std::ranges::find(group.stages, stage_) == group.stages.end()) continue;
      const uint32_t work = works_.sum(g);
      sums.push_back({work, SpanKind::Holds, works_.works[work].seconds, false});
    }
    if (sim_.steps[stage_].tied > 0) divide(sums, sim_.steps[stage_].tied);
  }

  /// Reductions that would show longer than they take are booked on others that have seconds left. The account moves
  /// them after the simulation; their spans of the pipeline follow.
  void moveReductions() {
    std::map<uint32_t, double> drawn, drawnOutside; // by work
    for (const StageSpan& span : line.spans) {
      if (span.detail == kNone) {
        if (span.kind == SpanKind::Waits || span.kind == SpanKind::Holds) drawn[span.work] += span.seconds();
        if (span.kind == SpanKind::Waits) drawnOutside[span.work] += span.seconds();
        continue;
      }
      const PassDetail& detail = details_.details[span.detail];
      const double scale = detail.seconds > 0 ? span.seconds() / detail.seconds : 0;
      for (const auto& [work, seconds] : exposedIn(span.detail)) drawn[work] += scale * seconds;
    }
    std::vector<WorkShare> more;
    std::map<uint32_t, double> less; // share of its spans that goes elsewhere
    for (const auto& [id, spent] : sim_.accounts[stage_].account.bodies())
      for (size_t s = 0; s < spent.states.size(); ++s) {
        const uint32_t work = works_.state(id, s);
        const double over = drawn[work] - spent.states[s];
        if (over > kMoved * sim_.stepTime && drawnOutside[work] > 0)
          less[work] = std::min(1.0, over / drawnOutside[work]);
        else if (-over > kMoved * sim_.stepTime)
          more.push_back({work, SpanKind::Waits, -over, false});
      }
    if (less.empty() || more.empty()) return;
    std::vector<StageSpan> spans = std::move(line.spans);
    line.spans.clear();
    for (const StageSpan& span : spans) {
      const auto part = span.detail == kNone && span.kind == SpanKind::Waits ? less.find(span.work) : less.end();
      line.spans.push_back(span);
      if (part == less.end()) continue;
      const double moved = part->second * span.seconds();
      line.spans.back().end -= moved;
      at_ = span.end - moved;
      divide(more, moved, span.pass.virtualStage);
    }
    line.computing = line.spans.size();
  }

  /// Exposed seconds of states inside a detail, by work.
  const std::map<uint32_t, double>& exposedIn(uint32_t detail) {
    const auto [place, fresh] = exposed_.try_emplace(detail);
    if (!fresh) return place->second;
    for (const Span& span : details_.details[detail].spans)
      if (span.kind == SpanKind::Waits || span.kind == SpanKind::Holds) place->second[span.work] += span.seconds();
    return place->second;
  }

  const cost::Simulation& sim_;
  int64_t stage_;
  const cost::StageTimes& times_;
  WorkTable& works_;
  PassDetails& details_;
  double at_, rounding_;
  std::map<std::pair<int64_t, Cause>, std::vector<WorkShare>> held_, moved_;
  std::map<std::pair<int64_t, Cause>, double> unseen_; ///< booked seconds without a slice
  std::optional<std::vector<WorkShare>> port_;
  std::map<uint32_t, std::map<uint32_t, double>> exposed_;
};

} // namespace

StageLine stageLine(const cost::Simulation& sim, int64_t stage, const StageSlices& slices,
                    const cost::StageTimes& times, WorkTable& works, PassDetails& details) {
  StageBuilder builder(sim, stage, times, works, details);
  builder.compute(slices.computing);
  std::vector<Slice> moved = slices.communicating;
  std::stable_sort(moved.begin(), moved.end(), [](const Slice& a, const Slice& b) {
    return std::tie(a.stream, a.begin) < std::tie(b.stream, b.begin);
  });
  builder.communicate(moved);
  return std::move(builder.line);
}

} // namespace planc::timeline
