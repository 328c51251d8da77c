// Send and receive, rings of them, and the exchange of everybody with everybody (docs/cost-model.md, section 2.3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/collectives/Algorithms.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

using ir::CollectiveKind;
using ir::FabricFact;

namespace {

double exchangeEfficiency(const Pricing& p, const ir::Fabric& fabric) {
  return fabric.has(FabricFact::ExchangeEfficiency) ? p.fact(fabric, FabricFact::ExchangeEfficiency, "efficiency") : 1;
}

struct Forwarded {
  double across = 0;               ///< bytes over the outermost level
  double between = 0, slowest = 0; ///< time of the levels below it: of all of them, and of the slowest
};

/// Copies of one token go once per distinct unit over a level, and on from there: from the outermost level inwards.
Forwarded forward(const Pricing& p, const Route& r) {
  const auto& levels = p.facts.cluster.levels;
  const double copies = copiesInOne(p), token = p.node.bytes / copies;
  Forwarded out;
  double all = 1; // units of the levels so far
  for (size_t l = r.top + 1; l-- > 0;) {
    const bool inner = &levels[l] == r.domain;
    const double units = inner ? static_cast<double>(r.inside) : l == r.top ? std::max(2.0, r.units(l)) : r.units(l);
    if (units > 1) {
      all *= units;
      const double moved = token * distinctUnits(p, all) * (units - 1) / units;
      double below = 0;
      if (l == r.top)
        out.across = moved;
      else if (inner)
        below = readSample(p, levels[l], CollectiveKind::AllToAll, r.inside, moved).time(moved);
      else
        below = moved / (exchangeEfficiency(p, levels[l].fabric) * lineRate(p, r, l, factorsAt(p, r, l).bandwidth));
      if (l != r.top) p.spends(below, levels[l], carrier(levels[l]));
      out.between += below;
      out.slowest = std::max(out.slowest, below);
    }
    if (inner) break;
  }
  return out;
}

} // namespace

double copiesInOne(const Pricing& p) {
  return p.facts.stack.truth(ir::StackFact::ExchangeCopies) ? 1 : p.node.copies;
}

namespace {

/// The share of `units` that hold equal parts of `places` which none of `copies` reaches: C(places - part, copies) /
/// C(places, copies), since no two copies go to one place.
double missedShare(double places, double units, double copies) {
  const double part = places / units;
  if (places - part < copies) return 0;
  return std::exp(std::lgamma(places - part + 1) + std::lgamma(places - copies + 1) -
                  std::lgamma(places - part - copies + 1) - std::lgamma(places + 1));
}

} // namespace

double distinctUnits(const Pricing& p, double units) {
  const double copies = copiesInOne(p), places = p.node.places;
  // `reached` of the units, with their places: of how many of them is a copy expected?
  auto expected = [&](double reached) {
    const double missed =
        places > 0 ? missedShare(places * reached / units, reached, copies) : std::pow(1 - 1 / reached, copies);
    return std::min(reached * (1 - missed), copies);
  };
  // Groups are chosen by their best places, so that nearly all of them are reached; inside of them copies are thrown.
  const ir::GroupLimit& limit = p.node.groupLimit;
  const double most = limit.units(units);
  return units > limit.groups ? expected(std::min(units, most)) : std::min(expected(units), most);
}

bool isTransfer(const Pricing& p, const Route& r) {
  if (p.node.collective != CollectiveKind::SendRecv) return false;
  const ir::Fabric& fabric = p.facts.cluster.levels[r.top].fabric;
  return fabric.has(FabricFact::SendRecvStart) || fabric.has(FabricFact::SendRecvBandwidth) ||
         fabric.has(FabricFact::SendRecvEfficiency);
}

namespace {

/// Measured, at the rate of the level; else a share of the level's own.
double transferRate(const Pricing& p, const Route& r) {
  const ir::ClusterLevel& level = p.facts.cluster.levels[r.top];
  const ir::Fabric& fabric = level.fabric;
  const Size size = byteSize(p.node.bytes);
  if (!fabric.has(FabricFact::SendRecvBandwidth))
    return p.fact(fabric, FabricFact::SendRecvEfficiency, "efficiency", size) *
           lineRate(p, r, r.top, factorsAt(p, r, r.top).bandwidth);
  const double sampled = p.fact(fabric, FabricFact::SendRecvBandwidth, "b", size);
  const double scale = rateScale(p, level);
  p.scaled(scale);
  return sampled * scale;
}

} // namespace

