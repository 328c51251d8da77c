// Which metrics are parts of which, and comparisons that take a part for more than the whole.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/Shares.h"

#include "backends/verdict/ExprText.h"
#include "ir/facts/DeviceFacts.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

namespace planc::verdict {

PLANC_ERROR(ShareOverOne, 340, "`{metric}` is a share of {whole}, and `{value}` is more than all of it")

namespace {

using ir::ExprId;
using ir::ExprNode;
using ir::ExprOp;

/// A metric, what it is a part of (in words: a number that is a share by itself), and the most that it can be of it.
struct Part {
  std::string_view metric, whole;
  double most;
};
/// Twice the peak is what counting full attention can make of a rate; a plan may need twice the memory that is there.
constexpr double kAll = 1, kTwice = 2;
constexpr std::string_view kStep = "step_time", kPeak = "memory.peak", kCapacity = "memory.capacity", kRun = "run.days";
constexpr std::string_view kThePeak = "the peak", kTheRun = "the run", kCertainty = "certainty"; ///< in words
constexpr Part kParts[] = {
    {"mfu", kThePeak, kTwice},
    {"mfu.low", kThePeak, kTwice},
    {"mfu.high", kThePeak, kTwice},
    {"mfu_causal", kThePeak, kTwice},
    {"hfu", kThePeak, kTwice},
    // What adds up to the step (docs/cost-model.md, section 3.3).
    {"compute", kStep, kAll},
    {"comm.exposed", kStep, kAll},
    {"slowed", kStep, kAll},
    {"launches", kStep, kAll},
    {"bubble", kStep, kAll},
    {"bubble.even", kStep, kAll},
    {"bubble.imbalance", kStep, kAll},
    {"optimizer", kStep, kAll},
    {"overhead", kStep, kAll},
    {"straggler", kStep, kAll},
    {"params.active", "params", kAll},
    {"run.goodput", kTheRun, kAll},
    {"memory.fits_probability", kCertainty, kAll},
    {"run.productive", kRun, kAll},
    {"run.checkpointing", kRun, kAll},
    {"run.lost", kRun, kAll},
    {"run.restarting", kRun, kAll},
    {"run.unused", kRun, kAll},
    {"memory.params", kPeak, kAll},
    {"memory.grads", kPeak, kAll},
    {"memory.optimizer", kPeak, kAll},
    {"memory.activations", kPeak, kAll},
    {"memory.buffers", kPeak, kAll},
    {kPeak, kCapacity, kTwice},
    {"memory.pool", kCapacity, kTwice},
    {"memory.params", kCapacity, kTwice},
    {"memory.grads", kCapacity, kTwice},
    {"memory.optimizer", kCapacity, kTwice},
    {"memory.activations", kCapacity, kTwice},
    {"memory.buffers", kCapacity, kTwice},
};

class Shares {
public:
  Shares(const ir::Plan& plan, const ir::ExprTree& tree, DiagnosticEngine& diagnostics)
      : plan_(plan), tree_(tree), diagnostics_(diagnostics) {}

  /// `part` against `limit`, in any of the three forms.
  void check(ExprId part, ExprId limit) {
    const auto partsOf = [this](ExprId whole) { return [this, whole](const Part& p) { return is(whole, p.whole); }; };
    for (const std::string_view whole : {kThePeak, kTheRun, kCertainty})
      if (const auto most = mostOf(part, [&](const Part& p) { return p.whole == whole; }))
        return judge(part, std::string(whole), limit, *most);
    const ExprNode& left = node(part);
    if (left.op == ExprOp::Div)
      if (const auto most = mostOf(left.kids[0], partsOf(left.kids[1])))
        return judge(left.kids[0], quoted(left.kids[1]), limit, *most);
    const ExprNode& right = node(limit);
    if (right.op != ExprOp::Mul) return;
    for (size_t i : {0, 1})
      if (const auto most = mostOf(part, partsOf(right.kids[1 - i])))
        return judge(part, quoted(right.kids[1 - i]), right.kids[i], *most);
  }

private:
  const ExprNode& node(ExprId id) const { return tree_.nodes[id]; }
  std::string quoted(ExprId id) const { return "`" + textOf(tree_, id) + "`"; }

  /// Is the node that metric? The memory of a device may be stated as a number, too.
  bool is(ExprId id, std::string_view metric) const {
    const ExprNode& n = node(id);
    if (n.op == ExprOp::Metric) return n.metric == metric;
    return n.op == ExprOp::Constant && metric == kCapacity && n.constant.quantity.unit == units::bytes &&
           plan_.cluster && plan_.cluster->device.has(ir::DeviceFact::Memory) &&
           plan_.cluster->device.value(ir::DeviceFact::Memory, 0) == n.constant.quantity.value;
  }

  /// The most that a metric, or a sum of some, can be of the whole that `of` takes; nothing if it is no part of it.
  template <class Of> std::optional<double> mostOf(ExprId id, const Of& of) const {
    const ExprNode& n = node(id);
    if (n.op == ExprOp::Add) {
      const auto a = mostOf(n.kids[0], of), b = mostOf(n.kids[1], of);
      return a && b ? std::optional<double>(std::max({*a, *b, 2 * kAll})) : std::nullopt;
    }
    if (n.op != ExprOp::Metric) return std::nullopt;
    for (const Part& p : kParts)
      if (p.metric == n.metric && of(p)) return p.most;
    return std::nullopt;
  }

  void judge(ExprId part, const std::string& whole, ExprId number, double most) {
    const ExprNode& given = node(number);
    if (!given.literal || given.constant.isBool || !given.constant.quantity.unit.plain() ||
        !(given.constant.quantity.value > most))
      return;
    const std::string text = textOf(tree_, number);
    auto report = diagnostics_.report(ShareOverOne, given.range,
                                      {{"metric", textOf(tree_, part)}, {"whole", whole}, {"value", text}});
    report.label(node(part).range, "a share of " + whole);
    if (text.ends_with('%'))
      report.help("a share is 100 % at most");
    else
      report.help(fmt::format("did you mean `{}%`?", text))
          .fix({fmt::format("write `{}%`", text), {{given.range, text + "%", text}}});
  }

  const ir::Plan& plan_;
  const ir::ExprTree& tree_;
  DiagnosticEngine& diagnostics_;
};

} // namespace

void checkShares(const ir::Plan& plan, const ir::ExprTree& tree, ExprId comparison, DiagnosticEngine& diagnostics) {
  const ExprNode& n = tree.nodes[comparison];
  Shares shares(plan, tree, diagnostics);
  shares.check(n.kids[0], n.kids[1]);
  shares.check(n.kids[1], n.kids[0]);
}

} // namespace planc::verdict
