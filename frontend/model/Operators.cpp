// Elaborates uses of operators: arguments, iteration space, and the operator in the IR. `+` is an operator of the
// library.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Body.h"
#include "frontend/model/OpContext.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;

PLANC_ERROR(ExtentsDiffer, 432, "`{dim}` is {first} in {a} and {second} in {b}")
PLANC_ERROR(ModelTooLarge, 418, "the model has more than {limit} operators")
PLANC_ERROR(TensorOperator, 433, "`{op}` is not defined for {left} and {right}")
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

/// Builds the union of operand and result dimensions. Two dimensions of one name must be the same dimension.
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

Value finish(ModelState& state, OpContext& op, std::vector<Symbol> path, SourceRange range) {
  ir::Op& o = op.op;
  o.path = path;
  o.name = op.decl.name;
  o.layer = ensureLayer(state);
  o.region = state.region;
  o.composites = state.composites;
  o.range = range;
  for (const ir::Operand& operand : o.operands) // a parameter of the model itself belongs to its first user
    if (ir::Value& v = state.model->values[operand.value]; v.kind == ir::ValueKind::Param && !v.layer.valid())
      v.layer = o.layer;
  ir::Value v;
  v.name = path.back();
  v.path = std::move(path);
  v.dims = op.result;
  v.dtype = op.resultDType;
  v.producer = ir::OpId(state.model->ops.size());
  v.layer = o.layer;
  v.region = o.region;
  v.range = range;
  o.result = state.model->values.add(std::move(v));
  const ir::ValueId result = o.result;
  state.model->ops.add(std::move(o));
  return tensor(state, result, range);
}

Value emit(ModelState& state, DeclInfo& decl, const Arguments& args, const Expr& call, Scope& caller) {
  if (state.model->ops.size() >= limits::kOperators) {
    if (state.model->ops.size() == limits::kOperators) {
      state.context.report(ModelTooLarge, call.range, {{"limit", limits::kOperators}})
          .help("fold equal layers: `decoder * layers with x = … { … }`");
      state.context.stop(); // further errors would only repeat this one
    }
    return state.fail();
  }
  if (!state.context.enter(decl, call.range)) return state.fail();
  Scope scope(decl.module);
  scope.host = &state.host;
  OpContext op{decl, decl.as<syntax::OpDecl>(), scope, state.statement ? state.statement->scope : nullptr, call.range};
  OpContext* before = std::exchange(state.op, &op);
  const StatementPath at = pathFor(state, call);
  if (at.annotation && state.statement) state.statement->checked = true;
  bool good = collectOperands(state, op, args) && state.ev.bind(decl, args, scope, call.range);
  good = good && kindOf(state, op) && unify(state, op) && dimDecls(state, op) &&
         resultDims(state, op, at.annotation, caller);
  if (good) settleRouted(state, op);
  good = good && iterationSpace(state, op);
  if (good) facts(state, op);
  Value v;
  // Also after an error in its facts: the known shape lets later layers be checked.
  if (good) v = finish(state, op, at.path, call.range);
  state.op = before;
  state.context.leave();
  if (!v.invalid() && at.annotation &&
      !checkAnnotation(state, *at.annotation, v.tensor->id, call.range, *state.statement->scope))
    return state.fail();
  return v.invalid() ? state.fail() : v;
}

} // namespace

Value callOperator(ModelState& state, DeclInfo& decl, const Expr& call, Scope& caller) {
  const Arguments args = state.ev.arguments(decl, call, caller);
  if (!state.ev.complete(decl, args, call.range) || !args.known() || !named(state, decl, call)) return state.fail();
  return emit(state, decl, args, call, caller);
}

// `a + b` is an operator of the library (kSum). A constant factor (`0.3 * mtp`, the weight of a loss) is fused into the
// neighbouring kernel and makes no operator.
Value onTensors(ModelState& state, const Expr& e, const Value& left, const Value& right) {
  const bool bothTensors = left.kind == ValueKind::Tensor && right.kind == ValueKind::Tensor;
  if (e.text == "*" && !bothTensors) {
    const Value& factor = left.kind == ValueKind::Tensor ? right : left;
    if (factor.numeric() && (factor.isInt() || factor.unit.plain())) {
      Value v = left.kind == ValueKind::Tensor ? left : right;
      v.range = e.range;
      return v;
    }
  }
  DeclInfo* add = e.text == "+" && bothTensors ? state.context.loader.libraryDecl(kSum.module, kSum.name) : nullptr;
  if (!add || add->kind != DeclKind::Op) {
    auto report = state.context.report(TensorOperator, e.opRange.valid() ? e.opRange : e.range,
                                       {{"op", e.text}, {"left", describe(left)}, {"right", describe(right)}});
    report.help("`+` adds two tensors and `*` scales one by a number; everything else is an operator of `std.ops`");
    return state.fail();
  }
  Arguments args;
  args.values = {left, right};
  args.ranges = {e.kids[0]->range, e.kids[1]->range};
  if (!named(state, *add, e)) return state.fail();
  Scope none(add->module);
  return emit(state, *add, args, e, none);
}

void checkOperator(ModelState& state, DeclInfo& decl) {
  Scope scope(decl.module);
  scope.host = &state.host;
  OpContext op{decl, decl.as<syntax::OpDecl>(), scope, nullptr, decl.nameRange};
  op.known = false;
  state.op = &op;
  state.ev.bind(BoundDecl{&decl, {}}, scope, decl.nameRange);
  for (const syntax::Parameter& p : op.syntax.params)
    if (p.type && p.type->tensor)
      for (const syntax::DimRef& d : p.type->dims)
        if (!d.rest && !op.formal(d.name.text)) op.formals.push_back({d.name.text, {}, d.range, true});
  kindOf(state, op);
  dimDecls(state, op);
  for (const syntax::DimRef& d : op.syntax.result.dims)
    if (!d.rest && !op.formal(d.name.text)) op.formals.push_back({d.name.text, {}, d.range, true});
  for (const syntax::OpItem& item : op.syntax.items)
    if (const auto* let = std::get_if<syntax::LetDecl>(&item))
      if (!scope.names.find(let->name.text))
        scope.names.add(let->name.text, state.ev.let(*let, scope), let->name.range);
  facts(state, op);
  state.op = nullptr;
}

} // namespace planc::frontend
