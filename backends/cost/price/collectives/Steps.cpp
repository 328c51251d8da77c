// The sequential steps of a collective: how many cross each level, and how long each waits (docs/cost-model.md,
// sections 2.1, 2.2 and 2.5).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/collectives/Algorithms.h"
#include "ir/facts/ClusterFacts.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

using ir::CollectiveKind;
using ir::FabricFact;
using ir::LevelFact;

namespace {

/// Returns the units of a level that a group spans in the whole cluster.
double unitsOf(const Route& r, size_t level) {
  return std::ceil(static_cast<double>(r.ranks) / static_cast<double>(r.within[level]));
}
double unitsBelow(const Route& r, size_t level) {
  return level == 0 ? static_cast<double>(r.ranks) : unitsOf(r, level - 1);
}

bool isSampledLevel(const Pricing& p, const Route& r, size_t level) {
  return r.domain && &p.facts.cluster.levels[level] <= r.domain;
}

/// Returns the steps of each level, outer to inner. `count` returns their number from the units that the group spans at
/// this level and the next inner one.
template <class Count> Steps stepsBy(const Pricing& p, const Route& r, const Count& count) {
  Steps steps;
  for (size_t l = r.top + 1; l-- > 0;)
    if (const double number = count(l, unitsBelow(r, l), unitsOf(r, l)); number > 0)
      steps.crossings.push_back({l, p.known(number, isSampledLevel(p, r, l) ? "steps inside" : "steps")});
  return steps;
}

} // namespace

Steps stepsOf(const Pricing& p, const Route& r) {
  const bool exchange = p.collective().kind == CollectiveKind::AllToAll, forwards = copiesInOne(p) > 1;
  bool outer = false, rings = !exchange; // one ring passes through the units of all levels so far
  Steps steps = stepsBy(p, r, [&](size_t l, double below, double units) {
    if (below <= units) return 0.0;
    const TopologyFactors own = factorsBetween(p, r, l, p.collective().kind, exchange ? r.units(l) : below / units);
    // Every rank of a unit has partners in the other units, or passes data on for the whole unit.
    if (exchange) return own.steps * (own.ring && !forwards ? r.below(l) : 1);
    if (l == r.top) outer = own.ring;
    rings &= own.ring || (l != r.top && isSampledLevel(p, r, l)); // the samples of such a level include its wiring
    return rings ? below - units : own.steps;
  });
  steps.ring = outer;
  steps.inside = exchange ? !forwards : rings;
  return steps;
}

Steps ringSteps(const Pricing& p, const Route& r, double passes) {
  Steps steps = stepsBy(p, r, [&](size_t, double below, double units) { return passes * (below - units); });
  steps.ring = steps.inside = true;
  return steps;
}

Steps treeSteps(const Pricing& p, const Route& r, double passes) {
  Steps steps = stepsBy(p, r, [&](size_t, double below, double units) {
    return passes * (std::ceil(std::log2(below)) - std::ceil(std::log2(units)));
  });
  steps.inside = true;
  return steps;
}

Term farther(const Pricing& p, const ir::ClusterLevel& level) {
  const ir::Number* held = level.fabric.number(FabricFact::SampledLatency);
  if (!held || level.value(LevelFact::Latency, 0) <= held->value) return 0;
  const Term latency = p.fact(level, LevelFact::Latency, "latency");
  return latency - p.readOff(held->value, "sampled latency",
                             p.why ? ir::FactRef(FabricFact::SampledLatency).path() : "", held->range, held->source,
                             held->unit);
}

Term fartherInAll(const Pricing& p, const Steps& steps) {
  Term all;
  for (const Steps::Crossing& c : steps.crossings) {
    const ir::ClusterLevel& level = p.facts.cluster.levels[c.level];
    if (const Term more = farther(p, level); more.value > 0) all += p.spent(more * c.count, level, "latency");
  }
  return all;
}

Term farthest(const Pricing& p, const Route& r) {
  Term most;
  const ir::ClusterLevel* at = nullptr;
  for (size_t l : r.spread())
    if (const Term more = farther(p, p.facts.cluster.levels[l]); more.value > most.value)
      most = more, at = &p.facts.cluster.levels[l];
  return at ? p.spent(most, *at, "latency") : most;
}

namespace {

/// The hops of a protocol between nodes and inside a node.
struct Hops {
  FabricFact between, inside;
};
constexpr Hops kSimple{FabricFact::Hop, FabricFact::HopInside};
constexpr Hops kLowLatency{FabricFact::LowLatencyHop, FabricFact::LowLatencyHopInside};

/// Returns the latency of a step inside a sampled domain: a hop of the outermost fabric, or the value of the level
/// itself.
Term waitInside(const Pricing& p, const Route& r, const ir::ClusterLevel& level, const Hops& hops) {
  const ir::ClusterLevel& top = p.facts.cluster.levels[r.top];
  if (!r.card) return p.fact(level.has(LevelFact::Latency) ? level : top, LevelFact::Latency, "latency");
  const bool own = top.fabric.has(hops.inside);
  return p.fact(top.fabric, own ? hops.inside : hops.between, own ? "hop inside" : "hop") + farther(p, level);
}

/// Returns the latency of a step between units of a level without samples.
Term waitBetween(const Pricing& p, const ir::ClusterLevel& level, const Hops& hops) {
  const ir::Fabric& fabric = level.fabric;
  if (!fabric.has(FabricFact::NicEfficiency)) return p.fact(level, LevelFact::Latency, "latency");
  return p.fact(fabric, fabric.has(hops.between) ? hops.between : kSimple.between, "hop") + farther(p, level);
}

Term waiting(const Pricing& p, const Route& r, const Steps& steps, const Hops& hops) {
  Term all;
  for (const Steps::Crossing& c : steps.crossings) {
    const ir::ClusterLevel& level = p.facts.cluster.levels[c.level];
    const bool sampled = isSampledLevel(p, r, c.level);
    const Term wait = !sampled       ? waitBetween(p, level, hops)
                      : steps.inside ? waitInside(p, r, level, hops)
                                     : farther(p, level);
    if (wait.value > 0)
      all += p.spent(wait * c.count, sampled && r.card ? p.facts.cluster.levels[r.top] : level, "latency");
  }
  return all;
}

} // namespace

Term waiting(const Pricing& p, const Route& r, const Steps& steps) {
  return waiting(p, r, steps, kSimple);
}

Carried carried(const Pricing& p, const Route& r, const Steps& steps, double x, const Term& bandwidth) {
  const ir::Fabric& fabric = p.facts.cluster.levels[r.top].fabric;
  const bool both = steps.ring && fabric.has(FabricFact::LowLatencyHop) && fabric.has(FabricFact::LowLatencyEfficiency);
  if (both) {
    const Pricing silent(p.facts, p.program, p.node, {});
    const double share = fabric.number(FabricFact::LowLatencyEfficiency)->value;
    const double saved = waiting(silent, r, steps, kSimple).value - waiting(silent, r, steps, kLowLatency).value;
    if (saved > x / bandwidth.value * (1 / share - 1))
      return {waiting(p, r, steps, kLowLatency),
              bandwidth * p.fact(fabric, FabricFact::LowLatencyEfficiency, "low latency")};
  }
  return {waiting(p, r, steps, kSimple), bandwidth};
}

} // namespace planc::cost
