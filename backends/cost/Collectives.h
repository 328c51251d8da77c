// The price of collectives: one row per algorithm, chosen by what the fabrics on the way were measured with.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/Pricing.h"

#include <vector>

namespace planc::cost {

/// How a group of ranks lies in the cluster.
struct Route {
  int64_t ranks = 1;
  size_t top = 0;                           ///< level that holds the whole group
  const ir::ClusterLevel* domain = nullptr; ///< outermost level on the way whose fabric has samples of the operation
  const ir::Fabric::Samples* samples = nullptr; ///< of that level
  int64_t inside = 1;                           ///< ranks in one unit of it: they share a node
  double nodes = 1;                             ///< units of it that the group spans
  /// Ranks of the group in one unit of a level; -1 is the device itself.
  std::vector<int64_t> within;
  bool card = false; ///< the top level's fabric is priced from its network card
};
/// `kind` over the group of a collective node.
Route routeOf(const Pricing& pricing);

/// A row of the table of algorithms.
struct CollectiveAlgorithm {
  std::string_view name;
  std::string_view equation; ///< as docs/cost-model.md prints it
  bool (*applies)(const Pricing& pricing, const Route& route);
  double (*seconds)(const Pricing& pricing, const Route& route);
};
/// In order: the first that applies prices the collective.
const std::vector<CollectiveAlgorithm>& collectiveAlgorithms();

/// One execution of a collective node.
double priceCollective(const Pricing& pricing);

} // namespace planc::cost
