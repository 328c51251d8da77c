// Collectives from samples, from the network card, or nominal (docs/cost-model.md, sections 2.1 to 2.3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Collectives.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

namespace {

using ir::CollectiveKind;

/// Largest domain whose `a` was sampled everywhere: it grows per doubling beyond (docs/cost-model.md, section 2.1).
constexpr double kSampledRanks = 8;
/// A ring's steps overlap between nodes after the first 64; a quarter of the rest is seen (docs/cost-model.md,
/// section 2.2).
constexpr double kRingSteps = 64, kRingTail = 0.25;
/// An all-reduce climbs and descends a tree: two hops per doubling of nodes (docs/cost-model.md, section 2.2).
constexpr double kTreePasses = 2;

const ir::Fabric::Samples& samplesOf(const ir::Fabric& fabric, CollectiveKind kind) {
  static const ir::Fabric::Samples kNone;
  switch (kind) {
  case CollectiveKind::AllReduce:
    return fabric.allReduce;
  case CollectiveKind::AllGather:
    return fabric.allGather;
  case CollectiveKind::ReduceScatter:
    return fabric.reduceScatter;
  case CollectiveKind::AllToAll:
    return fabric.allToAll;
  case CollectiveKind::Slice:
  case CollectiveKind::SendRecv:
    break;
  }
  return kNone; // these have equations of their own
}

/// The sample whose group is nearest in log distance; the smaller one on a tie.
const ir::Fabric::Sample& nearest(const ir::Fabric::Samples& samples, int64_t ranks) {
  auto distance = [&](const ir::Fabric::Sample& s) {
    return std::fabs(std::log(s.ranks / static_cast<double>(ranks)));
  };
  const ir::Fabric::Sample* best = &samples.rows.front();
  for (const auto& s : samples.rows)
    if (distance(s) < distance(*best)) best = &s;
  return *best;
}

/// Bytes on one rank's wire: all-reduce 2(n-1)/n, all others (n-1)/n of the larger local side (Thakur et al. 2005, ring
/// algorithms).
double wireBytes(const Pricing& p, const Route& r) {
  const double n = static_cast<double>(r.ranks), share = (n - 1) / n;
  return p.node.bytes * (p.node.collective == CollectiveKind::AllReduce ? 2 * share : share);
}

std::string samplePath(const Pricing& p, const ir::Fabric::Sample& s, std::string_view field) {
  return fmt::format("{} of {} ranks, {}", ir::name(p.node.collective), number(s.ranks), field);
}

struct Sampled {
  double a = 0, b = 1, g = 0;
};

/// a, b and g for `ranks` in one domain; `a` grows beyond the sampled group sizes.
Sampled readSample(const Pricing& p, const Route& r, int64_t ranks) {
  const ir::Fabric::Sample& s = nearest(*r.samples, std::max<int64_t>(2, ranks));
  Sampled out;
  out.a = p.readOff(s.a, "a", samplePath(p, s, "a"), r.samples->range, r.samples->source);
  out.b = p.readOff(s.b, "b", samplePath(p, s, "b"), r.samples->range, r.samples->source);
  out.g = p.readOff(s.g, "g", samplePath(p, s, "g"), r.samples->range, r.samples->source);
  const double sampled = std::max(kSampledRanks, s.ranks);
  if (static_cast<double>(ranks) > sampled)
    out.a *= 1 + p.fabric(r.domain->fabric.growth, r.domain->fabric, "growth", {"growth"}) *
                     std::log2(static_cast<double>(ranks) / sampled);
  return out;
}

double rootTerm(double g, double x) {
  return g * std::sqrt(x / kGigabyte);
}

/// Line rate of one device at a level: its nominal bandwidth, less what the topology oversubscribes.
double lineRate(const Pricing& p, const ir::ClusterLevel& level) {
  return p.level(level.bandwidth, level, "NIC", {"bandwidth"}) /
         std::max(1.0, level.topology.number("oversubscription"));
}

/// What the members of one node reach together: the narrowest level on the way, and the fabric inside the node.
double sharedBandwidth(const Pricing& p, const Route& r, double inner, double bonus) {
  double least = r.inside > 1 ? inner : std::numeric_limits<double>::infinity();
  const auto& levels = p.facts.cluster.levels;
  for (size_t l = r.domain ? static_cast<size_t>(r.domain - levels.data()) + 1 : 0; l <= r.top; ++l) {
    const ir::ClusterLevel& level = levels[l];
    const int64_t below = l == 0 ? 1 : r.within[l - 1];
    if (r.within[l] == below && l != r.top) continue; // the group does not spread at this level
    const double efficiency = level.fabric.nicEfficiency
                                  ? p.fabric(level.fabric.nicEfficiency, level.fabric, "efficiency", {"nic_efficiency"})
                                  : 1;
    least = std::min(least, bonus * efficiency * lineRate(p, level) * static_cast<double>(below));
  }
  return least;
}

double ringHops(const Route& r) {
  const double n = static_cast<double>(r.ranks);
  return std::min(n - 1, kRingSteps + (n - 1) * kRingTail);
}

// ---- the algorithms ----------------------------------------------------------

bool isFree(const Pricing& p, const Route& r) {
  return p.node.collective == CollectiveKind::Slice || p.node.bytes <= 0 ||
         (r.ranks <= 1 && p.node.collective != CollectiveKind::SendRecv);
}
double nothing(const Pricing&, const Route&) {
  return 0;
}

bool isTransfer(const Pricing& p, const Route& r) {
  if (p.node.collective != CollectiveKind::SendRecv) return false;
  const ir::Fabric& fabric = p.facts.cluster.levels[r.top].fabric;
  return fabric.sendRecvStart || fabric.sendRecvBandwidth || fabric.sendRecvEfficiency;
}
double transfer(const Pricing& p, const Route& r) {
  const ir::ClusterLevel& level = p.facts.cluster.levels[r.top];
  const ir::Fabric& fabric = level.fabric;
  const double start = p.fabric(fabric.sendRecvStart, fabric, "start", {"send_recv.start"});
  const double rateOf =
      fabric.sendRecvBandwidth
          ? p.fabric(fabric.sendRecvBandwidth, fabric, "b", {"send_recv.bandwidth"})
          : p.fabric(fabric.sendRecvEfficiency, fabric, "efficiency", {"send_recv.efficiency"}) * lineRate(p, level);
  // A ring passes keys and values on n - 1 times; backward their gradients go all the way round with them.
  const double n = static_cast<double>(r.ranks);
  const double steps = !p.node.ring ? 1 : p.node.phase == ir::Phase::Backward ? 2 * n - 1 : n - 1;
  const double time = steps * start + p.node.bytes / rateOf;
  if (p.why)
    p.explain(p.node.ring ? "steps · start + bytes / b" : "start + bytes / b",
              fmt::format("{} · {} + {} / {} = {}", number(steps), seconds(start), bytes(p.node.bytes),
                          bandwidth(rateOf), seconds(time)));
  return time;
}

bool isSampled(const Pricing& p, const Route& r) {
  return r.domain == &p.facts.cluster.levels[r.top];
}
double sampled(const Pricing& p, const Route& r) {
  const Sampled s = readSample(p, r, r.ranks);
  double x = wireBytes(p, r);
  const double n = static_cast<double>(r.ranks);
  // A token goes once to each of the expected distinct destinations of its k copies: n(1 - (1 - 1/n)^k).
  if (p.node.collective == CollectiveKind::AllToAll && p.node.copies > 1)
    x = p.node.bytes / p.node.copies * n * (1 - std::pow(1 - 1 / n, p.node.copies)) * (n - 1) / n;
  const double time = s.a + x / s.b + rootTerm(s.g, x);
  if (p.why)
    p.explain("a + x / b + g·√(x / 1 GB)", fmt::format("{} + {} / {} + {} = {}", seconds(s.a), bytes(x), bandwidth(s.b),
                                                       seconds(rootTerm(s.g, x)), seconds(time)));
  return time;
}

bool isExchange(const Pricing& p, const Route& r) {
  return r.card && p.node.collective == CollectiveKind::AllToAll;
}
double exchange(const Pricing& p, const Route& r) {
  const ir::ClusterLevel& level = p.facts.cluster.levels[r.top];
  const ir::Fabric& fabric = level.fabric;
  const double start = p.fabric(fabric.start, fabric, "start", {"start"});
  const double rateOf =
      p.fabric(fabric.exchangeEfficiency, fabric, "efficiency", {"exchange_efficiency"}) * lineRate(p, level);
  const double n = static_cast<double>(r.ranks), in = static_cast<double>(r.inside);
  double across = p.node.bytes * (n - in) / n, local = 0, inner = 0;
  if (p.node.copies > 1) {
    // Copies go once per distinct node over the card and once per distinct rank inside it (docs/cost-model.md,
    // section 2.3).
    const double token = p.node.bytes / p.node.copies, k = p.node.copies, nodes = r.nodes;
    across = token * nodes * (1 - std::pow(1 - 1 / nodes, k)) * (nodes - 1) / nodes;
    if (r.domain && r.inside > 1) {
      const Sampled s = readSample(p, r, r.inside);
      local = token * in * (1 - std::pow(1 - 1 / in, k / nodes)) * nodes * (in - 1) / in;
      inner = s.a + local / s.b + rootTerm(s.g, local);
    }
  }
  const double time = start + across / rateOf + inner;
  if (p.why)
    p.explain(inner > 0 ? "start + across / (efficiency · NIC) + a + inside / b + g·√(inside / 1 GB)"
                        : "start + across / (efficiency · NIC)",
              fmt::format("{} + {} / {} + {} = {}", seconds(start), bytes(across), bandwidth(rateOf), seconds(inner),
                          seconds(time)));
  return time;
}

bool isCard(const Pricing& p, const Route& r) {
  return r.card && p.node.collective != CollectiveKind::SendRecv;
}
double card(const Pricing& p, const Route& r) {
  const ir::Fabric& fabric = p.facts.cluster.levels[r.top].fabric;
  const bool reduce = p.node.collective == CollectiveKind::AllReduce;
  const double start = p.fabric(fabric.start, fabric, "start", {"start"});
  const double hop = p.fabric(fabric.hop, fabric, "hop", {"hop"});
  const double g = p.fabric(fabric.g, fabric, "g", {"g"});
  // Two nodes exchange halves directly instead of going round a ring.
  const double bonus = reduce && r.nodes == 2 ? p.fabric(fabric.pairBonus, fabric, "pair bonus", {"pair_bonus"}) : 1;
  const double inner = r.domain && r.inside > 1 ? readSample(p, r, r.inside).b : 0;
  const double rateOf = sharedBandwidth(p, r, inner > 0 ? inner : std::numeric_limits<double>::infinity(), bonus);
  const double hops = reduce ? kTreePasses * std::log2(r.nodes) : ringHops(r);
  const double x = wireBytes(p, r), time = start + hop * hops + x / rateOf + rootTerm(g, x);
  if (p.why)
    p.explain(reduce ? "start + hop · 2·log2(nodes) + x / min(efficiency · NIC · ranks per node, b) + g·√(x / 1 GB)"
                     : "start + hop · min(n - 1, 64 + (n - 1) / 4) + x / min(efficiency · NIC · ranks per node, b) + "
                       "g·√(x / 1 GB)",
              fmt::format("{} + {} · {} + {} / {} + {} = {}", seconds(start), seconds(hop), number(hops), bytes(x),
                          bandwidth(rateOf), seconds(rootTerm(g, x)), seconds(time)));
  return time;
}

bool always(const Pricing&, const Route&) {
  return true;
}
double nominal(const Pricing& p, const Route& r) {
  const ir::ClusterLevel& level = p.facts.cluster.levels[r.top];
  p.facts.nominal(level, p.node.collective, p.asker());
  const double latency = p.level(level.latency, level, "latency", {"latency"});
  const bool reduce = p.node.collective == CollectiveKind::AllReduce,
             single = p.node.collective == CollectiveKind::SendRecv;
  const double steps = single ? 1 : reduce ? kTreePasses * std::log2(static_cast<double>(r.ranks)) : ringHops(r);
  const double x = single ? p.node.bytes : wireBytes(p, r);
  const double inner =
      r.domain && r.inside > 1 ? readSample(p, r, r.inside).b : std::numeric_limits<double>::infinity();
  const bool own = single || p.node.collective == CollectiveKind::AllToAll; // each device sends through its own link
  const double rateOf = own ? lineRate(p, level) : sharedBandwidth(p, r, inner, 1);
  const double time = latency * steps + x / rateOf;
  if (p.why)
    p.explain("latency · steps + x / bandwidth", fmt::format("{} · {} + {} / {} = {}", seconds(latency), number(steps),
                                                             bytes(x), bandwidth(rateOf), seconds(time)));
  return time;
}

} // namespace

