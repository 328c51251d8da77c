// Bodies of models and blocks, statement by statement: inputs, parameters, layers, conditions, results; and calls of
// blocks.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Dimensions.h"
#include "frontend/model/ModelBuilder.h"
#include "frontend/model/Unread.h"

#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(NameTwice, 210, "`{name}` is already used in this body")
PLANC_ERROR(NoResult, 408, "block `{block}` has no result")
PLANC_ERROR(TwoResults, 409, "a body has one result; this is a second one")
PLANC_ERROR(NotALayer, 416, "a layer is made by an operator or a block; this is {type}")
PLANC_ERROR(InputInBlock, 424, "inputs belong to models")
PLANC_ERROR(TiedTarget, 415, "`{param}` cannot share the storage of `{target}`: {problem}")
PLANC_ERROR(CompositeForm, 426, "in a body, `dim` names a product of dimensions: `dim heads = kv_heads * group`")
PLANC_ERROR(CompositeExtent, 417, "`{dim}` is {value}, the product of its factors is {product}")
PLANC_ERROR(CountedDimension, 454, "input `{input}` cannot count `{dim}`")
PLANC_ERROR(EmptyModel, 427, "model `{model}` has no operators")

ModelBuilder::ModelBuilder(Evaluator& evaluator, Extents& extents) : state_(evaluator, extents) {}

std::shared_ptr<ir::Model> ModelBuilder::build(const BoundDecl& decl, SourceRange use) {
  const uint64_t failures = state_.context.failures;
  const BoundDecl* root = state_.ev.resolveModel(decl, use);
  if (!root || !state_.context.enter(*root->decl, use)) return nullptr;
  Scope scope(root->decl->module);
  scope.host = this;
  if (state_.ev.bind(*root, scope, use)) {
    state_.model->name = decl.decl->name;
    modelBody(root->decl->as<syntax::ModelDecl>(), scope);
    if (!state_.failed && state_.model->ops.empty()) {
      state_.context.report(EmptyModel, root->decl->nameRange, {{"model", root->decl->name.str()}});
      state_.failed = true;
    }
    if (!state_.failed && !state_.context.exhausted()) state_.ok(checkRead(*state_.model, state_.context));
  } else {
    state_.failed = true;
  }
  state_.context.leave();
  if (state_.failed || state_.context.exhausted() || state_.context.failures != failures) return nullptr;
  return state_.model;
}

void ModelBuilder::checkModel(DeclInfo& decl) {
  const auto& model = decl.as<syntax::ModelDecl>();
  state_.ev.params(decl);
  if (!model.body) {
    state_.ev.resolveModel(BoundDecl{&decl, {}}, decl.nameRange);
    return;
  }
  Scope scope(decl.module);
  scope.host = this;
  state_.ev.bind(BoundDecl{&decl, {}}, scope, decl.nameRange);
  modelBody(model, scope);
}

void ModelBuilder::checkBlock(DeclInfo& decl) {
  const auto& block = decl.as<syntax::BlockDecl>();
  Scope scope(decl.module);
  scope.host = this;
  state_.ev.bind(BoundDecl{&decl, {}}, scope, decl.nameRange);
  for (const syntax::Parameter& p : block.params)
    if (p.type && p.type->tensor) bindSignature(state_, p, {}, p.range, scope);
  prefix_.push_back(decl.name); // layers of a block are never units of a model
  Result result;
  body(*block.body, scope, result);
  if (!result.any)
    state_.context.report(NoResult, decl.nameRange, {{"block", decl.name.str()}})
        .help("end it with `out e`, or name a value `out`");
}

Value ModelBuilder::modelBody(const syntax::ModelDecl& model, Scope& scope) {
  inModel_ = true;
  Result result;
  body(*model.body, scope, result);
  finishModel(scope);
  return result.value;
}

void ModelBuilder::finishModel(Scope& scope) {
  if (const NameTable::Entry* loss = scope.names.find("loss"); loss && loss->value.kind == ValueKind::Tensor)
    state_.model->loss = loss->value.tensor->id;
}

void ModelBuilder::body(const syntax::Body& b, Scope& scope, Result& result) {
  for (const syntax::BodyItem& i : b.items) {
    if (state_.context.exhausted()) return;
    item(i, scope, result);
  }
}

