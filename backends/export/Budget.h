// How much of a step an export shows: all micro-batches in full, or the first and the last ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/export/Export.h"

namespace planc::exports {

/// What is shown of each micro-batch.
class Shown {
public:
  /// Counts the slices of the ranks, and unfolds as many micro-batches from both ends of the step as `most` slices
  /// allow.
  Shown(const ExportInput& input, size_t most);

  /// Layers and operators of its passes are shown.
  bool inFull(int64_t microBatch) const { return near(microBatch, full_); }
  /// Its passes are shown; the passes of other micro-batches are joined.
  bool asPass(int64_t microBatch) const { return near(microBatch, passes_); }
  bool inFull(const timeline::StageSpan& span) const { return inFull(span.pass.microBatch); }
  /// Returns what is left out, as a sentence; empty if everything is shown.
  std::string text() const;

private:
  bool near(int64_t microBatch, int64_t count) const {
    return microBatch < count || microBatch >= microBatches_ - count;
  }
  int64_t microBatches_, full_, passes_; ///< micro-batches at either end
};

} // namespace planc::exports
