// The built-in functions, one row each.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Arithmetic.h"
#include "frontend/eval/Evaluator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;

PLANC_ERROR(FunctionArguments, 330, "`{name}` takes {expected}")
PLANC_ERROR(FunctionDomain, 331, "`{name}` is not defined for {value}")
PLANC_ERROR(FunctionType, 332, "`{name}` needs {expected}; this is {actual}")
PLANC_ERROR(CurveShape, 333, "a curve needs equally many x and y, with rising x; {problem}")

namespace {

using Args = std::vector<Value>;

std::string_view nameOf(const Expr& call) {
  return call.kids[0]->name.text.view();
}

Value wrongType(Evaluator& ev, const Expr& call, const Value& v, std::string_view expected) {
  ev.context.report(FunctionType, v.range.valid() ? v.range : call.range,
                    {{"name", nameOf(call)}, {"expected", expected}, {"actual", describe(v)}});
  return {};
}
Value outside(Evaluator& ev, const Expr& call, const Value& v) {
  ev.context.report(FunctionDomain, v.range.valid() ? v.range : call.range,
                    {{"name", nameOf(call)}, {"value", show(v)}});
  return {};
}

bool plainNumber(const Value& v) {
  return v.isInt() || ((v.kind == ValueKind::Number || v.kind == ValueKind::Poly) && v.unit.plain());
}

template <double (*F)(double)> Value toInt(Evaluator& ev, const Expr& call, Args& args) {
  if (!plainNumber(args[0])) return wrongType(ev, call, args[0], "a number without a unit");
  if (args[0].isInt()) return args[0];
  const double rounded = F(amount(args[0]));
  if (!(std::abs(rounded) < 9.2e18)) return outside(ev, call, args[0]);
  return Value::ofInt(static_cast<int64_t>(rounded), call.range);
}

Value extremumOf(Evaluator& ev, const Expr& call, Args& args, bool larger) {
  std::vector<Value> items = args;
  if (args.size() == 1 && args[0].kind == ValueKind::List) items = args[0].list->items;
  if (items.empty()) {
    ev.context.report(FunctionDomain, call.range, {{"name", nameOf(call)}, {"value", "an empty list"}});
    return {};
  }
  Value best = items[0];
  if (!best.numeric() && best.kind != ValueKind::Poly) return wrongType(ev, call, best, "numbers");
  for (size_t i = 1; i < items.size() && !best.invalid(); ++i)
    best = extremum(ev.context, call, best, items[i], larger);
  return best;
}
Value minOf(Evaluator& ev, const Expr& call, Args& args) {
  return extremumOf(ev, call, args, false);
}
Value maxOf(Evaluator& ev, const Expr& call, Args& args) {
  return extremumOf(ev, call, args, true);
}

Value absolute(Evaluator& ev, const Expr& call, Args& args) {
  const Value& v = args[0];
  if (!v.numeric()) return wrongType(ev, call, v, "a number");
  return v.asDouble() < 0 ? negate(ev.context, call, v) : v;
}

template <double (*F)(double)> Value onPlain(Evaluator& ev, const Expr& call, Args& args) {
  if (!plainNumber(args[0])) return wrongType(ev, call, args[0], "a number without a unit");
  const double result = F(amount(args[0]));
  if (!std::isfinite(result)) return outside(ev, call, args[0]);
  return Value::ofNumber(result, {}, call.range);
}

Value toFloat(Evaluator& ev, const Expr& call, Args& args) {
  if (!args[0].numeric() && args[0].kind != ValueKind::Poly) return wrongType(ev, call, args[0], "a number");
  if (args[0].isInt()) return Value::ofNumber(args[0].asDouble(), {}, call.range);
  return args[0];
}

// Trial division. Its cost is the square root of the number, which therefore has a limit.
Value divisors(Evaluator& ev, const Expr& call, Args& args) {
  constexpr int64_t kLargest = 1'000'000'000'000;
  if (!args[0].isInt()) return wrongType(ev, call, args[0], "an int");
  const int64_t n = args[0].integer;
  if (n < 1 || n > kLargest) return outside(ev, call, args[0]);
  ListValue low, high;
  if (!ev.context.step(call.range, static_cast<uint64_t>(std::sqrt(static_cast<double>(n))))) return {};
  for (int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    low.items.push_back(Value::ofInt(d, call.range));
    if (d != n / d) high.items.push_back(Value::ofInt(n / d, call.range));
  }
  low.items.insert(low.items.end(), high.items.rbegin(), high.items.rend());
  Value v;
  v.kind = ValueKind::List;
  v.list = ev.context.arena.make(std::move(low));
  v.range = call.range;
  return v;
}

/// Rounds a value of `steps` to six digits, or to more if neighbouring values would otherwise be equal.
double rounded(double value, double ratio) {
  constexpr int kDigits = 6, kAll = 17;
  const double apart = std::abs(std::log(ratio));
  const int digits = apart > 0 ? std::clamp(3 - static_cast<int>(std::floor(std::log10(apart))), kDigits, kAll) : kAll;
  return digits == kAll ? value : std::stod(fmt::format("{:.{}g}", value, digits));
}

/// `steps(25GB/s, 400GB/s, 5)`: values in equal ratios from the first to the last, both included.
Value steps(Evaluator& ev, const Expr& call, Args& args) {
  const Value &from = args[0], &to = args[1], &count = args[2];
  for (const Value* v : {&from, &to})
    if (!v->numeric()) return wrongType(ev, call, *v, "a number");
  const Unit unit = from.isInt() ? Unit{} : from.unit;
  if ((to.isInt() ? Unit{} : to.unit) != unit) return wrongType(ev, call, to, "numbers of one unit");
  if (!count.isInt()) return wrongType(ev, call, count, "an int as its third argument");
  for (const Value* v : {&from, &to})
    if (!(v->asDouble() > 0)) return outside(ev, call, *v);
  if (count.integer < 2 || count.integer > static_cast<int64_t>(limits::kListItems)) return outside(ev, call, count);
  ListValue made;
  if (!ev.context.step(call.range, static_cast<uint64_t>(count.integer))) return {};
  const double last = static_cast<double>(count.integer - 1);
  const double ratio = std::pow(to.asDouble() / from.asDouble(), 1 / last);
  for (int64_t i = 0; i < count.integer; ++i) {
    const double share = static_cast<double>(i) / last;
    const double value =
        i == 0 ? from.asDouble()
        : i + 1 == count.integer
            ? to.asDouble()
            : rounded(std::exp(std::log(from.asDouble()) * (1 - share) + std::log(to.asDouble()) * share), ratio);
    made.items.push_back(Value::ofNumber(value, unit, call.range));
  }
  Value v;
  v.kind = ValueKind::List;
  v.list = ev.context.arena.make(std::move(made));
  v.range = call.range;
  return v;
}

Value length(Evaluator& ev, const Expr& call, Args& args) {
  if (args[0].kind != ValueKind::List) return wrongType(ev, call, args[0], "a list");
  return Value::ofInt(static_cast<int64_t>(args[0].list->items.size()), call.range);
}

Value sum(Evaluator& ev, const Expr& call, Args& args) {
  if (args[0].kind != ValueKind::List) return wrongType(ev, call, args[0], "a list of numbers");
  Value total = Value::ofInt(0, call.range);
  bool first = true;
  for (const Value& item : args[0].list->items) {
    total = first ? item : arithmetic(ev.context, call, BinaryOp::Add, total, item);
    first = false;
    if (total.invalid()) return {};
  }
  return total;
}

/// `has(m, "vocab")`: whether a model has such a parameter, a record such a fact, or a cluster such a level.
Value has(Evaluator& ev, const Expr& call, Args& args) {
  const Value &owner = args[0], &name = args[1];
  if (name.kind != ValueKind::String) return wrongType(ev, call, name, "a name as its second argument");
  const Symbol asked(*name.string);
  if (owner.kind == ValueKind::Record) return Value::ofBool(owner.record->find(asked), call.range);
  if (owner.kind == ValueKind::Space) return Value::ofBool(owner.space->has(asked), call.range);
  if (owner.kind != ValueKind::Decl || !ev.factMembers) return wrongType(ev, call, owner, "something with members");
  return Value::ofBool(ev.factMembers->has(*owner.decl, asked, call.range), call.range);
}

/// `unit(4Mtokens)` is `"tokens"`; `""` for a plain number.
Value unitOf(Evaluator& ev, const Expr& call, Args& args) {
  if (!args[0].numeric()) return wrongType(ev, call, args[0], "a number");
  Value v;
  v.kind = ValueKind::String;
  v.string = ev.context.arena.make(args[0].isInt() || args[0].unit.plain() ? std::string() : args[0].unit.name());
  v.range = call.range;
  return v;
}

/// Reads one axis of a curve: numbers of one unit. Reports an error and returns false for other values.
bool axis(Evaluator& ev, const Expr& call, const Value& list, std::vector<double>& numbers, Unit& unit) {
  if (list.kind != ValueKind::List) {
    wrongType(ev, call, list, "lists x and y");
    return false;
  }
  for (const Value& v : list.list->items) {
    const Unit u = v.isInt() ? Unit{} : v.unit;
    if (!v.numeric() || (!numbers.empty() && u != unit)) {
      wrongType(ev, call, v, "numbers of one unit");
      return false;
    }
    unit = u;
    numbers.push_back(v.asDouble());
  }
  return true;
}

Value curve(Evaluator& ev, const Expr& call, Args& args) {
  CurveValue made;
  if (!axis(ev, call, args[0], made.x, made.xUnit) || !axis(ev, call, args[1], made.y, made.yUnit)) return {};
  std::string problem;
  if (made.x.size() != made.y.size())
    problem = fmt::format("these are {} x and {} y", made.x.size(), made.y.size());
  else if (made.x.empty())
    problem = "this one is empty";
  else if (std::adjacent_find(made.x.begin(), made.x.end(), std::greater_equal<>()) != made.x.end())
    problem = "x does not rise";
  else if (made.x.front() <= 0 || *std::min_element(made.y.begin(), made.y.end()) <= 0)
    problem = "points between them are found on logarithms, so all must be positive";
  if (!problem.empty()) {
    ev.context.report(CurveShape, call.range, {{"problem", problem}});
    return {};
  }
  Value v;
  v.kind = ValueKind::Curve;
  v.curve = ev.context.arena.make(std::move(made));
  v.range = call.range;
  return v;
}

const std::array<Builtin, 16> kBuiltins{{{"floor", 1, 1, toInt<std::floor>},
                                         {"ceil", 1, 1, toInt<std::ceil>},
                                         {"round", 1, 1, toInt<std::round>},
                                         {"int", 1, 1, toInt<std::trunc>},
                                         {"float", 1, 1, toFloat},
                                         {"min", 1, -1, minOf},
                                         {"max", 1, -1, maxOf},
                                         {"abs", 1, 1, absolute},
                                         {"log2", 1, 1, onPlain<std::log2>},
                                         {"sqrt", 1, 1, onPlain<std::sqrt>},
                                         {"divisors", 1, 1, divisors},
                                         {"steps", 3, 3, steps},
                                         {"len", 1, 1, length},
                                         {"sum", 1, 1, sum},
                                         {"has", 2, 2, has},
                                         {"unit", 1, 1, unitOf}}};
const Builtin kCurve{"curve", 2, 2, curve, true};

std::string takesText(const Builtin& b) {
  if (b.named) return "`x = […]` and `y = […]`";
  if (b.maxArgs < 0) return "at least one argument";
  return b.minArgs == 1 ? "one argument" : fmt::format("{} arguments", b.minArgs);
}

} // namespace

