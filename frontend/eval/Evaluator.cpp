// Walks expressions: chains on the left side iteratively, other parts by recursion within the limits of Context.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Evaluator.h"

#include "frontend/eval/Sides.h"
#include "support/text/Spelling.h"
#include "support/text/UnitWords.h"

#include <charconv>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(LiteralRange, 309, "{text} does not fit in 64 bits")
PLANC_ERROR(UnknownUnit, 308, "`{unit}` is not a unit")
PLANC_ERROR(NotACondition, 307, "a condition must be true or false; this is {type}")
PLANC_ERROR(ListTooLong, 320, "a list has more than {limit} items")
PLANC_ERROR(NestedTooDeep, 319, "evaluation nests deeper than {limit} levels")
PLANC_ERROR(RequireFails, 311, "{reason}")
PLANC_ERROR(NotAList, 327, "`for … in` needs a list; this is {type}")
PLANC_ERROR(RecordFieldForm, 328, "a field of a record must be written `name = value`")
PLANC_ERROR(RecordFieldTwice, 329, "field `{name}` is given twice in this record")

void reportTooDeep(Context& context, SourceRange at, unsigned limit, std::string help) {
  context.report(NestedTooDeep, at, {{"limit", limit}}).help(std::move(help));
}

namespace {

/// Decrements the depth when its scope ends.
class Deeper {
  Context& context_;

public:
  bool ok;
  Deeper(Context& context, SourceRange at) : context_(context), ok(++context.depth <= limits::kDepth) {
    if (!ok) reportTooDeep(context, at, limits::kDepth, "name a part with `let`");
  }
  ~Deeper() { --context_.depth; }
};

bool onLeftSpine(ExprKind kind) {
  return kind == ExprKind::Binary || kind == ExprKind::Call || kind == ExprKind::Member || kind == ExprKind::Index;
}

} // namespace

// A chain such as `a + b + …` or `a.b(c).d` nests on the left side, possibly 100,000 levels deep. Its links are
// collected, then applied from the inside out. Only right operands and arguments recurse, and the parser limits their
// nesting.
Value Evaluator::evaluate(const Expr& e, Scope& scope, const TypeInfo* expected) {
  if (!context.step(e.range)) return {};
  Deeper deeper(context, e.range);
  if (!deeper.ok) return {};
  if (!onLeftSpine(e.kind)) return leaf(e, scope, expected);
  const size_t base = spine_.size();
  const Expr* at = &e;
  for (; onLeftSpine(at->kind); at = at->kids[0]) spine_.push_back(at);
  Value v;
  const Expr& inner = *spine_.back();
  // `flash == kernel`: the enum member is on the left, so the type of the right side is needed to resolve it.
  const bool compared = inner.kind == ExprKind::Binary && (inner.text == "==" || inner.text == "!=") &&
                        at->kind == ExprKind::Name && !find(at->name.text, scope, at->range);
  if (inner.kind == ExprKind::Call && at->kind == ExprKind::Name && isDimensionFunction(at->name.text) && scope.host &&
      !find(at->name.text, scope, at->range)) {
    v = scope.host->dimensionFunction(inner, scope);
    spine_.pop_back();
  } else if (compared) {
    Value right = evaluate(*inner.kids[1], scope);
    if (right.kind == ValueKind::Enum) {
      TypeInfo type{.kind = TypeInfo::Kind::Enum, .enumDecl = right.decl->decl, .name = right.decl->decl->name.str()};
      v = enumMember(type, at->name.text, at->range);
    } else if (right.kind == ValueKind::DType && ir::parseDType(at->name.text.view())) {
      v = leaf(*at, scope, nullptr);
    } else if (!right.invalid()) {
      v = leaf(*at, scope, nullptr);
    }
  } else {
    v = leaf(*at, scope, nullptr);
  }
  while (spine_.size() > base) {
    const Expr& link = *spine_.back();
    spine_.pop_back();
    if (!context.step(link.range)) {
      spine_.resize(base);
      return {};
    }
    v = apply(link, v, scope, spine_.size() == base ? expected : nullptr);
  }
  return v;
}

