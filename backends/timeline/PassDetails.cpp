// Unfolds passes and pairs.
// SPDX-License-Identifier: Apache-2.0
#include "backends/timeline/PassDetails.h"

#include "backends/cost/price/Buckets.h"
#include "backends/cost/simulate/Pair.h"

#include <algorithm>
#include <cmath>

namespace planc::timeline {

using cost::Slice;
using cost::SliceKind;

namespace {

/// A pass of more layers is shown as the rows of the report.
constexpr int64_t kMostLayers = 1024;

SpanKind kindOf(SliceKind kind) {
  switch (kind) {
  case SliceKind::Held:
    return SpanKind::Holds;
  case SliceKind::Waits:
    return SpanKind::Waits;
  case SliceKind::Launches:
    return SpanKind::Launches;
  default:
    return SpanKind::Computes;
  }
}

int64_t layersIn(const ir::Program& program, const ir::StageKind& stage) {
  int64_t layers = 0;
  for (const auto& [id, count] : stage.classes)
    if (__builtin_add_overflow(layers, std::max<int64_t>(0, count), &layers) ||
        cost::layersOf(program.classes[id]) > kMostLayers / std::max<int64_t>(1, count))
      return kMostLayers + 1;
  return layers;
}

/// Collects the slices of a pass as spans.
class Collected : public cost::SliceObserver {
public:
  explicit Collected(WorkTable& works, PassDetail& detail) : works_(works), detail_(detail) {}

  void spend(const Slice& slice) override {
    const ir::LayerClassId id(static_cast<uint32_t>(slice.layerClass));
    const bool backward = slice.action != ir::ActionKind::Forward;
    Span span{slice.begin, slice.end, slice.slowed, kNone, kComputing, kindOf(slice.kind)};
    // The host launches all operators of a row in a row.
    span.work = slice.state >= 0                    ? works_.state(id, static_cast<size_t>(slice.state))
                : slice.kind == SliceKind::Launches ? works_.row(id, backward, nodeOf(slice))
                                                    : works_.node(id, backward, nodeOf(slice));
    std::vector<Span>& spans = detail_.spans;
    if (span.kind == SpanKind::Launches && !spans.empty() && spans.back().kind == span.kind &&
        spans.back().work == span.work && (detail_.layers.empty() || detail_.layers.back().first < spans.size()))
      spans.back().end = span.end;
    else
      spans.push_back(span);
  }
  void observe(const Slice& slice) override {
    const ir::LayerClassId id(static_cast<uint32_t>(slice.layerClass));
    const bool backward = slice.action != ir::ActionKind::Forward;
    Span span{slice.begin, slice.end, 0, kNone, streamOf(slice), SpanKind::Communicates};
    span.work = slice.state >= 0 ? works_.state(id, static_cast<size_t>(slice.state))
                                 : works_.node(id, backward, nodeOf(slice));
    if (slice.stream != 0) moved_.push_back(span);
  }
  void beginLayer(int64_t layerClass, double at) override {
    closeLayer(at);
    const ir::LayerClassId id(static_cast<uint32_t>(layerClass));
    detail_.layers.push_back({at, at, id, numbers_[id]++, detail_.spans.size(), detail_.spans.size()});
  }
  /// Ends the last layer, and appends what comm streams do.
  void finish(double end) {
    closeLayer(end);
    detail_.computing = detail_.spans.size();
    std::stable_sort(moved_.begin(), moved_.end(), [](const Span& a, const Span& b) {
      return std::tie(a.stream, a.begin) < std::tie(b.stream, b.begin);
    });
    detail_.spans.insert(detail_.spans.end(), moved_.begin(), moved_.end());
  }

protected:
  virtual uint16_t streamOf(const Slice& slice) const { return static_cast<uint16_t>(kInside + slice.stream - 2); }

private:
  static ir::NodeIndex nodeOf(const Slice& slice) { return static_cast<ir::NodeIndex>(slice.task); }
  void closeLayer(double at) {
    if (detail_.layers.empty()) return;
    detail_.layers.back().end = at, detail_.layers.back().last = detail_.spans.size();
  }

