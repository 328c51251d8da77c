// Resolves types of parameters, and checks values against them.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Evaluator.h"
#include "support/text/Spelling.h"

#include <array>
#include <fmt/format.h>

namespace planc::frontend {
using Kind = TypeInfo::Kind;

PLANC_ERROR(UnknownType, 205, "`{name}` is not a type")
PLANC_ERROR(TypeArguments, 326, "`{name}` takes {expected}")
PLANC_ERROR(TypeMismatch, 301, "{what} needs {expected}; this is {actual}")

namespace {

struct NamedType {
  std::string_view name;
  Kind kind;
  Unit unit;
  DeclKind declKind = DeclKind::Let;
};

/// All names of built-in types.
const std::vector<NamedType>& namedTypes() {
  static const std::vector<NamedType> rows{
      {"int", Kind::Int, {}},
      {"float", Kind::Float, {}},
      {"bool", Kind::Bool, {}},
      {"string", Kind::String, {}},
      {"dtype", Kind::DType, {}},
      {"list", Kind::List, {}},
      {"record", Kind::Record, {}},
      {"time", Kind::Quantity, units::time},
      {"bytes", Kind::Quantity, units::bytes},
      {"flops", Kind::Quantity, units::flops},
      {"bandwidth", Kind::Quantity, units::bandwidth},
      {"rate", Kind::Quantity, units::rate},
      {"money", Kind::Quantity, units::money},
      {"energy", Kind::Quantity, units::energy},
      {"power", Kind::Quantity, units::power},
      {"price", Kind::Quantity, units::price},
      {"device_time", Kind::Quantity, units::deviceTime},
      {"tokens", Kind::Quantity, units::tokens},
      {"samples", Kind::Quantity, units::samples},
      {"mass", Kind::Quantity, units::mass},
      {"model", Kind::Decl, {}, DeclKind::Model},
      {"device", Kind::Decl, {}, DeclKind::Device},
      {"fabric", Kind::Decl, {}, DeclKind::Fabric},
      {"stack", Kind::Decl, {}, DeclKind::Stack},
      {"cluster", Kind::Decl, {}, DeclKind::Cluster},
  };
  return rows;
}

/// The type with its article, for messages.
std::string expectation(const TypeInfo& t) {
  if (t.kind == Kind::Quantity) return "a quantity of " + t.unit.name();
  if (t.kind == Kind::Enum) return "a member of `" + t.name + "`";
  return (t.name.find_first_of("aeiou") == 0 ? "an " : "a ") + t.name;
}

bool matches(const Value& v, const TypeInfo& t) {
  switch (t.kind) {
  case Kind::Any:
    return true;
  case Kind::Int:
    return v.isInt();
  case Kind::Float:
    return v.isInt() || (v.kind == ValueKind::Number && v.unit.plain());
  case Kind::Bool:
    return v.isBool();
  case Kind::String:
    return v.kind == ValueKind::String;
  case Kind::DType:
    return v.kind == ValueKind::DType;
  case Kind::Quantity:
    return v.kind == ValueKind::Number && v.unit == t.unit;
  case Kind::List:
    return v.kind == ValueKind::List;
  case Kind::Record:
    return v.kind == ValueKind::Record;
  case Kind::Enum:
    return v.kind == ValueKind::Enum && v.decl->decl == t.enumDecl;
  case Kind::Decl:
    return v.kind == ValueKind::Decl && static_cast<int>(v.decl->decl->kind) == t.declKind;
  case Kind::Tensor:
    return v.kind == ValueKind::Tensor || v.kind == ValueKind::None;
  case Kind::Invalid:
    return false;
  }
  return false;
}

/// Whether a value of one declared type may be used as another.
bool convertible(const TypeInfo& from, const TypeInfo& to) {
  if (from.kind == Kind::Any || from.kind == Kind::Invalid || to.kind == Kind::Any) return true;
  if (from.kind == Kind::Int && to.kind == Kind::Float) return true;
  return from.kind == to.kind && from.unit == to.unit && from.enumDecl == to.enumDecl && from.declKind == to.declKind;
}

bool typedList(const Value& v, const TypeInfo& t) {
  return t.kind == Kind::List && v.kind == ValueKind::List && t.element;
}

/// Whether all items of a list have the element type. Each item costs a step, charged at `at`, the place of the whole
/// list, because lists share items.
bool itemsConform(Evaluator& ev, const Value& list, const TypeInfo& t, std::string_view what, SourceRange at) {
  if (!ev.context.step(at, list.list->items.size())) return false;
  for (const Value& item : list.list->items)
    if (typedList(item, *t.element) ? !itemsConform(ev, item, *t.element, what, at)
                                    : ev.coerce(item, *t.element, what).invalid())
      return false;
  return true;
}

} // namespace

const TypeInfo* Evaluator::type(const syntax::Type& written, Module& module) {
  auto [at, fresh] = module.types.emplace(&written, nullptr);
  if (fresh) {
    const Arena::Lasting keep(context.arena);
    const TypeInfo* made = makeType(written, module);
    module.types[&written] = made;
    return made;
  }
  return at->second;
}

const TypeInfo* Evaluator::makeType(const syntax::Type& written, Module& module) {
  if (written.tensor) return context.arena.make(TypeInfo{.kind = Kind::Tensor, .name = "tensor"});
  if (written.path.parts.size() > 1) return pathType(written, module);
  const Symbol name = written.path.parts[0].text;
  for (const NamedType& row : namedTypes()) {
    if (row.name != name.view()) continue;
    TypeInfo made{.kind = row.kind, .unit = row.unit, .declKind = static_cast<int>(row.declKind), .name = name.str()};
    if (written.args.size() > (row.kind == Kind::List ? 1 : 0)) {
      context.report(
          TypeArguments, written.range,
          {{"name", name.str()}, {"expected", row.kind == Kind::List ? "one type: `list<int>`" : "no types"}});
      made.kind = Kind::Invalid;
    } else if (!written.args.empty()) {
      made.element = type(written.args[0], module);
      made.name += "<" + made.element->name + ">";
    }
    return context.arena.make(std::move(made));
  }
  return pathType(written, module);
}

/// An enum of this module or of an imported module.
const TypeInfo* Evaluator::pathType(const syntax::Type& written, Module& module) {
  const auto& parts = written.path.parts;
  DeclInfo* decl = nullptr;
  bool reported = false;
  if (parts.size() == 1) {
    auto found = module.names.find(parts[0].text);
    decl = found == module.names.end() ? nullptr : found->second;
    reported = !decl && module.lost(parts[0].text);
  } else if (auto import = module.importNames.find(parts[0].text);
             import != module.importNames.end() && parts.size() == 2) {
    decl = context.loader.exported(*import->second, parts[1].text, parts[1].range);
    reported = decl == nullptr;
  } else {
    reported = module.lost(parts[0].text);
  }
  if (decl && decl->kind == DeclKind::Enum)
    return context.arena.make(TypeInfo{.kind = Kind::Enum, .enumDecl = decl, .name = decl->name.str()});
  if (!reported) {
    auto report = context.report(UnknownType, written.path.range, {{"name", written.path.str()}});
    std::vector<std::string> names;
    for (const NamedType& row : namedTypes()) names.emplace_back(row.name);
    for (const DeclInfo& d : module.decls)
      if (d.kind == DeclKind::Enum) names.push_back(d.name.str());
    if (decl)
      report.label(decl->nameRange, fmt::format("`{}` is a {}", decl->name.view(), describe(decl->kind)));
    else
      report.meant(written.path.str(), names);
  }
  return context.arena.make(TypeInfo{.kind = Kind::Invalid, .name = written.path.str()});
}

Value Evaluator::coerce(Value v, const TypeInfo& t, std::string_view what) {
  context.failures += t.kind == Kind::Invalid;
  if (v.invalid() && v.type && t.kind != Kind::Invalid && !convertible(*v.type, t))
    context.report(TypeMismatch, v.range,
                   {{"what", what}, {"expected", expectation(t)}, {"actual", expectation(*v.type)}});
  if (v.invalid() || t.kind == Kind::Invalid) return v.invalid() ? v : Value{};
  if (typedList(v, t)) return itemsConform(*this, v, t, what, v.range) ? v : Value{};
  if (matches(v, t)) {
    if (t.kind == Kind::Float && v.isInt()) return Value::ofNumber(v.asDouble(), {}, v.range);
    return v;
  }
  auto report =
      context.report(TypeMismatch, v.range, {{"what", what}, {"expected", expectation(t)}, {"actual", describe(v)}});
  if (t.kind == Kind::DType) {
    std::vector<std::string> types;
    for (ir::DType d : ir::allDTypes()) types.emplace_back(ir::name(d));
    if (v.kind == ValueKind::String && ir::parseDType(*v.string))
      report.help(fmt::format("remove the quotes: `{}`", *v.string));
    else if (v.kind == ValueKind::String)
      report.meant(*v.string, types);
    report.note("element types are " + quotedList(types));
  }
  if (t.kind == Kind::Int && v.kind == ValueKind::Number && v.unit.plain())
    report.help("`floor(…)`, `ceil(…)` and `round(…)` convert a float to an int");
  return {};
}

Value Evaluator::evaluateAs(const syntax::Expr& e, Scope& scope, const TypeInfo& t, std::string_view what) {
  Value v = evaluate(e, scope, &t);
  v.range = e.range;
  return coerce(v, t, what);
}

std::optional<int64_t> Evaluator::integer(const syntax::Expr& e, Scope& scope, std::string_view what) {
  static const TypeInfo kInt{.kind = Kind::Int, .name = "int"};
  const Value v = evaluateAs(e, scope, kInt, what);
  if (v.isInt()) return v.integer;
  return std::nullopt;
}

} // namespace planc::frontend
