// Adds up a timeline and compares the sums with an estimate.
// SPDX-License-Identifier: Apache-2.0
#include "backends/timeline/Verify.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace planc::timeline {

namespace {

/// Numbers agree if they differ by less than this share of the step, or of the peak.
constexpr double kAgree = 1e-9;

/// Seconds of a compute stream by what they are.
struct Parts {
  double computing = 0, slowed = 0, exposed = 0, launches = 0, idle = 0, optimizer = 0, overhead = 0, straggler = 0;

  void add(const Span& span, double scale) {
    const double seconds = scale * span.seconds();
    switch (span.kind) {
    case SpanKind::Computes:
      computing += seconds - scale * span.slowed, slowed += scale * span.slowed;
      break;
    case SpanKind::Holds:
    case SpanKind::Waits:
      exposed += seconds;
      break;
    case SpanKind::Launches:
      launches += seconds;
      break;
    case SpanKind::Idle:
      idle += seconds;
      break;
    case SpanKind::Optimizer:
      optimizer += seconds;
      break;
    case SpanKind::Overhead:
      overhead += seconds;
      break;
    case SpanKind::Straggler:
      straggler += seconds;
      break;
    case SpanKind::Communicates:
      break;
    }
  }
  void add(const Parts& other, double scale) {
    computing += scale * other.computing, slowed += scale * other.slowed, exposed += scale * other.exposed;
    launches += scale * other.launches;
  }
  double sum() const { return computing + slowed + exposed + launches + idle + optimizer + overhead + straggler; }
};

using ByLayer = std::map<ir::LayerRef, Parts>;

class Verifier {
public:
  Verifier(const Timeline& line, const cost::Estimate& estimate)
      : line_(line), estimate_(estimate), close_(kAgree * line.stepTime) {}

  std::vector<std::string> run() {
    expect("step time", line_.stepTime, estimate_.totals.stepTime);
    for (const PassDetail& detail : line_.details) check(detail);
    for (size_t s = 0; s < line_.stages.size(); ++s) check(s, line_.stages[s]);
    for (const StageLink& link : line_.links) {
      const StageSpan &from = line_.stages[static_cast<size_t>(link.fromStage)].spans[link.from],
                      &to = line_.stages[static_cast<size_t>(link.toStage)].spans[link.to];
      if (from.end > to.begin + close_)
        found_.push_back(
            fmt::format("a transfer of stage {} ends at {:.9g}, but its reader on stage {} begins at {:.9g}",
                        link.fromStage, from.end, link.toStage, to.begin));
    }
    return std::move(found_);
  }

private:
  void expect(const std::string& what, double drawn, double reported) {
    if (!(std::fabs(drawn - reported) <= close_))
      found_.push_back(fmt::format("{}: {:.12g} s in the timeline, {:.12g} s in the report", what, drawn, reported));
  }

  template <class Spans> void checkOrder(const std::string& what, const Spans& spans, size_t computing) {
    for (size_t i = 0; i < spans.size(); ++i) {
      const bool sameStream = i > 0 && spans[i].stream == spans[i - 1].stream;
      if (!(spans[i].end >= spans[i].begin) || (sameStream && spans[i].begin < spans[i - 1].end - close_))
        found_.push_back(fmt::format("{}: slice {} of stream {} overlaps another", what, i, spans[i].stream));
      if (sameStream && i < computing && std::fabs(spans[i].begin - spans[i - 1].end) > close_)
        found_.push_back(fmt::format("{}: the compute stream has a gap before slice {}", what, i));
    }
  }

  void check(const PassDetail& detail) {
    checkOrder("a pass", detail.spans, detail.computing);
    ByLayer& layers = ofDetail_.emplace_back();
    Parts all;
    for (size_t i = 0; i < detail.computing; ++i) {
      const Span& span = detail.spans[i];
      layers[line_.works[span.work].layer].add(span, 1);
      all.add(span, 1);
    }
    expect("a pass", all.sum(), detail.seconds);
    for (const SpanLink& link : detail.links)
      if (detail.spans[link.from].end > detail.spans[link.to].begin + close_)
        found_.push_back("a pass: a slice begins before the collective that it waits for has ended");
    for (const LayerSpan& layer : detail.layers)
      for (size_t i = layer.first; i < layer.last; ++i)
        if (detail.spans[i].begin < layer.begin - close_ || detail.spans[i].end > layer.end + close_)
          found_.push_back("a pass: an operator runs outside of its layer");
  }