double transfer(const Pricing& p, const Route& r) {
  const ir::ClusterLevel& level = p.facts.cluster.levels[r.top];
  const ir::Fabric& fabric = level.fabric;
  const double start = p.fact(fabric, FabricFact::SendRecvStart, "start");
  const double rateOf = transferRate(p, r);
  // A ring passes keys and values on n - 1 times; backward their gradients go all the way round with them.
  const double n = static_cast<double>(r.ranks);
  const double steps = !p.node.ring ? 1 : p.node.phase == ir::Phase::Backward ? 2 * n - 1 : n - 1;
  const double time = steps * start + p.node.bytes / rateOf;
  p.spends(steps * start, level, "latency");
  p.spends(p.node.bytes / rateOf, level, carrier(level));
  if (p.why)
    p.explain(p.node.ring ? "steps · start + bytes / b" : "start + bytes / b",
              fmt::format("{} · {} + {} / {} = {}", number(steps), seconds(start), bytes(p.node.bytes),
                          bandwidth(rateOf), seconds(time)));
  return time;
}

double leavingTime(const Pricing& p, const Route& r, double (*efficiencyAt)(const Pricing&, const ir::Fabric&)) {
  const auto& levels = p.facts.cluster.levels;
  const double n = static_cast<double>(r.ranks);
  double slowest = 0;
  for (size_t l = 0; l <= r.top; ++l) {
    const bool sampledBelow = r.domain && l <= static_cast<size_t>(r.domain - levels.data()); // overlaps with the rest
    if (sampledBelow || (r.units(l) <= 1 && l != r.top)) continue;
    const double leaving = p.node.bytes * (n - r.below(l)) / n;
    const double rateOf = efficiencyAt(p, levels[l].fabric) * lineRate(p, r, l, factorsAt(p, r, l).bandwidth);
    slowest = std::max(slowest, leaving / rateOf);
    p.spends(leaving / rateOf, levels[l], carrier(levels[l]));
    if (p.why)
      p.note("phase", fmt::format("{} leave each unit below {}, at {}: {}", bytes(leaving), levels[l].name.view(),
                                  bandwidth(rateOf), seconds(leaving / rateOf)));
  }
  return slowest;
}

bool isExchange(const Pricing& p, const Route& r) {
  return r.card && p.node.collective == CollectiveKind::AllToAll;
}

double exchange(const Pricing& p, const Route& r) {
  const ir::ClusterLevel& top = p.facts.cluster.levels[r.top];
  const ir::Fabric& fabric = top.fabric;
  const double start = p.fact(fabric, FabricFact::Start, "start");
  p.spends(start, top, "latency");
  if (copiesInOne(p) <= 1) {
    const double slowest = leavingTime(p, r, exchangeEfficiency), time = start + slowest;
    if (p.why)
      p.explain("start + across / (efficiency · NIC)",
                fmt::format("{} + {} = {}", seconds(start), seconds(slowest), seconds(time)));
    return time;
  }
  const Forwarded f = forward(p, r);
  const double rateOf = p.fact(fabric, FabricFact::ExchangeEfficiency, "efficiency") *
                        lineRate(p, r, r.top, factorsAt(p, r, r.top).bandwidth);
  const bool pipelined = p.facts.stack.truth(ir::StackFact::ExchangePipelined);
  const double time = start + (pipelined ? std::max(f.across / rateOf, f.slowest) : f.across / rateOf + f.between);
  p.spends(f.across / rateOf, top, carrier(top));
  if (p.why && p.node.groupLimit.limit < p.node.groupLimit.groups)
    p.note("groups", fmt::format("the places of a token lie in {} of {} groups at most",
                                 number(p.node.groupLimit.limit), number(p.node.groupLimit.groups)));
  if (p.why && pipelined)
    p.explain("start + max( across / (efficiency · NIC), inside )",
              fmt::format("{} + max( {} / {}, {} ) = {}", seconds(start), bytes(f.across), bandwidth(rateOf),
                          seconds(f.slowest), seconds(time)));
  else if (p.why)
    p.explain("start + across / (efficiency · NIC) + inside",
              fmt::format("{} + {} / {} + {} = {}", seconds(start), bytes(f.across), bandwidth(rateOf),
                          seconds(f.between), seconds(time)));
  return time;
}

} // namespace planc::cost