void ModelBuilder::item(const syntax::BodyItem& i, Scope& scope, Result& result) {
  struct Visit {
    ModelBuilder& b;
    const syntax::BodyItem& i;
    Scope& scope;
    Result& result;
    void operator()(const syntax::Require& d) { b.state_.ok(b.state_.ev.require(d, scope)); }
    void operator()(const syntax::LetDecl& d) { b.let(d, scope); }
    void operator()(const syntax::DimDecl& d) { b.composite(d, scope); }
    void operator()(const syntax::InItem& d) { b.input(d, scope); }
    void operator()(const syntax::ParamItem& d) { b.parameter(d, scope); }
    void operator()(const syntax::OutItem& d) { b.out(d, i.range, scope, result); }
    void operator()(const syntax::LayerItem& d) { b.layer(d, scope, result); }
    void operator()(const syntax::RepeatItem& d) { b.repeat(d, i.range, scope); }
    void operator()(const syntax::IfItem& d) { b.conditional(d, scope, result); }
  };
  std::visit(Visit{*this, i, scope, result}, i.item);
}

void ModelBuilder::define(const syntax::Name& name, const Value& v, Scope& scope) {
  if (NameTable::Entry* earlier = scope.names.find(name.text)) {
    state_.context.report(NameTwice, name.range, {{"name", name.text.str()}}).label(earlier->range, "first used here");
    earlier->value = {};
    state_.failed = true;
    return;
  }
  scope.names.add(name.text, v, name.range);
}

void ModelBuilder::let(const syntax::LetDecl& d, Scope& scope) {
  const Value v = state_.ev.let(d, scope);
  state_.ok(!v.invalid());
  define(d.name, v, scope);
}

void ModelBuilder::input(const syntax::InItem& d, Scope& scope) {
  if (!inModel_ || !prefix_.empty() || region_.valid()) {
    state_.context.report(InputInBlock, d.name.range)
        .help("pass the value as a parameter: `block name(x: [batch, seq])`");
    define(d.name, state_.fail(), scope);
    return;
  }
  for (const syntax::Name& n : d.counts) state_.extents.count(n.text);
  const auto dims = declaredDims(state_, d.type, scope, true);
  if (!dims) {
    define(d.name, state_.fail(), scope);
    return;
  }
  ir::Value v;
  v.name = d.name.text;
  v.path = {d.name.text};
  v.kind = ir::ValueKind::Input;
  v.dims = *dims;
  v.dtype = declaredDType(state_, d.type, scope);
  v.counts = countedDims(d, *dims);
  v.range = d.name.range;
  const ir::ValueId id = state_.model->values.add(std::move(v));
  state_.model->inputs.push_back(id);
  define(d.name, tensor(id, d.name.range), scope);
}

/// `counts seq`: what of the input is a token, without the batch.
std::vector<ir::DimId> ModelBuilder::countedDims(const syntax::InItem& d, const std::vector<ir::DimId>& dims) {
  std::vector<ir::DimId> counted;
  for (const syntax::Name& n : d.counts) {
    for (ir::DimId dim : dims)
      if (state_.model->dims[dim].name == n.text && n.text != kSamples) counted.push_back(dim);
    if (!counted.empty() && state_.model->dims[counted.back()].name == n.text) continue;
    auto report =
        state_.context.report(CountedDimension, n.range, {{"input", d.name.text.str()}, {"dim", n.text.str()}});
    report.label(d.type.range, shape(*state_.model, dims));
    report.help("tokens are counted per sample, along dimensions of the input besides `batch`");
    state_.failed = true;
  }
  return counted;
}

void ModelBuilder::parameter(const syntax::ParamItem& d, Scope& scope) {
  const auto dims = declaredDims(state_, d.type, scope);
  if (!dims) {
    define(d.name, state_.fail(), scope);
    return;
  }
  ir::Value v;
  v.name = d.name.text;
  v.path = prefix_;
  v.path.push_back(d.name.text);
  v.kind = ir::ValueKind::Param;
  v.dims = *dims;
  v.dtype = declaredDType(state_, d.type, scope);
  v.trainable = !d.frozen;
  v.region = region_;
  v.range = d.name.range;
  if (!prefix_.empty()) v.layer = ensureLayer(); // one of the model itself belongs to its first user
  v.storage = tiedTo(d, *dims, scope);
  const ir::ValueId id = state_.model->values.add(std::move(v));
  if (ir::Value& added = state_.model->values[id]; !added.storage.valid()) added.storage = id;
  state_.model->params.push_back(id);
  define(d.name, tensor(id, d.name.range), scope);
}

