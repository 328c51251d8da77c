// Benchmarks of searches: every candidate is made as an edit, lowered and priced on one core, without cached results.
// SPDX-License-Identifier: Apache-2.0
#include "api/Searches.h"
#include "bench/Candidates.h"
#include "bench/Loaded.h"
#include "search/Engine.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace planc::bench {
namespace {

/// A plan, and the changes that make its candidates.
struct Space {
  const char* file;
  const char* plan;
  std::vector<ir::PlanEdit> (*edits)();
};
constexpr Space kGpt = {PLANC_SOURCE_DIR "/bench/search.plan", "gpt3_512", searchEdits};
constexpr Space kExperts = {PLANC_SOURCE_DIR "/bench/experts.plan", "deepseek_v3_2048", expertEdits};

/// Returns a candidate as a plan. Throws if the edit does not fit, because the benchmark would then measure something
/// else.
ir::Plan candidate(const ir::Plan& base, const ir::PlanEdit& edit, DiagnosticEngine& diagnostics) {
  ir::Plan plan = base;
  if (!ir::apply(edit, plan, diagnostics)) throw std::runtime_error("a candidate is no change of its plan");
  return plan;
}

/// Prices a candidate without the engine. Throws if its step time or memory differs from that of the engine.
void compare(const ir::Plan& plan, const cost::Estimate& found) {
  DiagnosticEngine diagnostics;
  const auto program = passes::lower(plan, diagnostics);
  const auto whole = program ? cost::estimate(*passes::schedule(*program), diagnostics) : nullptr;
  if (!whole || whole->totals.stepTime != found.totals.stepTime || whole->memory.peak != found.memory.peak)
    throw std::runtime_error(fmt::format("a candidate differs from its estimate: {} s, {} s",
                                         whole ? whole->totals.stepTime : 0, found.totals.stepTime));
}

void search(benchmark::State& state, const Space& space, bool compared) {
  const Loaded loaded(space.file, space.plan);
  const std::vector<ir::PlanEdit> edits = space.edits();
  size_t priced = 0, fitting = 0;
  double best = 0;
  for (auto _ : state) {
    search::Engine engine;
    priced = fitting = 0, best = 0;
    for (const ir::PlanEdit& edit : edits) {
      DiagnosticEngine diagnostics;
      const ir::Plan plan = candidate(*loaded.plans[0], edit, diagnostics);
      const auto found = engine.estimate(plan, diagnostics);
      if (!found) throw std::runtime_error(diagnostics.sorted()[0]->message);
      ++priced;
      if (found->memory.fits && (fitting++ == 0 || found->totals.stepTime < best)) best = found->totals.stepTime;
      if (compared) compare(plan, *found);
    }
    state.counters["layers"] = static_cast<double>(engine.lowerings().lowered());
  }
  state.counters["plans"] = static_cast<double>(priced);
  state.counters["fit"] = static_cast<double>(fitting);
  state.counters["best_s"] = best;
  state.counters["plans/s"] = benchmark::Counter(static_cast<double>(priced) * static_cast<double>(state.iterations()),
                                                 benchmark::Counter::kIsRate);
}

/// Measures candidates decided per second by `planc search`, without reading and printing.
void walk(benchmark::State& state, const char* path, const char* plan, bool bounds) {
  api::PlanFile file;
  std::string error;
  if (!file.load(path, error)) throw std::runtime_error(error);
  const auto search = api::Search::of(file, plan, {});
  if (!search) throw std::runtime_error(std::string("errors in ") + path);
  const auto threads = static_cast<unsigned>(state.range(0));
  // A walk with bounds cannot tell these candidates from worse ones, so count them without bounds.
  const uint64_t rest = search->run(threads, false).of(search::Fate::Rest).count;
  uint64_t decided = 0, priced = 0;
  for (auto _ : state) {
    const search::Answer answer = search->run(threads, bounds);
    decided = answer.candidates(), priced = answer.priced();
  }
  state.counters["candidates"] = static_cast<double>(decided);
  state.counters["no_rest"] = static_cast<double>(rest);
  state.counters["priced"] = static_cast<double>(priced);
  state.counters["decided/s"] = benchmark::Counter(
      static_cast<double>(decided - rest) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

constexpr const char* kGptFile = PLANC_SOURCE_DIR "/bench/search.plan";
constexpr const char* kExpertsFile = PLANC_SOURCE_DIR "/bench/experts.plan";
#define PLANC_WALK(name, file, plan, bounds)                                                                           \
  BENCHMARK_CAPTURE(walk, name, file, plan, bounds)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime()
PLANC_WALK(gpt3, kGptFile, "gpt3_space", true);
PLANC_WALK(gpt3_exhaustive, kGptFile, "gpt3_space", false);
PLANC_WALK(deepseek_v3, kExpertsFile, "deepseek_v3_space", true);
PLANC_WALK(deepseek_v3_exhaustive, kExpertsFile, "deepseek_v3_space", false);
#undef PLANC_WALK

BENCHMARK_CAPTURE(search, gpt3_512, kGpt, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, gpt3_512_compared, kGpt, true)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(search, deepseek_v3_2048, kExperts, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, deepseek_v3_2048_compared, kExperts, true)->Unit(benchmark::kMillisecond)->Iterations(1);

} // namespace
} // namespace planc::bench
