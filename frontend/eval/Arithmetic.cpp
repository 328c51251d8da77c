// Operators on numbers: exact on ints, unit-checked on quantities, symbolic on extents.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Arithmetic.h"

#include "frontend/eval/Equality.h"
#include "frontend/eval/Show.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;

PLANC_ERROR(MixedUnits, 302, "`{op}` cannot combine {left} and {right}")
PLANC_ERROR(InexactDivision, 303, "{left} / {right} is not a whole number")
PLANC_ERROR(DivisionByZero, 304, "{left} is divided by zero")
PLANC_ERROR(Overflow, 305, "{left} {op} {right} is out of range")
PLANC_ERROR(NoMeaning, 306, "`{op}` is not defined for {left} and {right}")
PLANC_ERROR(PowerUnit, 321, "`**` needs plain numbers; this is {type}")
PLANC_ERROR(FormulaTooLarge, 322, "this formula has more than {limit} terms")

void reportByZero(Context& context, SourceRange at, std::string left, SourceRange right) {
  context.report(DivisionByZero, at, {{"left", std::move(left)}}).label(right, "this is zero");
}

namespace {

constexpr size_t kTerms = 256; // terms of a formula over extents; real formulas have up to four

struct OpText {
  std::string_view text;
  BinaryOp op;
};
constexpr std::array<OpText, 15> kOps{{{"+", BinaryOp::Add},
                                       {"-", BinaryOp::Sub},
                                       {"*", BinaryOp::Mul},
                                       {"/", BinaryOp::Div},
                                       {"%", BinaryOp::Mod},
                                       {"**", BinaryOp::Pow},
                                       {"<", BinaryOp::Lt},
                                       {">", BinaryOp::Gt},
                                       {"<=", BinaryOp::Le},
                                       {">=", BinaryOp::Ge},
                                       {"==", BinaryOp::Eq},
                                       {"!=", BinaryOp::Ne},
                                       {"in", BinaryOp::In},
                                       {"and", BinaryOp::And},
                                       {"or", BinaryOp::Or}}};

bool number(const Value& v) {
  return v.numeric() || v.kind == ValueKind::Poly;
}
Unit layerOf(const Value& v) {
  return v.kind == ValueKind::Int ? Unit{} : v.unit;
}

/// An operation being evaluated. Its reports show the operator and both values.
struct Operation {
  Context& context;
  const Expr& e;
  BinaryOp op;
  const Value& left;
  const Value& right;

  std::string_view name() const { return e.kind == syntax::ExprKind::Call ? e.kids[0]->name.text.view() : e.text; }
  SourceRange at() const { return e.opRange.valid() ? e.opRange : e.range; }
  void sides(DiagnosticEngine::Builder report) const {
    if (left.range.valid()) report.label(left.range, describe(left));
    if (right.range.valid()) report.label(right.range, describe(right));
  }
  Value meaningless() const {
    sides(context.report(NoMeaning, at(), {{"op", name()}, {"left", describe(left)}, {"right", describe(right)}}));
    return {};
  }
  Value mixed() const {
    auto report =
        context.report(MixedUnits, at(), {{"op", name()}, {"left", describe(left)}, {"right", describe(right)}});
    sides(report);
    return {};
  }
  Value overflow() const {
    context.report(Overflow, e.range, {{"left", show(left)}, {"op", name()}, {"right", show(right)}})
        .help("ints have 64 bits; `float(…)` has a larger range");
    return {};
  }
  Value byZero() const {
    reportByZero(context, e.range, show(left), right.range);
    return {};
  }
  Value result(double value, const Unit& unit) const {
    if (!std::isfinite(value)) return overflow();
    return Value::ofNumber(value, unit, e.range);
  }
};

Value intPower(const Operation& o, int64_t base, int64_t exponent) {
  if (exponent < 0) return o.result(std::pow(static_cast<double>(base), static_cast<double>(exponent)), {});
  int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) return o.overflow();
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) return o.overflow();
  }
  return Value::ofInt(result, o.e.range);
}

