// Algorithms that run over the whole group at once: the narrowest level on the way decides (docs/cost-model.md, 2.2).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/collectives/Algorithms.h"
#include "ir/facts/ClusterFacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace planc::cost {

using ir::CollectiveKind;
using ir::FabricFact;
using ir::LevelFact;

namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// A rate, and the level whose links or cards leave no more.
struct Narrowest {
  double rate = kUnbounded;
  const ir::ClusterLevel* level = nullptr;
};

/// What the members of one node reach together: the narrowest level on the way, and the fabric inside the node.
Narrowest sharedBandwidth(const Pricing& p, const Route& r, double bonus) {
  const auto& levels = p.facts.cluster.levels;
  Narrowest least{kUnbounded, &levels[r.top]};
  if (r.domain && r.inside > 1)
    least = {readSample(p, *r.domain, p.node.collective, r.inside, p.node.bytes).b, r.domain};
  for (size_t l = r.domain ? static_cast<size_t>(r.domain - levels.data()) + 1 : 0; l <= r.top; ++l) {
    if (r.units(l) <= 1 && l != r.top) continue; // the group does not spread at this level
    const double rate =
        bonus * cardEfficiency(p, levels[l].fabric) * lineRate(p, r, l, factorsAt(p, r, l).bandwidth) * r.below(l);
    if (rate < least.rate) least = {rate, &levels[l]};
  }
  return least;
}

/// One algorithm over the whole group: its steps at the outermost level, its bytes through the narrowest one.
double flat(const Pricing& p, const Route& r, double steps, double bonus, std::string_view stepsText) {
  const ir::ClusterLevel& level = p.facts.cluster.levels[r.top];
  const ir::Fabric& fabric = level.fabric;
  const double x = wireBytes(p.node.collective, p.node.bytes, static_cast<double>(r.ranks));
  if (!r.card) {
    p.nominal(level, p.node.collective);
    const double latency = p.fact(level, LevelFact::Latency, "latency");
    const auto [rateOf, narrow] = sharedBandwidth(p, r, bonus);
    const double time = latency * steps + x / rateOf;
    p.spends(latency * steps, level, "latency");
    p.spends(x / rateOf, *narrow, carrier(*narrow));
    if (p.why)
      p.explain(fmt::format("latency · {} + x / bandwidth", stepsText),
                fmt::format("{} · {} + {} / {} = {}", seconds(latency), number(steps), bytes(x), bandwidth(rateOf),
                            seconds(time)));
    return time;
  }
  const double start = p.fact(fabric, FabricFact::Start, "start");
  const double hop = p.fact(fabric, FabricFact::Hop, "hop");
  const double g = p.fact(fabric, FabricFact::Root, "g");
  const auto [rateOf, narrow] = sharedBandwidth(p, r, bonus);
  const double time = start + hop * steps + x / rateOf + rootTerm(g, x);
  p.spends(start + hop * steps, level, "latency");
  p.spends(x / rateOf + rootTerm(g, x), *narrow, carrier(*narrow));
  if (p.why)
    p.explain(
        fmt::format("start + hop · {} + x / min(efficiency · NIC · ranks per node, b) + g·√(x / 1 GB)", stepsText),
        fmt::format("{} + {} · {} + {} / {} + {} = {}", seconds(start), seconds(hop), number(steps), bytes(x),
                    bandwidth(rateOf), seconds(rootTerm(g, x)), seconds(time)));
  return time;
}

bool runsAnyAlgorithm(const ir::Topology& topology) {
  const TopologyFormula* formula = topologies().find(topology.kind.view());
  return formula && formula->anyAlgorithm;
}

bool reduces(const Pricing& p) {
  return p.node.collective == CollectiveKind::AllReduce;
}

/// The rings and trees that the topology of the outermost level asks for.
double usually(const Pricing& p, const Route& r, double bonus) {
  const ir::ClusterLevel& level = p.facts.cluster.levels[r.top];
  const TopologyFactors factors = factorsAt(p, r, r.top);
  const bool tree = reduces(p) && runsAnyAlgorithm(level.topology);
  const std::string_view text = factors.ring ? "min(n - 1, ring_steps + ring_tail · (n - 1))"
                                : tree       ? "2·log2(nodes)"
                                             : "steps";
  return flat(p, r, stepsAt(p, level.fabric, factors), bonus, text);
}

/// Rings and trees over the ranks need a level that connects any two of them at full rate.
bool runsAnywhere(const Pricing& p, const Route& r) {
  const CollectiveKind kind = p.node.collective;
  if (kind == CollectiveKind::SendRecv || kind == CollectiveKind::AllToAll || isSampled(p, r)) return false;
  return runsAnyAlgorithm(p.facts.cluster.levels[r.top].topology);
}

} // namespace

