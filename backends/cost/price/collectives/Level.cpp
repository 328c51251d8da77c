// One level of a route (docs/cost-model.md, sections 2.1, 2.5 and 2.6).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/collectives/Level.h"

#include "ir/facts/ClusterFacts.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

using ir::CollectiveKind;
using ir::FabricFact;
using ir::LevelFact;

namespace {

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

/// Returns how the group lies at a level.
TopologyGroup groupAt(const Pricing& p, const Route& r, size_t level, CollectiveKind kind) {
  const ir::ClusterLevel& l = p.facts.cluster.levels[level];
  TopologyGroup g;
  g.collective = kind;
  g.units = r.units(level);
  g.ranks = static_cast<double>(r.ranks);
  g.nodes = r.nodes;
  g.each = r.below(level);
  g.count = static_cast<double>(l.count);
  if (r.scattered)
    g.spans = {{static_cast<int64_t>(g.units), 1, false}};
  else
    g.spans = spansOf(p.program.mesh, p.collective().axes, level, l.topology);
  return g;
}

/// Returns a device's share of the node's cards relative to an equal share: above 1 if other devices are silent, but
/// never more than one card carries.
Term cardShare(const Pricing& p, const Route& r, size_t level) {
  const ir::ClusterLevel& l = p.facts.cluster.levels[level];
  if (!l.has(LevelFact::Cards) || !r.scattered || level == 0) return 1;
  const int64_t devices = p.program.mesh.levelSizes[level - 1];
  // Only one of the node's stages takes part; the devices of the other stages are silent.
  const Term silent =
      p.known(static_cast<double>(p.program.mesh.ranksInBlock(p.collective().axes, devices)), "stages in a node");
  const Term all = p.known(static_cast<double>(devices), "devices of a node");
  return max(1, min(silent, all / p.fact(l, LevelFact::Cards, "cards")));
}

} // namespace

namespace {

/// Returns the latency in a table's times: the time at which the line through its first two points reaches zero bytes.
double latencyOf(const ir::Table& table) {
  if (table.x.size() < 2) return 0;
  const double perByte = (table.y[1] - table.y[0]) / (table.x[1] - table.x[0]);
  return std::clamp(table.y[0] - perByte * table.x[0], 0.0, table.y[0]);
}

} // namespace

Term Sampled::time(const Pricing& p, const Term& x) const {
  if (!table) return equations::sampled(a, b, g, x);
  const double size = x.value / wire;
  const std::vector<double>&sizes = table->x, &times = table->y;
  // Above the table, the rate of its last point holds. Below it, time falls with the slope of the first two points: not
  // at all if the start dominates, in proportion to the bytes if moving them does.
  double beyond = std::max(1.0, size / sizes.back());
  if (size < sizes.front() && sizes.size() > 1) {
    const double slope = std::log(times[1] / times[0]) / std::log(sizes[1] / sizes[0]);
    beyond = std::pow(size / sizes.front(), std::clamp(slope, 0.0, 1.0));
  }
  const Term whole = p.known(table->at(size) * beyond, "time(bytes)", units::time);
  if (scale.value == 1) return a + whole;
  const Term starting = p.known(std::min(whole.value, latencyOf(*table)), "time(0)", units::time);
  return a + starting + (whole - starting) / scale;
}

Term onWire(const Pricing& p, const Route& r) {
  const Term bytes = p.known(p.collective().bytes, "bytes", units::bytes),
             n = p.known(static_cast<double>(r.ranks), "n");
  return p.named(equations::wireBytes(p.collective().kind, bytes, n), "x");
}

