// Elaborates the bodies of models and blocks, statement by statement: layers, conditions, results.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Body.h"
#include "frontend/model/Dimensions.h"

#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(NameTwice, 210, "`{name}` is already used in this body")
PLANC_ERROR(TwoResults, 409, "a body has only one result; this is the second")
PLANC_ERROR(NotALayer, 416, "a layer must be an operator or a block; this is {type}")

void define(ModelState& state, const syntax::Name& name, const Value& v, Scope& scope) {
  if (NameTable::Entry* earlier = scope.names.find(name.text)) {
    state.context.report(NameTwice, name.range, {{"name", name.text.str()}}).label(earlier->range, "first used here");
    earlier->value = {};
    state.failed = true;
    return;
  }
  scope.names.add(name.text, v, name.range);
}

Value tensor(ModelState& state, ir::ValueId id, SourceRange range, const NameTable* members) {
  Value v;
  v.kind = ValueKind::Tensor;
  v.tensor = state.context.arena.make(TensorValue{id, members});
  v.range = range;
  return v;
}

ir::LayerId ensureLayer(ModelState& state) {
  if (!state.layer.valid()) {
    ir::Layer layer;
    layer.name = state.unitName;
    layer.first = layer.end = ir::OpId(state.model->ops.size());
    layer.range = state.unitRange;
    state.layer = state.model->layers.add(std::move(layer));
  }
  return state.layer;
}

void closeLayer(ModelState& state) {
  if (state.layer.valid()) state.model->layers[state.layer].end = ir::OpId(state.model->ops.size());
  state.layer = {};
}

namespace {

void let(ModelState& state, const syntax::LetDecl& d, Scope& scope) {
  const Value v = state.ev.let(d, scope);
  state.ok(!v.invalid());
  define(state, d.name, v, scope);
}

void setResult(ModelState& state, BodyResult& result, const Value& v, SourceRange range) {
  if (result.any) {
    state.context.report(TwoResults, range).label(result.range, "the first one");
    state.failed = true;
    return;
  }
  result = {v, range, true};
}

Value statement(ModelState& state, const syntax::Name& name, const syntax::Type* annotation, const Expr& value,
                Scope& scope) {
  const bool top = state.atTop();
  if (top) {
    state.unitName = name.text;
    state.unitRange = name.range;
  }
  Statement st{name.text, annotation, &scope, &value};
  Statement* before = std::exchange(state.statement, &st);
  Value v = state.ev.evaluate(value, scope);
  state.statement = before;
  if (v.kind == ValueKind::Tensor) {
    if (annotation && !st.checked) state.ok(checkAnnotation(state, *annotation, v.tensor->id, value.range, scope));
  } else if (!v.invalid()) {
    state.context.report(NotALayer, value.range, {{"type", describe(v)}})
        .help(fmt::format("name a constant with `let {} = …`", name.text.view()));
    v = {};
  }
  if (top) closeLayer(state);
  state.ok(!v.invalid());
  return v;
}

void layer(ModelState& state, const syntax::LayerItem& d, Scope& scope, BodyResult& result) {
  const Value v = statement(state, d.name, d.type ? &*d.type : nullptr, *d.value, scope);
  if (d.name.text == Symbol("out")) setResult(state, result, v, d.name.range);
  if (d.name.text == kLossName && v.kind == ValueKind::Tensor && !state.model->isLoss(v.tensor->id))
    state.model->losses.push_back(v.tensor->id);
  define(state, d.name, v, scope);
}

void out(ModelState& state, const syntax::OutItem& d, SourceRange range, Scope& scope, BodyResult& result) {
  const syntax::Name name{Symbol("out"), range};
  if (d.value->kind == ExprKind::List) { // one value for each carried value
    Value list = state.ev.evaluate(*d.value, scope);
    state.ok(!list.invalid());
    setResult(state, result, list, range);
    return;
  }
  setResult(state, result, statement(state, name, nullptr, *d.value, scope), range);
}

void conditional(ModelState& state, const syntax::IfItem& d, Scope& scope, BodyResult& result) {
  const auto chosen = state.ev.condition(*d.condition, scope);
  if (chosen) {
    if (const syntax::Body* taken = *chosen ? d.then : d.otherwise) body(state, *taken, scope, result);
    return;
  }
  state.failed = true;
  if (!state.ev.checking) return;
  // The condition is unknown in a generic declaration: both branches are checked, and their names are unknown after
  // them.
  for (const syntax::Body* branch : {d.then, d.otherwise}) {
    if (!branch) continue;
    Scope inner(&scope);
    BodyResult own;
    body(state, *branch, inner, own);
    result.any |= own.any;
    for (const NameTable::Entry& e : inner.names.entries())
      if (!scope.names.find(e.name)) scope.names.add(e.name, {}, e.range);
  }
}

/// Dispatches a statement of a body to its function.
struct VisitItem {
  ModelState& state;
  const syntax::BodyItem& item;
  Scope& scope;
  BodyResult& result;
  void operator()(const syntax::Require& d) { state.ok(state.ev.require(d, scope)); }
  void operator()(const syntax::LetDecl& d) { let(state, d, scope); }
  void operator()(const syntax::DimDecl& d) { composite(state, d, scope); }
  void operator()(const syntax::InItem& d) { input(state, d, scope); }
  void operator()(const syntax::ParamItem& d) { parameter(state, d, scope); }
  void operator()(const syntax::OutItem& d) { out(state, d, item.range, scope, result); }
  void operator()(const syntax::LayerItem& d) { layer(state, d, scope, result); }
  void operator()(const syntax::RepeatItem& d) { repeat(state, d, item.range, scope); }
  void operator()(const syntax::IfItem& d) { conditional(state, d, scope, result); }
};

} // namespace

void body(ModelState& state, const syntax::Body& b, Scope& scope, BodyResult& result) {
  for (const syntax::BodyItem& i : b.items) {
    if (state.context.exhausted()) return;
    std::visit(VisitItem{state, i, scope, result}, i.item);
  }
}

} // namespace planc::frontend
