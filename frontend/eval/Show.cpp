// Texts of values and their types for messages.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Show.h"

#include "frontend/modules/Module.h"

#include <array>

namespace planc::frontend {

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

namespace {

constexpr size_t kShownItems = 8;   // items of one list
constexpr size_t kShownValues = 32; // in total: lists that share items would print without end
constexpr int kShownDepth = 3;      // nesting of lists
constexpr size_t kShownBytes = 200; // bytes of one string

std::string quoted(const std::string& text) {
  if (text.size() <= kShownBytes) return '"' + text + '"';
  size_t end = kShownBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end; // do not cut a character
  return '"' + text.substr(0, end) + "…\"";
}

/// The text of a value at list depth `depth`; `left` is the number of values that may still be printed.
std::string shown(const Value& v, size_t& left, int depth) {
  left -= left > 0;
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
    return quoted(*v.string);
  case ValueKind::Enum:
    return v.symbol.str();
  case ValueKind::DType:
    return std::string(ir::name(v.dtype));
  case ValueKind::List: {
    std::string text = "[";
    for (size_t i = 0; i < v.list->items.size(); ++i) {
      if (i == kShownItems || left == 0 || depth == kShownDepth) return text + (i ? ", …]" : "…]");
      text += (i ? ", " : "") + shown(v.list->items[i], left, depth + 1);
    }
    return text + "]";
  }
  case ValueKind::Decl:
    return v.decl->decl->name.str();
  default:
    return describe(v);
  }
}

} // namespace

std::string show(const Value& v) {
  size_t left = kShownValues;
  return shown(v, left, 0);
}

} // namespace planc::frontend
