// Checks whether a series of samples is plausible. Each check is a row of a table; some exclude samples from the fits.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"
#include "support/Diagnostics.h"

#include <set>

namespace planc::calibrate {

/// The samples of one series, and the samples that checks have excluded so far.
class Suspects {
public:
  Suspects(const Part& of, const Series& s, Points samples, const std::vector<Suspects>& all,
           const SourceManager& texts)
      : part(of), series(s), points(std::move(samples)), others(all), sources(texts) {}

  const Part& part;
  const Series& series;
  Points points;
  const std::vector<Suspects>& others; ///< all series of the device, including this one
  const SourceManager& sources;

  Kind kind() const { return points.front()->kind; }
  /// Returns the samples that were measured in a direction and not excluded yet.
  Points good(Direction d) const;
  void exclude(const Sample* s, Direction d) { bad_.insert({s, d}); }
  bool usable(const Sample* s, Direction d) const { return !bad_.count({s, d}); }
  size_t excluded() const { return bad_.size(); }

private:
  std::set<std::pair<const Sample*, Direction>> bad_;
};

/// One check. Its findings are warnings with a documentation page. `excludes`: flagged samples are not fitted.
struct Check {
  std::string_view name;
  std::string_view about; ///< one-line description
  bool excludes;
  void (*run)(Suspects& suspects, DiagnosticEngine& diagnostics);
};
/// All checks, in the order in which they run.
std::span<const Check> checks();

} // namespace planc::calibrate
