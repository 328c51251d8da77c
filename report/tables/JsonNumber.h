// Numbers in our JSON and CSV formats.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Quantity.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace planc::report {

/// Returns the factor from the unit in a field's name to base units: 3600 for `device_hours`.
inline double fieldUnit(std::string_view field) {
  struct Scale {
    std::string_view word;
    double base;
  };
  constexpr Scale kScales[] = {
      {"tflops", 1e12}, {"device_hours", kHour}, {"kwh", 1e3 * kHour}, {"days", 24 * kHour}, {"_kg", 1e3}};
  for (const Scale& scale : kScales)
    if (field.find(scale.word) != std::string_view::npos) return scale.base;
  return 1;
}

/// Converts a value from base units to the unit in the field's name.
inline double fieldValue(double value, std::string_view field) {
  return value / fieldUnit(field);
}

/// Returns a JSON number; null for infinity, which JSON lacks. Whole numbers are written without a fraction.
inline nlohmann::ordered_json jsonNumber(double value) {
  if (!std::isfinite(value)) return nullptr;
  constexpr double kExact = 9007199254740992.0; // 2^53
  if (std::floor(value) == value && std::abs(value) < kExact) return static_cast<int64_t>(value);
  return value;
}
/// Returns null if the value is not given.
inline nlohmann::ordered_json jsonNumber(const std::optional<double>& value) {
  return value ? jsonNumber(*value) : nlohmann::ordered_json(nullptr);
}

} // namespace planc::report
