// Forward and backward of two micro-batches together: how long, and where the seconds go (docs/cost-model.md,
// section 3.2).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/Pair.h"

#include "backends/cost/simulate/PairList.h"

#include <algorithm>

namespace planc::cost {

namespace {

Slice sliceOf(const Ran& ran, SliceKind kind, uint32_t stream, double begin, double end) {
  Slice slice{.kind = kind, .stream = stream};
  slice.action = ran.backward ? ir::ActionKind::Backward : ir::ActionKind::Forward;
  slice.layerClass = static_cast<int64_t>(ran.layerClass.index), slice.task = static_cast<int64_t>(ran.node);
  slice.begin = begin, slice.end = end;
  return slice;
}

/// Books both passes: what computes, statistics that stand inside their operator, and waits.
class PairLedger {
public:
  PairLedger(Account& account, const std::vector<ClassCost>& costs, const Tracks& tracks,
             SliceObserver* observer = nullptr)
      : account_(account), costs_(costs), tracks_(tracks), observer_(observer), heads_(tracks.size()) {}

  void book(double end) {
    static const std::vector<Ran> kNothing;
    const std::vector<Ran>& computing = tracks_.empty() ? kNothing : tracks_[0];
    double free = 0;
    for (const Ran& r : computing) {
      wait(free, r.start, r.backward, r.times);
      (r.communicates ? spent(r).exposed : spent(r).computing) += r.seconds() * r.times;
      tell(r, r.communicates ? SliceKind::Held : SliceKind::Task, r.start, r.end);
      free = r.end;
    }
    wait(free, end, false, 1);
  }

private:
  Spent& spent(const Ran& r) {
    return account_.nodes(r.layerClass, r.backward, costs_[r.layerClass.index].of(r.backward).nodes.size())[r.node];
  }

  /// No pass computes: the stage waits for communication of the pass that computes next.
  void wait(double from, double until, bool backward, double times) {
    while (from < until) {
      const Ran* cause = nullptr;
      for (size_t s = 1; s < tracks_.size(); ++s) {
        size_t& head = heads_[s];
        while (head < tracks_[s].size() && tracks_[s][head].end <= from) ++head;
        if (head == tracks_[s].size() || tracks_[s][head].start > from) continue;
        if (!cause || (cause->backward != backward && tracks_[s][head].backward == backward)) cause = &tracks_[s][head];
      }
      if (!cause) return; // something runs at any time
      const double to = std::min(until, cause->end);
      spent(*cause).exposed += (to - from) * times;
      tell(*cause, SliceKind::Waits, from, to);
      from = to;
    }
  }

  void tell(const Ran& ran, SliceKind kind, double begin, double end) const {
    if (observer_ && end > begin) observer_->spend(sliceOf(ran, kind, 0, begin, end));
  }

