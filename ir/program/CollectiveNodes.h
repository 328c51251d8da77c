// The nodes of what communicates outside of the lists of a class: fused collectives of states, transfers between stages
// and what is gathered behind them, sums over stages.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

namespace planc::ir {

/// A fused collective of the states of one layer.
inline Node collectiveNode(const StateCollective& state) {
  Node node({.phase = state.phase}, std::in_place_type<Collective>);
  Collective& c = node.collective();
  c.kind = state.collective;
  c.cls = state.cls;
  c.axes = state.axes;
  c.group = state.group;
  c.bytes = state.bytes;
  c.level = state.level;
  c.because = state.because;
  return node;
}

/// What a virtual stage sends of a value to the next one. It runs over no axis: two devices take part.
inline Node transferNode(const StageKind& from, const Boundary& boundary) {
  Node node({}, std::in_place_type<Collective>);
  Collective& c = node.collective();
  c.value = boundary.value;
  c.kind = CollectiveKind::SendRecv;
  c.cls = CollectiveClass::Pipeline;
  c.group = 2;
  c.bytes = boundary.bytes;
  c.level = from.level;
  return node;
}

/// What gathers a value that crossed in slices; of a boundary with `scatter`.
inline Node gatherNode(const Boundary& boundary) {
  return {{}, boundary.gather};
}

/// The sum of a gradient over stages.
inline Node sumNode(const StageGroup& group) {
  return {{.phase = Phase::Step}, group.allReduce};
}

} // namespace planc::ir