namespace {

/// One row of samples at the rate of the level, `first` its time where nothing is moved.
Sampled readRow(const Pricing& p, const ir::ClusterLevel& level, CollectiveKind kind, const ir::Fabric::Sample& s,
                double bytes, Term& first) {
  const ir::Fabric& fabric = level.fabric;
  const ir::Fabric::Samples& samples = fabric.samplesOf(kind);
  auto read = [&](double value, std::string_view field, const Unit& unit) -> Term {
    if (!p.why) return value;
    const std::string nodes = s.nodes > 0 ? fmt::format(" on {} nodes", number(s.nodes)) : "";
    const std::string path = fmt::format("{} of {} ranks{}, {}", ir::name(kind), number(s.ranks), nodes, field);
    return p.readOff(value, field, path, samples.range, samples.source, unit, &s.statistics);
  };
  p.stands(Facts::owner(fabric), s.statistics, samples.range, ir::Fabric::sampledOperation(kind)->fact, byteSize(bytes),
           s.time);
  Sampled out;
  out.scale = rateScale(p, level);
  p.scaled(out.scale.value);
  if (s.time.empty()) {
    out.a = first = read(s.a, "a", units::time);
    out.b = read(s.b, "b", units::bandwidth) * out.scale;
    out.g = read(s.g, "g", units::time) / out.scale;
  } else {
    out.table = &s.time;
    out.wire = equations::wireBytes(kind, 1.0, s.ranks);
    const double last = s.time.x.back() * out.wire;
    out.b = p.known(last / out.time(p, last).value, "b", units::bandwidth);
    first = p.known(s.time.y.front(), "first time", units::time);
    read(s.time.at(bytes), p.why ? fmt::format("time({})", cost::bytes(bytes)) : "", units::time);
  }
  return out;
}

} // namespace

namespace {

/// The ranks from which on `a` grows, with where the fabric states it.
Term growthBeyond(const Pricing& p, const ir::Fabric& fabric) {
  const ir::Number* stated = fabric.number(FabricFact::GrowthBeyond);
  if (!stated) return ir::kGrowthBeyond;
  return p.readOff(stated->value, "beyond", p.why ? ir::FactRef(FabricFact::GrowthBeyond).path() : "", stated->range,
                   stated->source);
}

} // namespace

Sampled readSample(const Pricing& p, const ir::ClusterLevel& level, CollectiveKind kind, int64_t ranks, double bytes) {
  const ir::Fabric& fabric = level.fabric;
  const ir::Fabric::Sample& s = nearest(fabric.samplesOf(kind), std::max<int64_t>(2, ranks));
  Term first;
  Sampled out = readRow(p, level, kind, s, bytes, first);
  const double flat = fabric.value(FabricFact::GrowthBeyond, ir::kGrowthBeyond), group = static_cast<double>(ranks);
  if (group > std::max(flat, s.ranks)) {
    const Term beyond = flat > s.ranks ? growthBeyond(p, fabric) : Term(s.ranks);
    out.a += first * p.fact(fabric, FabricFact::Growth, "growth") * log2(p.known(group, "n") / beyond);
  }
  return out;
}

