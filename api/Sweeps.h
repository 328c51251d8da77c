// Prices plans beyond the points of a sweep: plans between the points, and plans with scaled batches.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Searches.h"
#include "report/search/SweepReport.h"

#include <string>
#include <vector>

namespace planc::api {

/// Finds knees of the step time in a sweep of one path whose values are numbers and not whole counts; returns an empty
/// list for other sweeps. `choice` and `words` must be those of the search that made `sweep`; the choices of `words`
/// are replaced.
std::vector<search::NamedKnee> knees(PlanFile& file, const std::string& choice, const ir::SearchWords& words,
                                     const search::Sweep& sweep);

/// Returns the warnings of the plan as written, then those of the sweep's points. Each code appears once, with the
/// point where it arose first. At most 200 points, evenly spaced, are examined.
DiagnosticEngine sweepWarnings(Search& search, const search::Sweep& sweep);

/// Strong and weak scaling of a sweep of one choice: the same points with the global batch of the first point, and with
/// a global batch that grows with the number of devices. Do not move it, because the searches refer to `file`.
struct Scaling {
  PlanFile file; ///< the same text without overrides of the batch; reports the errors of both searches
  std::unique_ptr<Search> strongSearch, weakSearch; ///< null after errors
  search::Sweep strong, weak;
  std::string path;  ///< `train.global_batch`
  int64_t batch = 0; ///< global batch of the first point, in samples
};
/// `along`: the sweep of the plan as written. At least one of its points must be a plan that trains.
std::unique_ptr<Scaling> scaling(const PlanFile& file, const Search& search, const std::string& choice,
                                 const ir::SearchWords& words, const search::Sweep& along,
                                 const std::vector<const verdict::Metric*>& metrics);

} // namespace planc::api
