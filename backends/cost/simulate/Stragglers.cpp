// The time that a step waits for its slowest device, node or slice (docs/cost-model.md, section 2.7).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/Stragglers.h"

#include "ir/facts/ClusterFacts.h"
#include "ir/facts/StackFacts.h"

#include <cmath>
#include <numbers>

namespace planc::cost {

double slowestOf(double units) {
  if (units < 2) return 0;
  constexpr double kExact = 32; // beyond, the series below is right to 1e-8
  if (units < kExact) {
    double sum = 0;
    for (double i = 2; i <= units; ++i) sum += 1 / i;
    return sum;
  }
  return std::log(units) + std::numbers::egamma - 1 + 1 / (2 * units) - 1 / (12 * units * units);
}

std::vector<Spread> spreads(const ir::Cluster& cluster, const ir::Stack& stack, const ir::Mesh& mesh) {
  std::vector<Spread> all;
  const auto add = [&](std::string_view of, const ir::Number* jitter, double units) {
    if (jitter && units > 1) all.push_back({of, jitter, units, jitter->value * slowestOf(units)});
  };
  const double devices = static_cast<double>(mesh.devices());
  add("cluster", cluster.number(ir::ClusterFact::Jitter), devices);
  add("stack", stack.number(ir::StackFact::Jitter), devices);
  for (size_t l = 0; l < cluster.levels.size(); ++l) {
    const double below = l > 0 && l <= mesh.levelSizes.size() ? static_cast<double>(mesh.levelSizes[l - 1]) : 1;
    add(cluster.levels[l].name.view(), cluster.levels[l].number(ir::LevelFact::Jitter), devices / below);
  }
  return all;
}

double stragglerShare(const std::vector<Spread>& spreads) {
  double squares = 0;
  for (const Spread& s : spreads) squares += s.share * s.share;
  return std::sqrt(squares);
}

} // namespace planc::cost
