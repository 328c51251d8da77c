// Which operators of PyTorch are samples of which kind: a table by name, and how shapes are read off their operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/KinetoTrace.h"
#include "calibrate/Sample.h"

namespace planc::calibrate {

/// What an operator of a trace measures. The sample has no times yet.
struct TraceMeaning {
  Sample sample;
  bool backward = false; ///< its time is (a part of) the backward time
};

/// Whether the table has this name.
bool isKnownOperator(Symbol name);
/// The meaning of an operator; nothing if its operands are not what its row expects (broadcasts, unknown types, no
/// extents).
std::optional<TraceMeaning> meaningOf(const TraceOp& op);
/// The meaning of a message of NCCL; `perNode` GPUs stand in a node. Nothing for collectives that no plan has.
std::optional<Sample> meaningOf(const TraceMessage& message, size_t perNode);

} // namespace planc::calibrate
