// Send and receive, rings of them, and exchanges of everyone with everyone (docs/cost-model.md, section 2.3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/collectives/Algorithms.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

using ir::CollectiveKind;
using ir::FabricFact;
using ir::LevelFact;
using ir::StackFact;

namespace {

/// Returns whether the fabric has facts on transfers from one device to another.
bool isTransferred(const ir::Fabric& fabric) {
  return fabric.has(FabricFact::SendRecvStart) || fabric.has(FabricFact::SendRecvBandwidth) ||
         fabric.has(FabricFact::SendRecvEfficiency);
}

Term exchangeEfficiency(const Pricing& p, const ir::Fabric& fabric) {
  return fabric.has(FabricFact::ExchangeEfficiency) ? p.fact(fabric, FabricFact::ExchangeEfficiency, "efficiency") : 1;
}

/// Returns the time in which bytes of each device cross a level to its other units. Each of them is a partner of its
/// own: the root terms of N - 1 parts of the bytes add up to that of all bytes times N - 1.
Term crossing(const Pricing& p, const Route& r, size_t level, const Term& moved, const Term& rate) {
  const ir::Fabric& fabric = p.facts.cluster.levels[level].fabric;
  const Term time = moved / rate;
  if (!fabric.has(FabricFact::ExchangeRoot)) return time;
  const Term others = p.known(std::max(1.0, r.units(level) - 1), "other units");
  return time + equations::rootTerm(p.fact(fabric, FabricFact::ExchangeRoot, "g"), moved * others);
}

/// Returns the time in which every unit below a level passes on the bytes that it received.
Term inside(const Pricing& p, const Route& r, size_t level, const Term& moved) {
  const ir::ClusterLevel& l = p.facts.cluster.levels[level];
  if (&l == r.domain) return readSample(p, l, CollectiveKind::AllToAll, r.inside, moved.value).time(p, moved);
  const Term efficiency = exchangeEfficiency(p, l.fabric);
  return crossing(p, r, level, moved, efficiency * lineRate(p, r, level, factorsAt(p, r, level).bandwidth));
}

struct Forwarded {
  Term across;           ///< bytes over the outermost level
  Term between, slowest; ///< time of the levels below: sum, and slowest
};

/// Copies of one token cross a level once per distinct unit and are passed on there. Levels go from outer to inner.
Forwarded forward(const Pricing& p, const Route& r) {
  const auto& levels = p.facts.cluster.levels;
  const double copies = copiesInOne(p), token = p.collective().bytes / copies;
  Forwarded out;
  double all = 1; // units of all levels so far
  for (size_t l = r.top + 1; l-- > 0;) {
    const bool inner = &levels[l] == r.domain;
    const double units = inner ? static_cast<double>(r.inside) : l == r.top ? std::max(2.0, r.units(l)) : r.units(l);
    if (units > 1) {
      all *= units;
      const Term moved =
          p.known(token * distinctUnits(p, all) * (units - 1) / units, l == r.top ? "across" : "arrived", units::bytes);
      if (l == r.top) {
        out.across = moved;
      } else {
        const Term below = p.named(inside(p, r, l, moved), "inside");
        p.spent(below, levels[l], carrier(levels[l]));
        out.between += below;
        out.slowest = max(out.slowest, below);
      }
    }
    if (inner) break;
  }
  return out;
}

} // namespace

double copiesInOne(const Pricing& p) {
  return p.facts.stack.truth(ir::StackFact::ExchangeCopies) ? 1 : p.collective().copies;
}

namespace {

/// Returns the share of `units`, which hold equal parts of `places`, that none of `copies` copies reaches: C(places -
/// part, copies) / C(places, copies), because no two copies go to the same place.
double missedShare(double places, double units, double copies) {
  const double part = places / units;
  if (places - part < copies) return 0;
  return std::exp(std::lgamma(places - part + 1) + std::lgamma(places - copies + 1) -
                  std::lgamma(places - part - copies + 1) - std::lgamma(places + 1));
}

} // namespace

double distinctUnits(const Pricing& p, double units) {
  const double copies = copiesInOne(p), places = p.collective().places;
  // Returns the expected number of units that a copy reaches, if all copies fall into `reached` units.
  auto expected = [&](double reached) {
    const double missed =
        places > 0 ? missedShare(places * reached / units, reached, copies) : std::pow(1 - 1 / reached, copies);
    return std::min(reached * (1 - missed), copies);
  };
  // Groups are chosen by their best places, so nearly all chosen groups are reached. Inside a group copies are random.
  const ir::GroupLimit& limit = p.collective().groupLimit;
  const double most = limit.units(units);
  return units > limit.groups ? expected(std::min(units, most)) : std::min(expected(units), most);
}

bool isTransfer(const Pricing& p, const Route& r) {
  return p.collective().kind == CollectiveKind::SendRecv && isTransferred(p.facts.cluster.levels[r.top].fabric);
}