SampledAcross readAcross(const Pricing& p, const Route& r) {
  const ir::ClusterLevel& level = p.facts.cluster.levels[r.top];
  const double nodes = r.units(r.top), each = static_cast<double>(r.ranks) / nodes;
  // Ranks per node count first, because they share the cards.
  auto distance = [&](const ir::Fabric::Sample& s) {
    return std::pair(std::fabs(std::log(s.ranks / s.nodes / each)), std::fabs(std::log(s.nodes / nodes)));
  };
  const auto& rows = level.fabric.samplesOf(p.collective().kind).across;
  const auto best = std::min_element(rows.begin(), rows.end(),
                                     [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  Term first;
  const double share = each / (best->ranks / best->nodes);
  return {readRow(p, level, p.collective().kind, *best, p.collective().bytes / share, first), p.factor(share, "cards")};
}

Term deviceRate(const Pricing& p, const ir::ClusterLevel& level) {
  const Term one = p.fact(level, LevelFact::Bandwidth, level.fabric.has(FabricFact::NicEfficiency) ? "NIC" : "rate");
  return level.has(LevelFact::Links) ? one * p.fact(level, LevelFact::Links, "links") : one;
}

Term rateScale(const Pricing& p, const ir::ClusterLevel& level) {
  const ir::Number* sampled = level.fabric.number(FabricFact::SampledAt);
  if (!sampled) return 1;
  const Term rate = deviceRate(p, level);
  const Term scale = rate / p.readOff(sampled->value, "sampled", p.why ? ir::FactRef(FabricFact::SampledAt).path() : "",
                                      sampled->range, sampled->source, sampled->unit);
  if (scale.value == 1) return 1;
  if (p.why)
    p.note("rate",
           fmt::format("{} of level {}, but samples at {}: terms in bytes take {} times as long", bandwidth(rate.value),
                       level.name.view(), bandwidth(sampled->value), number(1 / scale.value)));
  return p.named(scale, "scale");
}

TopologyFactors factorsAt(const Pricing& p, const Route& r, size_t level) {
  return factorsOf(p.facts.cluster.levels[level].topology, groupAt(p, r, level, p.collective().kind));
}

TopologyFactors factorsBetween(const Pricing& p, const Route& r, size_t level, CollectiveKind kind, double units) {
  TopologyGroup group = groupAt(p, r, level, kind);
  group.ranks = group.nodes = group.units = units;
  group.each = 1;
  return factorsOf(p.facts.cluster.levels[level].topology, group);
}

Term lineRate(const Pricing& p, const Route& r, size_t level, double share) {
  const ir::ClusterLevel& l = p.facts.cluster.levels[level];
  const Term rate = deviceRate(p, l);
  return rate * cardShare(p, r, level) * p.factor(share, "share of the wiring");
}

Term cardEfficiency(const Pricing& p, const ir::Fabric& fabric) {
  return fabric.has(FabricFact::NicEfficiency) ? p.fact(fabric, FabricFact::NicEfficiency, "efficiency") : 1;
}

std::string_view carrier(const ir::ClusterLevel& level) {
  return level.fabric.has(FabricFact::NicEfficiency) ? std::string_view("card") : level.fabric.name.view();
}

Term phase(const Pricing& p, const Route& r, size_t level, CollectiveKind kind, double bytesOf) {
  const ir::ClusterLevel& l = p.facts.cluster.levels[level];
  const ir::Fabric& fabric = l.fabric;
  const double members = r.units(level);
  const Term x = p.known(equations::wireBytes(kind, bytesOf, members), "x", units::bytes);
  const TopologyFactors factors = factorsBetween(p, r, level, kind, members);
  const Steps steps{{{level, p.known(factors.steps, "steps")}}, factors.ring};
  Route own = r; // this level alone, even if the fabric has samples of the whole group
  own.top = level, own.domain = nullptr, own.card = fabric.has(FabricFact::NicEfficiency);
  Term time, latency;
  if (!fabric.samplesOf(kind).rows.empty()) {
    const Sampled s = readSample(p, l, kind, static_cast<int64_t>(members), bytesOf);
    const Term more = kind == CollectiveKind::AllToAll ? p.spent(farther(p, l), l, "latency") : fartherInAll(p, steps);
    time = s.time(p, x) + more;
    latency = p.spent(s.a, l, "latency") + more;
  } else {
    const Term efficiency = cardEfficiency(p, fabric);
    const Term rate = efficiency * lineRate(p, r, level, factors.bandwidth);
    if (own.card) {
      const Term start = p.spent(p.fact(fabric, FabricFact::Start, "start"), l, "latency");
      const Carried by = carried(p, own, steps, x.value, rate);
      const Term g = p.fact(fabric, FabricFact::Root, "g");
      latency = start + by.waited;
      time = latency + x / by.bandwidth + equations::rootTerm(g, x);
    } else {
      p.nominal(l, kind);
      latency = waiting(p, own, steps);
      time = latency + x / rate;
    }
  }
  p.spent(time - latency, l, carrier(l));
  if (!p.why) return time;
  p.note("phase", fmt::format("{} of {} between {} in a {}: {}", ir::name(kind), bytes(bytesOf), number(members),
                              l.name.view(), evaluated(*time.from)));
  return p.known(time.value, fmt::format("{} in a {}", ir::name(kind), l.name.view()), units::time);
}

} // namespace planc::cost
