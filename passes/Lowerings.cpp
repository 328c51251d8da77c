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

/// Number of meshes per group of layers whose bound model is kept.
constexpr size_t kMeshes = 16;
/// Number of prepared models that are kept.
constexpr size_t kModels = 8;

} // namespace

Lowerings::Layers* Lowerings::find(const Plan& plan) {
  static const PlanParts parts = readByLayers().without(PlanPart::Mesh);
  for (auto layers = kept_.begin(); layers != kept_.end(); ++layers)
    if (agree(parts, *layers->plan, plan) && layers->plan->axisPlaces == plan.axisPlaces &&
        differOnlyIn(layers->unseen, layers->plan->mesh, plan.mesh)) {
      kept_.splice(kept_.begin(), kept_, layers);
      return &kept_.front();
    }
  return nullptr;
}

const PreparedModel* Lowerings::findModel(const Plan& plan) const {
  static const PlanParts parts = readByModel();
  const auto found = std::find_if(prepared_.begin(), prepared_.end(),
                                  [&](const Prepared& prepared) { return agree(parts, *prepared.plan, plan); });
  return found == prepared_.end() ? nullptr : &found->model;
}

std::shared_ptr<const Plan> Lowerings::groupOf(const Plan& plan) {
  const Layers* layers = find(plan);
  return layers ? layers->plan : nullptr;
}

std::unique_ptr<Program> Lowerings::lowerWith(Layers& layers, const Plan& plan, DiagnosticEngine& diagnostics) {
  auto program = std::make_unique<Program>(layers.program);
  program->plan = &plan;
  if (plan.mesh == layers.plan->mesh)
    return lowerAgain(*program, diagnostics, layers.states) ? std::move(program) : nullptr;
  program->mesh = plan.mesh; // with refined axes no axis is unseen, and the meshes are equal
  const auto known = std::find_if(layers.bound.begin(), layers.bound.end(),
                                  [&](const auto& bound) { return bound.first == plan.mesh; });
  if (known != layers.bound.end()) program->model = known->second;
  if (!lowerAgain(*program, diagnostics, layers.states)) return nullptr;
  if (known == layers.bound.end()) layers.bound.emplace_front(plan.mesh, program->model);
  if (layers.bound.size() > kMeshes) layers.bound.pop_back();
  return program;
}

std::unique_ptr<Program> Lowerings::lower(const Plan& plan, DiagnosticEngine& diagnostics) {
  if (Layers* layers = find(plan)) {
    ++shared_;
    return lowerWith(*layers, plan, diagnostics);
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
  if (!known) prepared_.push_front({copy, std::move(made)});
  if (prepared_.size() > kModels) prepared_.pop_back();
  program->plan = &plan;
  program->rulesOf = layers.program.rulesOf = copy;
  layers.unseen = unseenAxes(layers.program);
  dropAgain(layers.program);
  kept_.push_front(std::move(layers));
  if (kept_.size() > most_) kept_.pop_back();
  return program;
}

} // namespace planc::passes
