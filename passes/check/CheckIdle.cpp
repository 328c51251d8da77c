// check-idle: warns of facts of the plan about communication that the finished program does not have.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"
#include "passes/check/IdleOverlap.h"
#include "passes/lower/WireTypes.h"

namespace planc::passes {

bool checkIdle(ir::Program& program, DiagnosticEngine& diagnostics) {
  if (!diagnostics.wantsWarnings()) return true;
  warnOfIdleOverlap(program, diagnostics);
  warnOfIdleWireTypes(program, diagnostics);
  return true;
}

} // namespace planc::passes
