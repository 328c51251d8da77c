// The words for how a collective over several levels runs: `algorithm { all_reduce = hierarchical }`. Their times are
// computed in backends/cost/price/collectives (docs/cost-model.md, section 2.5).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/vocabulary/Vocabulary.h"

namespace planc::ir {

inline constexpr Word kAlgorithmWords[] = {
    {"pipelined", "the default: priced from samples, network cards or nominal numbers of the fabrics",
     "docs/cost-model.md, sections 2.1 and 2.2"},
    {"ring", "n - 1 hops per pass; all bytes go through the narrowest level", "Patarasuk and Yuan 2009"},
    {"tree", "log2(n) hops per pass; all bytes go through the narrowest level", "Sanders, Speck, Traeff 2009"},
    {"hierarchical", "reduce-scatter inside a unit, all-reduce of each part across units, all-gather inside",
     "Cho et al. 2019 (BlueConnect); exchange: arXiv 2201.05596"},
    {"fastest", "the algorithm with the least time", "docs/cost-model.md, section 2.5"},
    {"all_reduce", "a reduce-scatter that runs as an all-reduce; each device keeps its part",
     "DeepSpeed, ZeRO-1 and -2"},
};

Vocabulary& algorithmWords();

} // namespace planc::ir
