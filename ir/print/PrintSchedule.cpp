// Prints level `task`: the tasks of every segment, and each stage's order of work with runs of micro-batches folded.
// SPDX-License-Identifier: Apache-2.0
#include "ir/print/Names.h"
#include "ir/program/Task.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace planc::ir {

namespace {

/// Folds an order of actions: `F0..F6 (F7 B0)..(F[m-1] B[m-8]) B[m-7]..B[m-1]`. `F7&B0` run together.
class OrderText {
public:
  /// `held`: the virtual stages of the device.
  OrderText(std::vector<Action> actions, int64_t microBatches, int64_t window, std::vector<size_t> held)
      : actions_(std::move(actions)), m_(microBatches), window_(window), held_(std::move(held)) {}

  std::string run() const {
    std::string text;
    for (size_t i = 0; i < actions_.size();) {
      size_t period, repeats;
      longest(i, period, repeats);
      if (period == 1 && actions_[i].paired) period = 2, repeats = 1;
      if (!text.empty()) text += ' ';
      if (repeats == 2 && period == 1) repeats = 1; // two are not worth folding
      text += block(i, period);
      if (repeats > 1) text += fmt::format("..{}", block(i + (repeats - 1) * period, period));
      i += repeats * period;
    }
    return text;
  }

private:
  /// Finds the block at `at` that repeats with micro-batches moved by a constant and covers the most actions. The
  /// shortest block wins ties.
  void longest(size_t at, size_t& period, size_t& repeats) const {
    period = repeats = 1;
    for (size_t p = 1; p <= static_cast<size_t>(2 * window_) && at + 2 * p <= actions_.size(); ++p) {
      if (actions_[at + p - 1].paired) continue; // pairs stay together
      size_t n = repeatsOf(at, p);
      if (n < 3 || n * p <= period * repeats) continue;
      period = p;
      repeats = n;
    }
    // The last forward of a warm-up belongs to the first `one forward, one backward`.
    size_t last = at + repeats - 1;
    if (period == 1 && repeats > 1 && last + 4 <= actions_.size() && repeatsOf(last, 2) >= 3) --repeats;
  }

  size_t repeatsOf(size_t at, size_t period) const {
    size_t n = 1;
    int64_t step = static_cast<int64_t>(actions_[at + period].microBatch) - actions_[at].microBatch;
    if (step < 1) return 1;
    for (;; ++n)
      for (size_t k = 0; k < period; ++k) {
        size_t j = at + n * period + k;
        if (j >= actions_.size()) return n;
        const Action &a = actions_[j - period], &b = actions_[j];
        if (a.kind != b.kind || a.paired != b.paired || a.virtualStage != b.virtualStage ||
            b.microBatch != a.microBatch + step)
          return n;
      }
  }

  std::string block(size_t at, size_t period) const {
    if (period == 1) return one(actions_[at]);
    if (period == 2 && actions_[at].paired) return one(actions_[at]) + one(actions_[at + 1]);
    std::string text;
    for (size_t k = 0; k < period; ++k) {
      text += one(actions_[at + k]);
      if (k + 1 < period && !actions_[at + k].paired) text += ' ';
    }
    return fmt::format("({})", text);
  }

  /// `F0`, `B[m-1]`, or `F0.1` on the second virtual stage of the device. The last micro-batches are numbered from the
  /// end if this cannot be confused with numbers from the start.
  std::string one(const Action& a) const {
    static constexpr std::string_view kLetters = "FBIW"; // I and W: input and weight gradients of a split backward
    int64_t i = a.microBatch;
    bool fromEnd = m_ > 2 * window_ && i >= m_ - window_;
    std::string number = fromEnd ? fmt::format("[m-{}]", m_ - i) : fmt::format("{}", i);
    std::string stage;
    if (held_.size() > 1)
      stage = fmt::format(".{}", std::find(held_.begin(), held_.end(), a.virtualStage) - held_.begin());
    return fmt::format("{}{}{}{}", kLetters[static_cast<size_t>(a.kind)], number, stage, a.paired ? "&" : "");
  }

