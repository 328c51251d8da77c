// The time of a run in which devices fail, as functions of numbers alone (docs/cost-model.md, section 8).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace planc::cost {

/// In seconds.
struct RunTerms {
  double work = 0;        ///< of all steps together, at least one
  double mtbf = 0;        ///< mean time between failures of all devices together; 0: nothing fails
  double checkpoint = 0;  ///< training stands still for it
  double every = 0;       ///< of work between two checkpoints; 0: none are taken
  double restart = 0;     ///< from a failure until training goes on where it was saved
  double utilisation = 1; ///< share of the time in which the job runs at all
  /// Work of one segment: a run shorter than the interval is one.
  double segment() const { return every > 0 ? std::min(every, work) : work; }
};

/// What becomes of the time; the parts add up to it.
struct RunTimes {
  double productive = 0;    ///< steps that count
  double checkpointing = 0; ///< checkpoints that were finished
  double lost = 0;          ///< work and checkpoints that a failure undid
  double restarting = 0;
  double unused = 0; ///< the job does not run
  double checkpoints = 0, failures = 0;
  double time() const { return productive + checkpointing + lost + restarting + unused; }
  double goodput() const { return productive / time(); }
};
RunTimes runTimes(const RunTerms& terms);

/// The interval that loses least, to first order in checkpoint / mtbf (Young 1974; Daly 2006 gives higher orders).
double bestInterval(double checkpoint, double mtbf);

} // namespace planc::cost
