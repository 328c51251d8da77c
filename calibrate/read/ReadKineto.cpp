// Reads traces of PyTorch's profiler. Kernels of operators with known shapes become samples; the time of other kernels
// is reported.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/kineto/KinetoWork.h"
#include "calibrate/read/Readers.h"
#include "calibrate/samples/Robust.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace planc::calibrate {

PLANC_ERROR(BrokenTrace, 1050, "this trace cannot be read: {why}")
PLANC_ERROR(NoKernels, 1051, "this trace has no GPU kernels")
PLANC_ERROR(NoShapes, 1052, "this trace has no shapes of operands, so the work of its kernels is unknown")
PLANC_WARNING(UntimedKernels, 1059,
              "{count} of {all} kernels of this trace have no usable begin or duration, and are left out")
PLANC_WARNING(OnlyMessages, 1067,
              "this trace has no shapes of operands: only its collectives are read, {share} of the GPU's time")
PLANC_WARNING(MostlyUnknown, 1053,
              "{share} of the GPU's time in this trace belongs to operators that planc does not know")

namespace {

/// If a larger share of time is left over, the trace is of something that planc does not price, or hides its operators.
constexpr double kMuch = 0.2;

/// All instances of one operator at one shape. The parts of a backward pass are separate operators, whose times are
/// added.
struct Shape {
  Sample sample;
  std::vector<double> forward;
  std::map<Symbol, std::vector<double>> backward;
};

class Collector {
public:
  Collector(const SampleFile& file, const Trace& trace, Samples& out) : file_(file), trace_(trace), out_(out) {}

  /// Seconds of all kernels, and of kernels that became samples.
  double total() const { return total_; }
  double attributed() const { return attributed_; }

  void collect(const std::vector<TraceWork>& works) {
    for (const TraceWork& work : works) {
      total_ += work.seconds;
      if (!work.sample) {
        unknown_[work.name] += work.seconds;
        continue;
      }
      attributed_ += work.seconds;
      if (work.seconds <= 0) continue;
      Shape& shape = shapeOf(*work.sample);
      (work.backward ? shape.backward[work.name] : shape.forward).push_back(work.seconds);
    }
    for (auto& [key, shape] : shapes_) addSample(shape);
  }

  /// Returns `aten::copy_ 12.1 %, …`: the largest rest of the time, by operator, or by kernel if no operator launched
  /// it.
  std::string leftOver() const {
    std::vector<std::pair<double, Symbol>> largest;
    for (const auto& [name, seconds] : unknown_) largest.emplace_back(-seconds, name);
    std::sort(largest.begin(), largest.end());
    constexpr size_t kShown = 5;
    std::string text;
    for (size_t i = 0; i < std::min(kShown, largest.size()); ++i)
      text += fmt::format("{}{} {:.1f} %", i ? ", " : "", cut(largest[i].second), -100 * largest[i].first / total_);
    if (largest.size() > kShown) text += fmt::format(" and {} more", largest.size() - kShown);
    return text;
  }

private:
  static std::string cut(Symbol name) {
    constexpr size_t kLength = 60;
    return name.view().size() > kLength ? fmt::format("{}…", name.view().substr(0, kLength)) : name.str();
  }

  Shape& shapeOf(const Sample& sample) {
    const auto [it, isNew] = shapes_.try_emplace(std::tuple(sample.kind, sample.name, sample.dtype, sample.extents));
    if (isNew) it->second.sample = sample;
    return it->second;
  }

  void addSample(Shape& shape) {
    Sample& sample = shape.sample;
    // A kernel of a collective includes waiting for other ranks, so take the shortest one.
    if (!shape.forward.empty())
      sample.forward = sample.kind == Kind::Collective ? *std::min_element(shape.forward.begin(), shape.forward.end())
                                                       : median(shape.forward);
    for (const auto& [name, times] : shape.backward) sample.backward += median(times);
    if (sample.forward + sample.backward <= 0) return;
    const KindRow& row = rowOf(sample.kind);
    const auto key = std::tuple(sample.kind, sample.name, sample.dtype);
    const auto [it, isNew] = series_.try_emplace(key, static_cast<uint32_t>(out_.series.size()));
    if (isNew) {
      Series series{
          sample.name.str(), trace_.devices.empty() ? "" : trace_.devices[0], file_.id, {}, false, true, true};
      for (const Extent e : row.needs) series.axes.emplace_back(name(e));
      out_.series.push_back(std::move(series));
    }
    for (const Extent e : row.needs) sample.at.push_back(sample[e]);
    sample.series = it->second;
    sample.range = {file_.id, 0, 0};
    out_.samples.push_back(sample);
  }