bool isSampled(const Pricing& p, const Route& r) {
  return r.domain == &p.facts.cluster.levels[r.top];
}

double sampled(const Pricing& p, const Route& r) {
  const Sampled s = readSample(p, *r.domain, p.node.collective, r.ranks, p.node.bytes);
  const double n = static_cast<double>(r.ranks);
  double x = wireBytes(p.node.collective, p.node.bytes, n);
  // A token goes once to each of the expected distinct destinations of its copies.
  const double copies = copiesInOne(p);
  if (p.node.collective == CollectiveKind::AllToAll && copies > 1)
    x = p.node.bytes / copies * distinctUnits(p, n) * (n - 1) / n;
  const double time = s.time(x);
  p.spends(s.a, *r.domain, "latency");
  p.spends(time - s.a, *r.domain, carrier(*r.domain));
  if (p.why)
    p.explain(s.table ? "growth + time(bytes)" : "a + x / b + g·√(x / 1 GB)",
              fmt::format("{} = {}", s.text(x), seconds(time)));
  return time;
}

bool isSampledAcross(const Pricing& p, const Route& r) {
  return !samplesOf(p.facts.cluster.levels[r.top].fabric, p.node.collective).across.empty() && p.node.copies <= 1;
}

double sampledAcross(const Pricing& p, const Route& r) {
  const auto [row, share] = readAcross(p, r);
  const double x = wireBytes(p.node.collective, p.node.bytes, static_cast<double>(r.ranks)) / share;
  const double time = row.time(x);
  const ir::ClusterLevel& top = p.facts.cluster.levels[r.top];
  p.spends(row.a, top, "latency");
  p.spends(time - row.a, top, carrier(top));
  if (p.why) {
    p.explain(row.table ? "time(bytes)" : "a + x / b + g·√(x / 1 GB)",
              fmt::format("{} = {}", row.text(x), seconds(time)));
    if (share != 1)
      p.note("cards", fmt::format("{} times those of the sampled group: x is divided by it", number(share)));
  }
  return time;
}

bool isCard(const Pricing& p, const Route& r) {
  return r.card && p.node.collective != CollectiveKind::SendRecv;
}

double card(const Pricing& p, const Route& r) {
  const ir::Fabric& fabric = p.facts.cluster.levels[r.top].fabric;
  // Two nodes exchange halves directly instead of going round a ring.
  const bool pair = reduces(p) && r.nodes == 2;
  const double bonus = pair ? p.fact(fabric, FabricFact::PairBonus, "pair bonus") : 1;
  return usually(p, r, bonus);
}

bool always(const Pricing&, const Route&) {
  return true;
}

double nominal(const Pricing& p, const Route& r) {
  const CollectiveKind kind = p.node.collective;
  if (kind != CollectiveKind::SendRecv && kind != CollectiveKind::AllToAll) return usually(p, r, 1);
  const ir::ClusterLevel& level = p.facts.cluster.levels[r.top];
  p.nominal(level, p.node.collective);
  const TopologyFactors factors = factorsAt(p, r, r.top);
  const double latency = p.fact(level, LevelFact::Latency, "latency"), steps = stepsAt(p, level.fabric, factors);
  const bool sends = kind == CollectiveKind::SendRecv;
  const double move =
      sends ? p.node.bytes / lineRate(p, r, r.top, factors.bandwidth) : leavingTime(p, r, cardEfficiency);
  p.spends(latency * steps, level, "latency");
  if (sends) p.spends(move, level, carrier(level));
  const double time = latency * steps + move;
  if (p.why)
    p.explain("latency · steps + x / bandwidth",
              fmt::format("{} · {} + {} = {}", seconds(latency), number(steps), seconds(move), seconds(time)));
  return time;
}

bool isRing(const Pricing& p, const Route& r) {
  return runsAnywhere(p, r);
}

double ring(const Pricing& p, const Route& r) {
  const double passes = reduces(p) ? 2 : 1;
  return flat(p, r, passes * (static_cast<double>(r.ranks) - 1), 1, reduces(p) ? "2(n - 1)" : "(n - 1)");
}

bool isTree(const Pricing& p, const Route& r) {
  return runsAnywhere(p, r);
}

double tree(const Pricing& p, const Route& r) {
  const double passes = reduces(p) ? 2 : 1;
  return flat(p, r, passes * std::ceil(std::log2(static_cast<double>(r.ranks))), 1,
              reduces(p) ? "2·log2(n)" : "log2(n)");
}

} // namespace planc::cost
