// The wiring of a level: its word, and the numbers and dimensions between the parentheses.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/machine/Topologies.h"

#include "frontend/machine/RecordTables.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(TopologyNumber, 528, "`{parameter}` of `{topology}` is {value}; it takes {expected}")
PLANC_ERROR(TopologyDims, 529, "`{topology}` needs `dims`: {problem}")
PLANC_ERROR(DimsProduct, 530, "the dimensions of `{topology}` hold {product} units, level `{level}` has {count}")

namespace {

constexpr int64_t kMostUnits = int64_t(1) << 40;

/// Of a parameter without a meaningful end only the side that was missed.
std::string range(const ir::TopologyParameter& p, double value) {
  const bool open = p.most >= 1e6 && value < p.least;
  return open ? fmt::format("{:.4g} or more", p.least) : fmt::format("{:.4g} to {:.7g}", p.least, p.most);
}

void number(ir::Topology& topology, const ir::TopologyParameter& p, const Expr& e, FactInput& in) {
  static const TypeInfo kFloat{.kind = TypeInfo::Kind::Float, .name = "float"};
  const Value v = in.ev->evaluateAs(e, *in.node->scope, kFloat, fmt::format("`{}`", p.name));
  if (!v.numeric()) return;
  if (v.asDouble() >= p.least && v.asDouble() <= p.most) {
    topology.numbers.emplace_back(Symbol(p.name), v.asDouble());
    return;
  }
  in.ev->context.report(TopologyNumber, e.range,
                        {{"parameter", std::string(p.name)},
                         {"topology", topology.kind.str()},
                         {"value", show(v)},
                         {"expected", range(p, v.asDouble())}});
}

void dims(ir::Topology& topology, const Expr& e, FactInput& in) {
  auto wrong = [&](std::string problem, SourceRange at) {
    in.ev->context.report(TopologyDims, at, {{"topology", topology.kind.str()}, {"problem", std::move(problem)}})
        .help(fmt::format("write `topology = {}(dims = [16, 16])`", topology.kind.view()));
    topology.dims.clear();
  };
  const Value v = in.ev->evaluate(e, *in.node->scope);
  if (v.invalid()) return;
  if (v.kind != ValueKind::List)
    return wrong(fmt::format("a list of units along each dimension, this is {}", describe(v)), e.range);
  if (v.list->items.empty()) return wrong("a list of units along each dimension, this one is empty", e.range);
  for (const Value& item : v.list->items) {
    if (item.invalid()) return topology.dims.clear();
    const SourceRange at = item.range.valid() ? item.range : e.range;
    if (!item.isInt()) return wrong(fmt::format("units are counted, one of them is {}", describe(item)), at);
    if (item.integer < 1 || item.integer > kMostUnits) return wrong(fmt::format("one of them is {}", show(item)), at);
    topology.dims.push_back(item.integer);
  }
}

} // namespace

void readTopology(ir::Topology& topology, FactInput& in) {
  std::vector<std::string> words;
  for (const auto& row : ir::topologies()) words.emplace_back(row->name);
  const int at = wordIndex(in, words);
  if (at < 0) return;
  const ir::TopologyKind& row = *ir::topologies()[static_cast<size_t>(at)];
  topology = {};
  topology.kind = Symbol(row.name);
  const Expr& e = *in.node->value;
  bool dimsWritten = false;
  for (const syntax::Arg& arg : e.kind == ExprKind::Call ? e.args : std::vector<syntax::Arg>{}) {
    const std::string_view name = arg.name ? arg.name->text.view() : std::string_view("argument");
    const auto parameter =
        std::find_if(row.numbers.begin(), row.numbers.end(), [&](const auto& p) { return arg.name && p.name == name; });
    if (parameter != row.numbers.end()) {
      number(topology, *parameter, *arg.value, in);
    } else if (row.takesDims && arg.name && name == "dims") {
      dimsWritten = true;
      dims(topology, *arg.value, in);
    } else {
      std::vector<std::string> known;
      for (const ir::TopologyParameter& p : row.numbers) known.emplace_back(p.name);
      if (row.takesDims) known.emplace_back("dims");
      reportUnknownFact(in.ev->context, arg.name ? arg.name->range : arg.value->range, name,
                        {fmt::format("topology `{}`", row.name), e.range}, known);
    }
  }
  if (row.takesDims && !dimsWritten)
    in.ev->context
        .report(TopologyDims, e.range,
                {{"topology", std::string(row.name)}, {"problem", "it says how many units lie along each dimension"}})
        .help(fmt::format("write `topology = {}(dims = [16, 16])`", row.name));
}

bool checkDims(Context& context, const ir::Topology& topology, int64_t count, Symbol level, SourceRange at) {
  if (topology.dims.empty()) return true;
  int64_t product = 1;
  std::string text;
  for (int64_t d : topology.dims) {
    if (__builtin_mul_overflow(product, d, &product)) product = kMostUnits;
    text += fmt::format("{}{}", text.empty() ? "" : " x ", d);
  }
  if (product == count) return true;
  context
      .report(DimsProduct, at,
              {{"topology", topology.kind.str()}, {"product", product}, {"level", level.str()}, {"count", count}})
      .primary(fmt::format("{} = {}", text, product))
      .help(fmt::format("let them multiply to {}, or write `level {} * {}`", count, level.view(), product));
  return false;
}

} // namespace planc::frontend
