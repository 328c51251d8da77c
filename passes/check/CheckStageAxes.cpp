// check-stage-axes: no rule splits an operator, a state or a transfer over an axis that carries the stages of the
// pipeline, because a stage holds only a part of the model.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"

namespace planc::passes {
using namespace ir;

PLANC_ERROR(PlacedOnStages, 642,
            "`{dim} -> {axis}` splits operators over an axis that carries the stages of the pipeline")

bool checkStageAxes(ProgramHead& program, DiagnosticEngine& diagnostics) {
  bool ok = true;
  auto check = [&](const std::string& what, const std::vector<Symbol>& targets, SourceRange range) {
    const AxisMask both = maskOf(resolveTargets(program.mesh, targets)) & program.stageAxes;
    if (!both) return;
    ok = false;
    auto report = diagnostics.report(PlacedOnStages, range, {{"dim", what}, {"axis", program.mesh.str(both)}});
    report.label(program.plan->pipeline->range, "the pipeline runs over it");
    report.help("place it on another axis, or run the pipeline over another one");
  };
  for (const PlacementRule& r : program.plan->placements) check(r.dim.str(), r.targets, r.range);
  for (const StateRule& r : program.plan->states) check(std::string(name(r.state)), r.targets, r.range);
  if (const auto& p = program.plan->pipeline; p && p->scatter) check("scatter", {*p->scatter}, p->scatterRange);
  return ok;
}

} // namespace planc::passes
