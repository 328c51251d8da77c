// The way from a plan to its estimate, over what earlier plans left.
// SPDX-License-Identifier: Apache-2.0
#include "api/Engine.h"

namespace planc::api {

std::unique_ptr<cost::Estimate> Engine::estimate(const ir::Plan& plan, DiagnosticEngine& diagnostics,
                                                 cost::Wanted wanted) {
  diagnostics.ignoreWarnings();
  const auto program = lowerings_.lower(plan, diagnostics);
  if (!program) return nullptr;
  return cost::estimate(*lowerings_.schedule(*program), diagnostics, wanted, &prices_);
}

} // namespace planc::api