  WorkTable& works_;
  PassDetail& detail_;
  std::vector<Span> moved_;
  std::map<ir::LayerClassId, int64_t> numbers_;
};

/// Collects a pair, whose tracks are numbered by port.
class CollectedPair : public Collected {
  using Collected::Collected;
  uint16_t streamOf(const Slice& slice) const override {
    return static_cast<uint16_t>(kInside + 2 * (slice.stream - 1));
  }
};

/// Appends the seconds of an account as one span per row, from `at` on. Returns their end.
double append(PassDetail& detail, const std::vector<WorkShare>& shares, double at) {
  for (const WorkShare& share : shares) {
    Span span{at, at + share.seconds, share.slowed ? share.seconds : 0, share.work, kComputing, share.kind};
    at = span.end;
    detail.spans.push_back(span);
  }
  return at;
}

/// Scales a detail to its seconds: the sums of an unfolded pass differ from those of a stride by rounding.
void fit(PassDetail& detail, double unfolded, double seconds) {
  detail.seconds = seconds;
  if (!(unfolded > 0)) return;
  const double scale = seconds / unfolded;
  const auto to = [&](double& at) { at = std::min(at * scale, seconds); };
  for (Span& span : detail.spans) to(span.begin), to(span.end), span.slowed *= scale;
  for (LayerSpan& layer : detail.layers) to(layer.begin), to(layer.end);
}

/// A wait ends when a collective ends, so that what computes next begins after it.
void addLinks(PassDetail& detail) {
  std::map<uint32_t, std::vector<uint32_t>> moved; // by work
  for (size_t i = detail.computing; i < detail.spans.size(); ++i)
    moved[detail.spans[i].work].push_back(static_cast<uint32_t>(i));
  const double rounding = kNegligible * detail.seconds;
  for (uint32_t i = 0; i + 1 < detail.computing; ++i) {
    const Span& wait = detail.spans[i];
    if (wait.kind != SpanKind::Waits) continue;
    const std::vector<uint32_t>& candidates = moved[wait.work];
    const auto after = std::partition_point(candidates.begin(), candidates.end(),
                                            [&](uint32_t c) { return detail.spans[c].end <= wait.end + rounding; });
    if (after == candidates.begin()) continue;
    const uint32_t from = *std::prev(after);
    if (std::fabs(detail.spans[from].end - wait.end) <= rounding) detail.links.push_back({from, i + 1});
  }
}

} // namespace

const cost::StagePass& PassDetails::stagePass(int64_t virtualStage, ir::ActionKind kind) const {
  const size_t pass = sim_.stagePassOf[virtualStage];
  if (kind == ir::ActionKind::BackwardInput) return sim_.halves[pass].first;
  if (kind == ir::ActionKind::BackwardWeight) return sim_.halves[pass].second;
  return sim_.stagePass(virtualStage, kind == ir::ActionKind::Backward);
}

uint32_t PassDetails::pass(int64_t virtualStage, ir::ActionKind kind) {
  const auto [place, fresh] =
      passes_.try_emplace({sim_.stagePassOf[virtualStage], kind}, static_cast<uint32_t>(details.size()));
  if (fresh) details.push_back(passDetail(virtualStage, kind));
  return place->second;
}

PassDetail PassDetails::passDetail(int64_t virtualStage, ir::ActionKind kind) {
  const ir::Program& program = *sim_.schedule->program;
  const ir::StageKind& stage = program.kindOf(virtualStage);
  const cost::StagePass& pass = stagePass(virtualStage, kind);
  PassDetail detail;
  if (layersIn(program, stage) > kMostLayers) {
    detail.folded = true;
    const double end = append(detail, works_.sharesOf(pass.account, SpanKind::Waits), 0);
    detail.computing = detail.spans.size();
    fit(detail, end, pass.seconds);
    return detail;
  }
  Collected collected(works_, detail);
  cost::observeStagePass(*sim_.schedule, sim_.classes, stage, kind, collected);
  const double end = detail.spans.empty() ? 0 : detail.spans.back().end;
  collected.finish(end);
  fit(detail, end, pass.seconds);
  addLinks(detail);
  return detail;
}

uint32_t PassDetails::pair(int64_t forwardStage, int64_t backwardStage) {
  const auto known = sim_.pairs.find({forwardStage, backwardStage});
  const auto cost = sim_.pipeline.pairs.find({forwardStage, backwardStage});
  if (known == sim_.pairs.end() || cost == sim_.pipeline.pairs.end()) return kNone;
  const double apart = sim_.stagePass(forwardStage, false).seconds + sim_.stagePass(backwardStage, true).seconds;
  if (!(cost->second.seconds < apart)) return kNone;
  const std::pair<size_t, size_t> kind{sim_.stagePassOf[forwardStage], sim_.stagePassOf[backwardStage]};
  const auto [place, fresh] = pairs_.try_emplace(kind, static_cast<uint32_t>(details.size()));
  if (fresh) {
    details.push_back(pairDetail(forwardStage, backwardStage, *known->second));
    fit(details.back(), details.back().seconds, cost->second.seconds);
  }
  return place->second;
}

namespace {

/// Moves the moments of a list that runs without slowdown to those of the slowed one.
class Slowed {
public:
  /// `slowed`: seconds that each span of the compute stream loses.
  explicit Slowed(std::vector<Span>& spans, size_t computing) : spans_(spans), computing_(computing) {
    double later = 0;
    for (size_t i = 0; i < computing; ++i) {
      points_.push_back({spans[i].begin, later});
      later += spans[i].slowed;
      points_.push_back({spans[i].end, later});
    }
    end = computing > 0 ? spans[computing - 1].end + later : 0;
  }
  void move() {
    std::vector<Span> moved = spans_;
    for (size_t i = 0; i < moved.size(); ++i) {
      Span& span = moved[i];
      span.begin = i < computing_ ? span.begin + points_[2 * i].later : later(span.begin);
      span.end = i < computing_ ? span.end + points_[2 * i + 1].later : later(span.end);
    }
    spans_ = std::move(moved);
  }
  double end = 0;

private:
  struct Point {
    double at = 0, later = 0;
  };
  double later(double at) const {
    const auto after = std::upper_bound(points_.begin(), points_.end(), at,
                                        [](double moment, const Point& point) { return moment < point.at; });
    if (after == points_.begin()) return at;
    const Point& from = *std::prev(after);
    if (after == points_.end() || !(after->at > from.at)) return at + from.later;
    return at + from.later + (after->later - from.later) * (at - from.at) / (after->at - from.at);
  }
  std::vector<Span>& spans_;
  size_t computing_;
  std::vector<Point> points_;
};

/// Keeps the account of a pair's list by work.
class ListAccount : public cost::SliceObserver {
public:
  void observe(const Slice&) override {}
  void spend(const Slice& slice) override {
    const ir::LayerClassId id(static_cast<uint32_t>(slice.layerClass));
    const auto node = static_cast<size_t>(slice.task);
    cost::Spent& spent = account.nodes(id, slice.action != ir::ActionKind::Forward, node + 1)[node];
    (slice.kind == SliceKind::Task ? spent.computing : spent.exposed) += slice.end - slice.begin;
    slices.push_back(slice);
  }
  cost::Account account;
  std::vector<Slice> slices;
};

} // namespace

/// The list of both passes, each operator as much longer as the pair's account slows it; then waits for the host and
/// for states, which the simulation adds to the list.
PassDetail PassDetails::pairDetail(int64_t forwardStage, int64_t backwardStage, const cost::Account& account) {
  const ir::Program& program = *sim_.schedule->program;
  const ir::StageKind &forward = program.kindOf(forwardStage), &backward = program.kindOf(backwardStage);
  PassDetail detail;
  if (layersIn(program, forward) + layersIn(program, backward) > kMostLayers) {
    detail.folded = true;
    detail.seconds = append(detail, works_.sharesOf(account, SpanKind::Waits), 0);
    detail.computing = detail.spans.size();
    return detail;
  }
  CollectedPair collected(works_, detail);
  cost::observePair(*sim_.schedule, sim_.classes, forward, backward, collected);
  ListAccount list;
  cost::observePair(*sim_.schedule, sim_.classes, forward, backward, list);
  cost::Account listed = list.account;
  for (size_t i = 0; i < list.slices.size(); ++i) {
    const Slice& slice = list.slices[i];
    if (slice.kind != SliceKind::Task) continue;
    const ir::LayerClassId id(static_cast<uint32_t>(slice.layerClass));
    const bool back = slice.action != ir::ActionKind::Forward;
    const auto node = static_cast<size_t>(slice.task);
    const cost::ClassSpent* of = account.find(id);
    const cost::Spent& all = list.account.find(id)->nodes(back)[node];
    if (!of || node >= of->nodes(back).size() || !(all.computing > 0)) continue;
    detail.spans[i].slowed = of->nodes(back)[node].slowed * (slice.end - slice.begin) / all.computing;
    listed.nodes(id, back, node + 1)[node].slowed += detail.spans[i].slowed;
  }
  collected.finish(0);
  Slowed slowed(detail.spans, detail.computing);
  slowed.move();
  std::vector<Span> moved(detail.spans.begin() + static_cast<std::ptrdiff_t>(detail.computing), detail.spans.end());
  detail.spans.resize(detail.computing);
  std::vector<WorkShare> rest = works_.sharesOf(account.beyond(listed), SpanKind::Waits);
  std::erase_if(rest, [&](const WorkShare& share) { return share.seconds <= kNegligible * slowed.end; });
  detail.seconds = append(detail, rest, slowed.end);
  detail.computing = detail.spans.size();
  detail.spans.insert(detail.spans.end(), moved.begin(), moved.end());
  addLinks(detail);
  return detail;
}

} // namespace planc::timeline
