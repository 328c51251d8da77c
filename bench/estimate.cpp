// Benchmarks the parts of one estimate, and the same plan on 64 and on a million GPUs.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Estimator.h"
#include "bench/Allocations.h"
#include "bench/Loaded.h"
#include "frontend/parse/Parse.h"
#include "passes/Passes.h"

#include <benchmark/benchmark.h>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace planc {
namespace {

const char* const kExample = PLANC_SOURCE_DIR "/examples/gpt3_175b.plan";
const char* const kScaling = PLANC_SOURCE_DIR "/bench/scaling.plan";

std::string read(const char* path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error(std::string("cannot read ") + path);
  return text.str();
}

/// Returns the step time in seconds.
double price(const ir::Plan& plan) {
  DiagnosticEngine diagnostics;
  const auto program = passes::lower(plan, diagnostics);
  const auto schedule = program ? passes::schedule(*program) : nullptr;
  const auto estimate = schedule ? cost::estimate(*schedule, diagnostics) : nullptr;
  if (!estimate) throw std::runtime_error(diagnostics.empty() ? "no estimate" : diagnostics.sorted()[0]->message);
  return estimate->totals.stepTime;
}

void parseExample(benchmark::State& state) {
  const std::string text = read(kExample);
  for (auto _ : state) {
    SourceManager sources;
    DiagnosticEngine diagnostics;
    benchmark::DoNotOptimize(parse::parseFile(sources, sources.add("example.plan", text), diagnostics));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(text.size()));
}

/// Loads a plan with its imports, checks and elaborates it. The amount of library text read determines the start-up
/// time.
void elaborateExample(benchmark::State& state) {
  size_t library = 0;
  for (auto _ : state) {
    bench::Loaded loaded(kExample, "gpt3_175b");
    library = loaded.session.libraryBytes();
  }
  state.counters["library_bytes"] = static_cast<double>(library);
}

void lowerExample(benchmark::State& state) {
  const bench::Loaded loaded(kExample, "gpt3_175b");
  for (auto _ : state) {
    DiagnosticEngine diagnostics;
    const auto program = passes::lower(*loaded.plans[0], diagnostics);
    benchmark::DoNotOptimize(passes::schedule(*program));
  }
}

void priceExample(benchmark::State& state) {
  const bench::Loaded loaded(kExample, "gpt3_175b");
  DiagnosticEngine diagnostics;
  const auto program = passes::lower(*loaded.plans[0], diagnostics);
  const auto schedule = passes::schedule(*program);
  for (auto _ : state) benchmark::DoNotOptimize(cost::estimate(*schedule, diagnostics));
}

/// Prices an elaborated plan without cached results.
void evaluateExample(benchmark::State& state) {
  const bench::Loaded loaded(kExample, "gpt3_175b");
  const size_t before = bench::allocations();
  for (auto _ : state) {
    DiagnosticEngine diagnostics;
    diagnostics.ignoreWarnings();
    const auto program = passes::lower(*loaded.plans[0], diagnostics);
    const auto schedule = passes::schedule(*program);
    benchmark::DoNotOptimize(cost::estimate(*schedule, diagnostics, cost::Wanted::totals()));
  }
  state.counters["allocations"] =
      benchmark::Counter(static_cast<double>(bench::allocations() - before), benchmark::Counter::kAvgIterations);
}

/// Lowering and pricing depend on stages, chunks and micro-batches, and not on the number of devices.
void lowerAndPrice(benchmark::State& state, const char* plan) {
  const bench::Loaded loaded(kScaling, plan);
  double step = 0;
  for (auto _ : state) step = price(*loaded.plans[0]);
  state.counters["devices"] = static_cast<double>(loaded.plans[0]->mesh.devices());
  state.counters["step_s"] = step;
}

BENCHMARK(parseExample)->Unit(benchmark::kMicrosecond);
BENCHMARK(elaborateExample)->Unit(benchmark::kMicrosecond);
BENCHMARK(lowerExample)->Unit(benchmark::kMicrosecond);
BENCHMARK(priceExample)->Unit(benchmark::kMicrosecond);
BENCHMARK(evaluateExample)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(lowerAndPrice, gpus_64, "gpus_64")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(lowerAndPrice, gpus_1000000, "gpus_1000000")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(lowerAndPrice, stages_384, "stages_384")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(lowerAndPrice, stages_384_quarter, "stages_384_quarter")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(lowerAndPrice, zero_bubble_64, "zero_bubble_64")->Unit(benchmark::kMicrosecond);

} // namespace
} // namespace planc

BENCHMARK_MAIN();
