// Is a series of samples possible at all? A table of checks, one row each; what fails for good is kept out of the fits.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"
#include "support/Diagnostics.h"

#include <set>

namespace planc::calibrate {

/// The samples of one series, and what the checks have found out about them so far.
class Suspects {
public:
  Suspects(const Part& of, const Series& s, Points samples, const std::vector<Suspects>& all,
           const SourceManager& texts)
      : part(of), series(s), points(std::move(samples)), others(all), sources(texts) {}

  const Part& part;
  const Series& series;
  Points points;
  const std::vector<Suspects>& others; ///< of the same device; itself among them
  const SourceManager& sources;

  Kind kind() const { return points.front()->kind; }
  /// Measured in a direction, and not taken out by a check before.
  Points good(Direction d) const;
  void exclude(const Sample* s, Direction d) { bad_.insert({s, d}); }
  bool usable(const Sample* s, Direction d) const { return !bad_.count({s, d}); }
  size_t excluded() const { return bad_.size(); }

private:
  std::set<std::pair<const Sample*, Direction>> bad_;
};

/// One row: what it finds is a warning with a page of its own. `excludes`: flagged samples are not fitted.
struct Check {
  std::string_view name;
  std::string_view about; ///< one line for people
  bool excludes;
  void (*run)(Suspects& suspects, DiagnosticEngine& diagnostics);
};
/// In the order in which they run.
std::span<const Check> checks();

} // namespace planc::calibrate
