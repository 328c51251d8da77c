// The lanes of a step: every stage with its passes, and the inside of the passes of one stage.
// SPDX-License-Identifier: Apache-2.0
#include "ir/program/Orders.h"
#include "report/page/PageParts.h"
#include "report/tables/Svg.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace planc::report {
namespace {

using timeline::SpanKind;

constexpr double kLaneLabels = 150, kLaneRight = 20, kLaneTop = 26;
/// Spans that are narrower are drawn together, as one shape without words; in pictures of many lanes also wider ones.
constexpr double kNarrow = 0.6;
constexpr double kFewLanes = 12;
constexpr double kLeast = 0.05; ///< width of a box in pixels
/// Most spans of a picture that have words of their own; each lane has its part.
constexpr size_t kMostWords = 4000;

std::string_view styleOf(SpanKind kind, bool backward) {
  switch (kind) {
  case SpanKind::Computes:
    return backward ? "backward" : "computes";
  case SpanKind::Holds:
    return "holds";
  case SpanKind::Waits:
    return "waits";
  case SpanKind::Launches:
    return "launches";
  case SpanKind::Idle:
    return "idle";
  case SpanKind::Optimizer:
    return "optimizer";
  case SpanKind::Overhead:
    return "overhead";
  case SpanKind::Straggler:
    return "straggler";
  case SpanKind::Communicates:
    break;
  }
  return "communicates";
}

constexpr std::pair<std::string_view, std::string_view> kLaneKey[] = {{"computes", "forward"},
                                                                      {"backward", "backward"},
                                                                      {"communicates", "communication, hidden"},
                                                                      {"holds", "communication that holds the stream"},
                                                                      {"waits", "waits for communication"},
                                                                      {"launches", "waits for the host"},
                                                                      {"idle", "idle"},
                                                                      {"optimizer", "optimizer"},
                                                                      {"overhead", "overhead"},
                                                                      {"straggler", "waits for the slowest device"}};

/// A picture with a lane per stream and time from left to right.
class Lanes {
public:
  Lanes(double seconds, size_t lanes, double height, const std::string& title)
      : axis_{.name = "",
              .unit = units::time,
              .least = 0,
              .most = seconds,
              .log = false,
              .from = kLaneLabels,
              .to = kPictureWidth - kLaneRight},
        narrowest_(kNarrow * std::max(1.0, static_cast<double>(lanes) / kFewLanes)),
        most_(std::max<size_t>(1, kMostWords / lanes)), height_(height),
        bottom_(kLaneTop + static_cast<double>(lanes) * height), svg_(kPictureWidth, bottom_ + 30, title) {
    drawAcross(svg_, axis_, kLaneTop, bottom_);
  }
  void lane(size_t number, const std::string& label) {
    words_ = 0;
    svg_.words(kLaneLabels - 8, y(number) + height_ - 5, label, "ink small", Anchor::End);
  }
  /// Draws a span. Narrow ones are collected: a column of them has the style that most of its time has.
  void span(size_t lane, const timeline::Span& s, std::string_view style, const std::string& tip) {
    const double from = axis_.at(s.begin), width = axis_.at(s.end) - from;
    if (width < narrowest_) {
      columns_[lane][static_cast<int64_t>((from + width / 2) / narrowest_)][style] += width;
    } else if (words_ < most_) {
      svg_.cell(from, y(lane), width, height_ - 2, style, tip);
      ++words_;
    } else {
      boxes_[style].push_back({from, y(lane), width, height_ - 2});
    }
  }
  std::string str() {
    for (const auto& [lane, columns] : columns_)
      for (const auto& [column, styles] : columns) addColumn(lane, column, styles);
    for (const auto& [style, boxes] : boxes_) svg_.boxes(boxes, style);
    return svg_.str();
  }

private:
  using Styles = std::map<std::string_view, double>; ///< pixels

  /// Columns that are filled join those before them; others are as wide as what is in them.
  void addColumn(size_t lane, int64_t column, const Styles& styles) {
    constexpr double kFilled = 0.9;
    double filled = 0;
    for (const auto& [style, pixels] : styles) filled += pixels;
    const auto most = std::ranges::max_element(styles, {}, [](const auto& one) { return one.second; });
    const double from = static_cast<double>(column) * narrowest_;
    const double width = filled < kFilled * narrowest_ ? std::max(filled, kLeast) : narrowest_;
    std::vector<Svg::Box>& all = boxes_[most->first];
    if (!all.empty() && all.back().y == y(lane) && from - (all.back().x + all.back().width) < kLeast)
      all.back().width = from + width - all.back().x;
    else
      all.push_back({from, y(lane), width, height_ - 2});
  }
  double y(size_t lane) const { return kLaneTop + static_cast<double>(lane) * height_; }

