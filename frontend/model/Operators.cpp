// Uses of operators: arguments, iteration space, the operator in the IR; `+` is an operator of the library.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/ModelBuilder.h"
#include "frontend/model/OpContext.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;

PLANC_ERROR(ExtentsDiffer, 432, "`{dim}` is {first} in {a} and {second} in {b}")
PLANC_ERROR(ModelTooLarge, 418, "a model of more than {limit} operators")
PLANC_ERROR(TensorOperator, 433, "`{op}` has no meaning for {left} and {right}")
PLANC_ERROR(NoTensorOperand, 434, "operator `{op}` has no tensor operand")

namespace {

bool collectOperands(ModelState& state, OpContext& op, const Arguments& args) {
  const auto params = state.ev.params(op.decl);
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].type->kind != TypeInfo::Kind::Tensor || args.values[i].kind != ValueKind::Tensor) continue;
    OperandInfo operand;
    operand.param = params[i].syntax;
    operand.value = args.values[i].tensor->id;
    operand.range = args.ranges[i];
    if (!checkDType(state, *operand.param->type, op.scope, operand.value, operand.range,
                    fmt::format("`{}` of `{}`", params[i].name().view(), op.decl.name.view())))
      return false;
    op.operands.push_back(std::move(operand));
  }
  if (!op.operands.empty()) return true;
  state.context.report(NoTensorOperand, op.call, {{"op", op.decl.name.str()}});
  return false;
}

/// Union of operand and result dimensions; two of one name must be one.
bool iterationSpace(ModelState& state, OpContext& op) {
  auto add = [&](ir::DimId d, const OperandInfo* from) {
    for (ir::DimId known : op.op.dims) {
      if (known == d) return true;
      if (state.model->dims[known].name != state.model->dims[d].name) continue;
      const OperandInfo* first = nullptr;
      for (const OperandInfo& o : op.operands)
        if (!first && std::find(o.dims.begin(), o.dims.end(), known) != o.dims.end()) first = &o;
      auto text = [](const OperandInfo* o) {
        return o ? fmt::format("`{}`", o->param->name.text.view()) : std::string("the result");
      };
      auto report = state.context.report(ExtentsDiffer, op.call,
                                         {{"dim", state.model->dims[d].name.str()},
                                          {"first", state.model->dims[known].extent},
                                          {"a", text(first)},
                                          {"second", state.model->dims[d].extent},
                                          {"b", text(from)}});
      for (const OperandInfo* o : {first, from})
        if (o) report.label(o->range, shape(*state.model, o->value));
      return false;
    }
    op.op.dims.push_back(d);
    return true;
  };
  for (const OperandInfo& o : op.operands) {
    for (size_t i = 0; i < o.dims.size(); ++i)
      if (!add(o.dims[i], &o)) return false;
    op.op.operands.push_back({o.value, o.dims});
  }
  for (ir::DimId d : op.result)
    if (!add(d, nullptr)) return false;
  op.op.resultDims = op.result;
  return true;
}

} // namespace

Value ModelBuilder::callOperator(DeclInfo& decl, const Expr& call, Scope& caller) {
  const Arguments args = state_.ev.arguments(decl, call, caller);
  if (!state_.ev.complete(decl, args, call.range) || !args.known() || !named(decl, call)) return state_.fail();
  return emit(decl, args, call, caller);
}

Value ModelBuilder::emit(DeclInfo& decl, const Arguments& args, const Expr& call, Scope& caller) {
  if (state_.model->ops.size() >= limits::kOperators) {
    if (state_.model->ops.size() == limits::kOperators) {
      state_.context.report(ModelTooLarge, call.range, {{"limit", limits::kOperators}})
          .help("fold equal layers: `decoder * layers with x = … { … }`");
      state_.context.stop(); // what follows would only be more of it
    }
    return state_.fail();
  }
  if (!state_.context.enter(decl, call.range)) return state_.fail();
  Scope scope(decl.module);
  scope.host = this;
  OpContext op{decl, decl.as<syntax::OpDecl>(), scope, statement_ ? statement_->scope : nullptr, call.range};
  OpContext* before = std::exchange(op_, &op);
  const StatementPath at = pathFor(call);
  if (at.annotation && statement_) statement_->checked = true;
  bool good = collectOperands(state_, op, args) && state_.ev.bind(decl, args, scope, call.range);
  good = good && kindOf(state_, op) && unify(state_, op) && dimDecls(state_, op) &&
         resultDims(state_, op, at.annotation, caller);
  if (good) settleRouted(state_, op);
  good = good && iterationSpace(state_, op);
  if (good) facts(state_, op);
  Value v;
  // After a mistake in its facts, too: with the shape, later layers are checked.
  if (good) v = finish(op, at.path, call.range);
  op_ = before;
  state_.context.leave();
  if (!v.invalid() && at.annotation &&
      !checkAnnotation(state_, *at.annotation, v.tensor->id, call.range, *statement_->scope))
    return state_.fail();
  return v.invalid() ? state_.fail() : v;
}

