// Checks the laws of a timeline (docs/export.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "backends/timeline/Timeline.h"

#include <string>
#include <vector>

namespace planc::timeline {

/// Compares a timeline with the estimate of the same plan, rows included. Returns what differs by more than 1e-9 of the
/// step: slices of a stream that overlap, sums of a stage or of a row, a slice that begins before what it waits for has
/// ended, the highest point of memory. A finding is a bug in planc.
std::vector<std::string> verify(const Timeline& line, const cost::Estimate& estimate);

} // namespace planc::timeline
