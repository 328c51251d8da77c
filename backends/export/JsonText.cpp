// Text of JSON events.
// SPDX-License-Identifier: Apache-2.0
#include "backends/export/JsonText.h"

#include <cmath>
#include <fmt/format.h>

namespace planc::exports {

std::string jsonString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (byte < 0x20 || c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", byte);
    else
      out += c;
  }
  return out + '"';
}

std::string numberText(double number) {
  return std::isfinite(number) ? fmt::format("{:.15g}", number) : std::string("null");
}

int64_t nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}

void EventText::number(int64_t number) {
  const fmt::format_int digits(number);
  text_.append(digits.data(), digits.size());
}

void EventText::time(int64_t nanoseconds) {
  number(nanoseconds / 1000);
  const auto rest = static_cast<int>(nanoseconds % 1000);
  const char decimals[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
  text_.append(decimals, sizeof decimals);
}

void EventText::flush() {
  sink_(text_);
  text_.clear();
}

} // namespace planc::exports
