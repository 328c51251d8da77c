// The nodes of what communicates outside of the lists of a class: fused collectives of states, and transfers between
// stages. Boundaries and stage groups hold those of their gathers and sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Program.h"

namespace planc::ir {

/// A fused collective of the states of one layer.
inline Node collectiveNode(const StateCollective& state) {
  Node node;
  node.kind = NodeKind::Collective;
  node.phase = state.phase;
  node.collective = state.collective;
  node.cls = state.cls;
  node.axes = state.axes;
  node.group = state.group;
  node.bytes = state.bytes;
  node.level = state.level;
  node.because = state.because;
  return node;
}

/// What a virtual stage sends of a value to the next one. It runs over no axis: two devices take part.
inline Node transferNode(const StageKind& from, const Boundary& boundary) {
  Node node;
  node.kind = NodeKind::Collective;
  node.collective = CollectiveKind::SendRecv;
  node.cls = CollectiveClass::Pipeline;
  node.value = boundary.value;
  node.group = 2;
  node.bytes = boundary.bytes;
  node.level = from.level;
  return node;
}

} // namespace planc::ir
