// The wait of a step for its slowest device, node or slice (docs/cost-model.md, section 2.7).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/layout/Mesh.h"
#include "ir/machine/Machine.h"

#include <string_view>
#include <vector>

namespace planc::cost {

/// The differences in pace between units of one size: the fact that states them, the number of units in the mesh, and
/// the share of its busy time for which a step waits for the slowest unit.
struct Spread {
  std::string_view of; ///< owner of the fact: `cluster`, `stack`, or the level's name
  const ir::Number* jitter = nullptr;
  double units = 1;
  double share = 0;
};

/// Returns how far the slowest of `units` units is behind their mean, in multiples of the mean delay of one unit. If
/// the delays of a unit are distributed exponentially, this is the harmonic number of `units`, less one. Sources:
/// Rényi, *On the theory of order statistics*, 1953; for noise that is the same at every scale: Agarwal, Garg,
/// Vishnoi, *The impact of noise on the scaling of collectives*, 2005.
double slowestOf(double units);

/// Returns the jitter of cluster, stack and levels, from the inside out; empty if no part that exists several times has
/// `jitter`.
std::vector<Spread> spreads(const ir::Cluster& cluster, const ir::Stack& stack, const ir::Mesh& mesh);

/// Returns the share of its busy time for which a step waits. The spreads are independent, so the squares of their
/// shares add up.
double stragglerShare(const std::vector<Spread>& spreads);

} // namespace planc::cost
