// One level of a route: what its fabric was sampled with, which rate a device has there, and a collective inside it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Collectives.h"
#include "backends/cost/price/Equations.h"
#include "backends/cost/price/collectives/Topologies.h"

namespace planc::cost {

/// Samples of an operation; empty where it has none.
const ir::Fabric::Samples& samplesOf(const ir::Fabric& fabric, ir::CollectiveKind kind);

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

/// What the topology of a level makes of the whole route, every member of a node with its part of the data.
TopologyFactors factorsAt(const Pricing& p, const Route& r, size_t level);
/// Steps that a collective takes one after the other: between units of a level, and those of a ring that stay inside.
struct Steps {
  Term between = 0, inside = 0;
  bool ring = false;
};
Steps stepsOf(const Pricing& p, const TopologyFactors& factors);

/// How a fabric that is priced from its card carries a collective.
struct Carried {
  Term waited;    ///< for all steps
  Term bandwidth; ///< of what is moved
};
/// The faster of the fabric's protocols: a ring may wait less and move less at a time (docs/cost-model.md, 2.2).
Carried carried(const Pricing& p, const ir::Fabric& fabric, const Steps& steps, double x, const Term& bandwidth);
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
