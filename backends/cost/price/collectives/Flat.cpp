// Algorithms that run over the whole group at once: the narrowest level of the route decides (docs/cost-model.md, 2.2).
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

/// Returns the additional time of a group whose levels lie farther apart than those of the sampled machine.
Term distance(const Pricing& p, const Route& r) {
  return p.collective().kind == CollectiveKind::AllToAll ? farthest(p, r) : fartherInAll(p, stepsOf(p, r));
}

/// The lowest rate so far and the level that limits it.
struct Narrowest {
  Term rate;
  const ir::ClusterLevel* level = nullptr;

  void narrow(const Term& to, const ir::ClusterLevel& by) {
    const bool less = !level || to.value < rate.value;
    rate = level ? min(rate, to) : to;
    if (less) level = &by;
  }
};

/// Returns the rate that the members of one node reach together, limited by the narrowest level and by the fabric
/// inside the node.
Narrowest sharedBandwidth(const Pricing& p, const Route& r, const Term& bonus) {
  const auto& levels = p.facts.cluster.levels;
  Narrowest least;
  if (r.domain && r.inside > 1)
    least.narrow(readSample(p, *r.domain, p.collective().kind, r.inside, p.collective().bytes).b, *r.domain);
  for (size_t l = r.domain ? static_cast<size_t>(r.domain - levels.data()) + 1 : 0; l <= r.top; ++l) {
    if (r.units(l) <= 1 && l != r.top) continue; // the group does not spread at this level
    const Term efficiency = cardEfficiency(p, levels[l].fabric);
    const Term line = lineRate(p, r, l, factorsAt(p, r, l).bandwidth);
    const std::string unit = p.why && l > 0 ? fmt::format("ranks per {}", levels[l - 1].name.view()) : "";
    least.narrow(bonus * efficiency * line * p.factor(r.below(l), unit), levels[l]);
  }
  return least;
}

/// Returns the time of one algorithm over the whole group: its steps over all levels, its bytes through the narrowest
/// level.
Term flat(const Pricing& p, const Route& r, const Steps& steps, const Term& bonus) {
  const ir::ClusterLevel& level = p.facts.cluster.levels[r.top];
  const ir::Fabric& fabric = level.fabric;
  const Term x = onWire(p, r);
  if (!r.card) {
    p.nominal(level, p.collective().kind);
    const Term latency = waiting(p, r, steps);
    const auto [bandwidth, narrow] = sharedBandwidth(p, r, bonus);
    return latency + p.spent(x / bandwidth, *narrow, carrier(*narrow));
  }
  const Term start = p.spent(p.fact(fabric, FabricFact::Start, "start"), level, "latency");
  const auto [rate, narrow] = sharedBandwidth(p, r, bonus);
  const auto [waited, bandwidth] = carried(p, r, steps, x.value, rate);
  const Term g = p.fact(fabric, FabricFact::Root, "g");
  return start + waited + p.spent(x / bandwidth, *narrow, carrier(*narrow)) +
         p.spent(equations::rootTerm(g, x), *narrow, carrier(*narrow));
}

bool runsAnyAlgorithm(const ir::Topology& topology) {
  const TopologyFormula* formula = topologies().find(topology.kind.view());
  return formula && formula->anyAlgorithm;
}

bool reduces(const Pricing& p) {
  return p.collective().kind == CollectiveKind::AllReduce;
}

} // namespace

bool isSampled(const Pricing& p, const Route& r) {
  return r.domain == &p.facts.cluster.levels[r.top];
}

Term sampled(const Pricing& p, const Route& r) {
  const Sampled s = readSample(p, *r.domain, p.collective().kind, r.ranks, p.collective().bytes);
  Term x = onWire(p, r);
  // A token is sent once to each of the expected distinct destinations of its copies.
  const double copies = copiesInOne(p);
  if (p.collective().kind == CollectiveKind::AllToAll && copies > 1) {
    const Term bytes = p.known(p.collective().bytes, "bytes", units::bytes),
               n = p.known(static_cast<double>(r.ranks), "n");
    const Term reached = p.known(distinctUnits(p, n.value), "distinct destinations");
    x = p.named(bytes / p.known(copies, "copies") * reached * (n - 1) / n, "x");
  }
  const Term time = s.time(p, x);
  p.spent(s.a, *r.domain, "latency");
  p.spent(time - s.a, *r.domain, carrier(*r.domain));
  return time + distance(p, r);
}

bool isSampledAcross(const Pricing& p, const Route& r) {
  return !p.facts.cluster.levels[r.top].fabric.samplesOf(p.collective().kind).across.empty() &&
         p.collective().copies <= 1;
}

Term sampledAcross(const Pricing& p, const Route& r) {
  const auto [row, share] = readAcross(p, r);
  const Term bytes = p.known(p.collective().bytes, "bytes", units::bytes),
             n = p.known(static_cast<double>(r.ranks), "n");
  const Term time = row.time(p, p.named(equations::wireBytes(p.collective().kind, bytes, n) / share, "x"));
  const ir::ClusterLevel& top = p.facts.cluster.levels[r.top];
  p.spent(row.a, top, "latency");
  p.spent(time - row.a, top, carrier(top));
  if (p.why && share.value != 1)
    p.note("cards", fmt::format("{} times the cards of the sampled group: x is divided by it", number(share.value)));
  return time + distance(p, r);
}

bool isCard(const Pricing& p, const Route& r) {
  return r.card && p.collective().kind != CollectiveKind::SendRecv;
}

Term card(const Pricing& p, const Route& r) {
  const ir::Fabric& fabric = p.facts.cluster.levels[r.top].fabric;
  // Two nodes exchange halves directly and do not form a ring, which saves at most the second pass of its bytes.
  const bool pair = reduces(p) && r.nodes == 2;
  const Term n = p.known(static_cast<double>(r.ranks), "n");
  const Term bonus = pair ? min(p.fact(fabric, FabricFact::PairBonus, "pair bonus"), 2 * (n - 1) / n) : 1;
  return flat(p, r, stepsOf(p, r), bonus);
}

bool always(const Pricing&, const Route&) {
  return true;
}

Term nominal(const Pricing& p, const Route& r) {
  const CollectiveKind kind = p.collective().kind;
  if (kind == CollectiveKind::SendRecv) return transfer(p, r);
  return kind == CollectiveKind::AllToAll ? exchange(p, r) : flat(p, r, stepsOf(p, r), 1);
}

/// A ring or tree over the ranks needs a level that connects any two ranks at full rate.
bool runsAnywhere(const Pricing& p, const Route& r) {
  const CollectiveKind kind = p.collective().kind;
  if (kind == CollectiveKind::SendRecv || kind == CollectiveKind::AllToAll || isSampled(p, r)) return false;
  return runsAnyAlgorithm(p.facts.cluster.levels[r.top].topology);
}

Term ring(const Pricing& p, const Route& r) {
  return flat(p, r, ringSteps(p, r, reduces(p) ? 2 : 1), 1);
}

Term tree(const Pricing& p, const Route& r) {
  return flat(p, r, treeSteps(p, r, reduces(p) ? 2 : 1), 1);
}

} // namespace planc::cost
