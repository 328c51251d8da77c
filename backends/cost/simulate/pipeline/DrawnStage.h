// The account of a stage in the reference of the pipeline simulation. All booked seconds are also drawn as slices.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Slices.h"
#include "backends/cost/simulate/pipeline/Pipeline.h"

#include <algorithm>
#include <array>
#include <limits>

namespace planc::cost {

/// The progress of one device stage. On its compute stream each slice begins where the previous slice ends.
class DrawnStage {
public:
  StageTimes times;
  double portWaits = 0; ///< seconds of waiting while its port sends; booked when the step has ended

  DrawnStage(int64_t number, double begin, SliceObserver* observer)
      : number_(number), drawn_(begin), observer_(observer) {
    times.begin = begin;
    for (Slice& none : open_) none.begin = std::numeric_limits<double>::infinity();
  }
  double drawn() const { return drawn_; }

  void idle(double seconds) {
    times.idle += std::max(0.0, seconds);
    draw({.kind = SliceKind::Idle}, seconds);
  }
  void busy(const Slice& slice, double seconds) {
    times.busy += seconds;
    draw(slice, seconds);
  }
  /// Books seconds that hold the stage. `hold`: index in `times.holds` of the virtual stage on whose behalf it is
  /// held.
  void held(size_t hold, Cause cause, double seconds) {
    if (!(seconds > 0)) return;
    HeldStage& by = times.holds[hold];
    by.booked[cause] += seconds;
    draw({.kind = SliceKind::Held, .cause = cause, .virtualStage = by.virtualStage}, seconds);
  }
  void waitForPort(double seconds) {
    portWaits += seconds;
    draw({.kind = SliceKind::WaitsForPort}, seconds);
  }
  /// Divides a wait for communication that was left behind. The seconds that transfers added to that communication
  /// (`sends`) are booked as waits for the port. Returns the remaining seconds.
  double waitForSends(double& sends, double waits) {
    const double taken = std::min(waits, sends);
    sends -= taken;
    waitForPort(taken);
    return waits - taken;
  }
  /// A comm stream begins the slice `next` at `begin`. Its previous slice ends at `until`, or at `begin` if that is
  /// sooner.
  void communicate(StageStream stream, double until, Slice next, double begin) {
    Slice& open = open_[static_cast<size_t>(stream)];
    open.end = std::min(until, begin);
    if (observer_ && open.end > open.begin) observer_->observe(open);
    open = next, open.begin = open.end = begin;
    open.kind = SliceKind::Communication, open.stage = number_, open.stream = static_cast<uint32_t>(stream);
  }
  /// The last action has ended. The sum of the slices may be smaller by rounding.
  void endAction(double end) { drawn_ = std::max(drawn_, end); }

private:
  void draw(Slice slice, double seconds) {
    slice.stage = number_, slice.begin = drawn_, slice.end = drawn_ += std::max(0.0, seconds);
    if (observer_ && slice.end > slice.begin) observer_->observe(slice);
  }

  int64_t number_;
  double drawn_; ///< end of the last slice of the compute stream
  SliceObserver* observer_;
  std::array<Slice, 5> open_; ///< by stream: the last slice of a comm stream, whose end may still move
};

} // namespace planc::cost
