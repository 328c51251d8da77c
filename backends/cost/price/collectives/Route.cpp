// The position of a group of ranks in the levels of a cluster, from the strides and sizes of its mesh axes.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/collectives/Level.h"
#include "ir/facts/ClusterFacts.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

double Route::units(size_t level) const {
  return std::max(1.0, std::ceil(static_cast<double>(within[level]) / below(level)));
}

std::vector<size_t> Route::spread() const {
  std::vector<size_t> levels;
  for (size_t l = 0; l <= top; ++l)
    if (units(l) > 1) levels.push_back(l);
  return levels;
}

Route routeOf(const Pricing& p) {
  const ir::Mesh& mesh = p.program.mesh;
  const auto& levels = p.facts.cluster.levels;
  Route r;
  r.ranks = p.collective().group;
  r.top = std::min(p.collective().level, levels.size() - 1);
  r.scattered = mesh.size(p.collective().axes) != p.collective().group;
  for (size_t l = 0; l <= r.top; ++l)
    r.within.push_back(l == r.top    ? r.ranks
                       : r.scattered ? 1
                                     : std::min(r.ranks, mesh.ranksWithin(p.collective().axes, l)));
  for (size_t l = r.top + 1; l-- > 0 && !r.domain;) {
    if (levels[l].fabric.samplesOf(p.collective().kind).rows.empty()) continue;
    r.domain = &levels[l];
    r.inside = r.within[l];
  }
  r.nodes = std::max(2.0, std::ceil(static_cast<double>(r.ranks) / static_cast<double>(r.inside)));
  r.card = levels[r.top].fabric.has(ir::FabricFact::NicEfficiency);
  return r;
}

std::string routeText(const Pricing& p, const Route& r) {
  const auto& levels = p.facts.cluster.levels;
  std::string text;
  for (size_t l : r.spread())
    text += fmt::format("{}{} in a {}", text.empty() ? "" : " x ", number(r.units(l)), levels[l].name.view());
  if (!r.scattered && !p.program.mesh.dividesLevels(p.collective().axes))
    text += "; its axes do not divide the levels: the worst placed group is priced";
  return text;
}

} // namespace planc::cost
