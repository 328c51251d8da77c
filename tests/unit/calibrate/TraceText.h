// Traces of PyTorch's profiler, made up event by event.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/unit/calibrate/Samples.h"

#include <fmt/format.h>

namespace planc::test {

/// Events in the form of PyTorch 2.x. Operators that are open contain those that follow.
class TraceText {
  std::string events_;
  int next_ = 1;
  double now_ = 6500.25;
  int thread_ = 77;

  void event(const std::string& text) { events_ += (events_.empty() ? "" : ",\n") + text; }

public:
  std::string devices = R"([{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85017493504}])";

  TraceText& onThread(int thread) {
    thread_ = thread;
    return *this;
  }
  /// An operator of 100 us; `arguments` is what stands in "args" beside its id.
  int op(std::string_view name, std::string_view arguments, double lasts = 100) {
    event(
        fmt::format(R"({{"ph": "X", "cat": "cpu_op", "name": "{}", "pid": 42, "tid": {}, "ts": {:.3f}, "dur": {:.3f},)"
                    R"( "args": {{"External id": {}, "Record function id": 0{}{}}}}})",
                    name, thread_, now_, lasts, next_, arguments.empty() ? "" : ", ", arguments));
    now_ += 1;
    return next_++;
  }
  /// A launch now, and its kernel, of so many microseconds, later.
  void kernel(std::string_view name, double duration, std::string_view more = "", bool isLinked = true) {
    const int correlation = 1000 + next_++;
    if (isLinked)
      event(fmt::format(
          R"({{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 42, "tid": {}, "ts": {:.3f}, "dur": 2,)"
          R"( "args": {{"cbid": 211, "correlation": {}}}}})",
          thread_, now_, correlation));
    event(fmt::format(R"({{"ph": "X", "cat": "kernel", "name": "{}", "pid": 0, "tid": 7, "ts": {:.3f}, "dur": {},)"
                      R"( "args": {{"device": 0, "stream": 7, "correlation": {}{}{}}}}})",
                      name, now_ + 5000, duration, correlation, more.empty() ? "" : ", ", more));
    now_ += 1;
  }
  /// An operator that lasts 10 us and launches one kernel; `duration` 0: none.
  void run(std::string_view name, std::string_view arguments, double duration) {
    op(name, arguments, 10);
    if (duration > 0) kernel("kernel", duration);
    advance(20);
  }
  void advance(double microseconds = 1000) { now_ += microseconds; }

  std::string text() const {
    return fmt::format("{{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": {},\n  \"record_shapes\": 1,\n"
                       "  \"traceEvents\": [\n{}\n  ],\n  \"traceName\": \"t.json\"\n}}\n",
                       devices, events_);
  }
  ReadText read() const { return ReadText(text(), "step.pt.trace.json"); }
};

/// Operands by shape and type.
inline std::string in(std::string_view dims, std::string_view types, std::string_view values = "") {
  std::string out = fmt::format(R"("Input Dims": {}, "Input type": {})", dims, types);
  return values.empty() ? out : out + fmt::format(R"(, "Concrete Inputs": {})", values);
}
inline constexpr std::string_view kTwo = R"(["c10::BFloat16", "c10::BFloat16"])";

} // namespace planc::test
