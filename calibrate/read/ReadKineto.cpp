// Reads traces of PyTorch's profiler. Kernels of operators with known shapes become samples; the time of other kernels
// is reported.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/kineto/KinetoChains.h"
#include "calibrate/kineto/KinetoUpdates.h"
#include "calibrate/read/Readers.h"
#include "calibrate/samples/Robust.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace planc::calibrate {

PLANC_ERROR(BrokenTrace, 1050, "this trace cannot be read: {why}")
PLANC_ERROR(NoKernels, 1051, "this trace has no GPU kernels")
PLANC_ERROR(NoShapes, 1052, "this trace has no shapes of operands, so the work of its kernels is unknown")
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
  Collector(const SampleFile& file, const Trace& trace, Samples& out)
      : file_(file), trace_(trace), chains_(trace), out_(out) {}

  /// Seconds of all kernels, and of kernels that became samples.
  double total() const { return total_; }
  double attributed() const { return attributed_; }
  /// Returns whether the type of an update was assumed, because the trace does not give it.
  bool assumedType() const { return assumed_; }

  void collect() {
    for (const TraceKernel& kernel : trace_.kernels) {
      total_ += kernel.seconds;
      if (!message(kernel)) compute(kernel);
    }
    for (const auto& [chain, seconds] : chainTimes_) addChain(chains_.sample(chain), seconds);
    for (const TraceUpdate& update : updatesOf(trace_)) addUpdate(update);
    for (const auto& [op, seconds] : instances_) addInstance(trace_.ops[static_cast<size_t>(op)], seconds);
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

  /// Handles a kernel of NCCL. The message is described by the kernel's own event or by an operator around it.
  bool message(const TraceKernel& kernel) {
    const TraceMessage* found = kernel.message ? &*kernel.message : nullptr;
    for (int at = kernel.op; !found && at >= 0; at = trace_.ops[static_cast<size_t>(at)].parent)
      if (trace_.ops[static_cast<size_t>(at)].message) found = &*trace_.ops[static_cast<size_t>(at)].message;
    if (!found || kernel.name.view().find("nccl") == std::string_view::npos) return false;
    if (const std::optional<Sample> sample = meaningOf(*found, trace_.devices.size())) {
      shapeOf(*sample).forward.push_back(kernel.seconds);
      attributed_ += kernel.seconds;
    } else {
      unknown_[kernel.name] += kernel.seconds;
    }
    return true;
  }

  /// Attributes a kernel to the outermost operator with a row in the vocabulary, because PyTorch's composite operators
  /// call others that have rows, too.
  void compute(const TraceKernel& kernel) {
    if (const TraceChains::Membership own = chains_.of(kernel.op); own.chain >= 0) {
      auto& [forward, backward] = chainTimes_[own.chain];
      (own.backward ? backward : forward) += kernel.seconds;
      return;
    }
    int known = -1;
    for (int at = kernel.op; at >= 0; at = trace_.ops[static_cast<size_t>(at)].parent)
      if (isKnownOperator(trace_.ops[static_cast<size_t>(at)].name)) known = at;
    if (known >= 0)
      instances_[known] += kernel.seconds;
    else
      unknown_[kernel.op >= 0 ? trace_.ops[static_cast<size_t>(kernel.op)].name : kernel.name] += kernel.seconds;
  }

  /// Adds the forward and backward times of one chain.
  void addChain(const Sample& sample, const std::pair<double, double>& seconds) {
    attributed_ += seconds.first + seconds.second;
    Shape& shape = shapeOf(sample);
    if (seconds.first > 0) shape.forward.push_back(seconds.first);
    if (seconds.second > 0) shape.backward[sample.name].push_back(seconds.second);
  }

  void addUpdate(const TraceUpdate& update) {
    double seconds = 0;
    for (const int op : update.ops) {
      const auto own = instances_.find(op);
      if (own == instances_.end()) continue;
      seconds += own->second;
      instances_.erase(own);
    }
    attributed_ += seconds;
    if (seconds > 0) shapeOf(update.sample).forward.push_back(seconds);
  }

  void addInstance(const TraceOp& op, double seconds) {
    std::optional<TraceMeaning> meaning = meaningOf(op);
    if (meaning && meaning->sample.kind == Kind::Optimizer) {
      meaning->sample.dtype = updated_.value_or(ir::DType::fp32);
      assumed_ |= !updated_;
    }
    if (!meaning) {
      unknown_[op.name] += seconds;
      return;
    }
    attributed_ += seconds;
    Shape& shape = shapeOf(meaning->sample);
    (meaning->backward ? shape.backward[op.name] : shape.forward).push_back(seconds);
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
  const TraceChains chains_;
  Samples& out_;
  const std::optional<ir::DType> updated_ = updatedType(trace_);
  bool assumed_ = false; ///< an update's type was assumed to be fp32
  double total_ = 0, attributed_ = 0;
  std::map<int, double> instances_;                     ///< seconds by instance of an operator
  std::map<int, std::pair<double, double>> chainTimes_; ///< forward and backward seconds by chain
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

void readKinetoTrace(const SampleFile& file, Samples& out, DiagnosticEngine& diagnostics) {
  Trace trace;
  if (const std::optional<TraceError> error = readTrace(file.text, trace)) {
    const auto at = static_cast<uint32_t>(std::min(error->byte, file.text.size()));
    diagnostics.report(BrokenTrace, {file.id, at ? at - 1 : 0, at}, {{"why", error->why}})
        .help(error->ends
                  ? "let the profiler end before the process does: `with torch.profiler.profile(…) as p: …`, then "
                    "`p.export_chrome_trace(…)`"
                  : "export it again with `p.export_chrome_trace(…)`: something changed the file");
    return;
  }
  if (trace.kernels.empty()) {
    diagnostics.report(NoKernels, eventsOf(file))
        .help("profile with `activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]`");
    return;
  }
  const size_t before = out.samples.size();
  Collector collector(file, trace, out);
  collector.collect();
  if (!trace.shapes && out.samples.size() == before) {
    diagnostics.report(NoShapes, eventsOf(file)).help("profile with `record_shapes=True`");
    return;
  }
  const double left = 1 - collector.attributed() / std::max(collector.total(), 1e-300);
  out.notes.push_back(
      fmt::format("{}: {} kernels of {:.3g} ms in {} samples; other operators take {:.1f} % of the time{}", file.path,
                  trace.kernels.size(), 1e3 * collector.total(), out.samples.size() - before, 100 * std::max(left, 0.0),
                  left > 5e-4 ? ": " + collector.leftOver() : ""));
  if (collector.assumedType())
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
