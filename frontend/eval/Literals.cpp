// Writes values as text that reads back to the same value.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Literals.h"

#include "ir/model/DType.h"
#include "support/Quantity.h"

#include <fmt/format.h>

namespace planc::frontend {

namespace {

bool readsAs(const std::string& text, double value, const Unit& unit) {
  std::string bad;
  const auto read = parseQuantity(text, bad);
  return read && read->value == value && read->unit == unit;
}

std::string quotedText(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n' || c == '\t')
      out += c == '\n' ? "\\n" : "\\t";
    else
      out += c;
  }
  return out + "\"";
}

/// Joins items between two brackets; empty if the text of an item is empty.
template <class Items, class Text>
std::string joined(std::string_view open, const Items& items, Text itemText, std::string_view close) {
  std::string text;
  for (const auto& item : items) {
    const std::string one = itemText(item);
    if (one.empty()) return {};
    text += (text.empty() ? "" : ", ") + one;
  }
  return fmt::format("{}{}{}", open, text, close);
}

std::string numbersText(const std::vector<double>& numbers, const Unit& unit) {
  return joined(
      "[", numbers, [&](double n) { return unit.plain() ? floatText(n) : quantityText(n, unit); }, "]");
}

} // namespace

std::string floatText(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string quantityText(double value, const Unit& unit) {
  std::string plain;
  for (const char* per : {"", "/s", "/h"})
    for (const std::string& name : unitNames()) {
      std::string bad;
      const auto one = parseQuantity("1" + name + per, bad);
      if (!one || one->unit != unit) continue;
      const double count = value / one->value;
      std::string text = fmt::format("{}{}{}", count, name, per);
      if (!readsAs(text, value, unit)) continue;
      const bool bits = name.ends_with("bps"); // plans count bytes
      if (count >= 1 && count < 1000 && !bits) return text;
      if (plain.empty() || one->value == 1) plain = std::move(text);
    }
  return plain;
}

std::string literalText(const Value& value) {
  switch (value.kind) {
  case ValueKind::Int:
    return std::to_string(value.integer);
  case ValueKind::Number:
    return value.unit.plain() ? floatText(value.number) : quantityText(value.number, value.unit);
  case ValueKind::Bool:
    return value.truth ? "true" : "false";
  case ValueKind::None:
    return "none";
  case ValueKind::String:
    return quotedText(*value.string);
  case ValueKind::Enum:
    return value.symbol.str();
  case ValueKind::DType:
    return std::string(ir::name(value.dtype));
  case ValueKind::List:
    return joined(
        "[", value.list->items, [](const Value& item) { return literalText(item); }, "]");
  case ValueKind::Record: {
    const auto field = [](const Field& f) {
      const std::string text = literalText(f.value);
      return text.empty() ? text : fmt::format("{} = {}", f.name.view(), text);
    };
    return joined("{", value.record->fields, field, "}");
  }
  case ValueKind::Curve: {
    const CurveValue& curve = *value.curve;
    const std::string x = numbersText(curve.x, curve.xUnit), y = numbersText(curve.y, curve.yUnit);
    return x.empty() || y.empty() ? std::string() : fmt::format("curve(x = {}, y = {})", x, y);
  }
  default:
    return {};
  }
}

} // namespace planc::frontend
