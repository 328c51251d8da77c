// The slices of one instance of a class that runs alone, for an observer.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Segments.h"

#include <vector>

namespace planc::cost {

/// The tasks of one instance in one direction. Operators follow each other as in the segment; waits for the host are at
/// the end, divided as they are booked.
class InstanceSlices {
public:
  /// `cost`: of the class with this id. `kind`: the pass; the halves of a backward pass have tasks of their own.
  InstanceSlices(const ir::Schedule& schedule, const ClassCost& cost, ir::LayerClassId id, ir::ActionKind kind);

  double seconds() const { return seconds_; }
  /// Passes the slices of an instance that begins at `at`.
  void tell(SliceObserver& observer, double at) const;
  /// The same for an instance of `share` of the seconds, in order, whose computing loses `slowed` of each second to
  /// concurrent communication, without its waits for the host. Only for instances without overlap.
  void tellInOrder(SliceObserver& observer, double at, double share, double slowed) const;
  /// Passes `seconds` of waiting for the host from `at` on.
  void tellLaunches(SliceObserver& observer, double at, double seconds) const;

private:
  struct OrderedTask {
    ir::NodeIndex node = 0;
    uint32_t port = 0; ///< number of the comm stream of a collective
    bool communicates = false;
    double seconds = 0;
  };
  void runOnStreams(const ir::Schedule& schedule, const ir::Segment& segment, const SegmentCost& cost);

  Slice head_; ///< class and action of all slices
  double seconds_ = 0, padding_ = 0;
  std::vector<OrderedTask> tasks_;                         ///< without overlap
  std::vector<Slice> spent_, moved_;                       ///< with overlap: of the compute stream, of comm streams
  std::vector<std::pair<ir::NodeIndex, double>> launches_; ///< seconds by node
};

} // namespace planc::cost
