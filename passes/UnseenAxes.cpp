// The conditions under which the size of an axis does not affect the layers.
// SPDX-License-Identifier: Apache-2.0
#include "passes/UnseenAxes.h"

#include "ir/layout/Routed.h"
#include "passes/PlanParts.h"
#include "passes/lower/Lowering.h"

#include <algorithm>
#include <cmath>

namespace planc::passes {
using namespace ir;

namespace {

using Dims = std::vector<DimId>;

bool holds(const Dims& dims, DimId dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}
bool anyOf(const Dims& dims, const Dims& others) {
  return std::any_of(others.begin(), others.end(), [&](DimId d) { return holds(dims, d); });
}

bool reads(const Poly& poly, DimId dim) {
  for (const Term& term : poly.terms)
    for (const auto& [factor, power] : term.factors)
      if (factor == dim) return true;
  return false;
}

bool reads(const Poly& poly, const Dims& dims) {
  return std::any_of(dims.begin(), dims.end(), [&](DimId d) { return reads(poly, d); });
}

/// Returns the samples and the routed and pooled dimensions that contain them.
Dims standForSamples(const Model& model, Symbol samples) {
  Dims all;
  for (uint32_t d = 0; d < model.dims.size(); ++d)
    if (const Dim& dim = model.dims[DimId(d)]; dim.kind == DimKind::Basic && dim.name == samples)
      all.push_back(DimId(d));
  for (size_t before = 0; before != all.size();) {
    before = all.size();
    for (uint32_t d = 0; d < model.dims.size(); ++d)
      if (const Dim& dim = model.dims[DimId(d)]; (dim.kind == DimKind::Routed || dim.kind == DimKind::Pooled) &&
                                                 !holds(all, DimId(d)) && anyOf(all, dim.parts))
        all.push_back(DimId(d));
  }
  return all;
}

/// Returns whether everything that is read of these dimensions is read per shard. That holds if each of `ranks` ranks
/// has a whole number of elements, unless another dimension is made of them, an equation uses their whole extent, as a
/// curve does, or a ring rotates them.
bool readInShards(const Program& program, const Dims& samples, int64_t ranks) {
  const Model& model = program.model;
  const auto& rules = program.plan->placements;
  if (samples.size() > 1 && std::any_of(rules.begin(), rules.end(), [](const PlacementRule& r) { return r.ring; }))
    return false;
  return std::none_of(model.dims.begin(), model.dims.end(),
                      [&](const Dim& d) {
                        if (!anyOf(samples, d.parts)) return false;
                        const double part = sizeOf(model, d) / static_cast<double>(ranks);
                        return d.kind == DimKind::Following || part != std::floor(part);
                      }) &&
         std::none_of(model.composites.begin(), model.composites.end(),
                      [&](const Composite& c) { return anyOf(samples, c.factors); }) &&
         std::none_of(model.ops.begin(), model.ops.end(), [&](const Op& op) {
           return holds(samples, op.keys) || reads(op.headSize, samples) || (op.copies && reads(*op.copies, samples));
         });
}

/// Returns the only rule that splits the samples, if it applies everywhere; null in doubt.
const PlacementRule* splitOfSamples(const Program& program) {
  if (program.plan->workload.microBatch < 1) return nullptr; // their extent is the one in the text, for every mesh
  const PlacementRule* split = nullptr;
  for (const PlacementRule& rule : program.plan->placements) {
    if (rule.dim != program.plan->workload.samples) continue;
    if (split) return nullptr;
    split = &rule;
  }
  return split && split->selector.steps.empty() && !split->ring && !split->uneven && !split->contiguous ? split
                                                                                                        : nullptr;
}

/// Returns the major axis over which the samples are split, if everything read of them is read per shard; else 0.
AxisMask majorOf(const Program& program, const AxisList& split) {
  if (split.empty()) return 0;
  const Dims samples = standForSamples(program.model, program.plan->workload.samples);
  return readInShards(program, samples, program.mesh.axes[split.front()].size) ? maskOf(split.front()) : 0;
}

/// Returns the axes that stand right of another axis where they split a dimension.
AxisMask minorIn(const Layout& layout) {
  AxisMask minor = 0;
  for (const Digit& digit : layout.shard.digits())
    if (digit.left != 0) minor |= maskOf(digit.axis);
  return minor;
}

} // namespace

UnseenAxes unseenAxes(const Program& program) {
  const Plan& plan = *program.plan;
  // The parts of a refined axis depend on its size. Instances that are counted on stages depend on the number of
  // stages.
  if (program.mesh != plan.mesh || dependOnStages(plan)) return {};
  const PlacementRule* ofSamples = splitOfSamples(program);
  const AxisList named = ofSamples ? namedAxes(program.mesh, ofSamples->targets) : AxisList();
  const AxisList split = ofSamples ? resolveTargets(program.mesh, ofSamples->targets) : AxisList();
  AxisMask samples = majorOf(program, split), placed = maskOf(split) & ~samples, seen = 0, live = 0;
  for (const PlacementRule& rule : plan.placements)
    if (&rule != ofSamples) placed |= maskOf(namedAxes(program.mesh, rule.targets));
  for (const StateRule& rule : plan.states) // a slice makes classes of instances if an axis has several devices
    if (isSliced(rule)) placed |= maskOf(namedAxes(program.mesh, rule.targets));
  for (const LayerClass& layerClass : program.classes)
    for (const Indexed<Node>* nodes : {&*layerClass.forward, &*layerClass.backward})
      for (const Node& node : *nodes)
        if (const Collective* c = node.asCollective())
          seen |= c->axes | (samples & (minorIn(c->from) | minorIn(c->to)));
        else if (const Compute* saved = node.asCompute())
          seen |= samples & minorIn(saved->kept);
  for (AxisId a : program.mesh.order) live |= maskOf(a);
  const AxisMask all = live & ~placed & ~seen;
  return {all & ~maskOf(named), all & samples};
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