  std::vector<Action> actions_;
  int64_t m_, window_;
  std::vector<size_t> held_;
};

class SchedulePrinter {
public:
  explicit SchedulePrinter(const Schedule& schedule)
      : schedule_(schedule), program_(*schedule.program), names_(program_.model) {}

  std::string run() {
    line("schedule {} stages={} chunks={} m={}", schedule_.kind ? schedule_.kind->name() : "none", program_.stages,
         program_.chunks, program_.microBatches);
    std::string shares;
    for (int c = 0; c < kCollectiveClasses; ++c)
      shares += fmt::format(" {}={}", name(static_cast<CollectiveClass>(c)), numberText(schedule_.blockingShare[c]));
    const std::string bucket =
        schedule_.bucketBytes > 0 ? fmt::format(" bucket={}", numberText(schedule_.bucketBytes)) : "";
    std::string besides;
    for (size_t s = 0; s < schedule_.besides.size(); ++s)
      if (schedule_.besides[s] < 1) besides += fmt::format(" beside({})={}", s, numberText(schedule_.besides[s]));
    line("inline{} prefetch={} slowdown={}{}{}", shares, schedule_.prefetch, numberText(schedule_.slowdown), besides,
         bucket);
    for (const auto* list : {&schedule_.forward, &schedule_.backward})
      for (const Segment& s : *list) printSegment(s);
    if (schedule_.kind && schedule_.kind->orders) printOrders();
    return out_;
  }

private:
  template <class... Args> void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  std::string stream(Stream s) const {
    if (s == kComputeStream) return "compute";
    size_t level = static_cast<size_t>(s);
    return level < program_.mesh.levelNames.size() ? program_.mesh.levelNames[level].str() : fmt::format("comm{}", s);
  }

  void printSegment(const Segment& segment) {
    if (segment.tasks.empty()) return;
    const LayerClass& layerClass = program_.classes[segment.layerClass];
    const std::vector<Node>& nodes = segment.backward ? layerClass.backward : layerClass.forward;
    line("segment {}{} {} {{", layerClass.boundaryReshard ? "boundary:" : "", program_.refOf(layerClass).str(),
         segment.backward ? "backward" : "forward");
    for (size_t i = 0; i < segment.tasks.size(); ++i) {
      const Task& t = segment.tasks[i];
      std::string deps;
      for (uint32_t d : t.deps) deps += fmt::format("{}{}", deps.empty() ? " after=" : ",", d);
      line("  {} {} {} share={}{}", i, stream(t.stream),
           t.node < nodes.size() ? nodeText(nodes[t.node], layerClass.layer) : "?", numberText(t.fraction), deps);
    }
    line("}}");
  }

  std::string nodeText(const Node& n, LayerId scope) const {
    std::string op = n.op.valid() ? program_.model->ops[n.op].name.str() : "-";
    std::string value =
        names_.of(n.value().valid() || !n.op.valid() ? n.value() : program_.model->ops[n.op].result, scope);
    if (const Compute* c = n.asCompute()) return fmt::format("{}.{} {}", op, name(c->role), value);
    auto moved = [&](std::string_view kind, const auto& c) {
      return fmt::format("{} {} axis={}({}) class={}", kind, c.gradient ? fmt::format("d({})", value) : value,
                         program_.mesh.str(c.axes), c.group, name(c.cls));
    };
    const Collective* c = n.asCollective();
    return c ? moved(name(c->kind), *c) : moved("copy", n.copy());
  }

  void printOrders() {
    const int64_t window = std::max<int64_t>(1, program_.stages * program_.chunks);
    const Orders orders = schedule_.kind->orders(schedule_.shape());
    for (size_t s = 0; s < orders.size(); ++s)
      line("stage {}: {}", s,
           OrderText(orders[s].list(), program_.microBatches, window, program_.heldBy(static_cast<int64_t>(s))).run());
  }

  const Schedule& schedule_;
  const Program& program_;
  ValueNames names_;
  std::string out_;
};

} // namespace

std::string print(const Schedule& schedule) {
  return SchedulePrinter(schedule).run();
}

} // namespace planc::ir
