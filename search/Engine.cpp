// The way from a plan to its estimate, over what earlier plans left.
// SPDX-License-Identifier: Apache-2.0
#include "search/Engine.h"

namespace planc::search {

namespace {

/// Nobody reads warnings while this lives: a plan that shares its layers has none of theirs.
class WithoutWarnings {
  DiagnosticEngine& of_;
  bool before_;

public:
  explicit WithoutWarnings(DiagnosticEngine& of) : of_(of), before_(of.wantsWarnings()) { of.ignoreWarnings(); }
  ~WithoutWarnings() { of_.ignoreWarnings(!before_); }
};

} // namespace

std::unique_ptr<ir::Program> Engine::lower(const ir::Plan& plan, DiagnosticEngine& diagnostics) {
  const std::lock_guard guard(turn_);
  const WithoutWarnings silence(diagnostics);
  return lowerings_.lower(plan, diagnostics);
}

std::unique_ptr<ir::Schedule> Engine::schedule(const ir::Program& program) {
  const std::lock_guard guard(turn_);
  return lowerings_.schedule(program);
}

std::unique_ptr<cost::Estimate> Engine::price(const ir::Schedule& schedule, DiagnosticEngine& diagnostics,
                                              cost::Wanted wanted) {
  const std::lock_guard guard(turn_);
  const WithoutWarnings silence(diagnostics);
  return cost::estimate(schedule, diagnostics, wanted, &prices_);
}

std::unique_ptr<cost::Estimate> Engine::estimate(const ir::Plan& plan, DiagnosticEngine& diagnostics,
                                                 cost::Wanted wanted) {
  const auto program = lower(plan, diagnostics);
  return program ? price(*schedule(*program), diagnostics, wanted) : nullptr;
}

} // namespace planc::search
