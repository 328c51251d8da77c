// Trace events: a process per device, a thread per stream, flows, and counters of memory and links.
// SPDX-License-Identifier: Apache-2.0
#include "backends/export/Budget.h"
#include "backends/export/JsonText.h"
#include "backends/export/Ranks.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace planc::exports {

using timeline::kComputing;
using timeline::kMemoryKinds;
using timeline::kNone;
using timeline::LayerSpan;
using timeline::MemoryKind;
using timeline::MemoryPoint;
using timeline::PassDetail;
using timeline::PassRef;
using timeline::Span;
using timeline::SpanKind;
using timeline::SpanLink;
using timeline::StageLine;
using timeline::StageLink;
using timeline::StageSpan;
using timeline::Timeline;
using timeline::Work;

namespace {

/// Most slices of operators and passes in a trace: some 25 MB of compressed text at most.
constexpr size_t kMostSlices = 700'000;

/// A moment of a thread's slice in whole nanoseconds.
struct Interval {
  int64_t begin = 0, end = 0;
};

Interval inside(const Interval& outer, double begin, double end) {
  Interval of{std::clamp(nanoseconds(begin), outer.begin, outer.end), 0};
  of.end = std::clamp(nanoseconds(end), of.begin, outer.end);
  return of;
}

class PerfettoTrace {
public:
  PerfettoTrace(const ExportInput& input, Sink sink)
      : input_(input), line_(*input.line), program_(*input.schedule->program), shown_(input, kMostSlices),
        events_(sink), names_(line_.works.size()) {
    for (size_t i = 0; i < line_.works.size(); ++i) describe(i);
    for (const int64_t rank : input.ranks) ranks_.insert({rank, stageOf(program_, rank)});
  }

  void write() {
    for (const auto& [rank, stage] : ranks_) device(rank, line_.stages[static_cast<size_t>(stage)]);
    transfers();
    events_.flush();
  }
  std::string leftOut() const { return shown_.text(); }

private:
  // The texts of works, written once.
  struct WorkText {
    std::string name, waits; ///< `"name":"…"`, also of a wait for it
    std::string args;        ///< `"type":"gemm",…`
  };
  void describe(size_t index) {
    const Work& work = line_.works[index];
    WorkText& text = names_[index];
    text.name = "\"name\":" + jsonString(work.name), text.waits = "\"name\":" + jsonString("wait for " + work.name);
    std::string& args = text.args;
    const auto add = [&](std::string_view key, const std::string& value) {
      if (!value.empty()) args += fmt::format(",\"{}\":{}", key, value);
    };
    const auto addText = [&](std::string_view key, std::string_view value) {
      if (!value.empty()) add(key, jsonString(value));
    };
    addText("type", work.type);
    addText("layer", work.layer.str());
    if (work.kind == Work::Kind::Operator || work.kind == Work::Kind::Collective) {
      addText("phase", ir::name(work.phase));
      if (work.flops > 0) add("flops", fmt::format("{:.0f}", work.flops));
      if (work.bytes > 0) add("bytes", fmt::format("{:.0f}", work.bytes));
      addText("bound", cost::name(work.bound));
      addText("equation", work.equation);
    }
    addText("axis", work.axis), addText("level", work.level);
    if (work.group > 1) add("group", fmt::format("{}", work.group));
    if (work.because.valid() && input_.sources) addText("because", input_.sources->where(work.because));
  }

  void metadata(int64_t rank, int64_t thread, std::string_view key, std::string_view value) {
    events_.begin();
    events_.raw(
        fmt::format("\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"{}\",\"args\":{{{}}}", rank, thread, key, value));
    events_.end();
  }

  void slice(const Interval& of, std::string_view name, std::string_view args) {
    events_.begin();
    events_.raw(name);
    events_.raw(",\"ph\":\"X\",\"pid\":"), events_.number(rank_);
    events_.raw(",\"tid\":"), events_.number(thread_);
    events_.raw(",\"ts\":"), events_.time(of.begin);
    events_.raw(",\"dur\":"), events_.time(of.end - of.begin);
    events_.raw(",\"args\":{"), events_.raw(args), events_.raw("}");
    events_.end();
  }

