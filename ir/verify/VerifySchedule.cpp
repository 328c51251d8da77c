// Checks level `task`: segments are acyclic, their tasks add up to whole nodes, and every send in a stage's order has
// its receive.
// SPDX-License-Identifier: Apache-2.0
#include "ir/program/Task.h"
#include "ir/verify/Verify.h"
#include "support/Indexed.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace planc::ir {

namespace {

class ScheduleVerifier {
public:
  ScheduleVerifier(const Schedule& schedule, Findings& out)
      : schedule_(schedule), program_(*schedule.program), out_(out) {}

  void run() {
    for (const Segment& s : schedule_.forward) checkSegment(s, false);
    for (const Segment& s : schedule_.backward) checkSegment(s, true);
    for (double share : schedule_.blockingShare)
      if (!(share >= 0 && share <= 1)) out_.wrong("an inline share is {}; it must be from 0 to 1", share);
    if (!schedule_.kind || !schedule_.kind->orders || !checkDevices()) return;
    checkOrders(schedule_.kind->orders);
    for (const NamedOrder& other : schedule_.kind->others()) checkOrders(other.make);
  }

private:
  void checkSegment(const Segment& s, bool backward) {
    if (s.layerClass.index >= program_.classes.size() || s.backward != backward) {
      out_.wrong("a segment has no body, or is listed in the wrong direction");
      return;
    }
    const LayerClass& layerClass = program_.classes[s.layerClass];
    const std::vector<Node>& nodes = backward ? layerClass.backward : layerClass.forward;
    std::string title =
        fmt::format("{} {}", program_.model->layers[layerClass.layer].name.view(), backward ? "backward" : "forward");
    std::vector<double> shares(nodes.size());
    for (size_t i = 0; i < s.tasks.size(); ++i) {
      const Task& t = s.tasks[i];
      if (t.node >= nodes.size()) {
        out_.wrong("{}: task {} has no node", title, i);
        return;
      }
      shares[t.node] += t.fraction;
      const bool issues = t.stream == kComputeStream && nodes[t.node].isCollective();
      if (!((t.fraction > 0 || issues) && t.fraction <= 1 && t.fraction >= 0))
        out_.wrong("{}: task {} is the fraction {} of its node", title, i, t.fraction);
      // Program order is a topological order, so a dependency on a later task could make a cycle.
      for (uint32_t d : t.deps)
        if (d >= i) out_.wrong("{}: task {} waits for task {}, which comes later", title, i, d);
      checkStream(t, nodes[t.node], title, i);
    }
    for (size_t n = 0; n < nodes.size(); ++n)
      if (shares[n] != 0 && std::abs(shares[n] - 1) > 1e-9)
        out_.wrong("{}: tasks are {} of node {} in all; they must be 1", title, shares[n], n);
  }

  /// Checks the stream of a task: computing is on the compute stream, a collective on that stream or on that of its
  /// port.
  void checkStream(const Task& t, const Node& n, const std::string& title, size_t i) {
    bool own = n.isCollective() && t.stream == streamOf(program_, n.collective().level);
    if (t.stream != kComputeStream && !own)
      out_.wrong("{}: task {} is on stream {}, which is neither the compute stream nor that of its port", title, i,
                 t.stream);
  }

  // ---- devices ---------------------------------------------------------------

  /// Checks that every route gives each device stage the same number of virtual stages.
  bool checkDevices() {
    for (size_t r = 0; r < static_cast<size_t>(program_.routes); ++r) {
      Indexed<int64_t> held(program_.stages);
      for (const VirtualStage& s : program_.virtualStages) {
        if (r >= s.devices.size() || s.devices[r] < 0 || s.devices[r] >= program_.stages) {
          out_.wrong("virtual stage {} has no device on route {}", s.index, r);
          return false;
        }
        ++held[s.devices[r]];
      }
      for (size_t d = 0; d < held.size(); ++d)
        if (held[d] != program_.chunks)
          out_.wrong("stage {} holds {} virtual stages of route {}, not {}", d, held[d], r, program_.chunks);
    }
    return out_.empty();
  }

  // ---- orders ----------------------------------------------------------------

  /// The number of micro-batches to check: enough for warm-up, steady state and drain. Keeps the remainder modulo p,
  /// because interleaving works in groups of p.
  int64_t sample() const {
    int64_t p = program_.stages;
    return std::min(program_.microBatches, 2 * p + program_.microBatches % p);
  }

  struct Done {
    bool forward = false, input = false, weight = false;
  };