Value onInts(const Operation& o) {
  const int64_t a = o.left.integer, b = o.right.integer;
  int64_t r = 0;
  switch (o.op) {
  case BinaryOp::Add:
    return __builtin_add_overflow(a, b, &r) ? o.overflow() : Value::ofInt(r, o.e.range);
  case BinaryOp::Sub:
    return __builtin_sub_overflow(a, b, &r) ? o.overflow() : Value::ofInt(r, o.e.range);
  case BinaryOp::Mul:
    return __builtin_mul_overflow(a, b, &r) ? o.overflow() : Value::ofInt(r, o.e.range);
  case BinaryOp::Mod:
    if (b == 0) return o.byZero();
    return Value::ofInt(b == -1 ? 0 : a % b, o.e.range); // INT64_MIN % -1 traps
  case BinaryOp::Div:
    if (b == 0) return o.byZero();
    if (b == -1) return __builtin_sub_overflow(int64_t(0), a, &r) ? o.overflow() : Value::ofInt(r, o.e.range);
    if (a % b == 0) return Value::ofInt(a / b, o.e.range);
    o.context.report(InexactDivision, o.e.range, {{"left", a}, {"right", b}})
        .label(o.left.range, std::to_string(a))
        .label(o.right.range, std::to_string(b))
        .help(fmt::format("`/` on ints must be exact: choose numbers of which {1} divides {0}, or write `float({0}) / "
                          "{1}`, which is {2}",
                          a, b, formatQuantity(static_cast<double>(a) / static_cast<double>(b), {})));
    return {};
  case BinaryOp::Pow:
    return intPower(o, a, b);
  default:
    return {};
  }
}

Value onNumbers(const Operation& o) {
  const double a = o.left.asDouble(), b = o.right.asDouble();
  const Unit u = layerOf(o.left), w = layerOf(o.right);
  switch (o.op) {
  case BinaryOp::Add:
    return u == w ? o.result(a + b, u) : o.mixed();
  case BinaryOp::Sub:
    return u == w ? o.result(a - b, u) : o.mixed();
  case BinaryOp::Mul:
    return o.result(a * b, u * w);
  case BinaryOp::Div:
    return b == 0 ? o.byZero() : o.result(a / b, u / w);
  case BinaryOp::Mod:
    if (u != w) return o.mixed();
    return b == 0 ? o.byZero() : o.result(std::fmod(a, b), u);
  case BinaryOp::Pow:
    if (!u.plain() || !w.plain()) {
      const Value& wrong = u.plain() ? o.right : o.left;
      o.context.report(PowerUnit, wrong.range.valid() ? wrong.range : o.e.range, {{"type", describe(wrong)}})
          .help("multiply the number by itself instead");
      return {};
    }
    return o.result(std::pow(a, b), {});
  default:
    return {};
  }
}

/// Symbolic as long as the result is a sum of products. Otherwise the result is a number at full extents that scales
/// like the left side.
Value onPolys(const Operation& o) {
  const ir::Poly a = polyOf(o.left), b = polyOf(o.right);
  const double x = amount(o.left), y = amount(o.right);
  const Unit u = layerOf(o.left), w = layerOf(o.right);
  auto made = [&](ir::Poly p, Unit unit, double value) -> Value {
    if (p.terms.size() > kTerms) {
      o.context.report(FormulaTooLarge, o.e.range, {{"limit", kTerms}});
      return {};
    }
    if (!std::isfinite(value)) return o.overflow();
    return makePoly(o.context, std::move(p), unit, value, o.e.range);
  };
  auto widths = [](const ir::Poly& p) {
    for (const ir::Term& t : p.terms)
      if (t.widthOf != ir::Term::kNoWidth) return true;
    return false;
  };
  switch (o.op) {
  case BinaryOp::Add:
    return u == w ? made(a + b, u, x + y) : o.mixed();
  case BinaryOp::Sub:
    return u == w ? made(a + b.scaled(-1), u, x - y) : o.mixed();
  case BinaryOp::Mul:
    if (widths(a) && widths(b)) return o.meaningless();
    if (a.terms.size() * b.terms.size() > kTerms) return made(ir::Poly{std::vector<ir::Term>(kTerms + 1)}, u, x);
    return made(a * b, u * w, x * y);
  case BinaryOp::Div:
    if (y == 0) return o.byZero();
    if (b.terms.size() == 1 && !widths(b)) return made(a * b.reciprocal(), u / w, x / y);
    return made(a.scaled(1 / y), u / w, x / y);
  case BinaryOp::Mod:
    return u == w ? (y == 0 ? o.byZero() : o.result(std::fmod(x, y), u)) : o.mixed();
  default:
    return o.result(std::pow(x, y), {});
  }
}

Value compare(const Operation& o) {
  const bool ordered = number(o.left) && number(o.right);
  if (!ordered) {
    if (o.op != BinaryOp::Eq && o.op != BinaryOp::Ne) return o.meaningless();
    const bool none = o.left.kind == ValueKind::None || o.right.kind == ValueKind::None;
    if (o.left.kind != o.right.kind && !none) return o.meaningless();
    const std::optional<bool> same = equal(o.context, o.e.range, o.left, o.right);
    return same ? Value::ofBool(*same == (o.op == BinaryOp::Eq), o.e.range) : Value{};
  }
  if (layerOf(o.left) != layerOf(o.right)) return o.mixed();
  const bool ints = o.left.isInt() && o.right.isInt();
  auto decide = [&](auto a, auto b) {
    switch (o.op) {
    case BinaryOp::Lt:
      return a < b;
    case BinaryOp::Gt:
      return a > b;
    case BinaryOp::Le:
      return a <= b;
    case BinaryOp::Ge:
      return a >= b;
    case BinaryOp::Eq:
      return a == b;
    default:
      return a != b;
    }
  };
  return Value::ofBool(ints ? decide(o.left.integer, o.right.integer) : decide(amount(o.left), amount(o.right)),
                       o.e.range);
}