  void workSlice(const Interval& of, const Span& span) {
    std::string args = fmt::format("\"part\":\"{}\"", timeline::name(span.kind));
    if (span.slowed > 0) args += fmt::format(",\"slowed_us\":{:.3f}", span.slowed * 1e6);
    if (span.work == kNone) return slice(of, "\"name\":\"idle\"", args);
    const WorkText& text = names_[span.work];
    if (span.kind == SpanKind::Launches) return slice(of, "\"name\":\"wait for the host\"", args + text.args);
    slice(of, span.kind == SpanKind::Waits ? text.waits : text.name, args + text.args);
  }

  void device(int64_t rank, const StageLine& stage) {
    rank_ = rank;
    const int64_t number = ranks_.at(rank);
    const std::string place = placeOf(program_, rank);
    const std::string title = fmt::format("stage {}, rank {}{}{}", number, rank, place.empty() ? "" : ": ", place);
    metadata(rank, 0, "process_name", "\"name\":" + jsonString(title));
    metadata(rank, 0, "process_sort_index", fmt::format("\"sort_index\":{}", rank));
    std::vector<bool> used(line_.streams.size());
    for (const StageSpan& span : stage.spans) {
      used[span.stream] = true;
      if (span.detail == kNone) continue;
      for (const Span& inner : line_.details[span.detail].spans) used[inner.stream] = true;
    }
    for (size_t s = 0; s < used.size(); ++s) {
      if (!used[s]) continue;
      metadata(rank, static_cast<int64_t>(s), "thread_name", "\"name\":" + jsonString(line_.streams[s]));
      metadata(rank, static_cast<int64_t>(s), "thread_sort_index", fmt::format("\"sort_index\":{}", s));
    }
    rates_.clear();
    thread_ = kComputing;
    const Interval step{nanoseconds(stage.begin), nanoseconds(stage.end)};
    slice(step, "\"name\":\"step\"",
          fmt::format("\"plan\":{},\"step_time_s\":{}", jsonString(input_.title), numberText(line_.stepTime)));
    computing(step, stage);
    communicating(stage);
    linkUse();
    memory(stage);
  }

  /// Passes of micro-batches in the middle of a long step are joined, with what lies between them.
  void computing(const Interval& step, const StageLine& stage) {
    std::vector<char> hidden(stage.computing);
    bool before = false;
    std::vector<size_t> open;
    for (size_t i = 0; i < stage.computing; ++i) {
      const StageSpan& span = stage.spans[i];
      if (span.detail == kNone) {
        if (before) open.push_back(i);
        continue;
      }
      hidden[i] = !shown_.asPass(span.pass.microBatch);
      if (hidden[i])
        for (const size_t between : open) hidden[between] = true;
      open.clear();
      before = hidden[i];
    }
    for (size_t i = 0; i < stage.computing; ++i) {
      thread_ = kComputing;
      const StageSpan& span = stage.spans[i];
      if (!hidden[i]) {
        compute(inside(step, span.begin, span.end), span);
        continue;
      }
      size_t last = i, passes = 0;
      for (; last < stage.computing && hidden[last]; ++last) passes += stage.spans[last].detail != kNone;
      slice(inside(step, span.begin, stage.spans[last - 1].end), fmt::format("\"name\":\"{} passes\"", passes),
            "\"part\":\"joined\"");
      i = last - 1;
    }
  }

  static std::string passName(const PassRef& pass) {
    switch (pass.action) {
    case ir::ActionKind::Forward:
      return "forward";
    case ir::ActionKind::Backward:
      return "backward";
    case ir::ActionKind::BackwardInput:
      return "backward, inputs";
    case ir::ActionKind::BackwardWeight:
      return "backward, weights";
    }
    return "";
  }

  void compute(const Interval& of, const StageSpan& span) {
    if (span.detail != kNone) return pass(of, span);
    if (span.kind != SpanKind::Idle || span.pass.microBatch < 0) return workSlice(of, span);
    slice(of, "\"name\":\"idle\"",
          fmt::format("\"part\":\"idle\",\"waits_for\":\"input of {} of micro-batch {}, virtual stage {}\"",
                      passName(span.pass), span.pass.microBatch, span.pass.virtualStage));
  }