  Account& account_;
  const std::vector<ClassCost>& costs_;
  const Tracks& tracks_;
  SliceObserver* observer_;
  std::vector<size_t> heads_; ///< of the comm streams, as far as the waits have come
};

double hostSeconds(const std::vector<ClassCost>& costs, const ir::StageKind& stage, bool backward) {
  double seconds = 0;
  for (const auto& [id, count] : stage.classes)
    seconds += costs[id.index].of(backward).host * static_cast<double>(count);
  return seconds;
}

/// Waits for the host, spread over what it launches.
void addWaits(Account& account, const std::vector<ClassCost>& costs, const ir::StageKind& forward,
              const ir::StageKind& backward, double seconds) {
  Account launched;
  double launches = 0;
  for (const bool backwardPass : {false, true})
    for (const auto& [id, count] : (backwardPass ? backward : forward).classes) {
      const SegmentCost& cost = costs[id.index].of(backwardPass);
      std::vector<Spent>& nodes = launched.nodes(id, backwardPass, cost.nodes.size());
      for (size_t n = 0; n < nodes.size() && cost.host > 0; ++n) {
        if (!cost.nodes[n].runs) continue;
        nodes[n].launches += cost.nodes[n].launches * static_cast<double>(count);
        launches += cost.nodes[n].launches * static_cast<double>(count);
      }
    }
  if (launches > 0) account.add(launched, seconds / launches);
}

/// Adds the time that a stage pass spends on its states, beyond its instances alone. The exposed time of its nodes
/// counts only as far as the pair has not exposed it yet.
void addBeyond(Account& beyond, const Account& pair, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
               const StagePass& stagePass, bool backward) {
  Account more = stagePass.account, capacity;
  for (const auto& [id, count] : stage.classes) {
    const SegmentCost& cost = costs[id.index].of(backward);
    addAlone(more, id, backward, cost, -static_cast<double>(count));
    std::vector<Spent>& nodes = capacity.nodes(id, backward, cost.nodes.size());
    for (size_t n = 0; n < nodes.size(); ++n) nodes[n].exposed += cost.nodes[n].seconds * static_cast<double>(count);
  }
  capacity.add(pair, -1);
  for (const auto& [id, spent] : more.bodies()) {
    for (size_t s = 0; s < spent.states.size(); ++s) beyond.expose(id, s, spent.states[s]);
    const std::vector<Spent>& from = spent.nodes(backward);
    const std::vector<Spent>& left = capacity.find(id)->nodes(backward);
    std::vector<Spent>& to = beyond.nodes(id, backward, from.size());
    for (size_t n = 0; n < from.size(); ++n) {
      to[n].slowed += std::max(0.0, from[n].slowed);
      to[n].exposed += std::clamp(from[n].exposed, 0.0, std::max(0.0, left[n].exposed));
    }
  }
}

/// The seconds for which the busiest port carries what both passes communicate, states too, but for what runs on after
/// one of them (`last`).
double busiestPort(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& forward,
                   const ir::StageKind& backward, const StagePass& last) {
  std::vector<double> ports{0};
  for (const bool backwardPass : {false, true}) {
    const ir::StageKind& stage = backwardPass ? backward : forward;
    addLayersOnPorts(ports, schedule, costs, stage, backwardPass);
    addStatesOnPorts(ports, schedule, costs, stage, [&](const auto& s) { return everyMicroBatch(s, backwardPass); });
  }
  takeRunning(ports, *schedule.program, last);
  return *std::ranges::max_element(ports);
}

/// Adds to the pair the time that gathers and reductions of states add to its passes. Time that the nodes of the states
/// already show is booked as slowed computing.
void addStates(Account& account, const std::vector<ClassCost>& costs, const ir::StageKind& forward,
               const StagePass& forwardStagePass, const ir::StageKind& backward, const StagePass& backwardStagePass,
               double seconds) {
  if (!(seconds > 0)) return;
  Account beyond;
  addBeyond(beyond, account, costs, forward, forwardStagePass, false);
  addBeyond(beyond, account, costs, backward, backwardStagePass, true);
  const double all = beyond.sum().sum(), shown = std::min(all, seconds);
  if (all > 0) account.add(beyond, shown / all);
  account.slow(account, seconds - shown);
}

} // namespace

void observePair(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& forward,
                 const ir::StageKind& backward, SliceObserver& observer) {
  const PairList list = listPair(schedule, costs, forward, backward, Strides::Off);
  for (uint32_t track = 0; track < list.tracks.size(); ++track)
    for (const Ran& ran : list.tracks[track])
      if (ran.end > ran.start) observer.observe(sliceOf(ran, SliceKind::Task, track, ran.start, ran.end));
  Account account;
  PairLedger(account, costs, list.tracks, &observer).book(std::max(list.lastForward, list.lastBackward));
}

Pair runPair(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& forward,
             const StagePass& forwardStagePass, const ir::StageKind& backward, const StagePass& backwardStagePass,
             Strides strides) {
  const double apart = forwardStagePass.seconds + backwardStagePass.seconds;
  const PairList list = listPair(schedule, costs, forward, backward, strides);
  const Tracks& tracks = list.tracks;
  const double listed = std::max(list.forward, list.backward);
  double computing = 0, communicating = 0, slowing = 0;
  for (size_t track = 0; track < tracks.size(); ++track)
    for (const Ran& r : tracks[track]) {
      const double seconds = r.seconds() * r.times;
      (r.communicates ? communicating : computing) += seconds;
      if (r.communicates) slowing += seconds * (track > 0 ? schedule.beside(static_cast<ir::Stream>(track) - 1) : 1);
    }
  const double beside = std::min(computing, std::max(0.0, computing + communicating - listed));
  const double slowed = communicating > 0 ? schedule.slowdown * beside * slowing / communicating : 0;
  const double hostForward = hostSeconds(costs, forward, false), hostBackward = hostSeconds(costs, backward, true);
  const double host = hostForward + hostBackward;
  const double waits = std::max(0.0, host - listed - slowed);
  double states = apart - forwardStagePass.alone - backwardStagePass.alone;
  // States hide beside the passes alone, but for what runs on after them. In a pair the other pass uses the same port,
  // and while statistics stand inside their operators it communicates: together no longer than the port carries them.
  const StagePass& last = backwardStagePass.tail > 0 ? backwardStagePass : forwardStagePass;
  states = std::max(states, busiestPort(schedule, costs, forward, backward, last) - listed - slowed - waits);
  Pair pair;
  if (const double seconds = listed + slowed + waits + states; seconds < apart) {
    pair.cost = {seconds, seconds, seconds};
    PairLedger(pair.account, costs, tracks).book(std::max(list.lastForward, list.lastBackward));
    pair.account.slow(pair.account, slowed);
    addWaits(pair.account, costs, forward, backward, waits);
    addStates(pair.account, costs, forward, forwardStagePass, backward, backwardStagePass, states);
  } else {
    pair.cost = {apart, apart, apart};
    pair.account.add(forwardStagePass.account);
    pair.account.add(backwardStagePass.account);
  }
  // A result is made when the device has ended its pass, and a host that launches kernels of both in turn has, too.
  if (const double whole = listed + slowed + waits; listed > 0) {
    const auto made = [&](double onDevice, double launching) {
      return std::max(onDevice * (1 + slowed / listed), std::min(host, 2 * launching)) / whole;
    };
    pair.cost.forward *= made(list.forward, hostForward), pair.cost.backward *= made(list.backward, hostBackward);
  }
  return pair;
}

} // namespace planc::cost