/// The parameter whose storage `d` shares; invalid if it has its own.
ir::ValueId ModelBuilder::tiedTo(const syntax::ParamItem& d, const std::vector<ir::DimId>& dims, Scope& scope) {
  if (!d.tied) return {};
  const auto& parts = d.tied->parts;
  auto v = state_.ev.find(parts[0].text, scope, parts[0].range);
  if (!v) state_.ev.reportUnknown(parts[0], scope);
  for (size_t i = 1; v && i < parts.size(); ++i) {
    Expr e;
    e.kind = ExprKind::Member;
    e.name = parts[i];
    e.range = d.tied->range;
    v = state_.ev.member(e, *v);
  }
  if (!v || v->invalid()) {
    state_.failed = true;
    return {};
  }
  std::string problem;
  if (v->kind != ValueKind::Tensor || state_.model->values[v->tensor->id].kind != ir::ValueKind::Param)
    problem = "it is not a parameter";
  else if (state_.model->values[v->tensor->id].dims != dims)
    problem = fmt::format("one is {}, the other {}", shape(*state_.model, dims), shape(*state_.model, v->tensor->id));
  else
    return state_.model->values[v->tensor->id].storage;
  state_.context.report(TiedTarget, d.tied->range,
                        {{"param", d.name.text.str()}, {"target", d.tied->str()}, {"problem", problem}});
  state_.failed = true;
  return {};
}

void ModelBuilder::composite(const syntax::DimDecl& d, Scope& scope) {
  ir::Composite c;
  c.name = d.name.text;
  c.range = d.range;
  std::vector<const Expr*> factors;
  const Expr* at = d.value;
  for (; at->kind == ExprKind::Binary && at->text == "*"; at = at->kids[0]) factors.push_back(at->kids[1]);
  factors.push_back(at);
  double product = 1;
  for (auto f = factors.rbegin(); f != factors.rend(); ++f) {
    if ((*f)->kind != ExprKind::Name) {
      state_.context.report(CompositeForm, d.value->range);
      state_.failed = true;
      return;
    }
    const Resolved dim = resolveOrReport(state_, scope, (*f)->name);
    if (!dim.id.valid()) return; // unknown or reported
    product *= static_cast<double>(state_.model->dims[dim.id].extent);
    c.factors.push_back(dim.id);
  }
  if (const NameTable::Entry* value = scope.names.find(d.name.text);
      value && value->value.isInt() && static_cast<double>(value->value.integer) != product) {
    state_.context
        .report(CompositeExtent, d.range,
                {{"dim", d.name.text.str()}, {"value", value->value.integer}, {"product", formatQuantity(product, {})}})
        .label(value->range, "declared here");
    state_.failed = true;
  }
  composites_.push_back(state_.model->composites.add(std::move(c)));
}

void ModelBuilder::conditional(const syntax::IfItem& d, Scope& scope, Result& result) {
  const auto chosen = state_.ev.condition(*d.condition, scope);
  if (chosen) {
    if (const syntax::Body* taken = *chosen ? d.then : d.otherwise) body(*taken, scope, result);
    return;
  }
  state_.failed = true;
  if (!state_.ev.checking) return;
  // Unknown in a generic declaration: both branches must make sense; what they name is unknown behind them.
  for (const syntax::Body* branch : {d.then, d.otherwise}) {
    if (!branch) continue;
    Scope inner(&scope);
    Result own;
    body(*branch, inner, own);
    result.any |= own.any;
    for (const NameTable::Entry& e : inner.names.entries())
      if (!scope.names.find(e.name)) scope.names.add(e.name, {}, e.range);
  }
}

Value ModelBuilder::statement(const syntax::Name& name, const syntax::Type* annotation, const Expr& value,
                              Scope& scope) {
  const bool top = prefix_.empty() && !region_.valid();
  if (top) {
    unitName_ = name.text;
    unitRange_ = name.range;
  }
  Statement st{name.text, annotation, &scope, &value};
  Statement* before = std::exchange(statement_, &st);
  Value v = state_.ev.evaluate(value, scope);
  statement_ = before;
  if (v.kind == ValueKind::Tensor) {
    if (annotation && !st.checked) state_.ok(checkAnnotation(state_, *annotation, v.tensor->id, value.range, scope));
  } else if (!v.invalid()) {
    state_.context.report(NotALayer, value.range, {{"type", describe(v)}})
        .help(fmt::format("name a constant with `let {} = …`", name.text.view()));
    v = {};
  }
  if (top) closeLayer();
  state_.ok(!v.invalid());
  return v;
}

