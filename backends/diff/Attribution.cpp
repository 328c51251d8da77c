// Pairs the rows of two estimates by what they are.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/Attribution.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace planc::diff {

std::string_view name(Cause cause) {
  static constexpr std::array<std::string_view, kCauses> kNames = {"layers", "slowed",    "launches", "collectives",
                                                                   "bubble", "optimizer", "overhead", "straggler"};
  return kNames[static_cast<size_t>(cause)];
}

namespace {

/// Parts by what they are, in the order in which they were first met.
class Pairing {
public:
  void add(Cause cause, const Subject& what, double Part::*side, double seconds) {
    if (seconds == 0) return;
    const auto [at, fresh] = index_.try_emplace({cause, what}, parts_.size());
    if (fresh) parts_.push_back({cause, what});
    parts_[at->second].*side += seconds;
  }
  /// By cause; equal ones keep their order.
  std::vector<Part> take() {
    std::stable_sort(parts_.begin(), parts_.end(), [](const Part& x, const Part& y) { return x.cause < y.cause; });
    return std::move(parts_);
  }

private:
  std::vector<Part> parts_;
  std::map<std::pair<Cause, Subject>, size_t> index_;
};

/// What the rows of an estimate and its totals make of the step: every second of it once.
void addStep(Pairing& pairing, const cost::Estimate& e, double Part::*side, double scale) {
  const cost::Totals& t = e.totals;
  for (const cost::LayerRow& row : e.layers) {
    pairing.add(Cause::Layers, {row.layer}, side, scale * row.onPath);
    pairing.add(Cause::Slowed, {row.layer}, side, scale * row.slowed);
    pairing.add(Cause::Launches, {row.layer}, side, scale * row.launches);
  }
  for (const cost::CollectiveRow& row : e.collectives)
    pairing.add(Cause::Collectives, {{}, row.op, row.cls}, side, scale * row.onPath);
  pairing.add(Cause::Bubble, {}, side, scale * t.bubble);
  pairing.add(Cause::Optimizer, {}, side, scale * t.optimizer);
  pairing.add(Cause::Overhead, {}, side, scale * t.overhead);
  pairing.add(Cause::Straggler, {}, side, scale * t.straggler.value_or(0));
}

} // namespace

std::string Subject::str() const {
  return collective.empty() ? layer.str() : fmt::format("{}, {}", collective, ir::name(cls));
}

std::vector<Part> Attribution::byCause() const {
  std::vector<Part> out;
  for (const Part& part : parts) {
    if (out.empty() || out.back().cause != part.cause) out.push_back({part.cause});
    out.back().a += part.a;
    out.back().b += part.b;
  }
  return out;
}

Attribution attribute(const cost::Estimate& a, const cost::Estimate& b, double scaleA, double scaleB) {
  Pairing pairing;
  addStep(pairing, a, &Part::a, scaleA);
  addStep(pairing, b, &Part::b, scaleB);
  return {pairing.take(), scaleA * a.totals.stepTime, scaleB * b.totals.stepTime};
}

} // namespace planc::diff
