// The time of a run in which devices fail, as functions of numbers alone (docs/cost-model.md, section 8).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace planc::cost {

/// Parameters of a run, in seconds.
struct RunTerms {
  double work = 0;        ///< all steps together, at least one
  double mtbf = 0;        ///< mean time between failures of all devices together; 0: nothing fails
  double checkpoint = 0;  ///< pause of training while a checkpoint is saved
  double every = 0;       ///< work between two checkpoints; 0: no checkpoints
  double restart = 0;     ///< from a failure until training goes on from the last checkpoint
  double utilisation = 1; ///< share of the time in which the job runs
  /// Returns the work of one segment: the interval, or the whole run if it is shorter.
  double segment() const { return every > 0 ? std::min(every, work) : work; }
};

/// The time of a run by use, in seconds; the parts add up.
struct RunTimes {
  double productive = 0;    ///< steps that count
  double checkpointing = 0; ///< completed checkpoints
  double lost = 0;          ///< work and checkpoints that failures undid
  double restarting = 0;
  double unused = 0; ///< time in which the job does not run
  double checkpoints = 0, failures = 0;
  double time() const { return productive + checkpointing + lost + restarting + unused; }
  double goodput() const { return productive / time(); }
};
/// Returns the expected time of a run by use.
RunTimes runTimes(const RunTerms& terms);

/// Returns the interval with the least loss, to first order in checkpoint / mtbf (Young 1974; Daly 2006 gives higher
/// orders).
double bestInterval(double checkpoint, double mtbf);

} // namespace planc::cost
