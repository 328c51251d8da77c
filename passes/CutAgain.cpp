// Cuts a program of level comm otherwise without lowering it anew: the classes of layers, their nodes and states do not
// depend on where the stages end, and boundary reshards know their neighbours.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Backward.h"
#include "passes/CutStages.h"
#include "passes/Passes.h"
#include "passes/Steps.h"

#include <algorithm>
#include <utility>

namespace planc::passes {
using namespace ir;

bool cutAgain(Program& program, const Plan& plan) {
  if (std::any_of(program.firstLayers.begin(), program.firstLayers.end(), [](const auto& f) { return !f.empty(); }))
    return false; // which instances are replayed depends on the cut
  DiagnosticEngine ignored;
  const auto cut = cutStages(program, plan, ignored);
  if (!cut) return false;
  const Plan* const planBefore = std::exchange(program.plan, &plan);
  std::vector<VirtualStage> stagesBefore = std::exchange(program.virtualStages, {});
  addStages(program, *cut);
  for (uint32_t c = 0; c < program.classes.size(); ++c)
    if (program.classes[LayerClassId(c)].boundaryReshard) runBoundaryReshard(program, LayerClassId(c));
  if (crossBoundaries(program, ignored)) return true;
  program.plan = planBefore;
  program.virtualStages = std::move(stagesBefore);
  return false;
}

} // namespace planc::passes