Value ModelBuilder::finish(OpContext& op, std::vector<Symbol> path, SourceRange range) {
  ir::Op& o = op.op;
  o.path = path;
  o.name = op.decl.name;
  o.layer = ensureLayer();
  o.region = region_;
  o.composites = composites_;
  o.range = range;
  for (const ir::Operand& operand : o.operands) // a parameter of the model itself lives with its first user
    if (ir::Value& v = state_.model->values[operand.value]; v.kind == ir::ValueKind::Param && !v.layer.valid())
      v.layer = o.layer;
  ir::Value v;
  v.name = path.back();
  v.path = std::move(path);
  v.dims = op.result;
  v.dtype = op.resultDType;
  v.producer = ir::OpId(state_.model->ops.size());
  v.layer = o.layer;
  v.region = o.region;
  v.range = range;
  o.result = state_.model->values.add(std::move(v));
  const ir::ValueId result = o.result;
  state_.model->ops.add(std::move(o));
  return tensor(result, range);
}

// `a + b` is an operator of the library (kSum). A constant factor (`0.3 * mtp`, the weight of a loss) is part of the
// kernel beside it: it makes no operator.
Value ModelBuilder::binary(const Expr& e, const Value& left, const Value& right) {
  const bool bothTensors = left.kind == ValueKind::Tensor && right.kind == ValueKind::Tensor;
  if (e.text == "*" && !bothTensors) {
    const Value& factor = left.kind == ValueKind::Tensor ? right : left;
    if (factor.numeric() && (factor.isInt() || factor.unit.plain())) {
      Value v = left.kind == ValueKind::Tensor ? left : right;
      v.range = e.range;
      return v;
    }
  }
  DeclInfo* add = e.text == "+" && bothTensors ? state_.context.loader.libraryDecl(kSum.module, kSum.name) : nullptr;
  if (!add || add->kind != DeclKind::Op) {
    auto report = state_.context.report(TensorOperator, e.opRange.valid() ? e.opRange : e.range,
                                        {{"op", e.text}, {"left", describe(left)}, {"right", describe(right)}});
    report.help("`+` adds two tensors and `*` scales one by a number; everything else is an operator of `std.ops`");
    return state_.fail();
  }
  Arguments args;
  args.values = {left, right};
  args.ranges = {e.kids[0]->range, e.kids[1]->range};
  if (!named(*add, e)) return state_.fail();
  Scope none(add->module);
  return emit(*add, args, e, none);
}

std::optional<Value> ModelBuilder::extent(Scope& scope, Symbol name) {
  for (Scope* s = &scope; s; s = s->parent)
    for (const auto& [n, id] : s->dims)
      if (n == name) return id.valid() ? Value::ofInt(state_.model->dims[id].extent, {}) : Value{};
  for (const auto& [n, extent] : state_.extents.bound)
    if (n == name) return Value::ofInt(*state_.extents.find(name, false), {});
  return std::nullopt;
}

Value ModelBuilder::dimensionFunction(const Expr& call, Scope& scope) {
  return frontend::dimensionFunction(state_, op_, call, scope);
}

void ModelBuilder::checkOperator(DeclInfo& decl) {
  Scope scope(decl.module);
  scope.host = this;
  OpContext op{decl, decl.as<syntax::OpDecl>(), scope, nullptr, decl.nameRange};
  op.known = false;
  op_ = &op;
  state_.ev.bind(BoundDecl{&decl, {}}, scope, decl.nameRange);
  for (const syntax::Parameter& p : op.syntax.params)
    if (p.type && p.type->tensor)
      for (const syntax::DimRef& d : p.type->dims)
        if (!d.rest && !op.formal(d.name.text)) op.formals.push_back({d.name.text, {}, d.range, true});
  kindOf(state_, op);
  dimDecls(state_, op);
  for (const syntax::DimRef& d : op.syntax.result.dims)
    if (!d.rest && !op.formal(d.name.text)) op.formals.push_back({d.name.text, {}, d.range, true});
  for (const syntax::OpItem& item : op.syntax.items)
    if (const auto* let = std::get_if<syntax::LetDecl>(&item))
      if (!scope.names.find(let->name.text))
        scope.names.add(let->name.text, state_.ev.let(*let, scope), let->name.range);
  facts(state_, op);
  op_ = nullptr;
}

} // namespace planc::frontend
