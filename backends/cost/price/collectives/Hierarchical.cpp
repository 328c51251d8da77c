// Level by level: an all-reduce scatters inside, reduces its part across, and gathers inside (docs/cost-model.md, 2.5).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/collectives/Algorithms.h"

namespace planc::cost {

using ir::CollectiveKind;

namespace {

/// Scatters from inner to outer. `left`: bytes that each device still holds after the levels below.
Term scatter(const Pricing& p, const Route& r, const std::vector<size_t>& levels, size_t count, double& left) {
  Term time;
  for (size_t i = 0; i < count; ++i) {
    time += phase(p, r, levels[i], CollectiveKind::ReduceScatter, left);
    left /= r.units(levels[i]);
  }
  return time;
}

/// Gathers from outer to inner, the reverse of `scatter`.
Term gather(const Pricing& p, const Route& r, const std::vector<size_t>& levels, size_t count, double left) {
  Term time;
  for (size_t i = count; i-- > 0;) {
    left *= r.units(levels[i]);
    time += phase(p, r, levels[i], CollectiveKind::AllGather, left);
  }
  return time;
}

} // namespace

bool isHierarchical(const Pricing& p, const Route& r) {
  if (p.collective().kind == CollectiveKind::SendRecv || isSampled(p, r) || copiesInOne(p) > 1) return false;
  return r.spread().size() > 1;
}

Term hierarchical(const Pricing& p, const Route& r) {
  const std::vector<size_t> levels = r.spread();
  double left = p.collective().bytes;
  Term time;
  switch (p.collective().kind) {
  case CollectiveKind::AllReduce:
    time = scatter(p, r, levels, levels.size() - 1, left);
    time += phase(p, r, levels.back(), CollectiveKind::AllReduce, left);
    time += gather(p, r, levels, levels.size() - 1, left);
    break;
  case CollectiveKind::ReduceScatter:
    time = scatter(p, r, levels, levels.size(), left);
    break;
  case CollectiveKind::AllGather:
    time = gather(p, r, levels, levels.size(), left / static_cast<double>(r.ranks));
    break;
  default: // an exchange moves everything once per level, inside first, so that equal positions remain
    for (size_t l : levels) time += phase(p, r, l, CollectiveKind::AllToAll, left);
    break;
  }
  return time;
}

} // namespace planc::cost
