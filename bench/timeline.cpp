// Benchmarks a timeline beside the estimate of the same schedule, and streams with an observer beside streams without.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Estimator.h"
#include "backends/cost/simulate/Streams.h"
#include "backends/timeline/Build.h"
#include "bench/Loaded.h"
#include "passes/Passes.h"

#include <array>
#include <benchmark/benchmark.h>
#include <chrono>
#include <stdexcept>

namespace planc {
namespace {

using Clock = std::chrono::steady_clock;

/// Seconds that `run` takes.
template <class Run> double secondsOf(Run run) {
  const auto begin = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// An example unfolded. `over_estimate`: its time as a multiple of the estimate's, in the same run.
void timeline(benchmark::State& state) {
  const bench::Loaded loaded(PLANC_SOURCE_DIR "/examples/gpt3_175b.plan", "gpt3_175b");
  DiagnosticEngine diagnostics;
  const auto program = passes::lower(*loaded.plans.front(), diagnostics);
  const auto schedule = passes::schedule(*program);
  double estimates = 0, timelines = 0;
  for (auto _ : state) {
    estimates += secondsOf([&] { benchmark::DoNotOptimize(cost::estimate(*schedule, diagnostics)); });
    timelines += secondsOf([&] { benchmark::DoNotOptimize(timeline::build(*schedule, diagnostics)); });
  }
  state.counters["over_estimate"] = timelines / estimates;
}

struct Counted : cost::SliceObserver {
  size_t slices = 0;
  void observe(const cost::Slice&) override { ++slices; }
  void spend(const cost::Slice&) override { ++slices; }
};

/// Seconds of a thousand kernels beside a thousand transfers.
double secondsOfStreams(cost::SliceObserver* observer) {
  cost::Streams streams(.1);
  streams.watch(observer);
  streams.addMarker({}, 100);
  for (int i = 0; i < 1000; ++i) {
    const auto moved = streams.add(0, .7, {}, i);
    streams.add(ir::kComputeStream, 1, std::array{moved}, i);
  }
  return secondsOf([&] { streams.run(); });
}

/// Streams without an observer. `watched`: the time with one, as a multiple.
void streamsAlone(benchmark::State& state) {
  Counted counted;
  double alone = 0, watched = 0;
  for (auto _ : state) {
    alone += secondsOfStreams(nullptr);
    watched += secondsOfStreams(&counted);
  }
  state.counters["watched"] = watched / alone;
}

BENCHMARK(timeline)->Unit(benchmark::kMillisecond);
BENCHMARK(streamsAlone)->Unit(benchmark::kMicrosecond);

} // namespace
} // namespace planc
