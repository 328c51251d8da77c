// Operators of expressions: short-circuit logic, `in`, indices. Arithmetic is in Arithmetic.cpp; the TensorHost handles
// tensors.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Arithmetic.h"
#include "frontend/eval/Equality.h"
#include "frontend/eval/Evaluator.h"

#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(LogicNeedsBool, 323, "`{op}` needs true or false; this is {type}")
PLANC_ERROR(MinusNeedsNumber, 324, "`-` needs a number; this is {type}")
PLANC_ERROR(InNeedsList, 325, "`in` needs a list on its right; this is {type}")
PLANC_ERROR(IndexOutOfRange, 316, "index {index} is outside of a list of {size}")
PLANC_ERROR(CannotIndex, 317, "{type} has no elements to index")

Value Evaluator::unary(const Expr& e, Scope& scope) {
  const Value v = evaluate(*e.kids[0], scope);
  if (v.invalid()) return {};
  if (e.text == "not") {
    if (v.isBool()) return Value::ofBool(!v.truth, e.range);
    context.report(LogicNeedsBool, e.kids[0]->range, {{"op", "not"}, {"type", describe(v)}});
    return {};
  }
  if (v.numeric() || v.kind == ValueKind::Poly) return negate(context, e, v);
  context.report(MinusNeedsNumber, e.kids[0]->range, {{"type", describe(v)}});
  return {};
}

/// The right side of a comparison with an enum or a dtype may be a bare member: `kernel == flash`, `kernel in [flash]`.
Value Evaluator::rightOperand(const Expr& e, const Value& left, Scope& scope) {
  const BinaryOp op = binaryOp(e.text);
  const DeclInfo* kind = left.kind == ValueKind::Enum  ? left.decl->decl
                         : left.invalid() && left.type ? left.type->enumDecl
                                                       : nullptr;
  if (kind && (isComparison(op) || op == BinaryOp::In)) {
    TypeInfo member{.kind = TypeInfo::Kind::Enum, .enumDecl = kind, .name = kind->name.str()};
    TypeInfo list{.kind = TypeInfo::Kind::List, .element = &member};
    return evaluate(*e.kids[1], scope, op == BinaryOp::In ? &list : &member);
  }
  return evaluate(*e.kids[1], scope);
}

Value Evaluator::applyBinary(const Expr& e, Value left, Scope& scope) {
  const BinaryOp op = binaryOp(e.text);
  const bool logic = op == BinaryOp::And || op == BinaryOp::Or;
  if (logic && left.isBool() && left.truth == (op == BinaryOp::Or)) return Value::ofBool(left.truth, e.range);
  const Value right = rightOperand(e, left, scope);
  if (scope.host && (left.kind == ValueKind::Tensor || right.kind == ValueKind::Tensor))
    return left.invalid() || right.invalid() ? Value{} : scope.host->binary(e, left, right);
  return binary(e, left, right);
}

Value Evaluator::binary(const Expr& e, const Value& left, const Value& right) {
  const BinaryOp op = binaryOp(e.text);
  if (op == BinaryOp::And || op == BinaryOp::Or) {
    for (const Value* side : {&left, &right})
      if (!side->isBool() && !side->invalid()) {
        context.report(LogicNeedsBool, side == &left ? e.kids[0]->range : e.kids[1]->range,
                       {{"op", e.text}, {"type", describe(*side)}});
        return {};
      }
    if (left.invalid() || right.invalid()) return {};
    return Value::ofBool(op == BinaryOp::And ? left.truth && right.truth : left.truth || right.truth, e.range);
  }
  if (op == BinaryOp::In && (left.invalid() || right.invalid())) return {};
  if (op == BinaryOp::In) return contains(e, left, right);
  return arithmetic(context, e, op, left, right);
}

Value Evaluator::contains(const Expr& e, const Value& item, const Value& list) {
  if (list.kind != ValueKind::List) {
    context.report(InNeedsList, e.kids[1]->range, {{"type", describe(list)}});
    return {};
  }
  for (const Value& candidate : list.list->items) {
    const std::optional<bool> same = equal(context, e.range, item, candidate);
    if (!same) return {};
    if (*same) return Value::ofBool(true, e.range);
  }
  return Value::ofBool(false, e.range);
}

Value Evaluator::index(const Expr& e, const Value& base, Scope& scope) {
  std::vector<Value> at;
  for (size_t i = 1; i < e.kids.size(); ++i) at.push_back(evaluate(*e.kids[i], scope));
  if (base.invalid()) return {};
  if (base.kind != ValueKind::List) {
    context.report(CannotIndex, e.range, {{"type", describe(base)}});
    return {};
  }
  const auto size = static_cast<int64_t>(base.list->items.size());
  for (const Value& v : at) {
    if (v.invalid()) return {};
    const bool end = at.size() > 1 && &v == &at[1];
    if (!v.isInt() || v.integer < 0 || v.integer > size - (end || at.size() > 1 ? 0 : 1)) {
      context.report(IndexOutOfRange, v.range.valid() ? v.range : e.range, {{"index", show(v)}, {"size", size}})
          .help(size == 0 ? "the list is empty" : fmt::format("indices go from 0 to {}", size - 1));
      return {};
    }
  }
  if (at.size() == 1) {
    Value v = base.list->items[static_cast<size_t>(at[0].integer)];
    v.range = e.range;
    return v;
  }
  ListValue part;
  const int64_t stride = at.size() > 2 ? std::max<int64_t>(at[2].integer, 1) : 1;
  for (int64_t i = at[0].integer; i < at[1].integer; i += stride)
    part.items.push_back(base.list->items[static_cast<size_t>(i)]);
  if (!context.step(e.range, part.items.size())) return {};
  Value v;
  v.kind = ValueKind::List;
  v.list = context.arena.make(std::move(part));
  v.range = e.range;
  return v;
}

} // namespace planc::frontend
