// Converts counts of hosts to counts of units.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit/Units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace planc::calibrate {

namespace {

/// The count of units that a sample's run spans, and whether all of them hold the same number of ranks.
struct UnitCount {
  double units = 1;
  bool even = true;
};
UnitCount unitsOf(const Sample& s, const Part& part) {
  const double ranks = s.ranksOnHost > 0 ? s.ranksOnHost : s[Extent::Ranks] / s[Extent::Nodes];
  const bool hosts = part.host == 0 || ranks <= part.host; // more ranks than a host holds: these nodes are units
  const bool pair = parseCollective(s.name.view()) == ir::CollectiveKind::SendRecv;
  if (part.unit == 0 || !hosts) return {s[Extent::Nodes], pair || ranks == std::floor(ranks)};
  const double devices = s[Extent::Nodes] * (part.host > 0 ? part.host : ranks);
  return {std::ceil(devices / part.unit), pair || devices <= part.unit || std::fmod(devices, part.unit) == 0};
}

void setNodes(Sample& s, const Series& series, double nodes) {
  s[Extent::Nodes] = nodes;
  for (size_t i = 0; i < std::min(series.axes.size(), s.at.size()); ++i)
    if (series.axes[i] == name(Extent::Nodes)) s.at[i] = nodes;
}

} // namespace

void countUnits(Samples& samples, const std::string& device, const Part& part) {
  std::set<std::pair<double, double>> changed; // pairs of hosts and units
  for (Sample& s : samples.samples) {
    const Series& series = samples.series[s.series];
    if (series.device != device || s.kind != Kind::Collective) continue;
    const double hosts = s[Extent::Nodes];
    const UnitCount count = unitsOf(s, part);
    double nodes = count.units;
    s.uneven = !count.even;
    if (nodes != hosts) changed.insert({hosts, nodes});
    nodes = std::min(nodes, s[Extent::Ranks]); // two ranks lie in at most two units
    setNodes(s, series, nodes);
  }
  for (const auto& [hosts, nodes] : changed)
    samples.notes.push_back(fmt::format(
        "{}: {} host{} in {} unit{} of {} devices, behind which network cards begin: `--unit N` sets another number",
        part.name, hosts, hosts == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s", part.unit));
}

} // namespace planc::calibrate