  /// Runs the orders of all stages against each other: each action waits until its inputs were sent.
  void checkOrders(OrderMaker make) {
    ScheduleShape shape = schedule_.shape();
    shape.microBatches = sample();
    const ActionLists orders = make(shape).lists();
    if (orders.empty() && make != schedule_.kind->orders) return;
    const int64_t p = program_.stages, m = shape.microBatches;
    if (static_cast<int64_t>(orders.size()) != p) {
      out_.wrong("there are orders of {} stages, but {} stages", orders.size(), p);
      return;
    }
    Indexed<Done> done(program_.virtualStages.size() * static_cast<size_t>(m));
    Indexed<size_t> next(p);
    bool upward = true; // forward work travels up the stages, backward work down: sweep in both directions
    for (int idle = 0; idle < 2 && out_.empty(); upward = !upward) {
      bool moved = false;
      for (int64_t k = 0; k < p; ++k) {
        const int64_t s = upward ? k : p - 1 - k;
        const std::vector<Action>& order = orders[s];
        for (size_t& i = next[s]; i < order.size(); moved = true) {
          const size_t together = order[i].paired ? 2 : 1;
          if (!runs(order, i, together, s, m, done)) break;
          i += together;
        }
      }
      idle = moved ? 0 : idle + 1;
    }
    if (!out_.empty()) return;
    for (size_t s = 0; s < next.size(); ++s)
      if (next[s] < orders[s].size())
        out_.wrong("stage {} waits forever at action {}: no stage sends the value that it receives", s, next[s]);
    if (out_.empty()) checkComplete(done);
  }

  /// Runs the action (or pair) at `i` if its inputs have arrived, and marks it done. Returns whether it ran.
  bool runs(const std::vector<Action>& order, size_t i, size_t together, int64_t s, int64_t m, Indexed<Done>& done) {
    if (i + together > order.size()) {
      out_.wrong("the last action of stage {} is half of a pair", s);
      return false;
    }
    for (size_t k = i; k < i + together; ++k)
      if (!legal(order[k], s, m) || !ready(order[k], m, done)) return false;
    for (size_t k = i; k < i + together; ++k) finish(order[k], m, done);
    return out_.empty();
  }

  bool legal(const Action& a, int64_t s, int64_t m) {
    const int64_t route = a.microBatch / std::max<int64_t>(1, m / program_.routes);
    const bool good = a.microBatch < m && a.virtualStage < program_.virtualStages.size() && route < program_.routes &&
                      program_.virtualStages[a.virtualStage].devices[route] == s;
    if (!good)
      out_.wrong("stage {} runs micro-batch {} of {} on virtual stage {}, which is not its own", s, a.microBatch, m,
                 a.virtualStage);
    return good;
  }

  static Done& at(Indexed<Done>& done, int64_t m, int64_t stage, int64_t mb) { return done[stage * m + mb]; }

  bool ready(const Action& a, int64_t m, Indexed<Done>& done) const {
    const int64_t stage = a.virtualStage, mb = a.microBatch;
    const auto last = static_cast<int64_t>(program_.virtualStages.size()) - 1;
    switch (a.kind) {
    case ActionKind::Forward:
      return stage == 0 || at(done, m, stage - 1, mb).forward;
    case ActionKind::Backward:
    case ActionKind::BackwardInput:
      return at(done, m, stage, mb).forward && (stage == last || at(done, m, stage + 1, mb).input);
    case ActionKind::BackwardWeight:
      return at(done, m, stage, mb).input;
    }
    return false;
  }

  void finish(const Action& a, int64_t m, Indexed<Done>& done) {
    Done& here = at(done, m, a.virtualStage, a.microBatch);
    if (a.kind == ActionKind::Forward) once(here.forward, "forward", a);
    if (a.kind == ActionKind::Backward || a.kind == ActionKind::BackwardInput) once(here.input, "backward", a);
    if (a.kind == ActionKind::Backward || a.kind == ActionKind::BackwardWeight) once(here.weight, "weight gradient", a);
  }

  void once(bool& flag, const char* what, const Action& a) {
    if (flag) out_.wrong("{} of micro-batch {} runs twice on stage {}", what, a.microBatch, a.virtualStage);
    flag = true;
  }

  void checkComplete(const Indexed<Done>& done) {
    bool trains = std::any_of(done.begin(), done.end(), [](const Done& d) { return d.input; });
    size_t missing = static_cast<size_t>(std::count_if(
        done.begin(), done.end(), [&](const Done& d) { return !d.forward || (trains && (!d.input || !d.weight)); }));
    if (missing) out_.wrong("{} of {} passes of micro-batches through stages are not finished", missing, done.size());
  }

  const Schedule& schedule_;
  const Program& program_;
  Findings& out_;
};

} // namespace

std::vector<std::string> verify(const Schedule& schedule) {
  Findings out;
  ScheduleVerifier(schedule, out).run();
  return out.take();
}

} // namespace planc::ir
