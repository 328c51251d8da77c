// One level of a route: what its fabric was sampled with, which rate a device has there, and a collective inside it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Collectives.h"
#include "backends/cost/price/Equations.h"
#include "backends/cost/price/collectives/Topologies.h"

#include <vector>

namespace planc::cost {

struct Sampled {
  Term a = 0, b = 1, g = 0;
  const ir::Table* table = nullptr; ///< in place of b and g; `a` is what the group adds to it
  double wire = 1;                  ///< bytes on the wire per byte of the table's tensor
  Term scale = 1;                   ///< rate of the level over that of the samples: `b` and `g` are scaled already
  /// Of x bytes on the wire. Above a table the rate of its last time, below it its first slope.
  Term time(const Pricing& p, const Term& x) const;
};
/// a, b and g of the nearest group size, or its table, at the rate of the level; `a` grows beyond the sampled groups.
/// `bytes`: of the full tensor.
Sampled readSample(const Pricing& p, const ir::ClusterLevel& level, ir::CollectiveKind kind, int64_t ranks,
                   double bytes);

struct SampledAcross {
  Sampled row;
  Term share = 1; ///< cards of a node that the group has, against those of the sampled one
};
/// The sample nearest to a group over several units of the level below: by ranks in a unit, then by units.
SampledAcross readAcross(const Pricing& p, const Route& r);

/// What each rank of a node's collective puts on the wire: `x`.
Term onWire(const Pricing& p, const Route& r);

/// Rate of a device at a level in one direction, over all of its links.
Term deviceRate(const Pricing& p, const ir::ClusterLevel& level);
/// Rate of a level over the one that its fabric was sampled at; 1 where the fabric does not say it.
Term rateScale(const Pricing& p, const ir::ClusterLevel& level);

/// Factors of the topology of a level on the whole route, where every member of a node moves its part of the data.
TopologyFactors factorsAt(const Pricing& p, const Route& r, size_t level);
/// Factors of the topology of a level on a collective of `kind` between `units` units of that level, one rank in each.
TopologyFactors factorsBetween(const Pricing& p, const Route& r, size_t level, ir::CollectiveKind kind, double units);

/// The steps that a collective takes one after the other.
struct Steps {
  struct Crossing {
    size_t level = 0;
    Term count; ///< steps whose sender and receiver lie in different units of the level, and in one unit of the next
  };
  std::vector<Crossing> crossings; ///< outer to inner, those with steps
  bool ring = false;               ///< one ring over the units of the outermost level
  bool inside = false;             ///< steps inside of a sampled domain take time, too
};
// Steps.cpp: how many steps there are, and what they wait for.
/// Steps by the wiring of each level: a ring passes through all units one after the other, the units of a level climb
/// trees at the same time, and in an exchange each rank meets one partner after the other.
Steps stepsOf(const Pricing& p, const Route& r);
/// Steps of `passes` rounds of one ring over all ranks.
Steps ringSteps(const Pricing& p, const Route& r, double passes);
/// Steps of `passes` walks along one binary tree over all ranks.
Steps treeSteps(const Pricing& p, const Route& r, double passes);
/// Seconds that all steps wait together: the latency of each level, or the hop of a fabric with network cards.
Term waiting(const Pricing& p, const Route& r, const Steps& steps);

/// Seconds that a step over a level takes longer than on the machine that its fabric was measured on: the latency of
/// the level less `sampled_latency`. 0 if the level is no farther, or if the fabric or the level does not say how far.
Term farther(const Pricing& p, const ir::ClusterLevel& level);
/// `farther`, summed over all steps of a collective.
Term fartherInAll(const Pricing& p, const Steps& steps);
/// The largest `farther` of the levels that a group spreads over: how long it waits for its farthest partner.
Term farthest(const Pricing& p, const Route& r);

/// How a fabric that is priced from its card carries a collective.
struct Carried {
  Term waited;    ///< for all steps
  Term bandwidth; ///< of what is moved
};
/// The faster of the protocols of the outermost fabric: a ring may wait less and move less at a time
/// (docs/cost-model.md, 2.2).
Carried carried(const Pricing& p, const Route& r, const Steps& steps, double x, const Term& bandwidth);
/// Rate of one device at a level: its nominal bandwidth, what the cards of its node leave it, times the topology's
/// share.
Term lineRate(const Pricing& p, const Route& r, size_t level, double share);
/// `efficiency` of a card-priced fabric, 1 for others.
Term cardEfficiency(const Pricing& p, const ir::Fabric& fabric);

/// What carries the bytes of a level: `card` where its fabric is priced from network cards, else the fabric.
std::string_view carrier(const ir::ClusterLevel& level);

/// One phase of a collective over several levels: ranks of equal position in all units of one level, every device of a
/// node in a group of its own, at the same time.
Term phase(const Pricing& p, const Route& r, size_t level, ir::CollectiveKind kind, double bytes);

} // namespace planc::cost
