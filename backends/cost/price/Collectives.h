// The price of collectives: one row per algorithm, chosen by what the fabrics on the way were measured with, or by
// its word.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Pricing.h"
#include "ir/vocabulary/Vocabulary.h"
#include "support/Memo.h"

#include <span>
#include <vector>

namespace planc::cost {

/// How a group of ranks lies in the cluster.
struct Route {
  int64_t ranks = 1;
  size_t top = 0;                           ///< level that holds the whole group
  const ir::ClusterLevel* domain = nullptr; ///< outermost level on the way whose fabric has samples of the operation
  int64_t inside = 1;                       ///< ranks in one unit of it: they share a node
  double nodes = 1;                         ///< units of it that the group spans
  /// Ranks of the group in one unit of a level. What divides them is how many units of a level it spans.
  std::vector<int64_t> within;
  bool card = false;      ///< the top level's fabric is priced from its network card
  bool scattered = false; ///< no set of axes (the stages that share a parameter): one rank in each unit below the top

  /// Ranks in one unit below a level: those that share its links.
  double below(size_t level) const { return level == 0 ? 1 : static_cast<double>(within[level - 1]); }
  /// Units of the level below that the group spans in one unit of a level.
  double units(size_t level) const;
  /// Levels that the group spreads over, inner to outer.
  std::vector<size_t> spread() const;
};
/// The group of a collective node.
Route routeOf(const Pricing& pricing);
/// `8 in each node x 4 nodes`, as a person says it; with a remark where the group does not divide the levels.
std::string routeText(const Pricing& pricing, const Route& route);

/// How a collective is run: what asks for it, when it applies, and its seconds.
struct CollectiveAlgorithm {
  /// The word of `algorithm { all_reduce = … }`; null: it follows from what the fabrics on the way say.
  const ir::Word* word = nullptr;
  bool (*applies)(const Pricing& pricing, const Route& route) = nullptr;
  Term (*seconds)(const Pricing& pricing, const Route& route) = nullptr;
  /// Of a word that stands for another row, in place of both: the one that prices this group.
  const CollectiveAlgorithm& (*standsFor)(const Pricing& pricing, const Route& route) = nullptr;
  std::string_view name = {};   ///< what derivations call it; empty: as its word
  std::string_view source = {}; ///< of one without a word
};
/// What plans may ask for.
ir::Implementations<CollectiveAlgorithm>& collectiveAlgorithms();
/// What runs without a word: the first that applies.
std::span<const CollectiveAlgorithm> collectiveForms();

/// The row that prices a group: what the stack asks for, else what the fabric does, else the first form that applies.
const CollectiveAlgorithm& algorithmOf(const Pricing& pricing, const Route& route);

/// One execution of a collective node.
Priced priceCollective(const Pricing& pricing);
/// All of node and mesh that its price depends on: nodes of which this is the same cost the same with the same facts.
Reads readByCollective(const Pricing& pricing);
/// Its time alone, for an algorithm that runs as another collective.
Term collectiveTime(const Pricing& pricing);

} // namespace planc::cost
