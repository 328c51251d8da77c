// One level of a route: the samples of its fabric, the rate of a device there, and collectives inside it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Collectives.h"
#include "backends/cost/price/Equations.h"
#include "backends/cost/price/collectives/Topologies.h"

#include <vector>

namespace planc::cost {

struct Sampled {
  Term a = 0, b = 1, g = 0;
  const ir::Table* table = nullptr; ///< replaces b and g; `a` is then the time that the group size adds
  double wire = 1;                  ///< bytes on the wire per byte of the table's tensor
  Term scale = 1;                   ///< rate of the level over the sampled rate; already applied to `b` and `g`
  /// Returns the time for `x` bytes on the wire. For sizes above the table, the rate of its last point holds; for sizes
  /// below it, the slope of its first two points.
  Term time(const Pricing& p, const Term& x) const;
};
/// Reads the sample with the nearest group size (its a, b and g, or its table), scaled to the rate of the level.
/// `a` grows for groups larger than the sampled ones. `bytes`: size of the full tensor.
Sampled readSample(const Pricing& p, const ir::ClusterLevel& level, ir::CollectiveKind kind, int64_t ranks,
                   double bytes);

/// A sampled collective over several nodes.
struct SampledAcross {
  Sampled row;
  Term share = 1; ///< network cards per node of the group, divided by the cards per node of the sample
};
/// Reads the sample nearest to a group that spans several units of the next inner level: nearest by ranks per unit,
/// then by units.
SampledAcross readAcross(const Pricing& p, const Route& r);

/// Returns the bytes that each rank puts on the wire; derivations call it `x`.
Term onWire(const Pricing& p, const Route& r);

/// Returns the rate of a device at a level in one direction, over all of its links.
Term deviceRate(const Pricing& p, const ir::ClusterLevel& level);
/// Returns the rate of a level over the rate at which its fabric was sampled; 1 if the fabric does not state it.
Term rateScale(const Pricing& p, const ir::ClusterLevel& level);

/// Returns the topology factors of a level for all ranks of the route: every rank of the group in a node moves its own
/// part of the data.
TopologyFactors factorsAt(const Pricing& p, const Route& r, size_t level);
/// Returns the topology factors of a level for a collective of `kind` between `units` units of the level, one rank in
/// each.
TopologyFactors factorsBetween(const Pricing& p, const Route& r, size_t level, ir::CollectiveKind kind, double units);

/// The sequential steps of a collective.
struct Steps {
  struct Crossing {
    size_t level = 0;
    Term count; ///< steps between different units of `level` that lie in one unit of the next level
  };
  std::vector<Crossing> crossings; ///< outer to inner, only levels with steps
  bool ring = false;               ///< one ring over the units of the outermost level
  bool inside = false;             ///< steps inside a sampled domain take time, too
};
// Steps.cpp: the number of steps and the latency of each.
/// Returns the steps that follow from the wiring of each level. In a ring the data passes all units in sequence. In
/// trees the units of one level take their steps at the same time. In an exchange each rank meets its partners in
/// sequence.
Steps stepsOf(const Pricing& p, const Route& r);
/// Returns the steps of `passes` rounds of one ring over all ranks.
Steps ringSteps(const Pricing& p, const Route& r, double passes);
/// Returns the steps of `passes` walks along one binary tree over all ranks.
Steps treeSteps(const Pricing& p, const Route& r, double passes);
/// Returns the latency of all steps in seconds: the latency of each level, or the hop of a fabric with network cards.
Term waiting(const Pricing& p, const Route& r, const Steps& steps);

/// Returns how many seconds longer a step over a level takes than on the measured machine: the latency of the level
/// less `sampled_latency`. Returns 0 if the level is no farther or if a latency is not given.
Term farther(const Pricing& p, const ir::ClusterLevel& level);
/// Returns `farther`, summed over all steps of a collective.
Term fartherInAll(const Pricing& p, const Steps& steps);
/// Returns the largest `farther` of the levels that a group spreads over: the extra latency of its farthest partner.
Term farthest(const Pricing& p, const Route& r);

/// How a fabric that is priced from its network card carries a collective.
struct Carried {
  Term waited;    ///< seconds of latency of all steps
  Term bandwidth; ///< bytes per second of the moved data
};
/// Returns the result of the faster protocol of the outermost fabric: a ring protocol may have less latency but also
/// less bandwidth (docs/cost-model.md, section 2.2).
Carried carried(const Pricing& p, const Route& r, const Steps& steps, double x, const Term& bandwidth);
/// Returns the rate of one device at a level: its nominal bandwidth times its share of the node's cards times `share`,
/// the factor of the topology.
Term lineRate(const Pricing& p, const Route& r, size_t level, double share);
/// Returns the `efficiency` of a card-priced fabric, 1 for other fabrics.
Term cardEfficiency(const Pricing& p, const ir::Fabric& fabric);

/// Returns what carries the bytes of a level: `card` if its fabric is priced from network cards, else the name of the
/// fabric.
std::string_view carrier(const ir::ClusterLevel& level);

/// Returns the seconds of one phase of a collective over several levels. Ranks at equal positions in all units of one
/// level form a group; the groups of all devices of a node run at the same time.
Term phase(const Pricing& p, const Route& r, size_t level, ir::CollectiveKind kind, double bytes);

} // namespace planc::cost
