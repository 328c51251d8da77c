// Prices of collectives: a table of algorithms. The word in the plan selects the algorithm; without a word, the samples
// of the fabrics do.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Pricing.h"
#include "ir/vocabulary/Vocabulary.h"
#include "support/Memo.h"

#include <span>
#include <vector>

namespace planc::cost {

/// How a group of ranks lies in the cluster. A "unit" of a level is one of its parts, such as one node.
struct Route {
  int64_t ranks = 1;
  size_t top = 0;                           ///< level that holds the whole group
  const ir::ClusterLevel* domain = nullptr; ///< outermost level on the route whose fabric has samples of the operation
  int64_t inside = 1;                       ///< ranks of the group in one unit of `domain`; these ranks share a node
  double nodes = 1;                         ///< units of `domain` that the group spans
  /// Ranks of the group in one unit of each level. The quotient of the numbers of two levels is the number
  /// of inner units that the group spans in one outer unit.
  std::vector<int64_t> within;
  bool card = false;      ///< the top level's fabric is priced from its network card
  bool scattered = false; ///< one rank per stage that shares a parameter: one rank in each unit below `top`

  /// Returns the ranks in one unit of the next level inside `level`, which share the links of `level`.
  double below(size_t level) const { return level == 0 ? 1 : static_cast<double>(within[level - 1]); }
  /// Returns the number of units of the next inner level that the group spans in one unit of `level`.
  double units(size_t level) const;
  /// Returns the levels over which the group spreads, inner to outer.
  std::vector<size_t> spread() const;
};
/// Returns the route of a collective node's group.
Route routeOf(const Pricing& pricing);
/// Returns the route as text, `8 in each node x 4 nodes`, with a remark if the group does not divide the levels evenly.
std::string routeText(const Pricing& pricing, const Route& route);

/// An algorithm of collectives: the word that requests it, whether it applies, and its price.
struct CollectiveAlgorithm {
  /// The word in `algorithm { all_reduce = … }`; null if the fabrics on the route select the algorithm.
  const ir::Word* word = nullptr;
  bool (*applies)(const Pricing& pricing, const Route& route) = nullptr;
  Term (*seconds)(const Pricing& pricing, const Route& route) = nullptr;
  /// For a word that delegates: returns the row that prices this group. `applies` and `seconds` are then null.
  const CollectiveAlgorithm& (*standsFor)(const Pricing& pricing, const Route& route) = nullptr;
  std::string_view name = {};   ///< name in derivations; empty: the word
  std::string_view source = {}; ///< source of the equation, if the row has no word
};
/// The algorithms that plans can request by word.
ir::Implementations<CollectiveAlgorithm>& collectiveAlgorithms();
/// The algorithms without a word, in order of precedence.
std::span<const CollectiveAlgorithm> collectiveForms();

/// Returns the row that prices a group: the one that the stack requests, else the fabric's choice, else the first form
/// that applies.
const CollectiveAlgorithm& algorithmOf(const Pricing& pricing, const Route& route);

/// Prices one execution of a collective node.
Priced priceCollective(const Pricing& pricing);
/// Returns everything in node and mesh on which the price depends. If the facts are equal,
/// nodes whose reads are equal have equal prices.
Reads readByCollective(const Pricing& pricing);
/// Returns only the time of a collective. Used by algorithms that run as another collective.
Term collectiveTime(const Pricing& pricing);

} // namespace planc::cost