  PictureAxis axis_;
  double narrowest_; ///< pixels
  size_t most_;      ///< spans of a lane with words
  double height_, bottom_;
  Svg svg_;
  std::map<size_t, std::map<int64_t, Styles>> columns_; ///< of narrow spans, by lane
  std::map<std::string_view, std::vector<Svg::Box>> boxes_;
  size_t words_ = 0;
};

std::string secondsText(const timeline::Span& s) {
  return formatQuantity(s.seconds(), units::time);
}

std::string passText(const timeline::PassRef& pass) {
  if (pass.virtualStage < 0) return {};
  return fmt::format("{} of micro-batch {}", timeline::isBackward(pass.action) ? "backward" : "forward",
                     pass.microBatch);
}

std::string stageTip(const timeline::Timeline& line, size_t stage, const timeline::StageSpan& s) {
  std::string text = fmt::format("stage {}, ", stage);
  const std::string pass = passText(s.pass);
  if (s.kind == SpanKind::Idle)
    text += pass.empty() ? "idle" : "idle until " + pass;
  else if (s.kind == SpanKind::Computes && !pass.empty())
    text += pass + (s.paired.virtualStage >= 0 ? " with " + passText(s.paired) : "");
  else
    text += s.work == timeline::kNone ? std::string(name(s.kind)) : line.works[s.work].name;
  return fmt::format("{}: {}", text, secondsText(s));
}

/// The streams of stages that have a span, in order, the compute stream first.
std::vector<uint16_t> streamsOf(const timeline::StageLine& stage) {
  std::set<uint16_t> used;
  for (const timeline::StageSpan& s : stage.spans) used.insert(s.stream);
  return {used.begin(), used.end()};
}

} // namespace

std::string timelinePicture(const timeline::Timeline& line) {
  size_t lanes = 0;
  for (const timeline::StageLine& stage : line.stages) lanes += streamsOf(stage).size();
  if (lanes == 0 || line.stepTime <= 0) return {};
  constexpr double kLane = 16;
  Lanes picture(line.stepTime, lanes, kLane, "one step, stage by stage");
  size_t lane = 0;
  for (size_t s = 0; s < line.stages.size(); ++s)
    for (const uint16_t stream : streamsOf(line.stages[s])) {
      picture.lane(lane, stream == timeline::kComputing ? fmt::format("stage {}", s) : line.streams[stream]);
      for (const timeline::StageSpan& span : line.stages[s].spans)
        if (span.stream == stream)
          picture.span(lane, span, styleOf(span.kind, timeline::isBackward(span.pass.action)), stageTip(line, s, span));
      ++lane;
    }
  return keyOf(kLaneKey) + figure(picture.str(), true);
}

std::string passPicture(const timeline::Timeline& line) {
  // The first pass of each direction on the critical stage that has an inside.
  std::map<bool, const timeline::StageSpan*> shown;
  for (const timeline::StageSpan& span : line.stages[static_cast<size_t>(line.critical)].spans)
    if (span.detail != timeline::kNone && span.pass.virtualStage >= 0)
      shown.try_emplace(timeline::isBackward(span.pass.action), &span);
  std::string out;
  for (const auto& [backward, span] : shown) {
    const timeline::PassDetail& detail = line.details[span->detail];
    if (detail.seconds <= 0) continue;
    std::set<uint16_t> used{timeline::kComputing};
    for (const timeline::Span& s : detail.spans) used.insert(s.stream);
    constexpr double kLane = 24;
    Lanes picture(detail.seconds, used.size() + 1, kLane, passText(span->pass));
    picture.lane(0, "layers");
    const std::vector<std::string> names = line.layerNames(span->pass, detail);
    for (size_t l = 0; l < detail.layers.size(); ++l) {
      timeline::Span layer;
      layer.begin = detail.layers[l].begin, layer.end = detail.layers[l].end;
      picture.span(0, layer, l % 2 ? "idle" : "straggler", fmt::format("{}: {}", names[l], secondsText(layer)));
    }
    size_t lane = 1;
    for (const uint16_t stream : used) {
      picture.lane(lane, stream == timeline::kComputing ? "computing" : line.streams[stream]);
      for (const timeline::Span& s : detail.spans)
        if (s.stream == stream)
          picture.span(lane, s, styleOf(s.kind, backward),
                       fmt::format("{}: {}",
                                   s.work == timeline::kNone ? std::string(name(s.kind)) : line.works[s.work].name,
                                   secondsText(s)));
      ++lane;
    }
    out += fmt::format("<h3>{} on stage {}, {}</h3>\n", passText(span->pass), line.critical,
                       formatQuantity(detail.seconds, units::time)) +
           figure(picture.str(), true);
  }
  return out;
}

} // namespace planc::report