Value Evaluator::leaf(const Expr& e, Scope& scope, const TypeInfo* expected) {
  Value v;
  v.range = e.range;
  switch (e.kind) {
  case ExprKind::Int:
    return literalInt(e);
  case ExprKind::Float:
  case ExprKind::Quantity:
    return literalQuantity(e);
  case ExprKind::String:
    v.kind = ValueKind::String;
    v.string = &e.string;
    return v;
  case ExprKind::True:
    return Value::ofBool(true, e.range);
  case ExprKind::False:
    return Value::ofBool(false, e.range);
  case ExprKind::None:
    v.kind = ValueKind::None;
    return v;
  case ExprKind::Name:
    return name(e, scope, expected);
  case ExprKind::Unary:
    return unary(e, scope);
  case ExprKind::If:
    return branch(e, scope, expected);
  case ExprKind::List:
    return list(e, scope, expected);
  case ExprKind::Comprehension:
    return comprehension(e, scope, expected);
  case ExprKind::Record:
    return record(e, scope);
  default:
    return {};
  }
}

Value Evaluator::apply(const Expr& e, Value left, Scope& scope, const TypeInfo*) {
  switch (e.kind) {
  case ExprKind::Binary:
    return applyBinary(e, left, scope);
  case ExprKind::Member:
    return member(e, left);
  case ExprKind::Index:
    return index(e, left, scope);
  default:
    return call(e, left, scope);
  }
}

Value Evaluator::literalInt(const Expr& e) {
  std::string digits;
  for (char c : e.text)
    if (c != '_') digits += c;
  int64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc()) {
    context.report(LiteralRange, e.range, {{"text", e.text}}).help("write it as a float, `1e20`, if it is not a count");
    return {};
  }
  return Value::ofInt(value, e.range);
}

namespace {

/// `8k`: the numbers that a bare prefix may mean; empty if `prefix` is not a prefix.
std::string plainNumbers(std::string_view number, std::string_view prefix) {
  constexpr std::string_view kPrefixes = "kMGT";
  const char letter = prefix == "K" ? 'k' : prefix.front();
  const size_t power = prefix.size() == 1 ? kPrefixes.find(letter) : std::string_view::npos;
  if (power == std::string_view::npos) return "";
  std::string thousands(number), binary(number);
  for (size_t i = 0; i <= power; ++i) {
    thousands += number.find('.') == std::string_view::npos ? "_000" : "";
    binary += " * 1024";
  }
  if (thousands == number) thousands += fmt::format("e{}", 3 * (power + 1));
  return fmt::format("a number without a unit has no prefix: write `{}` or `{}`; bytes are `{}{}B`, tokens "
                     "`{}e{}tokens`",
                     thousands, binary, number, letter, number, 3 * (power + 1));
}

} // namespace

Value Evaluator::literalQuantity(const Expr& e) {
  std::string bad;
  const auto quantity = parseQuantity(e.text, bad);
  if (quantity) return Value::ofNumber(quantity->value, quantity->unit, e.range);
  if (bad.empty()) {
    context.report(LiteralRange, e.range, {{"text", e.text}})
        .help("numbers must be from 1e-307 to 1e308 in base units such as seconds and bytes: choose another unit");
    return {};
  }
  const std::string_view written = writtenUnit(e.text), number = e.text.substr(0, e.text.size() - written.size());
  auto report = context.report(UnknownUnit, e.range, {{"unit", bad}});
  const std::string plain = plainNumbers(number, written), meant = plain.empty() ? unitMeant(number, written) : plain;
  report.help(meant);
  const std::vector<std::string> literals = plain.empty() ? literalsMeant(number, written) : std::vector<std::string>();
  for (const std::string& literal : literals)
    report.fix({fmt::format("write `{}`", literal), {{e.range, literal}}, literals.size() == 1});
  if (const size_t slash = e.text.find('/'); slash != std::string_view::npos && e.text.substr(slash + 1) == bad)
    report.help(fmt::format("put spaces around `/` to divide by `{}`", bad));
  else if (meant.empty())
    report.note("units are " + quotedList(unitNames()) + ", and quotients of two units, such as `GB/s`");
  return {};
}

Value Evaluator::name(const Expr& e, Scope& scope, const TypeInfo* expected) {
  const Symbol symbol = e.name.text;
  const bool wantsEnum = expected && expected->kind == TypeInfo::Kind::Enum;
  if (wantsEnum) {
    const auto& members = expected->enumDecl->as<syntax::EnumDecl>().members;
    for (const syntax::Name& m : members)
      if (m.text == symbol) return enumMember(*expected, symbol, e.range);
  }
  if (expected && expected->kind == TypeInfo::Kind::DType)
    if (auto dtype = ir::parseDType(symbol.view())) {
      Value v;
      v.kind = ValueKind::DType;
      v.dtype = *dtype;
      v.range = e.range;
      return v;
    }
  if (auto found = find(symbol, scope, e.range)) {
    found->range = e.range;
    return *found;
  }
  if (auto dtype = ir::parseDType(symbol.view())) {
    Value v;
    v.kind = ValueKind::DType;
    v.dtype = *dtype;
    v.range = e.range;
    return v;
  }
  if (wantsEnum) return enumMember(*expected, symbol, e.range);
  if (expected && expected->kind == TypeInfo::Kind::DType)
    reportUnknownDType(e.name);
  else
    reportUnknown(e.name, scope);
  return {};
}