  void pass(const Interval& of, const StageSpan& span) {
    const PassDetail& detail = line_.details[span.detail];
    std::string batch = fmt::format("micro-batch {}", span.pass.microBatch), name = passName(span.pass);
    if (span.paired.microBatch >= 0)
      batch += fmt::format(" and {}", span.paired.microBatch), name += " and " + passName(span.paired);
    const std::string args =
        fmt::format("\"virtual_stage\":{},\"micro_batch\":{}", span.pass.virtualStage, span.pass.microBatch);
    slice(of, fmt::format("\"name\":\"{}\"", batch), args);
    slice(of, fmt::format("\"name\":\"{}\"", name),
          args + (detail.folded || !shown_.inFull(span) ? ",\"folded\":true" : ""));
    if (shown_.inFull(span)) unfold(of, span, detail);
  }

  /// Writes the inside of a pass: layers and operators on the compute stream, then comm streams and flows.
  void unfold(const Interval& of, const StageSpan& span, const PassDetail& detail) {
    const double scale = detail.seconds > 0 ? span.seconds() / detail.seconds : 0;
    const auto at = [&](double moment) { return span.begin + scale * moment; };
    const std::vector<std::string>& names = layerNames(span, detail);
    size_t layer = 0;
    for (size_t i = 0; i < detail.computing; ++i) {
      for (; layer < detail.layers.size() && detail.layers[layer].first <= i; ++layer) {
        const LayerSpan& l = detail.layers[layer];
        around_ = inside(of, at(l.begin), at(l.end));
        slice(around_, names[layer], "");
      }
      const Span& inner = detail.spans[i];
      const bool within = layer > 0 && i < detail.layers[layer - 1].last;
      workSlice(inside(within ? around_ : of, at(inner.begin), at(inner.end)), inner);
    }
    for (size_t i = detail.computing; i < detail.spans.size(); ++i) {
      const Span& moved = detail.spans[i];
      thread_ = moved.stream;
      const Interval interval = inside(of, at(moved.begin), at(moved.end));
      workSlice(interval, moved);
      use(interval, moved);
    }
    thread_ = kComputing;
    for (const SpanLink& link : detail.links) {
      const Span &from = detail.spans[link.from], &to = detail.spans[link.to];
      flow("wait", rank_, from.stream, inside(of, at(from.begin), at(from.end)), rank_, kComputing,
           inside(of, at(to.begin), at(to.end)).begin);
    }
  }

  const std::vector<std::string>& layerNames(const StageSpan& span, const PassDetail& detail) {
    const auto [place, fresh] = layers_.try_emplace({span.detail, span.pass.virtualStage});
    if (fresh)
      for (const std::string& layer : line_.layerNames(span.pass, detail))
        place->second.push_back("\"name\":" + jsonString(layer));
    return place->second;
  }

  void flow(std::string_view name, int64_t fromRank, int64_t fromThread, const Interval& from, int64_t toRank,
            int64_t toThread, int64_t to) {
    const int64_t id = ++flows_;
    const auto end = [&](std::string_view phase, int64_t rank, int64_t thread, int64_t at) {
      events_.begin();
      events_.raw("\"name\":\""), events_.raw(name), events_.raw("\",\"cat\":\"flow\",\"ph\":"), events_.raw(phase);
      events_.raw(",\"id\":"), events_.number(id);
      events_.raw(",\"pid\":"), events_.number(rank), events_.raw(",\"tid\":"), events_.number(thread);
      events_.raw(",\"ts\":"), events_.time(at);
      events_.end();
    };
    end("\"s\"", fromRank, fromThread, std::max(from.begin, from.end - 1)); // inside of the slice
    end("\"f\",\"bp\":\"e\"", toRank, toThread, std::max(to, from.end));
  }

  void communicating(const StageLine& stage) {
    for (size_t i = stage.computing; i < stage.spans.size(); ++i) {
      const StageSpan& span = stage.spans[i];
      if (span.pass.microBatch >= 0 && !shown_.asPass(span.pass.microBatch)) continue;
      thread_ = span.stream;
      const Interval of{nanoseconds(span.begin), nanoseconds(span.end)};
      workSlice(of, span);
      use(of, span);
    }
  }

  /// Notes the use of a link.
  void use(const Interval& of, const Span& span) {
    const Work& work = line_.works[span.work];
    const auto rate = static_cast<int64_t>(work.rate);
    if (work.level.empty() || rate == 0 || of.end == of.begin) return;
    auto& changes = rates_[work.level];
    changes.emplace_back(of.begin, rate), changes.emplace_back(of.end, -rate);
  }

