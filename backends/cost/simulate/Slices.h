// The interface of an observer of the simulations, which receives the work of device streams slice by slice.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Orders.h"

#include <cstdint>

namespace planc::cost {

enum class Cause : uint8_t;

enum class SliceKind : uint8_t {
  Pass,          ///< a forward or backward pass computes
  Pair,          ///< a forward pass and a backward pass compute together
  Idle,          ///< the stage waits for another stage
  Held,          ///< the compute stream is held, or slowed, by `cause`
  WaitsForPort,  ///< the compute stream waits while the port of the stage sends
  Communication, ///< a comm stream communicates, for `cause`
  Task,          ///< a task of a pass, on a stream of one device
  Waits,         ///< the compute stream waits for a task of a comm stream
  Launches,      ///< the compute stream waits for the host
};

/// The streams of a stage of the pipeline. Slices of tasks number their streams in the order of `Streams` or `Tracks`.
enum class StageStream : uint32_t {
  Compute,
  Sends,      ///< transfers to other stages
  Tails,      ///< communication of states that runs on after a pass
  Gathers,    ///< gathers of the step's new parameters
  Reductions, ///< reductions of the step's gradients
};

/// Something that a stream does from `begin` to `end`, in seconds. -1: the field does not apply.
struct Slice {
  SliceKind kind = SliceKind::Idle;
  ir::ActionKind action = ir::ActionKind::Forward; ///< kind of the pass, or of the pass that the task belongs to
  Cause cause{};
  uint32_t stream = 0;
  int64_t stage = 0;
  int64_t virtualStage = -1, microBatch = -1;
  int64_t pairedVirtualStage = -1, pairedMicroBatch = -1; ///< virtual stage and micro-batch of a pair's backward pass
  int64_t layerClass = -1;                                ///< class of the layer that a task belongs to
  int64_t state = -1;                                     ///< state of the class that a task moves
  int64_t task = -1;                                      ///< node that a task runs, or the tag that it was added with
  double begin = 0, end = 0;
  double slowed = 0;          ///< seconds that computing loses to concurrent communication
  double together = 1;        ///< share of its full saving that a pair reaches
  bool backwardFirst = false; ///< the backward pass of a pair begins first
};

/// Receives slices. The slices of one stream come in order and never overlap. A simulation without an observer spends
/// no time on slices.
class SliceObserver {
public:
  virtual ~SliceObserver() = default;
  virtual void observe(const Slice& slice) = 0;
  /// Receives the seconds of a pass's compute stream as they are booked: `Task` computes, `Held` is the inline share of
  /// a collective, `Waits` names the collective that runs meanwhile, `Launches` the operator that the host launches.
  virtual void spend(const Slice&) {}
  /// The next layer of a pass, an instance of `layerClass`, begins.
  virtual void beginLayer(int64_t, double) {}
};

} // namespace planc::cost