  const SampleFile& file_;
  const Trace& trace_;
  Samples& out_;
  double total_ = 0, attributed_ = 0;
  std::map<Symbol, double> unknown_;
  std::map<std::tuple<Kind, Symbol, ir::DType, std::array<double, kExtents>>, Shape> shapes_;
  std::map<std::tuple<Kind, Symbol, ir::DType>, uint32_t> series_;
};

/// Returns the place of `traceEvents`, for reports about the whole trace; the beginning if it is missing.
SourceRange eventsOf(const SampleFile& file) {
  constexpr std::string_view kEvents = "\"traceEvents\"";
  const size_t at = file.text.find(kEvents);
  if (at == std::string_view::npos) return {file.id, 0, 0};
  return {file.id, static_cast<uint32_t>(at), static_cast<uint32_t>(at + kEvents.size())};
}

} // namespace

bool isKinetoTrace(const SampleFile& file) {
  const size_t at = file.text.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && file.text[at] == '{' &&
         file.text.find("\"traceEvents\"") != std::string_view::npos;
}

std::optional<Trace> kinetoTrace(const SampleFile& file, DiagnosticEngine& diagnostics) {
  Trace trace;
  if (const std::optional<TraceError> error = readTrace(file.text, trace)) {
    const auto at = static_cast<uint32_t>(std::min(error->byte, file.text.size()));
    diagnostics.report(BrokenTrace, {file.id, at ? at - 1 : 0, at}, {{"why", error->why}})
        .help(error->ends
                  ? "let the profiler end before the process does: `with torch.profiler.profile(…) as p: …`, then "
                    "`p.export_chrome_trace(…)`"
                  : "export it again with `p.export_chrome_trace(…)`: something changed the file");
    return std::nullopt;
  }
  if (trace.untimed > 0)
    diagnostics
        .report(
            UntimedKernels, eventsOf(file),
            {{"count", std::to_string(trace.untimed)}, {"all", std::to_string(trace.untimed + trace.kernels.size())}})
        .help("`ts` and `dur` of an event count microseconds; export the trace again, or look what changed it");
  if (!trace.kernels.empty()) return trace;
  diagnostics.report(NoKernels, eventsOf(file))
      .help("profile with `activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]`");
  return std::nullopt;
}

void readKinetoTrace(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics) {
  const std::optional<Trace> read = kinetoTrace(file, diagnostics);
  if (!read) return;
  const Trace& trace = *read;
  const size_t before = out.samples.size();
  const TraceWorks works = worksOf(trace, trace.devices.size());
  Collector collector(file, trace, out);
  collector.collect(works.works);
  if (!trace.shapes && out.samples.size() == before) {
    diagnostics.report(NoShapes, eventsOf(file)).help("profile with `record_shapes=True`");
    return;
  }
  const double left = 1 - collector.attributed() / std::max(collector.total(), 1e-300);
  out.notes.push_back(
      fmt::format("{}: {} kernels of {:.3g} ms in {} samples; other operators take {:.1f} % of the time{}", file.path,
                  trace.kernels.size(), 1e3 * collector.total(), out.samples.size() - before, 100 * std::max(left, 0.0),
                  left > 5e-4 ? ": " + collector.leftOver() : ""));
  if (works.assumedType)
    out.notes.push_back(fmt::format(
        "{}: the type of the updated parameters and their states is not given: fp32 is assumed", file.path));
  if (!trace.shapes)
    diagnostics.report(OnlyMessages, eventsOf(file), {{"share", fmt::format("{:.0f} %", 100 * (1 - left))}})
        .note("the rest belongs to " + (left > 5e-4 ? collector.leftOver() : "nothing"))
        .help("profile with `record_shapes=True` to read the operators, too");
  else if (left > kMuch)
    diagnostics.report(MostlyUnknown, eventsOf(file), {{"share", fmt::format("{:.0f} %", 100 * left)}})
        .help("the largest: " + collector.leftOver())
        .note("kernels of CUDA graphs and of torch.compile have no operators: profile a step without them");
}

} // namespace planc::calibrate
