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

/// The values of a choice as numbers.
struct SweepAxis {
  size_t choice = 0;      ///< of the space
  std::string path;       ///< its first
  Unit unit{};            ///< of all values
  std::vector<double> at; ///< by value of the choice, in base units; empty where one is no number
  bool whole = false;     ///< all are whole numbers without a unit: there is nothing between two of them
  bool numeric() const { return !at.empty(); }
};

/// One point.
struct SweepPoint {
  std::vector<uint32_t> digits = {}; ///< the value of each choice of the space
  bool priced = false;
  bool fits = false; ///< in memory
  int code = 0;      ///< of the law that forbids it; 0 of a point without a price: the rest of the devices is not whole
  std::string message = {};                       ///< what it says
  std::vector<std::optional<double>> values = {}; ///< by metric, in base units; nothing without a meaning
  double stepTime = 0, peak = 0, capacity = 0;    ///< s, bytes
  double work = 0;                                ///< samples per second
  std::optional<int64_t> filled = {};             ///< ranks of the axis that the space fills, where they are whole
  int64_t devices = 0, globalBatch = 0;           ///< also of one that is not priced, where its text could be read
  bool trains = false;                            ///< idem
  std::string section = {};                       ///< of the workload: `train`
  int64_t critical = 0;                           ///< the stage that sets the step
};

struct Sweep {
  const ir::Space* space = nullptr;
  std::vector<SweepAxis> axes; ///< one or two, in the order in which they were written
  std::vector<const verdict::Metric*> metrics;
  std::vector<SweepPoint> points; ///< in the order of the values of the first axis, then of the second
  /// `mesh.dp`; empty where nothing is filled.
  std::string filledPath() const { return space->fill ? "mesh." + space->fill->str() : std::string(); }
  /// The number of a point on an axis; its choice must be numeric.
  double at(const SweepPoint& point, size_t axis = 0) const { return axes[axis].at[point.digits[axes[axis].choice]]; }
};

/// The points of a curve, ascending, each value once: of one choice by itself over quantities. None of other sweeps;
/// between whole numbers there is nothing.
std::vector<const SweepPoint*> curvePoints(const Sweep& sweep);

/// A point beside the first that has a price: work per second, and that by devices.
struct ScaledPoint {
  double speedup = 0, efficiency = 0; ///< of points with a price
};
std::vector<ScaledPoint> scaledPoints(const Sweep& sweep);

/// The choices of a space in the order in which they were written.
std::vector<SweepAxis> sweepAxes(const ir::Space& space);

/// A candidate as its plan by itself is, settled, with its whole estimate.
struct PricedPlan {
  std::unique_ptr<ir::Plan> plan;           ///< null: a law forbids it, or the rest of the devices is not whole
  std::unique_ptr<cost::Estimate> estimate; ///< null: a law forbids it
};
PricedPlan pricedPlan(Candidates& candidates, ir::CandidateId id, DiagnosticEngine& diagnostics);

/// Prices all points, each as its plan by itself is. `terms` of the plan are not asked.
Sweep sweep(const ir::Space& space, Candidates& candidates, std::vector<const verdict::Metric*> metrics);

} // namespace planc::search
