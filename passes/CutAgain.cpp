// Cuts a program of level comm otherwise without lowering it anew: the classes of layers, their nodes and states do not
// depend on where the stages end, and boundary reshards know their neighbours.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"
#include "passes/Steps.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

bool cutAgain(Program& program, const Plan& plan) {
  if (std::any_of(program.firstLayers.begin(), program.firstLayers.end(), [](const auto& f) { return !f.empty(); }))
    return false; // which instances are replayed depends on the cut
  DiagnosticEngine ignored;
  const Program before = program;
  program.plan = &plan;
  if (cutLayersAgain(program, ignored) && crossBoundaries(program, ignored)) return true;
  program = before;
  return false;
}

} // namespace planc::passes
