// Operators on numbers: exact on ints, unit-checked on quantities, symbolic on extents.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Context.h"

namespace planc::frontend {

enum class BinaryOp { Add, Sub, Mul, Div, Mod, Pow, Lt, Gt, Le, Ge, Eq, Ne, In, And, Or };
BinaryOp binaryOp(std::string_view text);
inline bool isComparison(BinaryOp op) {
  return op >= BinaryOp::Lt && op <= BinaryOp::Ne;
}

/// `left op right` for arithmetic and comparisons; Invalid after a report.
Value arithmetic(Context& context, const syntax::Expr& e, BinaryOp op, const Value& left, const Value& right);
/// Reports that `left` is divided by `right`, which is zero.
void reportByZero(Context& context, SourceRange at, std::string left, SourceRange right);
Value negate(Context& context, const syntax::Expr& e, const Value& v);
/// The smaller or larger of two numbers of the same unit.
Value extremum(Context& context, const syntax::Expr& call, const Value& a, const Value& b, bool larger);
/// A symbolic number (a sum of terms), for operator facts.
Value makePoly(Context& context, ir::Poly poly, Unit unit, double value, SourceRange range);
/// The amount of an Int, Number or Poly, without its unit.
inline double amount(const Value& v) {
  return v.kind == ValueKind::Poly ? v.poly->value : v.asDouble();
}
/// An Int, Number or Poly as a Poly. The caller has checked the kind.
ir::Poly polyOf(const Value& v);

} // namespace planc::frontend
