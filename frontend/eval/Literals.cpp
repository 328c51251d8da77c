// Values as text that reads back to the same.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Literals.h"

#include "ir/DType.h"
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
      const bool bits = name.ends_with("bps"); // bytes are what plans count
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
  case ValueKind::List: {
    std::string text;
    for (const Value& item : value.list->items) {
      const std::string one = literalText(item);
      if (one.empty()) return {};
      text += (text.empty() ? "" : ", ") + one;
    }
    return "[" + text + "]";
  }
  default:
    return {};
  }
}

} // namespace planc::frontend
