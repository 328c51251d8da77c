// The report of a sweep: text, JSON, CSV, Markdown and a picture.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/document/Document.h"
#include "search/Knees.h"
#include "search/Sweep.h"

#include <string>
#include <vector>

namespace planc::search {

/// A knee of a sweep's step time.
struct NamedKnee {
  Knee knee;
  std::string cause; ///< the text that `kneeCause` returns
};

/// A point of a sweep whose status (priced, fits in memory, rejected) differs from the status of the point before it.
struct SweepLimit {
  size_t point = 0; ///< index of the point
  std::string text; ///< `does not fit in memory from here on`
};

/// Two neighbouring points of a curve that have different critical stages.
struct StageChange {
  double from = 0, to = 0;      ///< values of the axis
  int64_t before = 0, then = 0; ///< critical stages at `from` and at `to`
};

struct SweepReport {
  std::string plan; ///< the plan as the user named it
  const Sweep* sweep = nullptr;
  std::vector<NamedKnee> knees = {};   ///< only for a sweep of one choice over quantities
  std::string scaling = {}, held = {}; ///< `strong` or `weak`, and a text about the batch; empty: no scaling
};

/// Returns the limits of a sweep of one choice, in the order of its points; empty for other sweeps.
std::vector<SweepLimit> sweepLimits(const Sweep& sweep);

/// Returns the flat ends of a curve over quantities; nullopt for other sweeps.
std::optional<FlatEnds> sweepFlatEnds(const Sweep& sweep);
std::vector<StageChange> stageChanges(const Sweep& sweep);

/// Returns the report as a document. The JSON member with its data is `sweep`, `strong` or `weak`.
report::Document sweepDocument(const SweepReport& report);
/// SVG of the first metric: a curve of one choice, whose values must be numbers, or a map of two.
std::string sweepPicture(const SweepReport& report);
/// SVG of the efficiencies of strong and weak scaling by devices.
std::string scalingPicture(const SweepReport& strong, const SweepReport& weak);

/// Returns the column name of a metric, which ends with the unit of the column: `step_time_s`.
std::string metricColumn(const verdict::Metric& metric);

} // namespace planc::search
