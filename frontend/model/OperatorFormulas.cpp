// Resolves the operands and dimensions that an operator's facts name, and evaluates formulas over them.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Arithmetic.h"
#include "frontend/model/OpContext.h"
#include "ir/layout/Routed.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(FormulaType, 414, "{what} is {expected}; this is {actual}")
PLANC_ERROR(UnknownOperand, 421, "operator `{op}` has no operand `{name}`")
PLANC_ERROR(DimensionFunctionArgument, 444, "`{function}` takes the name of {expected}")
PLANC_ERROR(UnknownDimension, 445, "operator `{op}` has no dimension `{dim}`")
PLANC_ERROR(NegativeAmount, 460, "{what} must not be negative; it is {value}")

namespace {

void reportNoDimension(const ModelState& state, const OpContext& op, const syntax::Name& name) {
  std::vector<std::string> names;
  for (const FormalDim& f : op.formals) names.push_back(f.name.str());
  state.context.report(UnknownDimension, name.range, {{"op", op.decl.name.str()}, {"dim", name.text.str()}})
      .meant(name.text.view(), names);
}

} // namespace

std::vector<std::string> operandNames(const OpContext& op) {
  std::vector<std::string> names;
  for (const syntax::Parameter& p : op.syntax.params)
    if (p.type && p.type->tensor) names.push_back(p.name.text.str());
  return names;
}

int operandIndex(const OpContext& op, Symbol name) {
  for (size_t i = 0; i < op.operands.size(); ++i)
    if (op.operands[i].param->name.text == name) return static_cast<int>(i);
  return -1;
}

bool isTensorParam(const OpContext& op, Symbol name) {
  return std::any_of(op.syntax.params.begin(), op.syntax.params.end(),
                     [&](const syntax::Parameter& p) { return p.name.text == name && p.type && p.type->tensor; });
}

ir::Poly product(const std::vector<ir::DimId>& dims) {
  ir::Poly p;
  ir::Term t;
  t.coefficient = 1;
  for (ir::DimId d : dims) t.factors.emplace_back(d, 1);
  std::sort(t.factors.begin(), t.factors.end());
  p.terms.push_back(std::move(t));
  return p;
}

std::optional<ir::Poly> poly(ModelState& state, OpContext& op, const Expr& e, Scope& scope, const Unit& unit,
                             std::string_view what) {
  const Value v = state.ev.evaluate(e, scope);
  if (v.invalid()) {
    state.ok(!op.known);
    return std::nullopt;
  }
  const bool number = v.numeric() || v.kind == ValueKind::Poly;
  const Unit actual = v.kind == ValueKind::Number || v.kind == ValueKind::Poly ? v.unit : Unit{};
  const bool zero = v.numeric() && v.asDouble() == 0;
  if (number && (actual == unit || (actual.plain() && unit == units::flops) || zero)) {
    ir::Poly p = polyOf(v);
    const double value = v.kind == ValueKind::Poly ? v.poly->value : v.asDouble();
    // A negative value is not reported if nominal extents may have caused it.
    const bool open = state.extents.nominal &&
                      std::any_of(p.terms.begin(), p.terms.end(), [](const ir::Term& t) { return t.coefficient > 0; });
    if (value >= 0 || open) return p;
    state.context.report(NegativeAmount, e.range, {{"what", what}, {"value", show(v)}})
        .help("the facts of operators are added: state the amounts of one use, and omit those that are zero");
    state.failed = true;
    return std::nullopt;
  }
  state.context.report(FormulaType, e.range,
                       {{"what", what},
                        {"expected", unit.plain() ? "a number" : "a quantity of " + unit.name()},
                        {"actual", describe(v)}});
  state.failed = true;
  return std::nullopt;
}

void dimList(ModelState& state, OpContext& op, const std::vector<syntax::Name>& names, std::vector<ir::DimId>& out,
             bool mayBeAbsent) {
  for (const syntax::Name& n : names) {
    const Resolved d = ownDim(state, op, n.text);
    if (d.id.valid()) {
      out.push_back(d.id);
    } else if (!d.found && mayBeAbsent && op.around) {
      // `along group`: a dimension of the calling block, which its other operators have.
      const Resolved outer = resolve(state, *op.around, n.text, n.range);
      if (outer.id.valid()) out.push_back(outer.id);
    } else if (!d.found && !mayBeAbsent) {
      reportNoDimension(state, op, n);
      state.failed = true;
    }
  }
}

int operandNamed(ModelState& state, OpContext& op, const syntax::Name& name) {
  const int index = operandIndex(op, name.text);
  if (index < 0 && !isTensorParam(op, name.text)) { // a tensor that this use leaves out is valid
    state.context.report(UnknownOperand, name.range, {{"op", op.decl.name.str()}, {"name", name.text.str()}})
        .meant(name.text.view(), operandNames(op));
    state.failed = true;
  }
  return index;
}

Value dimensionFunction(ModelState& state, OpContext* around, const Expr& call, Scope& scope) {
  const Symbol function = call.kids[0]->name.text;
  const bool ofDim = function == Symbol("extent");
  if (call.args.size() != 1 || call.args[0].name || call.args[0].value->kind != ExprKind::Name) {
    state.context.report(DimensionFunctionArgument, call.range,
                         {{"function", function.str()}, {"expected", ofDim ? "a dimension" : "an operand"}});
    return state.fail();
  }
  const syntax::Name& arg = call.args[0].value->name;
  if (!around) { // in a body the result is a plain number
    if (ofDim) {
      const Resolved d = resolveOrReport(state, scope, arg);
      return d.id.valid() ? Value::ofInt(state.model->dims[d.id].extent, call.range) : Value{};
    }
    state.context.report(DimensionFunctionArgument, call.range,
                         {{"function", function.str()}, {"expected", "an operand, in the facts of an operator"}});
    return state.fail();
  }
  OpContext& op = *around;
  auto made = [&](ir::Poly p, Unit unit) {
    const double value =
        p.evaluate([&](ir::DimId d) { return ir::sizeOf(*state.model, d); },
                   [&](int i) {
                     const auto dtype =
                         i < 0 ? op.resultDType : state.model->values[op.operands[static_cast<size_t>(i)].value].dtype;
                     return dtype ? ir::width(*dtype) : 2.0;
                   });
    return makePoly(state.context, std::move(p), unit, value, call.range);
  };
  if (ofDim) {
    const Resolved d = ownDim(state, op, arg.text);
    if (!d.found) {
      reportNoDimension(state, op, arg);
      return state.fail();
    }
    if (!d.id.valid()) return {};
    if (op.document && std::find(op.packed.begin(), op.packed.end(), d.id) != op.packed.end())
      return makePoly(state.context, ir::Poly::extent(d.id), units::none, *op.document, call.range);
    return made(ir::Poly::extent(d.id), units::none);
  }
  const int index = arg.text == kResultName ? ir::Term::kResult : operandNamed(state, op, arg);
  if (arg.text != kResultName && index < 0) {
    if (!isTensorParam(op, arg.text)) return {}; // reported
    return op.known ? Value::ofNumber(0, function == Symbol("size") ? Unit{} : units::bytes, call.range) : Value{};
  }
  if (!op.known) return {};
  ir::Poly p = ir::Poly::constant(1);
  if (function != Symbol("width")) p = product(index < 0 ? op.result : op.operands[static_cast<size_t>(index)].dims);
  if (function == Symbol("size")) return made(std::move(p), units::none);
  for (ir::Term& t : p.terms) t.widthOf = index;
  return made(std::move(p), units::bytes);
}

} // namespace planc::frontend
