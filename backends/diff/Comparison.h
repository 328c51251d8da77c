// Several plans beside each other: which is best, by what measure, and what sets the others apart from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Attribution.h"
#include "backends/diff/Ratio.h"
#include "support/Diagnostics.h"

#include <vector>

namespace planc::diff {

/// The work of one step in tokens, or in samples if the model counts no tokens.
double workOf(const Side& side);

/// What is compared: the least that makes the plans comparable.
enum class Measure {
  Step,         ///< all steps do the same work on as many devices
  Work,         ///< time per token, or per sample where nothing counts tokens
  DevicesByWork ///< the same, times devices
};

/// One plan of a comparison.
struct Entry {
  Side side;
  Ratio ratio;       ///< over the best
  Attribution parts; ///< beside the best, in seconds of its step
};

struct Comparison {
  std::vector<Entry> entries; ///< in the order given
  size_t best = 0;            ///< the least by the measure, of those that fit if any does
  Measure measure = Measure::Step;
  bool tokens = true; ///< work is counted in tokens, else in samples
};

/// Compares plans that are priced. At least two, and all or none count tokens; else nothing, which is reported.
std::optional<Comparison> compare(const std::vector<Side>& plans, DiagnosticEngine& diagnostics);

} // namespace planc::diff
