// What a sweep's own points do not say: plans between them, and plans with other batches.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Searches.h"
#include "report/search/SweepReport.h"

#include <string>
#include <vector>

namespace planc::api {

/// Knees of the step time over one choice of one path, whose values are numbers that have others in between; empty for
/// other sweeps. The sweep is that of a search of the file with this choice of a plan and these words, of which the
/// choices are replaced.
std::vector<search::NamedKnee> knees(PlanFile& file, const std::string& choice, const ir::SearchWords& words,
                                     const search::Sweep& sweep);

/// Warnings of the plan as it is written, then of points, each code once, with the point where it first arose. Of many
/// points a few hundred are looked at, evenly.
DiagnosticEngine sweepWarnings(Search& search, const search::Sweep& sweep);

/// Strong and weak scaling: the points of a sweep of one choice, with the global batch of the first one, and with one
/// that grows with the devices. Lives at one place.
struct Scaling {
  PlanFile file; ///< the same text, in which nothing but the choice sets the batch: it reports errors of the searches
  std::unique_ptr<Search> strongSearch, weakSearch; ///< null after errors
  search::Sweep strong, weak;
  std::string path;  ///< `train.global_batch`
  int64_t batch = 0; ///< of the first point
};
/// `along`: the sweep of the plan as its text has it; one of its points at least is a plan that trains.
std::unique_ptr<Scaling> scaling(const PlanFile& file, const Search& search, const std::string& choice,
                                 const ir::SearchWords& words, const search::Sweep& along,
                                 const std::vector<const verdict::Metric*>& metrics);

} // namespace planc::api
