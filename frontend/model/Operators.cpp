// Uses of operators: arguments, iteration space, the operator in the IR; `+` is an operator of the library.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/OpContext.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;

PLANC_ERROR(ExtentsDiffer, 432, "`{dim}` is {first} in {a} and {second} in {b}")
PLANC_ERROR(ModelTooLarge, 418, "a model of more than {limit} operators")
PLANC_ERROR(TensorOperator, 433, "`{op}` has no meaning for {left} and {right}")
PLANC_ERROR(NoTensorOperand, 434, "operator `{op}` has no tensor operand")

Value ModelBuilder::callOperator(DeclInfo& decl, const Expr& call, Scope& caller) {
  const Arguments args = ev_.arguments(decl, call, caller);
  if (!ev_.complete(decl, args, call.range) || !args.known() || !named(decl, call)) return fail();
  return emit(decl, args, call, caller);
}

Value ModelBuilder::emit(DeclInfo& decl, const Arguments& args, const Expr& call, Scope& caller) {
  if (model_->ops.size() >= limits::kOperators) {
    if (model_->ops.size() == limits::kOperators) {
      context_.report(ModelTooLarge, call.range, {{"limit", limits::kOperators}})
          .help("fold equal layers: `decoder * layers with x = … { … }`");
      context_.stop(); // what follows would only be more of it
    }
    return fail();
  }
  if (!context_.enter(decl, call.range)) return fail();
  Scope scope(decl.module);
  scope.host = this;
  OpContext op{decl, decl.as<syntax::OpDecl>(), scope, call.range};
  OpContext* before = std::exchange(op_, &op);
  const StatementPath at = pathFor(call);
  if (at.annotation && statement_) statement_->checked = true;
  bool good = collectOperands(op, args) && ev_.bind(decl, args, scope, call.range);
  good = good && kindOf(op) && unify(op) && dimDecls(op) && resultDims(op, at.annotation, caller) && settleRouted(op) &&
         iterationSpace(op);
  if (good) facts(op);
  Value v;
  if (good && !failed_) v = finish(op, at.path, call.range);
  if (good && failed_)
    v = finish(op, at.path, call.range); // go on with the shape, so that later layers are checked, too
  op_ = before;
  context_.leave();
  if (!v.invalid() && at.annotation && !checkAnnotation(*at.annotation, v.tensor->id, call.range, *statement_->scope))
    return fail();
  return v.invalid() ? fail() : v;
}

bool ModelBuilder::collectOperands(OpContext& op, const Arguments& args) {
  const auto params = ev_.params(op.decl);
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].type->kind != TypeInfo::Kind::Tensor || args.values[i].kind != ValueKind::Tensor) continue;
    OperandInfo operand;
    operand.param = params[i].syntax;
    operand.value = args.values[i].tensor->id;
    operand.range = args.ranges[i];
    if (!checkDType(*operand.param->type, op.scope, operand.value, operand.range,
                    fmt::format("`{}` of `{}`", params[i].name().view(), op.decl.name.view())))
      return false;
    op.operands.push_back(std::move(operand));
  }
  if (!op.operands.empty()) return true;
  context_.report(NoTensorOperand, op.call, {{"op", op.decl.name.str()}});
  return false;
}

/// Union of operand and result dimensions; two of one name must be one.
bool ModelBuilder::iterationSpace(OpContext& op) {
  auto add = [&](ir::DimId d, const OperandInfo* from) {
    for (ir::DimId known : op.op.dims) {
      if (known == d) return true;
      if (model_->dims[known].name != model_->dims[d].name) continue;
      const OperandInfo* first = nullptr;
      for (const OperandInfo& o : op.operands)
        if (!first && std::find(o.dims.begin(), o.dims.end(), known) != o.dims.end()) first = &o;
      auto text = [](const OperandInfo* o) {
        return o ? fmt::format("`{}`", o->param->name.text.view()) : std::string("the result");
      };
      auto report = context_.report(ExtentsDiffer, op.call,
                                    {{"dim", model_->dims[d].name.str()},
                                     {"first", model_->dims[known].extent},
                                     {"a", text(first)},
                                     {"second", model_->dims[d].extent},
                                     {"b", text(from)}});
      for (const OperandInfo* o : {first, from})
        if (o) report.label(o->range, shape(o->value));
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

Value ModelBuilder::finish(OpContext& op, std::vector<Symbol> path, SourceRange range) {
  ir::Op& o = op.op;
  o.path = path;
  o.name = op.decl.name;
  o.layer = ensureLayer();
  o.region = region_;
  o.composites = composites_;
  o.range = range;
  for (const ir::Operand& operand : o.operands) // a parameter of the model itself lives with its first user
    if (ir::Value& v = model_->values[operand.value]; v.kind == ir::ValueKind::Param && !v.layer.valid())
      v.layer = o.layer;
  ir::Value v;
  v.name = path.back();
  v.path = std::move(path);
  v.dims = op.result;
  v.dtype = op.resultDType;
  v.producer = ir::OpId(model_->ops.size());
  v.layer = o.layer;
  v.region = o.region;
  v.range = range;
  o.result = model_->values.add(std::move(v));
  const ir::ValueId result = o.result;
  model_->ops.add(std::move(o));
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
  DeclInfo* add = e.text == "+" && bothTensors ? context_.loader.libraryDecl(kSum.module, kSum.name) : nullptr;
  if (!add || add->kind != DeclKind::Op) {
    auto report = context_.report(TensorOperator, e.opRange.valid() ? e.opRange : e.range,
                                  {{"op", e.text}, {"left", describe(left)}, {"right", describe(right)}});
    report.help("`+` adds two tensors and `*` scales one by a number; everything else is an operator of `std.ops`");
    return fail();
  }
  Arguments args;
  args.values = {left, right};
  args.ranges = {e.kids[0]->range, e.kids[1]->range};
  if (!named(*add, e)) return fail();
  Scope none(add->module);
  return emit(*add, args, e, none);
}

} // namespace planc::frontend