Value Evaluator::branch(const Expr& e, Scope& scope, const TypeInfo* expected) {
  const auto chosen = condition(*e.kids[0], scope);
  if (!chosen) {
    if (checking && !context.exhausted()) { // check both branches
      evaluate(*e.kids[1], scope, expected);
      evaluate(*e.kids[2], scope, expected);
    }
    return {};
  }
  const Expr& taken = *e.kids[*chosen ? 1 : 2];
  if (scope.host) scope.host->chose(e, taken);
  return evaluate(taken, scope, expected);
}

Value Evaluator::list(const Expr& e, Scope& scope, const TypeInfo* expected) {
  ListValue items;
  items.items.reserve(e.kids.size());
  bool ok = true;
  for (const Expr* kid : e.kids) {
    Value v = evaluate(*kid, scope, expected ? expected->element : nullptr);
    ok &= !v.invalid();
    items.items.push_back(v);
  }
  if (!ok) return {};
  Value v;
  v.kind = ValueKind::List;
  v.list = context.arena.make(std::move(items));
  v.range = e.range;
  return v;
}

Value Evaluator::comprehension(const Expr& e, Scope& scope, const TypeInfo* expected) {
  const Value over = evaluate(*e.kids[1], scope);
  if (over.invalid()) {
    if (!checking) return {};
    Scope inner(&scope);
    inner.names.add(e.name.text, {}, e.name.range);
    evaluate(*e.kids[0], inner);
    return {};
  }
  if (over.kind != ValueKind::List) {
    context.report(NotAList, e.kids[1]->range, {{"type", describe(over)}});
    return {};
  }
  ListValue items;
  for (const Value& item : over.list->items) {
    Scope inner(&scope);
    inner.names.add(e.name.text, item, e.name.range);
    Value v = evaluate(*e.kids[0], inner, expected ? expected->element : nullptr);
    if (v.invalid()) return {};
    items.items.push_back(v);
    if (items.items.size() > limits::kListItems) {
      context.report(ListTooLong, e.range, {{"limit", limits::kListItems}});
      return {};
    }
  }
  Value v;
  v.kind = ValueKind::List;
  v.list = context.arena.make(std::move(items));
  v.range = e.range;
  return v;
}

Value Evaluator::record(const Expr& e, Scope& scope) {
  RecordValue fields;
  bool ok = true;
  for (const syntax::Fact& fact : e.facts) {
    if (fact.args || !fact.members.empty()) {
      context.report(RecordFieldForm, fact.range).help("nest records instead: `a = {b = 1}`");
      ok = false;
      continue;
    }
    if (const Field* earlier = fields.find(fact.name.text)) {
      context.report(RecordFieldTwice, fact.name.range, {{"name", fact.name.text.str()}})
          .label(earlier->range, "first given here");
      ok = false;
      continue;
    }
    Value v = evaluate(*fact.value, scope);
    ok &= !v.invalid();
    fields.fields.push_back({fact.name.text, v, fact.name.range, fact.reason ? fact.reason->text : ""});
  }
  if (!ok) return {};
  Value v;
  v.kind = ValueKind::Record;
  v.record = context.arena.make(std::move(fields));
  v.range = e.range;
  return v;
}

std::optional<bool> Evaluator::condition(const Expr& e, Scope& scope) {
  const Value v = evaluate(e, scope);
  if (v.isBool()) return v.truth;
  if (!v.invalid()) context.report(NotACondition, e.range, {{"type", describe(v)}});
  return std::nullopt;
}

bool Evaluator::require(const syntax::Require& r, Scope& scope) {
  const auto met = condition(*r.condition, scope);
  if (!met || *met) return true;
  std::string reason = r.reason ? r.reason->text : fmt::format("`{}` is false", context.text(r.condition->range));
  auto report = context.report(RequireFails, r.condition->range, {{"reason", std::move(reason)}});
  for (std::string& side : sidesOf(*this, *r.condition, scope)) report.note(std::move(side));
  return false;
}

} // namespace planc::frontend
