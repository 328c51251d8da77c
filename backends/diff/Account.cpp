// Builds accounts from the rows and totals of an estimate.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/Account.h"

#include <array>
#include <fmt/format.h>

namespace planc::diff {

std::string_view name(Cause cause) {
  static constexpr std::array<std::string_view, kCauses> kNames = {"layers", "slowed",    "launches", "collectives",
                                                                   "bubble", "optimizer", "overhead", "straggler"};
  return kNames[static_cast<size_t>(cause)];
}

std::string Subject::str() const {
  if (collective.empty()) return layer;
  return fmt::format("{}, {}{}{}{}{}", collective, cls, axis.empty() ? "" : " over ", axis, layer.empty() ? "" : ", ",
                     layer);
}

Account accountOf(const cost::Estimate& e) {
  Account out;
  out.step = e.totals.stepTime;
  const auto add = [&](Cause cause, Subject what, double seconds) {
    if (seconds != 0) out.rows.push_back({cause, std::move(what), seconds});
  };
  for (const cost::LayerRow& row : e.layers) {
    const std::string path = row.layer.str();
    add(Cause::Layers, {path}, row.onPath);
    add(Cause::Slowed, {path}, row.slowed);
    add(Cause::Launches, {path}, row.launches);
  }
  for (const cost::CollectiveRow& row : e.collectives)
    add(Cause::Collectives, {"", row.op, std::string(ir::name(row.cls))}, row.onPath);
  add(Cause::Bubble, {}, e.totals.bubble);
  add(Cause::Optimizer, {}, e.totals.optimizer);
  add(Cause::Overhead, {}, e.totals.overhead);
  add(Cause::Straggler, {}, e.totals.straggler.value_or(0));
  return out;
}

} // namespace planc::diff
