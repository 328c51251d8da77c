// Compares values with a work list of pairs, so that deeply nested lists cannot overflow the stack.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Equality.h"

#include "frontend/modules/Module.h"

#include <algorithm>
#include <utility>

namespace planc::frontend {

namespace {

constexpr uint64_t kBytesPerStep = 64; // bytes of a string or a curve

struct Comparison {
  Context& context;
  SourceRange at;
  std::vector<std::pair<const Value*, const Value*>> left; // pairs still to compare

  /// Charges the items of two lists and adds them to the work list. Returns false if the lists cannot be equal or the
  /// steps are used up.
  template <class Items, class Get> bool enter(const Items& x, const Items& y, Get&& get) {
    if (x.size() != y.size() || !context.step(at, x.size())) return false;
    for (size_t i = 0; i < x.size(); ++i) left.emplace_back(get(x[i]), get(y[i]));
    return true;
  }
  template <class Named> bool enterNamed(const std::vector<Named>& x, const std::vector<Named>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const Named& f, const Named& g) { return f.name == g.name; }) &&
           enter(x, y, [](const Named& f) { return &f.value; });
  }
  bool bytes(size_t n) { return context.step(at, n / kBytesPerStep); }

  /// Compares two values, and adds their items to the work list.
  bool alone(const Value& a, const Value& b);
};

bool Comparison::alone(const Value& a, const Value& b) {
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
    return a.string->size() == b.string->size() && bytes(a.string->size()) && *a.string == *b.string;
  case ValueKind::Enum:
    return a.symbol == b.symbol && a.decl->decl == b.decl->decl;
  case ValueKind::DType:
    return a.dtype == b.dtype;
  case ValueKind::List:
    return enter(a.list->items, b.list->items, [](const Value& v) { return &v; });
  case ValueKind::Record:
    return enterNamed(a.record->fields, b.record->fields);
  case ValueKind::Curve:
    return bytes(sizeof(double) * a.curve->x.size()) && a.curve->x == b.curve->x && a.curve->y == b.curve->y;
  case ValueKind::Poly:
    return a.poly->poly == b.poly->poly && a.unit == b.unit;
  case ValueKind::Tensor:
    return a.tensor->id == b.tensor->id;
  case ValueKind::Decl:
    return a.decl->decl == b.decl->decl && enterNamed(a.decl->args, b.decl->args);
  case ValueKind::Function:
    return a.function == b.function;
  case ValueKind::Module:
    return a.import == b.import;
  case ValueKind::Space:
    return a.space == b.space;
  }
  return false;
}

} // namespace

std::optional<bool> equal(Context& context, SourceRange at, const Value& a, const Value& b) {
  if (!context.step(at)) return std::nullopt;
  Comparison comparison{context, at, {{&a, &b}}};
  bool same = true;
  while (same && !comparison.left.empty()) {
    const auto next = comparison.left.back();
    comparison.left.pop_back();
    same = comparison.alone(*next.first, *next.second);
  }
  if (context.exhausted()) return std::nullopt;
  return same;
}

} // namespace planc::frontend
