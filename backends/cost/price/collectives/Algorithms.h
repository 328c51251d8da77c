// The algorithms of collectives: their functions by file, and the table of the words that plans can write.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/collectives/Level.h"
#include "ir/vocabulary/Algorithms.h"

namespace planc::cost {

// Transfers.cpp: one partner, or everyone with everyone.
/// Returns how many copies of a token travel as one to a unit that holds several of its experts.
double copiesInOne(const Pricing& p);
/// Returns the expected number of units, out of `units`, that the copies of a token reach. Each unit holds an equal
/// part of `Collective::places`, and the units together span the whole group.
double distinctUnits(const Pricing& p, double units);
bool isTransfer(const Pricing& p, const Route& r);
Term transfer(const Pricing& p, const Route& r);
bool isExchange(const Pricing& p, const Route& r);
Term exchange(const Pricing& p, const Route& r);

// Flat.cpp: the whole group as one.
bool isSampled(const Pricing& p, const Route& r);
Term sampled(const Pricing& p, const Route& r);
bool isSampledAcross(const Pricing& p, const Route& r);
Term sampledAcross(const Pricing& p, const Route& r);
bool isCard(const Pricing& p, const Route& r);
Term card(const Pricing& p, const Route& r);
bool always(const Pricing& p, const Route& r);
Term nominal(const Pricing& p, const Route& r);
/// Returns whether a ring or a tree can run over the ranks in any order.
bool runsAnywhere(const Pricing& p, const Route& r);
Term ring(const Pricing& p, const Route& r);
Term tree(const Pricing& p, const Route& r);

// Hierarchical.cpp: level by level.
bool isHierarchical(const Pricing& p, const Route& r);
Term hierarchical(const Pricing& p, const Route& r);

// Whole.cpp: a reduce-scatter that runs as an all-reduce.
bool isReducedWhole(const Pricing& p, const Route& r);
Term reducedWhole(const Pricing& p, const Route& r);

// Algorithms.cpp: words that select one of the other rows.
const CollectiveAlgorithm& usual(const Pricing& p, const Route& r);
const CollectiveAlgorithm& fastest(const Pricing& p, const Route& r);

constexpr const ir::Word* algorithm(std::string_view name) {
  return ir::wordOf(ir::kAlgorithmWords, name);
}
inline constexpr CollectiveAlgorithm kAlgorithms[] = {
    {.word = algorithm("pipelined"), .standsFor = usual},
    {.word = algorithm("ring"), .applies = runsAnywhere, .seconds = ring},
    {.word = algorithm("tree"), .applies = runsAnywhere, .seconds = tree},
    {.word = algorithm("hierarchical"), .applies = isHierarchical, .seconds = hierarchical},
    {.word = algorithm("fastest"), .standsFor = fastest},
    {.word = algorithm("all_reduce"), .applies = isReducedWhole, .seconds = reducedWhole, .name = "reduced whole"},
};
static_assert(ir::complete(ir::kAlgorithmWords, kAlgorithms),
              "every word of ir/vocabulary/Algorithms.h has one row here, and every row its word");

} // namespace planc::cost
