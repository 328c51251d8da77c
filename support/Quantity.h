// Physical quantities: a number with exponents over base units, the table of unit names, and how a quantity is printed.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc {

inline constexpr double kMicrosecond = 1e-6, kHour = 3600; ///< in seconds

/// The base units. Values are stored in: second, byte, FLOP, US dollar, joule, device, token, sample, gram.
enum class BaseUnit { Time, Bytes, Flops, Money, Energy, Device, Tokens, Samples, Mass };
inline constexpr int kBaseUnits = 9;

/// Exponents over the base units. All zero is a plain number.
struct Unit {
  std::array<int8_t, kBaseUnits> exponents{};
  bool operator==(const Unit&) const = default;
  bool plain() const { return *this == Unit{}; }
  Unit operator*(const Unit& o) const;
  Unit operator/(const Unit& o) const;
  static Unit of(BaseUnit base, int exponent = 1);
  /// The name in messages: `time`, `bytes`, `flops/time`, `money`, `device-time`, …
  std::string name() const;
};

struct Quantity {
  double value = 0;
  Unit unit;
};

/// Parses `450GB/s` or `40%` (a plain number). Returns nullopt and sets `badUnit` if the unit is unknown. Also
/// returns nullopt if a double cannot hold the value.
std::optional<Quantity> parseQuantity(std::string_view text, std::string& badUnit);
/// Every unit name, for suggestions.
std::vector<std::string> unitNames();
/// Prints four significant digits with a readable prefix: `13.72 s`, `1.30 ms`, `64.1 GB`, `249.5 TFLOP/s`, `0.42`.
std::string formatQuantity(double value, const Unit& unit);

namespace units {
inline const Unit none{};
inline const Unit time = Unit::of(BaseUnit::Time);
inline const Unit bytes = Unit::of(BaseUnit::Bytes);
inline const Unit flops = Unit::of(BaseUnit::Flops);
inline const Unit money = Unit::of(BaseUnit::Money);
inline const Unit energy = Unit::of(BaseUnit::Energy);
inline const Unit tokens = Unit::of(BaseUnit::Tokens);
inline const Unit samples = Unit::of(BaseUnit::Samples);
inline const Unit mass = Unit::of(BaseUnit::Mass);
inline const Unit bandwidth = bytes / time;
inline const Unit rate = flops / time;
inline const Unit power = energy / time;
inline const Unit energyPerFlop = energy / flops;
inline const Unit price = money / time;
inline const Unit intensity = mass / energy; ///< emissions per unit of energy
inline const Unit deviceTime = Unit::of(BaseUnit::Device) * time;
} // namespace units

} // namespace planc