  void counter(std::string_view name, int64_t at, std::string_view args) {
    events_.begin();
    events_.raw("\"ph\":\"C\",\"name\":"), events_.raw(name), events_.raw(",\"pid\":"), events_.number(rank_);
    events_.raw(",\"ts\":"), events_.time(at), events_.raw(",\"args\":{"), events_.raw(args), events_.raw("}");
    events_.end();
  }

  void linkUse() {
    for (auto& [level, changes] : rates_) {
      std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      const std::string name = jsonString("link use, " + level);
      int64_t rate = 0;
      counter(name, nanoseconds(line_.stages[static_cast<size_t>(ranks_.at(rank_))].begin), "\"bytes_per_second\":0");
      for (size_t i = 0; i < changes.size(); ++i) {
        rate += changes[i].second;
        if (i + 1 == changes.size() || changes[i + 1].first > changes[i].first)
          counter(name, changes[i].first, fmt::format("\"bytes_per_second\":{}", rate));
      }
    }
  }

  void memory(const StageLine& stage) {
    const auto write = [&](const MemoryPoint& point) {
      std::string args;
      for (size_t k = 0; k < kMemoryKinds; ++k)
        args += fmt::format("{}\"{}\":{:.0f}", k == 0 ? "" : ",", timeline::name(static_cast<MemoryKind>(k)),
                            point.bytes[k]);
      counter("\"memory\"", nanoseconds(point.at), args);
    };
    const std::vector<MemoryPoint>& points = stage.memory;
    for (size_t i = 0; i < points.size();) {
      // The points of a pass, or of passes that are joined.
      const auto same = [&](const MemoryPoint& p) {
        const bool pass = p.pass.microBatch == points[i].pass.microBatch && p.pass.action == points[i].pass.action &&
                          p.pass.virtualStage == points[i].pass.virtualStage;
        const auto joined = [&](const MemoryPoint& of) {
          return of.pass.microBatch >= 0 && !shown_.asPass(of.pass.microBatch);
        };
        return pass || (joined(p) && joined(points[i]));
      };
      size_t end = i, most = i;
      for (; end < points.size() && same(points[end]); ++end)
        if (points[end].sum() > points[most].sum()) most = end;
      if (points[i].pass.microBatch < 0 || shown_.inFull(points[i].pass.microBatch))
        for (size_t p = i; p < end; ++p) write(points[p]);
      else {
        write(points[most]);
        if (most + 1 < end) write(points[end - 1]);
      }
      i = end;
    }
  }

  /// Flows of transfers between devices at the same place of other stages.
  void transfers() {
    for (const StageLink& link : line_.links) {
      const StageSpan &from = line_.stages[static_cast<size_t>(link.fromStage)].spans[link.from],
                      &to = line_.stages[static_cast<size_t>(link.toStage)].spans[link.to];
      if (!shown_.asPass(from.pass.microBatch) || !shown_.asPass(to.pass.microBatch)) continue;
      for (const auto& [rank, stage] : ranks_) {
        if (stage != link.fromStage) continue;
        const int64_t receiver = onStage(program_, rank, link.toStage);
        if (ranks_.count(receiver))
          flow("transfer", rank, from.stream, {nanoseconds(from.begin), nanoseconds(from.end)}, receiver, kComputing,
               nanoseconds(to.begin));
      }
    }
  }

  const ExportInput& input_;
  const Timeline& line_;
  const ir::Program& program_;
  Shown shown_;
  EventText events_;
  std::vector<WorkText> names_;      ///< by work
  std::map<int64_t, int64_t> ranks_; ///< their stages
  std::map<std::pair<uint32_t, int64_t>, std::vector<std::string>> layers_;
  std::map<std::string, std::vector<std::pair<int64_t, int64_t>>> rates_; ///< by level: changes of the device's rate
  Interval around_;                                                       ///< the current layer
  int64_t rank_ = 0, thread_ = 0, flows_ = 0;
};

} // namespace

std::string writePerfetto(const ExportInput& input, Sink sink) {
  std::string leftOut;
  sink("{\"traceEvents\":[");
  {
    PerfettoTrace trace(input, sink);
    trace.write();
    leftOut = trace.leftOut();
  }
  sink(fmt::format("\n],\"displayTimeUnit\":\"ms\",\"otherData\":{{\"plan\":{}", jsonString(input.title)));
  if (!leftOut.empty()) sink(fmt::format(",\"shown\":{}", jsonString(leftOut)));
  sink("}}\n");
  return leftOut;
}

} // namespace planc::exports
