// The words for how the units of a cluster level are wired: `topology = fat_tree(oversubscription = 2)`. Formulas in
// backends/cost/price/collectives give their bandwidths and steps (docs/cost-model.md, section 2.6).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/vocabulary/Vocabulary.h"

namespace planc::ir {

/// The largest oversubscription is small enough that products of a few stay finite.
inline constexpr Parameter kOversubscription[] = {{.name = "oversubscription",
                                                   .doc = "rate into a leaf over its rate upward",
                                                   .least = 1,
                                                   .most = 1e6,
                                                   .standard = 1}};
inline constexpr Parameter kDims[] = {
    {.name = "dims", .doc = "units along each dimension, inner to outer", .least = 1, .most = 0x1p40, .list = true}};
inline constexpr Parameter kGlobal[] = {{.name = "global",
                                         .doc = "share of uniform traffic that the links between groups carry",
                                         .least = 1e-6,
                                         .most = 1,
                                         .standard = 1}};

inline constexpr Word kTopologyWords[] = {
    {"switch", "full bandwidth; 2·log2(nodes) steps for all-reduce, n - 1 for rings",
     "trees: Sanders, Speck, Traeff 2009; rings: Thakur et al. 2005"},
    {"fat_tree", "1 / oversubscription of the bandwidth, steps as a switch", "Leiserson 1985", kOversubscription},
    {"rail_optimized", "full bandwidth along rails; an exchange crosses them with 1 / oversubscription",
     "Wang et al., arXiv 2307.12169", kOversubscription},
    {"ring", "a torus of one dimension", "Chan, Heimlich, Purkayastha, van de Geijn 2007"},
    {"torus", "bucket algorithms on all dimensions at once; the cut through the longest one limits an exchange",
     "Chan, Heimlich, Purkayastha, van de Geijn 2007; arXiv 1909.09756; arXiv 2304.01433", kDims},
    {"grid", "a torus whose ends are not joined: half of its bandwidth",
     "Chan, Heimlich, Purkayastha, van de Geijn 2007", kDims},
    {"full_mesh", "(members - 1) / (units - 1) of the bandwidth; one step, two steps for all-reduce",
     "direct algorithms: Thakur et al. 2005"},
    {"dragonfly", "full bandwidth for rings, an exchange has the share `global`", "Kim, Dally, Scott, Abts 2008",
     kGlobal},
};

Vocabulary& topologyWords();

} // namespace planc::ir