  void check(size_t s, const StageLine& stage) {
    const std::string of = fmt::format("stage {}", s);
    checkOrder(of, stage.spans, stage.computing);
    Parts all;
    ByLayer layers;
    for (size_t i = 0; i < stage.computing; ++i) {
      const StageSpan& span = stage.spans[i];
      if (span.detail == kNone) {
        all.add(span, 1);
        if (span.work != kNone) layers[line_.works[span.work].layer].add(span, 1);
        continue;
      }
      const PassDetail& detail = line_.details[span.detail];
      const double scale = detail.seconds > 0 ? span.seconds() / detail.seconds : 0;
      for (const auto& [layer, parts] : ofDetail_[span.detail]) layers[layer].add(parts, scale), all.add(parts, scale);
    }
    checkParts(of, all, s);
    checkRows(of, layers, static_cast<int64_t>(s));
    checkMemory(of, stage, s);
  }

  void checkParts(const std::string& of, const Parts& all, size_t s) {
    const cost::Totals& totals = estimate_.totals;
    const cost::StageRow& row = estimate_.stages[s];
    expect(of + ", step", all.sum(), totals.stepTime);
    expect(of + ", computing", all.computing, row.computing);
    expect(of + ", slowed", all.slowed, row.slowed);
    expect(of + ", launches", all.launches, row.launches);
    expect(of + ", exposed communication", all.exposed, row.communicating);
    expect(of + ", idle", all.idle, row.idle);
    expect(of + ", optimizer", all.optimizer, totals.optimizer);
    expect(of + ", overhead", all.overhead, totals.overhead);
    expect(of + ", straggler", all.straggler, totals.straggler.value_or(0));
  }

  void checkRows(const std::string& of, ByLayer& layers, int64_t stage) {
    ByLayer rows;
    for (const cost::LayerRow& row : estimate_.layers) {
      if (row.stage != stage) continue;
      Parts& parts = rows[row.layer];
      parts.computing += row.inStep.computing, parts.slowed += row.inStep.slowed, parts.launches += row.inStep.launches;
    }
    for (const cost::CollectiveRow& row : estimate_.collectives)
      if (row.stage == stage) rows[row.layer].exposed += row.inStep;
    for (const auto& [layer, parts] : rows) layers.try_emplace(layer);
    for (const auto& [layer, drawn] : layers) {
      const Parts& reported = rows[layer];
      const std::string what = fmt::format("{}, layer {}", of, layer.str());
      if (layer.steps.empty()) continue; // optimizer, overhead: no layers
      expect(what + ", computing", drawn.computing, reported.computing);
      expect(what + ", slowed", drawn.slowed, reported.slowed);
      expect(what + ", launches", drawn.launches, reported.launches);
      expect(what + ", exposed communication", drawn.exposed, reported.exposed);
    }
  }

  void checkMemory(const std::string& of, const StageLine& stage, size_t s) {
    if (s >= estimate_.memory.stages.size() || stage.memory.empty()) return;
    double most = 0;
    for (size_t i = 0; i < stage.memory.size(); ++i) {
      most = std::max(most, stage.memory[i].sum());
      if (i > 0 && stage.memory[i].at < stage.memory[i - 1].at) found_.push_back(of + ": memory goes back in time");
    }
    const auto bytes = [&](const std::string& what, double drawn, double reported) {
      if (std::fabs(drawn - reported) > kAgree * reported)
        found_.push_back(
            fmt::format("{}, {}: {:.12g} B in the timeline, {:.12g} B in the report", of, what, drawn, reported));
    };
    bytes("peak of memory", most, estimate_.memory.stages[s].peak);
    bytes("memory after the step", stage.memory.back().sum(), stage.memory.front().sum());
  }

  const Timeline& line_;
  const cost::Estimate& estimate_;
  double close_;
  std::vector<ByLayer> ofDetail_; ///< by detail
  std::vector<std::string> found_;
};

} // namespace

std::vector<std::string> verify(const Timeline& line, const cost::Estimate& estimate) {
  return Verifier(line, estimate).run();
}

} // namespace planc::timeline
