// Keeps the layers of the last groups of plans, and runs the rest of the pipeline on them.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Lowerings.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

namespace {

/// Returns the plan parts that the passes which `counts` accepts read.
PlanParts readBy(bool (*counts)(DependsOn on)) {
  PlanParts parts;
  for (const Pass& pass : pipeline())
    if (counts(pass.on)) parts |= pass.reads;
  return parts;
}

/// Returns whether no later pass depends on the same.
bool isLast(const Pass& pass) {
  return std::none_of(&pass + 1, &pipeline().back() + 1, [&](const Pass& later) { return later.on == pass.on; });
}

/// Removes the results of the passes that run for every plan.
void dropPlan(Program& program) {
  for (LayerClass& layerClass : program.classes) layerClass.params = {}, layerClass.states = {};
  program.virtualStages.clear();
  program.stageKinds = {};
  program.stageGroups.clear();
}

} // namespace

Lowerings::Layers* Lowerings::find(const Plan& plan) {
  static const PlanParts parts = readBy([](DependsOn) { return true; }).without(PlanPart::Mesh);
  return kept_.find([&](const Layers& layers) {
    return agree(parts, *layers.plan, plan) && layers.plan->axisPlaces == plan.axisPlaces &&
           differOnlyIn(layers.unseen, layers.plan->mesh, plan.mesh);
  });
}

std::shared_ptr<const Plan> Lowerings::groupOf(const Plan& plan) {
  const Layers* layers = find(plan);
  return layers ? layers->plan : nullptr;
}

std::unique_ptr<Program> Lowerings::lower(const Plan& plan, DiagnosticEngine& diagnostics) {
  if (Layers* layers = find(plan)) {
    ++shared_;
    auto program = std::make_unique<Program>(layers->program);
    program->plan = &plan;
    // With refined axes no axis is unseen, and the meshes are equal.
    if (plan.mesh != layers->plan->mesh) program->mesh = plan.mesh;
    return lowerPlan(*program, diagnostics) ? std::move(program) : nullptr;
  }
  ++lowered_;
  // The layers point to rules, so they keep a copy of the plan alive.
  auto copy = std::make_shared<const Plan>(plan);
  Layers layers{copy, {}};
  static const PlanParts ofModel = [] { // bind-workload freezes parameters of the model before the last of these passes
    PlanParts parts = readBy([](DependsOn on) { return on == DependsOn::Model; });
    return parts |= {PlanPart::Workload};
  }();
  auto begin = programOf(*copy);
  const BoundModel* const bound = models_.find([&](const BoundModel& m) { return agree(ofModel, *m.plan, plan); });
  if (bound) begin->model = bound->model, begin->precisions = bound->precisions;
  BoundModel made{copy, {}, {}};
  const auto keep = [&](const Passed& passed) {
    if (!isLast(passed.pass)) return;
    if (passed.pass.on == DependsOn::Model)
      made.model = passed.program.model, made.precisions = passed.program.precisions;
    if (passed.pass.on == DependsOn::Layers) layers.program = *passed.comm;
  };
  auto program = passes::lower(std::move(begin), diagnostics, keep);
  if (!program) return nullptr;
  if (!bound) models_.add(std::move(made));
  program->plan = &plan;
  program->rulesOf = layers.program.rulesOf = copy;
  program->memos = layers.program.memos = std::make_shared<Memos>();
  layers.unseen = unseenAxes(layers.program);
  dropPlan(layers.program);
  kept_.add(std::move(layers));
  return program;
}

} // namespace planc::passes
