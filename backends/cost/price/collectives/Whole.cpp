// A reduce-scatter that software runs as an all-reduce, of which each rank keeps its part (docs/cost-model.md, 2.5).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/collectives/Algorithms.h"

namespace planc::cost {

bool isReducedWhole(const Pricing& p, const Route&) {
  return p.collective().kind == ir::CollectiveKind::ReduceScatter;
}

Term reducedWhole(const Pricing& p, const Route&) {
  ir::Node whole = p.node;
  whole.collective().kind = ir::CollectiveKind::AllReduce;
  return collectiveTime(Pricing(p.facts, p.program, whole, {p.why, p.evidence, p.limits}));
}

} // namespace planc::cost
