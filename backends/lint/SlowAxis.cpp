// Slow axis: communication that a pass waits for crosses a level of the cluster much slower than a level inside it.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Lints.h"
#include "support/Quantity.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace planc::lint {

PLANC_WARNING(SlowAxis, 1172,
              "{share} of the step is exposed communication of `{axis}` across `{level}`, at {rate} per device",
              Reached::Priced)

namespace {

/// Least share of the step for a warning, as for a bubble. The rest of the step is computing or hidden communication.
constexpr double kExposedShare = 0.2;
/// A level counts as slow below this share of the rate of a level inside it. If levels are nearly alike, the choice of
/// the axis does not matter.
constexpr double kSlowRate = 0.5;

struct Crossing {
  double onPath = 0;
  int64_t group = 1;
  const cost::CollectiveRow* most = nullptr; ///< the row with the longest time
};

/// Returns the index of the fastest level inside `level`; null if it is not much faster.
std::optional<size_t> fasterInside(const ir::Cluster& cluster, size_t level) {
  size_t fastest = 0;
  for (size_t l = 1; l < level; ++l)
    if (cluster.levels[l].rate() > cluster.levels[fastest].rate()) fastest = l;
  const bool slow = level > 0 && cluster.levels[level].rate() > 0 &&
                    cluster.levels[level].rate() < kSlowRate * cluster.levels[fastest].rate();
  return slow ? std::optional(fastest) : std::nullopt;
}

/// Returns the place where the outermost axis of a row is written, because that axis puts its ranks far apart.
SourceRange placeOf(const Subject& subject, ir::AxisMask axes) {
  const ir::Mesh& mesh = subject.program.mesh;
  const ir::AxisList list = mesh.list(axes); // major axis first
  const SourceRange range = list.empty() ? SourceRange{} : mesh.axes[list.front()].range;
  return range.valid() ? range : subject.plan().meshRange;
}

void report(const Subject& subject, const std::string& axis, const Crossing& crossing, size_t level, size_t inside,
            DiagnosticEngine& diagnostics) {
  const ir::Plan& plan = subject.plan();
  const ir::Cluster& cluster = *plan.cluster;
  const std::string fast = cluster.levels[inside].name.str();
  const int64_t room = subject.program.mesh.levelSizes[inside];
  auto built = diagnostics.report(SlowAxis, placeOf(subject, crossing.most->axes),
                                  {{"share", percent(crossing.onPath / subject.estimate.totals.stepTime)},
                                   {"axis", axis},
                                   {"level", cluster.levels[level].name.str()},
                                   {"rate", formatQuantity(cluster.levels[level].rate(), units::bandwidth)}});
  if (crossing.most->because.valid()) built.label(crossing.most->because, "most of it comes from here");
  built.note(fmt::format("{} of {}; `{}` has {} per device for {} devices, the group has {}", seconds(crossing.onPath),
                         seconds(subject.estimate.totals.stepTime), fast,
                         formatQuantity(cluster.levels[inside].rate(), units::bandwidth), room, crossing.group));
  if (crossing.group <= room)
    built.help(
        fmt::format("it fits into a `{}`: write it before the other axes of `mesh`, or `within {}`", fast, fast));
  else
    built.help(
        fmt::format("let it span at most {} devices, inside of a `{}`, and use another axis for the rest", room, fast));
}

} // namespace

/// Only exchanges and activations count: a pass waits for them in place, while states and gradients can move earlier or
/// later.
void warnOfSlowAxes(const Subject& subject, DiagnosticEngine& diagnostics) {
  const ir::Plan& plan = subject.plan();
  const cost::Totals& t = subject.estimate.totals;
  if (!plan.cluster) return;
  std::map<std::pair<std::string, size_t>, Crossing> crossings; // by axes, as they are written, and level
  for (const cost::CollectiveRow& row : subject.estimate.collectives) {
    if (row.cls != ir::CollectiveClass::Exchange && row.cls != ir::CollectiveClass::Activation) continue;
    if (!row.levelIndex) continue;
    Crossing& to = crossings[{row.axis, *row.levelIndex}];
    to.onPath += row.onPath;
    to.group = std::max(to.group, row.group);
    if (!to.most || row.onPath > to.most->onPath) to.most = &row;
  }
  for (const auto& [where, crossing] : crossings) {
    if (crossing.onPath <= kExposedShare * t.stepTime) continue;
    const auto& [axis, level] = where;
    if (const auto inside = fasterInside(*plan.cluster, level))
      report(subject, axis, crossing, level, *inside, diagnostics);
  }
}

} // namespace planc::lint
