// Prints quantities: four significant digits, with the prefix that leaves few digits before the point.
// SPDX-License-Identifier: Apache-2.0
#include "support/Quantity.h"

#include <cmath>
#include <fmt/format.h>

namespace planc {
namespace {

/// One way to write a unit: `name` stands for `factor` base units and is used from `least` base units on.
struct Prefix {
  double factor;
  std::string_view name;
  double least;
  Prefix(double f, std::string_view n) : factor(f), name(n), least(f) {}
  Prefix(double f, std::string_view n, double l) : factor(f), name(n), least(l) {}
};
using Scale = std::vector<Prefix>; // ascending; the first one also serves everything below it

constexpr double kMinute = 60, kDay = 24 * kHour;

/// Durations change to the next unit late: 90 s, 119 min and 47 h read better than 1.5 min, 1.983 h and 1.958 d.
const Scale kTime = {
    {1e-9, "ns"},         {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}, {kMinute, "min", 2 * kMinute}, {kHour, "h", 2 * kHour},
    {kDay, "d", 2 * kDay}};
const Scale kShortTime = {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}};
const Scale kBytes = {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}, {1e15, "PB"}};
const Scale kFlops = {{1, "FLOP"},     {1e3, "kFLOP"},  {1e6, "MFLOP"},  {1e9, "GFLOP"},
                      {1e12, "TFLOP"}, {1e15, "PFLOP"}, {1e18, "EFLOP"}, {1e21, "ZFLOP"}};
const Scale kEnergy = {{1, "J"}, {1e3, "kJ"}, {1e6, "MJ", 1e6}, {3.6e6, "kWh"}, {3.6e9, "MWh"}, {3.6e12, "GWh"}};
const Scale kPower = {{1, "W"}, {1e3, "kW"}, {1e6, "MW"}, {1e9, "GW"}};
const Scale kMoney = {{1, "USD"}};
const Scale kTokens = {{1, "tokens"}};
const Scale kSamples = {{1, "samples"}};
const Scale kDevices = {{1, "devices"}};
const Scale kDeviceTime = {{kHour, "device-h"}};
const Scale kMass = {{1, "g"}, {1e3, "kg"}, {1e6, "t"}};
const Scale kIntensity = {{1 / (1e3 * kHour), "g/kWh"}};
const Scale kEnergyPerFlop = {{1e-12, "pJ/FLOP"}};
const Scale kPrice = {{1 / kHour, "USD/h"}};

/// Names of the base units after a `/`.
constexpr std::array<std::string_view, kBaseUnits> kBelow = {"s",      "B",     "FLOP",   "USD", "J",
                                                             "device", "token", "sample", "g"};

double roundToFour(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  double scale = std::pow(10, 3 - std::floor(std::log10(std::fabs(value))));
  return std::isfinite(scale) ? std::round(value * scale) / scale : value;
}

/// At most four significant digits without trailing zeros; `1.235e6` if no prefix made the number short.
std::string digits(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  double size = std::fabs(value);
  if (size == 0) return "0";
  if (size >= 999'950 || size < 1e-4) {
    std::string text = fmt::format("{:.3e}", value);
    size_t e = text.find('e');
    std::string mantissa = text.substr(0, e);
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.ends_with('.')) mantissa.pop_back();
    return fmt::format("{}e{}", mantissa, std::stoi(text.substr(e + 1)));
  }
  if (size >= 1000) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

const Scale* scaleOf(const Unit& unit) {
  static const std::pair<Unit, const Scale*> scales[] = {{units::time, &kTime},
                                                         {units::bytes, &kBytes},
                                                         {units::flops, &kFlops},
                                                         {units::energy, &kEnergy},
                                                         {units::power, &kPower},
                                                         {units::money, &kMoney},
                                                         {units::price, &kPrice},
                                                         {units::tokens, &kTokens},
                                                         {units::samples, &kSamples},
                                                         {units::deviceTime, &kDeviceTime},
                                                         {units::mass, &kMass},
                                                         {units::intensity, &kIntensity},
                                                         {units::energyPerFlop, &kEnergyPerFlop},
                                                         {Unit::of(BaseUnit::Device), &kDevices}};
  for (const auto& [named, scale] : scales)
    if (named == unit) return scale;
  return nullptr;
}

std::string printScaled(double value, const Scale& scale, std::string_view suffix) {
  double rounded = std::fabs(roundToFour(value)); // before the prefix is chosen: 999.99 ms is 1 s
  const Prefix* step = &scale.front();
  for (const Prefix& candidate : scale)
    // The epsilon absorbs the rounding of factors such as `1e-3`.
    if (rounded >= candidate.least * (1 - 1e-12)) step = &candidate;
  if (value == 0)
    for (const Prefix& candidate : scale)
      if (candidate.factor == 1) step = &candidate; // `0 s`, not `0 ns`
  return fmt::format("{} {}{}", digits(value / step->factor), step->name, suffix);
}

std::string printPlain(double value) {
  // Counts are exact: a batch of 131072 is not 1.311e5.
  if (std::floor(value) == value && std::fabs(value) < 1e15) return fmt::format("{:.0f}", value == 0 ? 0.0 : value);
  return digits(value);
}

} // namespace

std::string formatQuantity(double value, const Unit& unit) {
  if (unit.plain()) return printPlain(value);
  if (const Scale* scale = scaleOf(unit)) return printScaled(value, *scale, "");
  // A single base unit above the fraction line keeps its prefixes: `TFLOP/s`, `ms/token`.
  Unit above;
  std::string below, product;
  int factors = 0;
  for (size_t i = 0; i < kBaseUnits; ++i) {
    int e = unit.exponents[i];
    if (e == 0) continue;
    std::string power = std::abs(e) > 1 ? fmt::format("{}^{}", kBelow[i], std::abs(e)) : std::string(kBelow[i]);
    if (e < 0) {
      below += "/" + power;
      continue;
    }
    ++factors;
    above.exponents[i] = static_cast<int8_t>(e);
    product += (product.empty() ? "" : "*") + power;
  }
  const Scale* scale = factors == 1 ? scaleOf(above) : nullptr;
  if (scale == &kTime) scale = &kShortTime; // hours per token would be hard to read
  if (scale) return printScaled(value, *scale, below);
  return fmt::format("{} {}{}", digits(value), product.empty() ? "1" : product, below);
}

} // namespace planc
