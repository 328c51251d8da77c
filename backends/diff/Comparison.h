// A comparison of several plans: which is best, by which measure, and how the other plans differ from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Attribution.h"
#include "backends/diff/Ratio.h"
#include "support/Diagnostics.h"

#include <vector>

namespace planc::diff {

/// Returns the work of one step in tokens, or in samples if the model counts no tokens.
double workOf(const ComparedEstimate& side);

/// The measure of a comparison: the simplest measure that makes the plans comparable.
enum class Measure {
  Step,         ///< all steps do the same work on as many devices
  Work,         ///< time per token, or per sample if no model counts tokens
  DevicesByWork ///< time per token or sample, times devices
};

/// One plan of a comparison.
struct Entry {
  ComparedEstimate side;
  Ratio ratio;       ///< ratio to the best plan
  Attribution parts; ///< difference from the best plan, in seconds of its step
};

/// The result of a comparison.
struct Comparison {
  std::vector<Entry> entries; ///< in the given order
  size_t best = 0;            ///< index of the plan with the least measure, of the plans that fit if any plan fits
  Measure measure = Measure::Step;
  bool tokens = true; ///< work is counted in tokens, otherwise in samples
};

/// Compares priced plans. Returns null, with a diagnostic, if there are fewer than two plans or if only some count
/// tokens.
std::optional<Comparison> compare(const std::vector<ComparedEstimate>& plans, DiagnosticEngine& diagnostics);

} // namespace planc::diff
