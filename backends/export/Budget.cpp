// Counts slices by micro-batch.
// SPDX-License-Identifier: Apache-2.0
#include "backends/export/Budget.h"

#include "backends/export/Ranks.h"

#include <fmt/format.h>

namespace planc::exports {

namespace {

/// Returns how many micro-batches from either end of the list fit.
int64_t fitting(const std::vector<size_t>& sizes, size_t most) {
  size_t sum = 0;
  const auto count = static_cast<int64_t>(sizes.size());
  for (int64_t i = 0; 2 * i < count; ++i) {
    const int64_t other = count - 1 - i;
    sum += sizes[static_cast<size_t>(i)] + (other > i ? sizes[static_cast<size_t>(other)] : 0);
    if (sum > most) return i;
  }
  return count;
}

} // namespace

Shown::Shown(const ExportInput& input, size_t most) : microBatches_(input.line->microBatches) {
  const timeline::Timeline& line = *input.line;
  std::vector<size_t> times(line.stages.size()); // by stage: processes that show it
  for (const int64_t rank : input.ranks) ++times[static_cast<size_t>(stageOf(*input.schedule->program, rank))];
  const auto count = static_cast<size_t>(microBatches_);
  std::vector<size_t> full(count), passes(count);
  for (size_t s = 0; s < line.stages.size(); ++s)
    for (const timeline::StageSpan& span : line.stages[s].spans) {
      const int64_t mb = span.pass.microBatch;
      if (mb < 0 || mb >= microBatches_ || times[s] == 0) continue;
      constexpr size_t kAround = 4; // a pass: its micro-batch, a flow, counters
      passes[static_cast<size_t>(mb)] += kAround * times[s];
      if (span.detail == timeline::kNone) continue;
      const timeline::PassDetail& detail = line.details[span.detail];
      full[static_cast<size_t>(mb)] += (detail.layers.size() + 2 * detail.spans.size()) * times[s];
    }
  size_t all = 0;
  for (const size_t n : passes) all += n;
  passes_ = fitting(passes, most);
  full_ = fitting(full, most > all ? most - all : most / 4);
}

std::string Shown::text() const {
  if (passes_ == 0) return "all passes are joined; fewer devices show more";
  std::string text;
  if (full_ < microBatches_)
    text =
        full_ == 0 ? "no operators are shown" : fmt::format("operators of the first and last {} micro-batches", full_);
  if (passes_ < microBatches_)
    text += fmt::format("{}passes of the first and last {} micro-batches", text.empty() ? "" : ", ", passes_);
  return text.empty() ? text : fmt::format("{}, of {}", text, microBatches_);
}

} // namespace planc::exports
