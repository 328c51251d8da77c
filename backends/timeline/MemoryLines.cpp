// Places the bytes of actions in time.
// SPDX-License-Identifier: Apache-2.0
#include "backends/timeline/MemoryLines.h"

#include <algorithm>
#include <limits>

namespace planc::timeline {

double MemoryPoint::sum() const {
  double sum = 0;
  for (const double b : bytes) sum += b;
  return sum;
}

void MemoryLines::beginStage(int64_t stage, const cost::SteadyBytes& steady) {
  finish();
  stage_ = &line_.stages[static_cast<size_t>(stage)], steady_ = steady;
  passes_.clear();
  const auto add = [&](const PassRef& pass, const StageSpan& span) {
    if (pass.microBatch < 0) return;
    const auto [place, fresh] = passes_.try_emplace(pass.key(), Interval{span.begin, span.end});
    if (!fresh) place->second.end = span.end;
  };
  for (size_t i = 0; i < stage_->computing; ++i)
    if (const StageSpan& span = stage_->spans[i]; span.detail != kNone) add(span.pass, span), add(span.paired, span);
  at_ = stage_->begin;
  note(at_, idle(), false);
}

/// The memory between steps.
cost::PassPeak MemoryLines::idle() const {
  cost::PassPeak none;
  none.absent = steady_.absent;
  return none;
}

void MemoryLines::note(double at, const cost::PassPeak& peak, bool inPasses) {
  MemoryPoint point;
  point.at = at_ = std::max(at, at_);
  point.bytes[MemoryKind::Parameters] = steady_.params;
  point.bytes[MemoryKind::Gradients] = steady_.grads - peak.absent;
  point.bytes[MemoryKind::Optimizer] = steady_.optimizer;
  point.bytes[MemoryKind::Activations] = peak.kept;
  point.bytes[MemoryKind::Working] = peak.working;
  point.bytes[MemoryKind::Buffers] = steady_.run + (inPasses ? steady_.passes : 0) + peak.logits + peak.narrow;
  stage_->memory.push_back(point);
}

void MemoryLines::observe(const ir::Action& action, const ir::Action* paired, std::span<const cost::PassPeak> moments,
                          const cost::PassPeak& after) {
  Interval interval{std::numeric_limits<double>::infinity(), at_};
  const auto cover = [&](const ir::Action& a) {
    const auto known = passes_.find(PassRef{a.kind, a.virtualStage, a.microBatch}.key());
    if (known == passes_.end()) return; // it takes no time
    interval.begin = std::min(interval.begin, known->second.begin);
    interval.end = std::max(interval.end, known->second.end);
  };
  cover(action);
  if (paired) cover(*paired);
  interval.begin = std::min(interval.begin, interval.end);
  for (size_t i = 0; i < moments.size(); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(moments.size());
    note(interval.begin + share * (interval.end - interval.begin), moments[i], true);
    stage_->memory.back().pass = {action.kind, action.virtualStage, action.microBatch};
  }
  note(interval.end, after, true);
  stage_->memory.back().pass = {action.kind, action.virtualStage, action.microBatch};
}

void MemoryLines::finish() {
  if (!stage_) return;
  cost::PassPeak last;
  if (!stage_->memory.empty()) last.absent = steady_.grads - stage_->memory.back().bytes[MemoryKind::Gradients];
  if (steady_.update >= 0) { // an optimizer of no parameters takes no time
    const auto end = stage_->spans.begin() + static_cast<std::ptrdiff_t>(stage_->computing);
    const auto span =
        std::find_if(stage_->spans.begin(), end, [](const StageSpan& s) { return s.kind == SpanKind::Optimizer; });
    note(span == end ? stage_->end : span->begin, last, false);
    stage_->memory.back().bytes[MemoryKind::Buffers] += steady_.update;
    note(span == end ? stage_->end : span->end, idle(), false);
  }
  note(stage_->end, idle(), false);
  stage_ = nullptr;
}

} // namespace planc::timeline
