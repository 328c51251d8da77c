// Assigns kernels to steps by the time of their launch, and measures unions of intervals.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/compare/TraceSteps.h"

#include <algorithm>
#include <set>

namespace planc::calibrate {

namespace {

constexpr double kMicro = 1e-6;

struct Span {
  double begin = 0, end = 0, launched = -1;
};

/// Returns disjoint spans that cover the same time, in order.
std::vector<Span> joined(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Span> out;
  for (const Span& s : spans)
    if (!out.empty() && s.begin <= out.back().end)
      out.back().end = std::max(out.back().end, s.end);
    else
      out.push_back(s);
  return out;
}

double length(const std::vector<Span>& spans) {
  double sum = 0;
  for (const Span& s : spans) sum += s.end - s.begin;
  return sum;
}

/// Returns the step in which the host launched a kernel; steps.size() if it is none.
size_t stepOf(const std::vector<TraceMark>& steps, const TraceKernel& kernel) {
  const double at = kernel.launched >= 0 ? kernel.launched : kernel.begin;
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), at, [](double t, const TraceMark& step) { return t < step.begin; });
  if (after == steps.begin()) return steps.size();
  const auto own = static_cast<size_t>(after - steps.begin()) - 1;
  return own + 1 == steps.size() && at > steps.back().end ? steps.size() : own;
}

/// The gaps of a step in which nothing runs. What a gap waits for is read off the kernel that ends it.
void addGaps(TraceStep& step, const std::vector<Span>& busy, double begin, double end) {
  double since = begin;
  const auto gap = [&](double until, double launched) {
    if (until <= since) return;
    const double host = launched < 0 ? until - since : std::clamp(launched - since, 0.0, until - since);
    step.host += host * kMicro;
    step.idle += (until - since - host) * kMicro;
  };
  for (const Span& span : busy) {
    gap(std::min(span.begin, end), span.launched);
    since = std::max(since, span.end);
  }
  gap(end, -1); // the host still works, or waits for its results
}

} // namespace

std::vector<double> devicesOf(const Trace& trace) {
  std::set<double> devices;
  for (const TraceKernel& kernel : trace.kernels) devices.insert(kernel.device);
  return {devices.begin(), devices.end()};
}

std::vector<TraceStep> stepsOf(const Trace& trace, const std::vector<bool>& moves, double device) {
  std::vector<TraceMark> marks = trace.steps;
  std::sort(marks.begin(), marks.end(), [](const TraceMark& a, const TraceMark& b) { return a.begin < b.begin; });
  std::vector<TraceStep> steps(marks.size());
  for (size_t i = 0; i < trace.kernels.size(); ++i)
    if (trace.kernels[i].device == device)
      if (const size_t step = stepOf(marks, trace.kernels[i]); step < steps.size()) steps[step].kernels.push_back(i);
  std::vector<double> begins, hosts;
  std::vector<TraceStep> out;
  for (size_t s = 0; s < steps.size(); ++s) {
    if (steps[s].kernels.empty()) continue;
    double first = trace.kernels[steps[s].kernels.front()].begin;
    for (const size_t k : steps[s].kernels) first = std::min(first, trace.kernels[k].begin);
    begins.push_back(first);
    hosts.push_back(marks[s].end - marks[s].begin);
    out.push_back(std::move(steps[s]));
  }
  for (size_t s = 0; s < out.size(); ++s) {
    std::vector<Span> operators, all;
    double last = begins[s];
    for (const size_t k : out[s].kernels) {
      const TraceKernel& kernel = trace.kernels[k];
      all.push_back({kernel.begin, kernel.end(), kernel.launched});
      last = std::max(last, kernel.end());
      if (moves[k]) continue;
      operators.push_back(all.back());
      out[s].operators += kernel.seconds;
    }
    const double end = s + 1 < out.size() ? begins[s + 1] : std::max(last, begins[s] + hosts[s]);
    const std::vector<Span> busy = joined(std::move(all));
    const double computing = length(joined(std::move(operators))) * kMicro;
    out[s].together = out[s].operators - computing;
    out[s].exposed = length(busy) * kMicro - computing;
    addGaps(out[s], busy, begins[s], end);
    out[s].seconds = out[s].operators - out[s].together + out[s].exposed + out[s].host + out[s].idle;
  }
  if (out.size() > 1) out.erase(out.begin());
  return out;
}

} // namespace planc::calibrate
