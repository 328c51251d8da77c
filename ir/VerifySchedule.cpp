// The law of level `task`: segments are acyclic and split nodes whole, and every stage's order finds its sends and
// receives. SPDX-License-Identifier: Apache-2.0
#include "ir/Task.h"
#include "ir/Verify.h"

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
    for (double share : schedule_.inlineShare)
      if (!(share >= 0 && share <= 1)) out_.wrong("an inline share of {}", share);
    if (schedule_.kind && schedule_.kind->actions) checkOrders();
  }

private:
  void checkSegment(const Segment& s, bool backward) {
    if (s.body.index >= program_.bodies.size() || s.backward != backward) {
      out_.wrong("a segment is of no body, or listed in the wrong direction");
      return;
    }
    const Body& body = program_.bodies[s.body];
    const std::vector<Node>& nodes = backward ? body.backward : body.forward;
    std::string title =
        fmt::format("{} {}", program_.model.units[body.unit].name.view(), backward ? "backward" : "forward");
    std::vector<double> shares(nodes.size());
    for (size_t i = 0; i < s.tasks.size(); ++i) {
      const Task& t = s.tasks[i];
      if (t.node >= nodes.size()) {
        out_.wrong("{}: task {} is of no node", title, i);
        return;
      }
      shares[t.node] += t.fraction;
      if (!(t.fraction > 0 && t.fraction <= 1)) out_.wrong("{}: task {} is {} of its node", title, i, t.fraction);
      // Program order is a topological order: a dependency on a later task would be the way into a cycle.
      for (uint32_t d : t.deps)
        if (d >= i) out_.wrong("{}: task {} waits for task {}, which comes later", title, i, d);
      checkStream(t, nodes[t.node], title, i);
    }
    for (size_t n = 0; n < nodes.size(); ++n)
      if (shares[n] != 0 && std::abs(shares[n] - 1) > 1e-9)
        out_.wrong("{}: tasks do {} of node {}", title, shares[n], n);
  }

  /// One stream per task: computing belongs to the compute stream, a collective to that or to the stream of its level.
  void checkStream(const Task& t, const Node& n, const std::string& title, size_t i) {
    bool own = n.kind == NodeKind::Collective && t.stream == static_cast<Stream>(n.level);
    if (t.stream != kComputeStream && !own) out_.wrong("{}: task {} is on stream {}", title, i, t.stream);
  }

  // ---- orders ----------------------------------------------------------------

  /// Enough micro-batches to see warm-up, steady state and drain; the same remainder, since interleaving counts in
  /// groups of p.
  int64_t sample() const {
    int64_t p = program_.stages;
    return std::min(program_.microBatches, 2 * p + program_.microBatches % p);
  }

  struct Done {
    bool forward = false, input = false, weight = false;
  };

  /// Runs the orders against each other: each action waits until what it receives was sent.
  void checkOrders() {
    int64_t p = program_.stages, v = program_.chunks, m = sample();
    std::vector<std::vector<Action>> orders;
    for (int64_t s = 0; s < p; ++s) orders.push_back(schedule_.kind->actions(p, v, m, s));
    std::vector<Done> done(static_cast<size_t>(p * v * m));
    auto at = [&](int64_t stage, int64_t mb) -> Done& { return done[static_cast<size_t>(stage * m + mb)]; };
    std::vector<size_t> next(static_cast<size_t>(p));
    bool upward = true; // forward work travels up the stages, backward work down: sweep both ways
    for (int idle = 0; idle < 2 && out_.empty(); upward = !upward) {
      bool moved = false;
      for (int64_t k = 0; k < p; ++k) {
        int64_t s = upward ? k : p - 1 - k;
        const std::vector<Action>& order = orders[static_cast<size_t>(s)];
        size_t& i = next[static_cast<size_t>(s)];
        for (; i < order.size() && perform(order[i], order[i].chunk * p + s, p * v, m, at); ++i) moved = true;
      }
      idle = moved ? 0 : idle + 1;
    }
    if (!out_.empty()) return;
    for (int64_t s = 0; s < p; ++s)
      if (size_t i = next[static_cast<size_t>(s)]; i < orders[static_cast<size_t>(s)].size())
        out_.wrong("stage {} waits for ever at action {}: nothing sends what it receives", s, i);
    if (out_.empty()) checkComplete(done);
  }

  /// Does an action of virtual stage `stage` if what it needs is there.
  template <class At> bool perform(const Action& a, int64_t stage, int64_t stages, int64_t m, At& at) {
    int64_t mb = a.microBatch;
    if (mb >= m || a.chunk >= program_.chunks) {
      out_.wrong("an action of micro-batch {} of {}, chunk {} of {}", mb, m, a.chunk, program_.chunks);
      return false;
    }
    Done& here = at(stage, mb);
    switch (a.kind) {
    case ActionKind::Forward:
      if (stage > 0 && !at(stage - 1, mb).forward) return false;
      return once(here.forward, "forward", stage, mb);
    case ActionKind::Backward:
    case ActionKind::BackwardInput:
      if (!here.forward || (stage + 1 < stages && !at(stage + 1, mb).input)) return false;
      if (a.kind == ActionKind::Backward) here.weight = true;
      return once(here.input, "backward", stage, mb);
    case ActionKind::BackwardWeight:
      return here.input && once(here.weight, "weight gradient", stage, mb);
    }
    return false;
  }

  bool once(bool& flag, const char* what, int64_t stage, int64_t mb) {
    if (flag) out_.wrong("{} of micro-batch {} runs twice on stage {}", what, mb, stage);
    flag = true;
    return true;
  }

  void checkComplete(const std::vector<Done>& done) {
    bool trains = std::any_of(done.begin(), done.end(), [](const Done& d) { return d.input; });
    size_t missing = static_cast<size_t>(std::count_if(
        done.begin(), done.end(), [&](const Done& d) { return !d.forward || (trains && (!d.input || !d.weight)); }));
    if (missing) out_.wrong("{} of {} micro-batches of stages are not run to the end", missing, done.size());
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
