// What must hold for the size of an axis to leave no trace in the layers.
// SPDX-License-Identifier: Apache-2.0
#include "passes/UnseenAxes.h"

#include "passes/Lowering.h"
#include "passes/PlanParts.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

namespace {

bool reads(const Poly& poly, DimId dim) {
  for (const Term& term : poly.terms)
    for (const auto& [factor, power] : term.factors)
      if (factor == dim) return true;
  return false;
}

/// Is the extent of the dimension, all devices' samples, read beside its shards? What follows or stands for it counts
/// elements that no micro-batch needs to hold a whole number of; a curve goes by whole extents.
bool readWhole(const Model& model, DimId samples) {
  const auto has = [&](const std::vector<DimId>& dims) {
    return std::find(dims.begin(), dims.end(), samples) != dims.end();
  };
  return std::any_of(model.dims.begin(), model.dims.end(), [&](const Dim& d) { return has(d.parts); }) ||
         std::any_of(model.composites.begin(), model.composites.end(),
                     [&](const Composite& c) { return has(c.factors); }) ||
         std::any_of(model.ops.begin(), model.ops.end(), [&](const Op& op) {
           return op.keys == samples || reads(op.headSize, samples) || (op.copies && reads(*op.copies, samples));
         });
}

/// The rule that splits the samples over one axis, wherever they are; null if there is none, or any doubt.
const PlacementRule* splitOfSamples(const Program& program) {
  const Symbol samples = program.plan->workload.samples;
  const PlacementRule* split = nullptr;
  for (const PlacementRule& rule : program.plan->placements) {
    if (rule.dim != samples) continue;
    if (split) return nullptr;
    split = &rule;
  }
  if (!split || !split->selector.steps.empty() || split->ring || split->uneven || split->contiguous) return nullptr;
  if (withoutTrivial(program.mesh, resolveTargets(program.mesh, split->targets)).size() != 1) return nullptr;
  for (uint32_t d = 0; d < program.model->dims.size(); ++d)
    if (const Dim& dim = program.model->dims[DimId(d)]; dim.kind == DimKind::Basic && dim.name == samples)
      if (readWhole(program.model, DimId(d))) return nullptr;
  return split;
}

} // namespace

UnseenAxes unseenAxes(const Program& program) {
  const Plan& plan = *program.plan;
  // A refined axis has parts that depend on its size; instances that are counted on stages depend on their number.
  if (program.mesh != plan.mesh || dependOnStages(plan)) return {};
  const PlacementRule* ofSamples = splitOfSamples(program);
  AxisMask placed = 0, samples = 0, moved = 0, live = 0;
  for (const PlacementRule& rule : plan.placements)
    (&rule == ofSamples ? samples : placed) |= maskOf(resolveTargets(program.mesh, rule.targets));
  for (const LayerClass& layerClass : program.classes)
    for (const Indexed<Node>* nodes : {&*layerClass.forward, &*layerClass.backward})
      for (const Node& node : *nodes) moved |= node.axes;
  for (AxisId a : program.mesh.order) {
    live |= maskOf(a);
    if (program.mesh.axes[a].size == 1) samples &= ~maskOf(a);
  }
  const AxisMask all = live & ~placed & ~moved;
  return {all & ~maskOf(ofSamples ? resolveTargets(program.mesh, ofSamples->targets) : AxisList()), all & samples};
}

bool differOnlyIn(const UnseenAxes& axes, const Mesh& a, const Mesh& b) {
  if (a.axes.size() != b.axes.size() || a.order != b.order || a.groups != b.groups || a.levelSizes != b.levelSizes ||
      a.levelNames != b.levelNames)
    return false;
  for (uint32_t i = 0; i < a.axes.size(); ++i) {
    Axis mine = a.axes[AxisId(i)];
    const Axis& other = b.axes[AxisId(i)];
    const AxisMask mask = maskOf(AxisId(i));
    if ((axes.unplaced & mask) || ((axes.samples & mask) && other.size > 1))
      mine.size = other.size, mine.stride = other.stride;
    if (mine != other) return false;
  }
  return true;
}

} // namespace planc::passes
