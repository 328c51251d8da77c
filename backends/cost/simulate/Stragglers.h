// The wait of a step for its slowest device, node or slice (docs/cost-model.md, section 2.7).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/layout/Mesh.h"
#include "ir/machine/Machine.h"

#include <string_view>
#include <vector>

namespace planc::cost {

/// Units of one size whose paces differ: a fact, how many of them a mesh has, and which share of its busy time a step
/// waits for the slowest one.
struct Spread {
  std::string_view of; ///< whose fact: `cluster`, `stack`, or the level's name
  const ir::Number* jitter = nullptr;
  double units = 1;
  double share = 0;
};

/// How far the slowest of n units is behind their mean, in means of what delays one: where the delays of a unit fall
/// off exponentially, the n-th harmonic number less one. Source: Rényi, *On the theory of order statistics*, 1953; of
/// noise that is the same at every scale, Agarwal, Garg, Vishnoi, *The impact of noise on the scaling of collectives*,
/// 2005.
double slowestOf(double units);

/// Returns the jitter of cluster, stack and levels, from the inside out; empty if no part that exists several times has
/// `jitter`.
std::vector<Spread> spreads(const ir::Cluster& cluster, const ir::Stack& stack, const ir::Mesh& mesh);

/// Share of its busy time that a step waits; the spreads are independent, so their shares add in squares.
double stragglerShare(const std::vector<Spread>& spreads);

} // namespace planc::cost
