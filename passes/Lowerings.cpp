// Keeps the layers of the last groups of plans, and runs the rest of the pipeline on them.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Lowerings.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

namespace {

/// Returns the plan parts that the passes over layers read.
PlanParts readByLayers() {
  PlanParts parts;
  for (const Pass& pass : pipeline()) parts |= pass.reads;
  return parts;
}

/// Returns the plan parts that the passes that make the model read.
PlanParts readByModel() {
  PlanParts parts;
  for (const Pass& pass : pipeline())
    if (pass.ofModel) parts |= pass.reads;
  return parts;
}

template <class Is> const Pass& lastThat(Is is) {
  return *std::find_if(pipeline().rbegin(), pipeline().rend(), is);
}
const Pass& lastOfLayers() {
  static const Pass& last = lastThat([](const Pass& pass) { return !pass.reads.empty(); });
  return last;
}
const Pass& lastOfModel() {
  static const Pass& last = lastThat([](const Pass& pass) { return pass.ofModel; });
  return last;
}

/// Removes the results of the passes that run again.
void dropAgain(Program& program) {
  for (LayerClass& layerClass : program.classes) layerClass.params = {}, layerClass.states = {};
  program.virtualStages.clear();
  program.stageKinds = {};
  program.stageGroups.clear();
}

} // namespace

Lowerings::Layers* Lowerings::find(const Plan& plan) {
  static const PlanParts parts = readByLayers().without(PlanPart::Mesh);
  return kept_.find([&](const Layers& layers) {
    return agree(parts, *layers.plan, plan) && layers.plan->axisPlaces == plan.axisPlaces &&
           differOnlyIn(layers.unseen, layers.plan->mesh, plan.mesh);
  });
}

const PreparedModel* Lowerings::findModel(const Plan& plan) {
  static const PlanParts parts = readByModel();
  const Prepared* found = prepared_.find([&](const Prepared& prepared) { return agree(parts, *prepared.plan, plan); });
  return found ? &found->model : nullptr;
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
    return lowerAgain(*program, diagnostics) ? std::move(program) : nullptr;
  }
  ++lowered_;
  // The layers point to rules, so they keep a copy of the plan alive.
  auto copy = std::make_shared<const Plan>(plan);
  Layers layers{copy, {}};
  const PreparedModel* const known = findModel(plan);
  PreparedModel made;
  const auto keep = [&](const Passed& passed) {
    if (&passed.pass == &lastOfModel()) made = {passed.program.model, passed.program.precisions};
    if (&passed.pass == &lastOfLayers()) layers.program = *passed.comm;
  };
  auto program = passes::lower(*copy, diagnostics, keep, known);
  if (!program) return nullptr;
  if (!known) prepared_.add({copy, std::move(made)});
  program->plan = &plan;
  program->rulesOf = layers.program.rulesOf = copy;
  program->memos = layers.program.memos = std::make_shared<Memos>();
  layers.unseen = unseenAxes(layers.program);
  dropAgain(layers.program);
  kept_.add(std::move(layers));
  return program;
}

} // namespace planc::passes