void ModelBuilder::layer(const syntax::LayerItem& d, Scope& scope, Result& result) {
  const Value v = statement(d.name, d.type ? &*d.type : nullptr, *d.value, scope);
  if (d.name.text == Symbol("out")) setResult(result, v, d.name.range);
  define(d.name, v, scope);
}

void ModelBuilder::out(const syntax::OutItem& d, SourceRange range, Scope& scope, Result& result) {
  const syntax::Name name{Symbol("out"), range};
  if (d.value->kind == ExprKind::List) { // one value for each carried one
    Value list = state_.ev.evaluate(*d.value, scope);
    state_.ok(!list.invalid());
    setResult(result, list, range);
    return;
  }
  setResult(result, statement(name, nullptr, *d.value, scope), range);
}

void ModelBuilder::setResult(Result& result, const Value& v, SourceRange range) {
  if (result.any) {
    state_.context.report(TwoResults, range).label(result.range, "the first one");
    state_.failed = true;
    return;
  }
  result = {v, range, true};
}

void ModelBuilder::chose(const Expr& whole, const Expr& branch) {
  if (statement_ && statement_->outer == &whole) statement_->outer = &branch;
}

/// Operators and blocks need a name for what they make: they stand in a layer or in `out`.
bool ModelBuilder::named(const DeclInfo& callee, const Expr& call) {
  if (statement_) return true;
  state_.ev.reportNoLayer(callee, call.range);
  return false;
}

ModelBuilder::StatementPath ModelBuilder::pathFor(const Expr& call) {
  StatementPath result{prefix_, nullptr};
  result.path.push_back(statement_->name);
  if (statement_->outer == &call)
    result.annotation = statement_->annotation;
  else
    result.path.push_back(Symbol(std::to_string(++statement_->nested)));
  return result;
}

Value ModelBuilder::callBlock(DeclInfo& decl, const Expr& call, Scope& caller) {
  const auto& block = decl.as<syntax::BlockDecl>();
  const Arguments args = state_.ev.arguments(decl, call, caller);
  const auto params = state_.ev.params(decl);
  if (!state_.ev.complete(decl, args, call.range) || !args.known() || !named(decl, call) ||
      !state_.context.enter(decl, call.range))
    return state_.fail();
  Scope* scope = state_.context.arena.make(Scope(decl.module)); // outlives the call: `embed.table`
  scope->host = this;
  bool good = state_.ev.bind(decl, args, *scope, call.range);
  for (size_t i = 0; i < params.size(); ++i)
    if (params[i].type->kind == TypeInfo::Kind::Tensor)
      if (const NameTable::Entry* given = scope->names.find(params[i].name());
          good && given->value.kind == ValueKind::Tensor)
        good = bindSignature(state_, *params[i].syntax, given->value, args.ranges[i], *scope);
  Value value;
  if (good) {
    const StatementPath at = pathFor(call);
    auto outerPrefix = std::exchange(prefix_, at.path);
    auto outerComposites = composites_.size();
    Statement* before = std::exchange(statement_, nullptr);
    Result result;
    body(*block.body, *scope, result);
    statement_ = before;
    composites_.resize(outerComposites);
    prefix_ = std::move(outerPrefix);
    if (!result.any)
      state_.context.report(NoResult, decl.nameRange, {{"block", decl.name.str()}})
          .help("end it with `out e`, or name a value `out`");
    else if (result.value.kind == ValueKind::Tensor &&
             (!block.result ||
              checkAnnotation(state_, *block.result, result.value.tensor->id, block.result->range, *scope)))
      value = tensor(result.value.tensor->id, call.range, &scope->names);
  }
  state_.context.leave();
  return value.invalid() ? state_.fail() : value;
}

Value ModelBuilder::tensor(ir::ValueId id, SourceRange range, const NameTable* members) {
  Value v;
  v.kind = ValueKind::Tensor;
  v.tensor = state_.context.arena.make(TensorValue{id, members});
  v.range = range;
  return v;
}

ir::LayerId ModelBuilder::ensureLayer() {
  if (!layer_.valid()) {
    ir::Layer layer;
    layer.name = unitName_;
    layer.first = layer.end = ir::OpId(state_.model->ops.size());
    layer.range = unitRange_;
    layer_ = state_.model->layers.add(std::move(layer));
  }
  return layer_;
}

void ModelBuilder::closeLayer() {
  if (layer_.valid()) state_.model->layers[layer_].end = ir::OpId(state_.model->ops.size());
  layer_ = {};
}

} // namespace planc::frontend
