// Reads the topology of a level: its word, and the numbers and dimensions in parentheses.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/machine/Topologies.h"

#include "frontend/machine/RecordTables.h"
#include "ir/vocabulary/Topologies.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(TopologyNumber, 528, "`{parameter}` of `{topology}` is {value}; expected {expected}")
PLANC_ERROR(TopologyDims, 529, "`{topology}` needs `dims`: {problem}")
PLANC_ERROR(DimsProduct, 530, "the dimensions of `{topology}` hold {product} units, but level `{level}` has {count}")

namespace {

constexpr int64_t kMostUnits = int64_t(1) << 40; // shown for products that overflow

void number(ir::Topology& topology, const ir::Parameter& p, const Expr& e, FactInput& in) {
  static const TypeInfo kFloat{.kind = TypeInfo::Kind::Float, .name = "float"};
  const Value v = in.ev->evaluateAs(e, *in.node->scope, kFloat, fmt::format("`{}`", p.name));
  if (!v.numeric()) return;
  if (p.takes(v.asDouble())) {
    topology.numbers.emplace_back(Symbol(p.name), v.asDouble());
    return;
  }
  in.ev->context.report(TopologyNumber, e.range,
                        {{"parameter", std::string(p.name)},
                         {"topology", topology.kind.str()},
                         {"value", show(v)},
                         {"expected", p.expected(v.asDouble())}});
}

void dims(ir::Topology& topology, const ir::Parameter& p, const Expr& e, FactInput& in) {
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
    if (!item.isInt())
      return wrong(fmt::format("they are numbers of units, but one of them is {}", describe(item)), at);
    if (!p.takes(item.asDouble())) return wrong(fmt::format("one of them is {}", show(item)), at);
    topology.dims.push_back(item.integer);
  }
}

} // namespace

void readTopology(ir::Topology& topology, FactInput& in) {
  const ir::Word* word = readWord(in, ir::topologyWords());
  if (!word) return;
  topology = {};
  topology.kind = Symbol(word->name);
  const Expr& e = *in.node->value;
  std::vector<std::pair<const ir::Parameter*, SourceRange>> written;
  const auto given = [&](const ir::Parameter* p) {
    return std::find_if(written.begin(), written.end(), [&](const auto& w) { return w.first == p; });
  };
  for (const syntax::Arg& arg : e.kind == ExprKind::Call ? e.args : std::vector<syntax::Arg>{}) {
    const std::string_view name = arg.name ? arg.name->text.view() : std::string_view("argument");
    const ir::Parameter* parameter = arg.name ? word->find(name) : nullptr;
    if (const auto first = given(parameter); parameter && first != written.end()) {
      reportGivenTwice(in.ev->context, arg.name->range, name, first->second);
      continue;
    }
    written.emplace_back(parameter, arg.name ? arg.name->range : arg.value->range);
    if (!parameter)
      reportUnknownFact(in.ev->context, arg.name ? arg.name->range : arg.value->range, name,
                        {fmt::format("topology `{}`", word->name), e.range}, word->parameterNames());
    else if (parameter->list)
      dims(topology, *parameter, *arg.value, in);
    else
      number(topology, *parameter, *arg.value, in);
  }
  for (const ir::Parameter& p : word->parameters)
    if (p.list && given(&p) == written.end())
      in.ev->context
          .report(TopologyDims, e.range,
                  {{"topology", word->name}, {"problem", "it is the number of units along each dimension"}})
          .help(fmt::format("write `topology = {}(dims = [16, 16])`", word->name));
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