namespace {

/// Returns the measured rate scaled to the level, else the level's own rate times the measured efficiency, or the whole
/// rate.
Term transferRate(const Pricing& p, const Route& r) {
  const ir::ClusterLevel& level = p.facts.cluster.levels[r.top];
  const ir::Fabric& fabric = level.fabric;
  const Size size = byteSize(p.collective().bytes);
  if (!isTransferred(fabric)) return lineRate(p, r, r.top, factorsAt(p, r, r.top).bandwidth);
  if (!fabric.has(FabricFact::SendRecvBandwidth)) {
    const Term efficiency = p.fact(fabric, FabricFact::SendRecvEfficiency, "efficiency", size);
    return efficiency * lineRate(p, r, r.top, factorsAt(p, r, r.top).bandwidth);
  }
  const Term sampled = p.fact(fabric, FabricFact::SendRecvBandwidth, "b", size);
  const Term scale = rateScale(p, level);
  p.scaled(scale.value);
  return sampled * scale;
}

/// A transfer between stages takes at least the time that the host needs to issue it on both sides.
Term issued(const Pricing& p, const Term& time, const Term& ranks) {
  const ir::CollectiveClass cls = p.collective().cls;
  const ir::Stack& stack = p.facts.stack;
  const bool starts = stack.has(StackFact::CollectiveStart, cls),
             launches = stack.has(StackFact::CollectiveLaunch, cls);
  if (cls != ir::CollectiveClass::Pipeline || !(starts || launches)) return time;
  const Term perRank = launches ? p.fact(StackFact::CollectiveLaunch, cls, "issue") : 0,
             once = starts ? p.fact(StackFact::CollectiveStart, cls, "start") : 0;
  const Term issue = perRank * ranks + once;
  if (issue.value > time.value) p.spent(issue.value - time.value, "the host");
  return max(time, issue);
}

} // namespace

Term transfer(const Pricing& p, const Route& r) {
  const ir::ClusterLevel& level = p.facts.cluster.levels[r.top];
  const bool measured = isTransferred(level.fabric);
  if (!measured) p.nominal(level, CollectiveKind::SendRecv);
  const Term start = measured ? p.fact(level.fabric, FabricFact::SendRecvStart, "start") + farther(p, level)
                              : p.fact(level, LevelFact::Latency, "latency");
  const Term rate = transferRate(p, r);
  // A ring passes keys and values on n - 1 times. In backward their gradients travel with them all the way round.
  const Term n = p.known(static_cast<double>(r.ranks), "n");
  const Term steps = !p.collective().ring ? 1 : p.node.phase == ir::Phase::Backward ? 2 * n - 1 : n - 1;
  const Term latency = p.spent(steps * start, level, "latency");
  const Term time =
      latency + p.spent(p.known(p.collective().bytes, "bytes", units::bytes) / rate, level, carrier(level));
  return issued(p, time, n);
}

namespace {

/// Returns the time of a direct exchange on the narrowest level. All bytes that leave a unit cross the links of its
/// level.
Term leavingTime(const Pricing& p, const Route& r) {
  const auto& levels = p.facts.cluster.levels;
  const double n = static_cast<double>(r.ranks);
  Term slowest;
  for (size_t l = 0; l <= r.top; ++l) {
    const bool sampledBelow = r.domain && l <= static_cast<size_t>(r.domain - levels.data()); // overlaps
    if (sampledBelow || (r.units(l) <= 1 && l != r.top)) continue;
    const Term leaving = p.known(p.collective().bytes * (n - r.below(l)) / n, "across", units::bytes);
    const Term efficiency = exchangeEfficiency(p, levels[l].fabric);
    const Term rate = efficiency * lineRate(p, r, l, factorsAt(p, r, l).bandwidth);
    const Term time = p.spent(crossing(p, r, l, leaving, rate), levels[l], carrier(levels[l]));
    slowest = max(slowest, time);
    if (p.why)
      p.note("phase", fmt::format("{} leave each unit below {}, at {}: {}", bytes(leaving.value), levels[l].name.view(),
                                  bandwidth(rate.value), seconds(time.value)));
  }
  return slowest;
}

} // namespace

bool isExchange(const Pricing& p, const Route& r) {
  return r.card && p.collective().kind == CollectiveKind::AllToAll;
}

/// Over network cards all partners start at once; over nominal links each partner waits for the one before.
Term exchange(const Pricing& p, const Route& r) {
  const ir::ClusterLevel& top = p.facts.cluster.levels[r.top];
  if (!r.card) p.nominal(top, CollectiveKind::AllToAll);
  const Term start = r.card ? p.spent(p.fact(top.fabric, FabricFact::Start, "start"), top, "latency") + farthest(p, r)
                            : waiting(p, r, stepsOf(p, r));
  if (copiesInOne(p) <= 1) return start + leavingTime(p, r);
  const Forwarded f = forward(p, r);
  const Term efficiency =
      r.card ? p.fact(top.fabric, FabricFact::ExchangeEfficiency, "efficiency") : exchangeEfficiency(p, top.fabric);
  const Term rate = efficiency * lineRate(p, r, r.top, factorsAt(p, r, r.top).bandwidth);
  const Term across = p.spent(crossing(p, r, r.top, f.across, rate), top, carrier(top));
  if (p.why && p.collective().groupLimit.limit < p.collective().groupLimit.groups)
    p.note("groups", fmt::format("the copies of a token reach at most {} of {} groups",
                                 number(p.collective().groupLimit.limit), number(p.collective().groupLimit.groups)));
  const bool pipelined = p.facts.stack.truth(ir::StackFact::ExchangePipelined);
  return start + (pipelined ? max(across, f.slowest) : across + f.between);
}

} // namespace planc::cost