const Builtin* findBuiltin(Symbol name) {
  static const auto* table = [] {
    auto* made = new std::unordered_map<Symbol, const Builtin*>; // never freed
    for (const Builtin& b : kBuiltins) made->emplace(Symbol(b.name), &b);
    made->emplace(Symbol(kCurve.name), &kCurve);
    return made;
  }();
  auto found = table->find(name);
  return found == table->end() ? nullptr : found->second;
}

std::vector<std::string> builtinNames() {
  std::vector<std::string> names;
  for (const Builtin& b : kBuiltins) names.emplace_back(b.name);
  names.emplace_back(kCurve.name);
  return names;
}

std::span<const Symbol> dimensionFunctions() {
  static const std::array<Symbol, 4> kNames{"extent", "size", "bytes", "width"};
  return kNames;
}

bool isDimensionFunction(Symbol name) {
  const auto names = dimensionFunctions();
  return std::find(names.begin(), names.end(), name) != names.end();
}

Value Evaluator::callBuiltin(const Expr& e, const Builtin& function, Scope& scope) {
  std::vector<Value> args(function.named ? 2 : 0);
  bool ok = true, shape = true;
  for (const syntax::Arg& arg : e.args) {
    Value v = evaluate(*arg.value, scope);
    if (!v.invalid()) v.range = arg.value->range;
    ok &= !v.invalid();
    if (!function.named) {
      shape &= !arg.name;
      args.push_back(v);
    } else if (arg.name && (arg.name->text == Symbol("x") || arg.name->text == Symbol("y"))) {
      args[arg.name->text == Symbol("y")] = v;
    } else {
      shape = false;
    }
  }
  if (function.named) shape &= e.args.size() == 2;
  const int count = static_cast<int>(args.size());
  if (!shape || count < function.minArgs || (function.maxArgs >= 0 && count > function.maxArgs)) {
    context.report(FunctionArguments, e.range, {{"name", function.name}, {"expected", takesText(function)}});
    return {};
  }
  if (!ok) return {};
  for (const Value& v : args) {
    if (v.invalid()) return {}; // `x` given twice
    if (v.kind == ValueKind::List && !context.step(e.range, v.list->items.size())) return {};
  }
  Value result = function.call(*this, e, args);
  if (!result.invalid()) result.range = e.range;
  return result;
}

} // namespace planc::frontend