const std::vector<CollectiveAlgorithm>& collectiveAlgorithms() {
  static const std::vector<CollectiveAlgorithm> table = {
      {"local", "0", isFree, nothing},
      {"send and receive", "start + bytes / b, a ring per step", isTransfer, transfer},
      {"sampled", "a + x / b + g·√(x / 1 GB)", isSampled, sampled},
      {"exchange across", "start + across / (efficiency · NIC) + inside", isExchange, exchange},
      {"card", "start + hop · hops + x / min(efficiency · NIC · ranks per node, b) + g·√(x / 1 GB)", isCard, card},
      {"nominal", "latency · steps + x / bandwidth", always, nominal},
  };
  return table;
}

Route routeOf(const Pricing& p) {
  const ir::Mesh& mesh = p.program.mesh;
  const auto& levels = p.facts.cluster.levels;
  Route r;
  r.ranks = p.node.group;
  r.top = std::min(p.node.level, levels.size() - 1);
  // A group that is no set of axes (the stages that share a parameter) has one rank in each unit below its level.
  const bool scattered = mesh.size(p.node.axes) != p.node.group;
  for (size_t l = 0; l <= r.top; ++l)
    r.within.push_back(l == r.top ? r.ranks : scattered ? 1 : std::min(r.ranks, mesh.ranksWithin(p.node.axes, l)));
  for (size_t l = r.top + 1; l-- > 0 && !r.domain;) {
    const ir::Fabric::Samples& samples = samplesOf(levels[l].fabric, p.node.collective);
    if (samples.rows.empty()) continue;
    r.domain = &levels[l];
    r.samples = &samples;
    r.inside = r.within[l];
  }
  r.nodes = std::max(2.0, std::ceil(static_cast<double>(r.ranks) / static_cast<double>(r.inside)));
  r.card = levels[r.top].fabric.nicEfficiency.has_value();
  return r;
}

double priceCollective(const Pricing& p) {
  if (p.facts.cluster.levels.empty()) return 0;
  const Route route = routeOf(p);
  for (const CollectiveAlgorithm& row : collectiveAlgorithms())
    if (row.applies(p, route)) return row.seconds(p, route);
  return 0;
}

} // namespace planc::cost