/// The unit of a number, or of an unknown parameter with a numeric type.
std::optional<Unit> knownUnit(const Value& v) {
  if (number(v)) return layerOf(v);
  if (!v.invalid() || !v.type) return std::nullopt;
  switch (v.type->kind) {
  case TypeInfo::Kind::Int:
  case TypeInfo::Kind::Float:
    return Unit{};
  case TypeInfo::Kind::Quantity:
    return v.type->unit;
  default:
    return std::nullopt;
  }
}

/// Checks the units of operands that are unknown in a generic declaration.
Value unknown(const Operation& o) {
  const bool alike = o.op == BinaryOp::Add || o.op == BinaryOp::Sub || isComparison(o.op);
  const auto u = knownUnit(o.left), w = knownUnit(o.right);
  return alike && u && w && *u != *w ? o.mixed() : Value{};
}

Value concatenate(const Operation& o) {
  const size_t total = o.left.list->items.size() + o.right.list->items.size();
  if (!o.context.step(o.e.range, 2 * total)) return {}; // copying costs memory
  if (total > limits::kListItems) return o.overflow();
  ListValue joined = *o.left.list;
  joined.items.insert(joined.items.end(), o.right.list->items.begin(), o.right.list->items.end());
  Value v;
  v.kind = ValueKind::List;
  v.list = o.context.arena.make(std::move(joined));
  v.range = o.e.range;
  return v;
}

} // namespace

BinaryOp binaryOp(std::string_view text) {
  for (const OpText& row : kOps)
    if (row.text == text) return row.op;
  return BinaryOp::Add;
}

ir::Poly polyOf(const Value& v) {
  return v.kind == ValueKind::Poly ? v.poly->poly : ir::Poly::constant(v.asDouble());
}

Value makePoly(Context& context, ir::Poly poly, Unit unit, double value, SourceRange range) {
  if (poly.isConstant()) return Value::ofNumber(poly.constantValue(), unit, range);
  Value v;
  v.kind = ValueKind::Poly;
  v.unit = unit;
  v.range = range;
  v.poly = context.arena.make(PolyValue{std::move(poly), value});
  return v;
}

Value arithmetic(Context& context, const Expr& e, BinaryOp op, const Value& left, const Value& right) {
  const Operation o{context, e, op, left, right};
  if (left.invalid() || right.invalid()) return unknown(o);
  if (isComparison(op)) return compare(o);
  if (op == BinaryOp::Add && left.kind == ValueKind::List && right.kind == ValueKind::List) return concatenate(o);
  if (!number(left) || !number(right)) return o.meaningless();
  if (left.kind == ValueKind::Poly || right.kind == ValueKind::Poly) return onPolys(o);
  return left.isInt() && right.isInt() ? onInts(o) : onNumbers(o);
}

Value negate(Context& context, const Expr& e, const Value& v) {
  Value zero = v.isInt() ? Value::ofInt(0, {}) : Value::ofNumber(0, layerOf(v), {});
  const Operation o{context, e, BinaryOp::Sub, zero, v};
  if (v.isInt()) return onInts(o);
  return v.kind == ValueKind::Poly ? onPolys(o) : onNumbers(o);
}

// If one side is a formula over extents, the result keeps the formula's shape, so that it scales with a split of
// extents.
Value extremum(Context& context, const Expr& call, const Value& a, const Value& b, bool larger) {
  const Operation o{context, call, BinaryOp::Lt, a, b};
  if (!number(a) || !number(b)) return o.meaningless();
  if (layerOf(a) != layerOf(b)) return o.mixed();
  const bool takeB = larger ? amount(b) > amount(a) : amount(b) < amount(a);
  Value v = takeB ? b : a;
  const Value& other = takeB ? a : b;
  if (v.kind != ValueKind::Poly && other.kind == ValueKind::Poly && other.poly->value != 0)
    return makePoly(context, other.poly->poly.scaled(amount(v) / other.poly->value), layerOf(other), amount(v),
                    call.range);
  if (a.isInt() != b.isInt() && v.isInt()) v = Value::ofNumber(v.asDouble(), {}, v.range);
  v.range = call.range;
  return v;
}

} // namespace planc::frontend
