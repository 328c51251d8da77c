// A sweep: the points of a space of one or two choices, each with the metrics of its plan or the law that forbids it
// (docs/sweep.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/verdict/Verdict.h"
#include "search/Candidates.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::search {

/// One axis of a sweep: the values of a choice as numbers.
struct SweepAxis {
  size_t choice = 0;      ///< index of the choice in the space
  std::string path;       ///< the first path of the choice
  Unit unit{};            ///< unit of all values
  std::vector<double> at; ///< in base units, by value of the choice; empty if one is not a number
  bool whole = false;     ///< all values are whole numbers without a unit, so no value lies between two neighbours
  bool numeric() const { return !at.empty(); }
};

/// One point of a sweep.
struct SweepPoint {
  std::vector<uint32_t> digits = {}; ///< index of the value of each choice of the space
  bool priced = false;
  bool fits = false;        ///< it fits in memory
  int code = 0;             ///< code of the law that forbids it; 0: priced, or no whole number of ranks is left
  std::string message = {}; ///< the message of that law
  std::vector<std::optional<double>> values = {}; ///< by metric, in base units; nothing if the metric has no meaning
  double stepTime = 0, peak = 0, capacity = 0;    ///< s, bytes
  double work = 0;                                ///< samples per second
  std::optional<int64_t> filled = {};             ///< ranks of the filled axis, if they are whole
  int64_t devices = 0, globalBatch = 0;           ///< also set without a price, if the text could be elaborated
  bool trains = false;                            ///< also set without a price, if the text could be elaborated
  std::string section = {};                       ///< name of the workload section: `train`
  int64_t critical = 0;                           ///< index of the stage that determines the step
};

struct Sweep {
  const ir::Space* space = nullptr;
  std::vector<SweepAxis> axes; ///< one or two, in the order in which they were written
  std::vector<const verdict::Metric*> metrics;
  std::vector<SweepPoint> points; ///< sorted by the values of the first axis, then of the second
  /// Returns `mesh.dp`; empty if no axis is filled.
  std::string filledPath() const { return space->fill ? "mesh." + space->fill->str() : std::string(); }
  /// Returns the number of a point on an axis. The choice of the axis must be numeric.
  double at(const SweepPoint& point, size_t axis = 0) const { return axes[axis].at[point.digits[axes[axis].choice]]; }
};

/// Returns the points of a curve in ascending order, each value once. Only a sweep of one choice over quantities is a
/// curve; other sweeps give an empty list.
std::vector<const SweepPoint*> curvePoints(const Sweep& sweep);

/// A point relative to the first point that has a price: work per second, and work per second and device.
struct ScaledPoint {
  double speedup = 0, efficiency = 0; ///< 0 without a price
};
std::vector<ScaledPoint> scaledPoints(const Sweep& sweep);

/// Returns the choices of a space in the order in which they were written.
std::vector<SweepAxis> sweepAxes(const ir::Space& space);

/// A candidate as a settled plan, with its full estimate.
struct PricedPlan {
  std::unique_ptr<ir::Plan> plan;           ///< null if a law forbids it, or no whole number of ranks is left
  std::unique_ptr<cost::Estimate> estimate; ///< null if a law forbids it
};
PricedPlan pricedPlan(Candidates& candidates, ir::CandidateId id, DiagnosticEngine& diagnostics);

/// Prices all points, each bit-identical to its plan alone. The plan's own goals and conditions are ignored.
Sweep sweep(const ir::Space& space, Candidates& candidates, std::vector<const verdict::Metric*> metrics);

} // namespace planc::search
