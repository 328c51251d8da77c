// How values are made, compared and shown.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Value.h"

#include "frontend/modules/Module.h"

#include <algorithm>
#include <array>

namespace planc::frontend {

Value Value::ofBool(bool b, SourceRange r) {
  Value v;
  v.kind = ValueKind::Bool;
  v.truth = b;
  v.range = r;
  return v;
}

Value Value::ofInt(int64_t i, SourceRange r) {
  Value v;
  v.kind = ValueKind::Int;
  v.integer = i;
  v.range = r;
  return v;
}

Value Value::ofNumber(double n, Unit u, SourceRange r) {
  Value v;
  v.kind = ValueKind::Number;
  v.number = n;
  v.unit = u;
  v.range = r;
  return v;
}

const Field* RecordValue::find(Symbol name) const {
  for (const Field& f : fields)
    if (f.name == name) return &f;
  return nullptr;
}

namespace {

struct KindText {
  ValueKind kind;
  std::string_view text;
};
constexpr std::array<KindText, 12> kKindTexts{{{ValueKind::None, "none"},
                                               {ValueKind::Bool, "a bool"},
                                               {ValueKind::Int, "an int"},
                                               {ValueKind::String, "a string"},
                                               {ValueKind::DType, "a dtype"},
                                               {ValueKind::List, "a list"},
                                               {ValueKind::Record, "a record"},
                                               {ValueKind::Curve, "a curve"},
                                               {ValueKind::Tensor, "a tensor"},
                                               {ValueKind::Function, "a built-in function"},
                                               {ValueKind::Module, "a module"},
                                               {ValueKind::Space, "a section"}}};

std::string quantityType(const Unit& unit, bool poly) {
  if (unit.plain()) return poly ? "a number" : "a float";
  return "a quantity of " + unit.name();
}

} // namespace

std::string describe(const Value& v) {
  switch (v.kind) {
  case ValueKind::Number:
    return quantityType(v.unit, false);
  case ValueKind::Poly:
    return quantityType(v.unit, true);
  case ValueKind::Enum:
    return "a member of `" + v.decl->decl->name.str() + "`";
  case ValueKind::Decl:
    return std::string(describe(v.decl->decl->kind)) + " `" + v.decl->decl->name.str() + "`";
  case ValueKind::Invalid:
    return v.type ? "an unknown " + v.type->name : "unknown";
  default:
    break;
  }
  for (const KindText& row : kKindTexts)
    if (row.kind == v.kind) return std::string(row.text);
  return "unknown";
}

std::string show(const Value& v) {
  switch (v.kind) {
  case ValueKind::Bool:
    return v.truth ? "true" : "false";
  case ValueKind::Int:
    return std::to_string(v.integer);
  case ValueKind::Number:
    return formatQuantity(v.number, v.unit);
  case ValueKind::Poly:
    return formatQuantity(v.poly->value, v.unit);
  case ValueKind::String:
    return '"' + *v.string + '"';
  case ValueKind::Enum:
    return v.symbol.str();
  case ValueKind::DType:
    return std::string(ir::name(v.dtype));
  case ValueKind::List: {
    std::string text = "[";
    for (size_t i = 0; i < v.list->items.size(); ++i) {
      if (i == 8) return text + ", …]";
      text += (i ? ", " : "") + show(v.list->items[i]);
    }
    return text + "]";
  }
  case ValueKind::Decl:
    return v.decl->decl->name.str();
  default:
    return describe(v);
  }
}

bool same(const Value& a, const Value& b) {
  if (a.kind != b.kind) return a.numeric() && b.numeric() && a.unit == b.unit && a.asDouble() == b.asDouble();
  switch (a.kind) {
  case ValueKind::Invalid:
    return false;
  case ValueKind::None:
    return true;
  case ValueKind::Bool:
    return a.truth == b.truth;
  case ValueKind::Int:
    return a.integer == b.integer;
  case ValueKind::Number:
    return a.number == b.number && a.unit == b.unit;
  case ValueKind::String:
    return *a.string == *b.string;
  case ValueKind::Enum:
    return a.symbol == b.symbol && a.decl->decl == b.decl->decl;
  case ValueKind::DType:
    return a.dtype == b.dtype;
  case ValueKind::List: {
    const auto &x = a.list->items, &y = b.list->items;
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
  }
  case ValueKind::Record: {
    const auto &x = a.record->fields, &y = b.record->fields;
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const Field& f, const Field& g) { return f.name == g.name && same(f.value, g.value); });
  }
  case ValueKind::Curve:
    return a.curve->x == b.curve->x && a.curve->y == b.curve->y;
  case ValueKind::Poly:
    return a.poly->poly == b.poly->poly && a.unit == b.unit;
  case ValueKind::Tensor:
    return a.tensor->id == b.tensor->id;
  case ValueKind::Decl: {
    const auto &x = a.decl->args, &y = b.decl->args;
    return a.decl->decl == b.decl->decl &&
           std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const BoundArg& f, const BoundArg& g) { return f.name == g.name && same(f.value, g.value); });
  }
  case ValueKind::Function:
    return a.function == b.function;
  case ValueKind::Module:
    return a.import == b.import;
  case ValueKind::Space:
    return a.space == b.space;
  }
  return false;
}

} // namespace planc::frontend
