// The table of unit names, the arithmetic of units, and the reading of quantities.
// SPDX-License-Identifier: Apache-2.0
#include "support/Quantity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace planc {
namespace {

/// A unit that a person may write, with its size in base units.
struct NamedUnit {
  std::string_view name;
  double factor;
  Unit unit;
};

constexpr double kKi = 1024.0, kMi = kKi * 1024, kGi = kMi * 1024, kTi = kGi * 1024;

/// All unit names. To add a unit, add a row. Two units may be joined by `/`.
const std::vector<NamedUnit>& namedUnits() {
  static const std::vector<NamedUnit> rows = {
      {"ns", 1e-9, units::time},
      {"us", 1e-6, units::time},
      {"ms", 1e-3, units::time},
      {"s", 1, units::time},
      {"min", 60, units::time},
      {"h", kHour, units::time},
      {"d", 24 * kHour, units::time},
      {"B", 1, units::bytes},
      {"kB", 1e3, units::bytes},
      {"KB", 1e3, units::bytes},
      {"MB", 1e6, units::bytes},
      {"GB", 1e9, units::bytes},
      {"TB", 1e12, units::bytes},
      {"PB", 1e15, units::bytes},
      {"KiB", kKi, units::bytes},
      {"MiB", kMi, units::bytes},
      {"GiB", kGi, units::bytes},
      {"TiB", kTi, units::bytes},
      {"Mbps", 1e6 / 8, units::bandwidth}, // network cards are sold by the bit
      {"Gbps", 1e9 / 8, units::bandwidth},
      {"Tbps", 1e12 / 8, units::bandwidth},
      {"FLOP", 1, units::flops},
      {"kFLOP", 1e3, units::flops},
      {"MFLOP", 1e6, units::flops},
      {"GFLOP", 1e9, units::flops},
      {"TFLOP", 1e12, units::flops},
      {"PFLOP", 1e15, units::flops},
      {"EFLOP", 1e18, units::flops},
      {"ZFLOP", 1e21, units::flops},
      {"USD", 1, units::money},
      {"pJ", 1e-12, units::energy},
      {"J", 1, units::energy},
      {"kJ", 1e3, units::energy},
      {"MJ", 1e6, units::energy},
      {"GJ", 1e9, units::energy},
      {"Wh", kHour, units::energy},
      {"kWh", 1e3 * kHour, units::energy},
      {"MWh", 1e6 * kHour, units::energy},
      {"GWh", 1e9 * kHour, units::energy},
      {"W", 1, units::power},
      {"kW", 1e3, units::power},
      {"MW", 1e6, units::power},
      {"GW", 1e9, units::power},
      {"device", 1, Unit::of(BaseUnit::Device)},
      {"devices", 1, Unit::of(BaseUnit::Device)},
      {"GPUh", kHour, units::deviceTime},
      {"token", 1, units::tokens},
      {"tokens", 1, units::tokens},
      {"ktokens", 1e3, units::tokens},
      {"Mtokens", 1e6, units::tokens},
      {"Gtokens", 1e9, units::tokens},
      {"Ttokens", 1e12, units::tokens},
      {"sample", 1, units::samples},
      {"samples", 1, units::samples},
      {"g", 1, units::mass},
      {"kg", 1e3, units::mass},
      {"t", 1e6, units::mass},
  };
  return rows;
}

const NamedUnit* findUnit(std::string_view name) {
  auto found =
      std::find_if(namedUnits().begin(), namedUnits().end(), [&](const NamedUnit& row) { return row.name == name; });
  return found == namedUnits().end() ? nullptr : &*found;
}

/// Saturates: an absurd power must not wrap around to a plain number.
int8_t clampExponent(int e) {
  return static_cast<int8_t>(std::clamp(e, -100, 100));
}

/// Reads the number at the start of `text` (`_` between digits is ignored) and leaves the unit in `text`.
std::optional<double> takeNumber(std::string_view& text) {
  std::string digits;
  size_t at = 0;
  auto isDigit = [&](size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  auto takeDigits = [&] {
    for (; isDigit(at) || (at < text.size() && text[at] == '_'); ++at)
      if (text[at] != '_') digits += text[at];
  };
  takeDigits();
  if (at < text.size() && text[at] == '.' && isDigit(at + 1)) {
    digits += text[at++];
    takeDigits();
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    bool sign = at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-');
    if (isDigit(at + 1 + sign)) {
      digits += 'e';
      if (sign && text[at + 1] == '-') digits += '-';
      at += 1 + sign;
      for (; isDigit(at); ++at) digits += text[at];
    }
  }
  double value = 0;
  auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size()) return std::nullopt;
  text.remove_prefix(at);
  return value;
}

constexpr std::array<std::string_view, kBaseUnits> kBaseNames = {"time",   "bytes",  "flops",   "money", "energy",
                                                                 "device", "tokens", "samples", "mass"};

} // namespace

Unit Unit::of(BaseUnit base, int exponent) {
  Unit unit;
  unit.exponents[static_cast<size_t>(base)] = clampExponent(exponent);
  return unit;
}

Unit Unit::operator*(const Unit& o) const {
  Unit out;
  for (size_t i = 0; i < kBaseUnits; ++i) out.exponents[i] = clampExponent(exponents[i] + o.exponents[i]);
  return out;
}

Unit Unit::operator/(const Unit& o) const {
  Unit out;
  for (size_t i = 0; i < kBaseUnits; ++i) out.exponents[i] = clampExponent(exponents[i] - o.exponents[i]);
  return out;
}

std::string Unit::name() const {
  if (plain()) return "number";
  if (*this == units::power) return "power";
  if (*this == units::deviceTime) return "device-time";
  std::string above, below;
  // Time goes last, as people say it: `device-time`, `bytes/time`, `tokens/device/time`.
  for (size_t k = 1; k <= kBaseUnits; ++k) {
    size_t i = k % kBaseUnits;
    int e = exponents[i];
    std::string factor =
        std::abs(e) > 1 ? fmt::format("{}^{}", kBaseNames[i], std::abs(e)) : std::string(kBaseNames[i]);
    if (e > 0) above += fmt::format("{}{}", above.empty() ? "" : "*", factor);
    if (e < 0) below += fmt::format("/{}", factor);
  }
  return fmt::format("{}{}", above.empty() ? "1" : above, below);
}

namespace {

/// Returns nullopt for infinite and subnormal values: later arithmetic would turn them into `inf` or `nan`.
std::optional<Quantity> held(Quantity q) {
  if (q.value != 0 && !std::isnormal(q.value)) return std::nullopt;
  return q;
}

} // namespace

std::optional<Quantity> parseQuantity(std::string_view text, std::string& badUnit) {
  badUnit.clear();
  std::optional<double> number = takeNumber(text);
  if (!number) return std::nullopt;
  if (text.empty()) return held({*number, units::none});
  if (text == "%") return held({*number / 100, units::none});
  Quantity result{*number, units::none};
  size_t slash = text.find('/');
  for (bool below : {false, true}) {
    if (below && slash == std::string_view::npos) break;
    std::string_view part = below ? text.substr(slash + 1) : text.substr(0, slash);
    const NamedUnit* unit = findUnit(part);
    if (!unit) {
      badUnit = part;
      return std::nullopt;
    }
    result.value = below ? result.value / unit->factor : result.value * unit->factor;
    result.unit = below ? result.unit / unit->unit : result.unit * unit->unit;
  }
  return held(result);
}

std::vector<std::string> unitNames() {
  std::vector<std::string> names;
  for (const NamedUnit& row : namedUnits()) names.emplace_back(row.name);
  return names;
}

} // namespace planc
