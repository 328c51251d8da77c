// The checks of what was sampled, whatever the times.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit/EachCheck.h"

#include <fmt/format.h>

namespace planc::calibrate {

PLANC_WARNING(OneValueAxis, 1023, "`{series}` of {device} was sampled at {axis} = {value} only")
PLANC_WARNING(UnevenGroup, 828, "`{series}` of {device}: {ranks} ranks do not fill {nodes} {units} evenly")

void unevenGroup(Suspects& s, DiagnosticEngine& diagnostics) {
  Points uneven;
  for (const Sample* p : s.good(Direction::Forward))
    if (p->uneven) uneven.push_back(p), s.exclude(p, Direction::Forward);
  if (uneven.empty()) return;
  const Sample& first = *uneven.front();
  const bool units = s.part.unit > 0;
  diagnostics
      .report(UnevenGroup, first.range,
              named(s, {{"ranks", fmt::format("{:.10g}", first[Extent::Ranks])},
                        {"nodes", fmt::format("{:.10g}", first[Extent::Nodes])},
                        {"units", units ? fmt::format("units of {:.10g} devices", s.part.unit) : "hosts"}}))
      .note(fmt::format("{} of {} times belong to such groups and are not fitted: a fabric has rows of ranks and "
                        "nodes, with equally many ranks on each node",
                        uneven.size(), s.points.size()))
      .help(units ? "give the number of devices that share network cards with `--unit N`, or sample groups that fill "
                    "the units"
                  : "sample groups with as many ranks on every host");
}

void oneValue(Suspects& s, DiagnosticEngine& diagnostics) {
  if (s.kind() == Kind::Collective) return; // a group of ranks is a series of its own
  auto values = [](const Suspects& of, const std::string& axis) {
    std::set<double> out;
    for (size_t i = 0; i < of.series.axes.size(); ++i)
      if (of.series.axes[i] == axis)
        for (const Sample* p : of.points) out.insert(p->at[i]);
    return out;
  };
  for (const std::string& axis : s.series.axes) {
    const std::set<double> mine = values(s, axis);
    if (mine.size() != 1) continue;
    for (const Suspects& other : s.others) {
      if (other.kind() != s.kind() || values(other, axis).size() < 2) continue;
      diagnostics
          .report(OneValueAxis, s.points.front()->range,
                  named(s, {{"axis", axis}, {"value", fmt::format("{:g}", *mine.begin())}}))
          .note(fmt::format("`{}` was sampled at {} values of it; shapes beyond this one are extrapolated",
                            other.series.label, values(other, axis).size()));
      break;
    }
  }
}

} // namespace planc::calibrate
