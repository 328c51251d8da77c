// The checks of samples by file, and what they share. `Checks.cpp` has a row for each.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/CheckThresholds.h"
#include "calibrate/fit/Checks.h"
#include "support/Quantity.h"

#include <array>
#include <vector>

namespace planc::calibrate {

inline constexpr std::array<Direction, 2> kDirections{Direction::Forward, Direction::Backward};

/// Arguments of a report, with the series and the device.
std::vector<DiagnosticArg> named(const Suspects& s, std::vector<DiagnosticArg> more);
inline std::string seconds(double v) {
  return formatQuantity(v, units::time);
}

// ChecksOfPart.cpp: compares times with the limits of the part.
void impossible(Suspects& s, DiagnosticEngine& diagnostics);
void backwardTooFast(Suspects& s, DiagnosticEngine& diagnostics);
void suspectUnit(Suspects& s, DiagnosticEngine& diagnostics);
void slowNetwork(Suspects& s, DiagnosticEngine& diagnostics);
void slowAttention(Suspects& s, DiagnosticEngine& diagnostics);

// ChecksOfSeries.cpp: compares times with other times of their series.
/// Many samples of very different sizes that take the same time, although the work of the largest alone would take
/// longer.
void constantTime(Suspects& s, DiagnosticEngine& diagnostics);
/// Sizes that take less than half of what smaller ones take: a part of their work was not timed.
void falling(Suspects& s, DiagnosticEngine& diagnostics);
/// Collectives of nearly one size that differ by more than a factor: other traffic, or memory that ran out.
void scattered(Suspects& s, DiagnosticEngine& diagnostics);
void wildRepeats(Suspects& s, DiagnosticEngine& diagnostics);
void copied(Suspects& s, DiagnosticEngine& diagnostics);

// ChecksOfShapes.cpp: checks what was sampled, whatever the times are.
/// Groups with different numbers of ranks on their nodes, because a row of a fabric cannot describe them.
void unevenGroup(Suspects& s, DiagnosticEngine& diagnostics);
void oneValue(Suspects& s, DiagnosticEngine& diagnostics);

} // namespace planc::calibrate
