// Nodes for communication outside of the node lists of a class: fused state collectives, transfers between stages,
// gathers after transfers, and sums over stages.
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

/// The transfer of a value from a virtual stage to the next one. Two devices take part; it runs over no axis.
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

/// The gather of a value that was transferred in slices. Requires a boundary with `scatter`.
inline Node gatherNode(const Boundary& boundary) {
  return {{}, boundary.gather};
}

/// The sum of a gradient over stages.
inline Node sumNode(const StageGroup& group) {
  return {{.phase = Phase::Step}, group.allReduce};
}

} // namespace planc::ir
