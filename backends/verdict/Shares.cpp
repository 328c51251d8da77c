// Which metrics are parts of which, and comparisons that take a part for more than the whole.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/Shares.h"

#include "backends/verdict/ExprText.h"
#include "backends/verdict/Metric.h"
#include "ir/facts/DeviceFacts.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

namespace planc::verdict {

PLANC_ERROR(ShareOverOne, 340,
            "`{metric}` is a fraction of {whole} and is compared with `{value}`, which is more than the whole")

namespace {

using ir::ExprId;
using ir::ExprNode;
using ir::ExprOp;

constexpr std::string_view kDeviceCapacity = "memory.capacity";

/// The largest share of `whole` that `metric` can be; nothing if it is no part of it. Parts of parts are parts, too.
std::optional<double> mostOf(const Metric& metric, std::string_view whole) {
  double most = 0;
  for (const Metric* part = &metric; part && !part->whole.name.empty() && !part->whole.inWords;
       part = findMetric(part->whole.name)) {
    most = std::max(most, part->whole.most);
    if (part->whole.name == whole) return most;
  }
  return std::nullopt;
}

class Shares {
public:
  Shares(const ir::Plan& plan, const ir::ExprTree& tree, DiagnosticEngine& diagnostics)
      : plan_(plan), tree_(tree), diagnostics_(diagnostics) {}

  /// `part` against `limit`, in any of the three forms.
  void check(ExprId part, ExprId limit) {
    const auto partsOf = [this](ExprId whole) {
      return [this, whole](const Metric& m) { return mostOf(m, metricOf(whole)); };
    };
    std::string whole;
    const auto isShare = [&](const Metric& m) {
      const bool first = whole.empty() || whole == m.whole.name;
      whole = m.whole.name;
      return m.whole.inWords && first ? std::optional(m.whole.most) : std::nullopt;
    };
    if (const auto most = mostIn(part, isShare)) return judge(part, whole, limit, *most);
    const ExprNode& left = node(part);
    if (left.op == ExprOp::Div)
      if (const auto most = mostIn(left.kids[0], partsOf(left.kids[1])))
        return judge(left.kids[0], quoted(left.kids[1]), limit, *most);
    const ExprNode& right = node(limit);
    if (right.op != ExprOp::Mul) return;
    for (size_t i : {0, 1})
      if (const auto most = mostIn(part, partsOf(right.kids[1 - i])))
        return judge(part, quoted(right.kids[1 - i]), right.kids[i], *most);
  }

private:
  const ExprNode& node(ExprId id) const { return tree_.nodes[id]; }
  std::string quoted(ExprId id) const { return "`" + textOf(tree_, id) + "`"; }

  /// The metric that a node stands for: the memory of a device may be stated as a number, too. Empty: none.
  std::string_view metricOf(ExprId id) const {
    const ExprNode& n = node(id);
    if (n.op == ExprOp::Metric) return n.metric;
    const bool isMemory = n.op == ExprOp::Constant && n.constant.quantity.unit == units::bytes && plan_.cluster &&
                          plan_.cluster->device.has(ir::DeviceFact::Memory) &&
                          plan_.cluster->device.value(ir::DeviceFact::Memory, 0) == n.constant.quantity.value;
    return isMemory ? kDeviceCapacity : std::string_view();
  }

  /// The most that a metric, or a sum of some, can be of the whole that `of` takes; nothing if it is no part of it.
  template <class Of> std::optional<double> mostIn(ExprId id, const Of& of) const {
    const ExprNode& n = node(id);
    if (n.op == ExprOp::Add) {
      const auto a = mostIn(n.kids[0], of), b = mostIn(n.kids[1], of);
      return a && b ? std::optional<double>(std::max({*a, *b, 2.0})) : std::nullopt;
    }
    const Metric* metric = n.op == ExprOp::Metric ? findMetric(std::string_view(n.metric)) : nullptr;
    return metric && !metric->whole.name.empty() ? of(*metric) : std::nullopt;
  }

  void judge(ExprId part, const std::string& whole, ExprId number, double most) {
    const ExprNode& given = node(number);
    if (!given.literal || given.constant.isBool || !given.constant.quantity.unit.plain() ||
        !(given.constant.quantity.value > most))
      return;
    const std::string text = textOf(tree_, number);
    auto report = diagnostics_.report(ShareOverOne, given.range,
                                      {{"metric", textOf(tree_, part)}, {"whole", whole}, {"value", text}});
    report.label(node(part).range, "a fraction of " + whole);
    if (text.ends_with('%'))
      report.help("a fraction is at most 100 %");
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
