// A number as our JSON has it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace planc::report {

/// JSON has no infinity; whole numbers are written as such.
inline nlohmann::ordered_json jsonNumber(double value) {
  if (!std::isfinite(value)) return nullptr;
  constexpr double kExact = 9007199254740992.0; // 2^53
  if (std::floor(value) == value && std::abs(value) < kExact) return static_cast<int64_t>(value);
  return value;
}
/// null where there is no meaning.
inline nlohmann::ordered_json jsonNumber(const std::optional<double>& value) {
  return value ? jsonNumber(*value) : nlohmann::ordered_json(nullptr);
}

} // namespace planc::report
