// What a sweep found, as text, JSON, CSV, Markdown and a picture.
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
  std::string cause; ///< as `kneeCause` says it
};

/// Where neighbours of a curve meet different fates.
struct SweepLimit {
  size_t point = 0; ///< the second of the two
  std::string text; ///< `does not fit in memory from here on`
};

/// Another stage is the critical one between two neighbours of a curve.
struct StageChange {
  double from = 0, to = 0;      ///< values of the axis
  int64_t before = 0, then = 0; ///< stages
};

struct SweepReport {
  std::string plan; ///< as it was asked for
  const Sweep* sweep = nullptr;
  std::vector<NamedKnee> knees = {};   ///< of one choice whose values are no whole numbers
  std::string scaling = {}, held = {}; ///< `strong`, `weak`, and what is said of the batch; empty: no scaling
};

/// Of a sweep of one choice, in the order of its points.
std::vector<SweepLimit> sweepLimits(const Sweep& sweep);

/// Of a curve over quantities, whose slopes knees are those of; nothing of others.
std::optional<FlatEnds> sweepFlatEnds(const Sweep& sweep);
std::vector<StageChange> stageChanges(const Sweep& sweep);

/// The member of its data is `sweep`, or the kind of scaling.
report::Document sweepDocument(const SweepReport& report);
/// SVG of the first metric: a curve of one choice, whose values must be numbers, or a map of two.
std::string sweepPicture(const SweepReport& report);
/// SVG of the efficiencies of strong and weak scaling by devices.
std::string scalingPicture(const SweepReport& strong, const SweepReport& weak);

/// `step_time_s`: a metric with the unit that columns have it in.
std::string metricColumn(const verdict::Metric& metric);

} // namespace planc::search
