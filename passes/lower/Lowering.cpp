// Layout functions of the lowering passes.
// SPDX-License-Identifier: Apache-2.0
#include "passes/lower/Lowering.h"

#include "ir/layout/Routed.h"
#include "ir/program/States.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace planc::passes {
using namespace ir;

Layout need(const ProgramHead& program, const Placement& placement, const std::vector<DimId>& dims) {
  Layout layout;
  layout.shard.resize(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) layout.place(program.mesh, i, placement.axesOf(dims[i]));
  return layout;
}

namespace {
/// Returns whether the dim is present: by itself, through a routed or pooled dim that stands for it, or as such a dim
/// whose parts are all present.
bool present(const Model& model, const Op& op, const std::vector<DimId>& dims, DimId d) {
  if (llvm::is_contained(dims, d)) return true;
  for (DimId x : dims)
    if (model.standsForParts(op, x) && llvm::is_contained(model.dims[x].parts, d)) return true;
  const Dim& dim = model.dims[d];
  return model.standsForParts(op, d) &&
         std::all_of(dim.parts.begin(), dim.parts.end(), [&](DimId part) { return llvm::is_contained(dims, part); });
}
} // namespace

Layout produced(const ProgramHead& program, const Op& op, const Placement& placement, const std::vector<DimId>& dims) {
  Layout layout = need(program, placement, dims);
  AxisMask partial = 0;
  for (const PlacedDim& p : placement.dims)
    if (!p.axes.empty() && llvm::is_contained(op.dims, p.dim) && !present(program.model, op, dims, p.dim))
      partial |= maskOf(p.axes);
  layout.partial = partial & ~layout.axes();
  return layout;
}

namespace {
/// Returns the largest of `ranks` shards of a dim. No rank rounds up if data decides what lies where.
double share(const Model& model, const Dim& dim, int64_t ranks) {
  const double part = sizeOf(model, dim) / static_cast<double>(ranks);
  return dim.ordered() ? std::ceil(part) : part;
}
} // namespace

bool isMasked(const Model& model, const Op& op, DimId dim) {
  for (const Operand& o : op.operands)
    for (size_t i = 0; i < o.dims.size(); ++i)
      if (o.dims[i] != dim && model.values[o.value].dims[i] == dim) return true;
  return false;
}

double localExtent(const ProgramHead& program, const Placement& placement, DimId dim) {
  const Dim& d = program.model->dims[dim];
  const AxisList& axes = placement.axesOf(dim);
  return share(program.model, d, program.mesh.size(axes)) * program.skew(dim, placement);
}

double localElements(const ProgramHead& program, const std::vector<DimId>& dims, const Layout& layout) {
  double n = program.skew(dims, layout);
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t ranks = 1;
    for (const Digit& d : layout.shard[i]) ranks *= program.mesh.axes[d.axis].size;
    n *= share(program.model, program.model->dims[dims[i]], ranks);
  }
  return n;
}

std::optional<int> reaches(const Selector& selector, const std::vector<Symbol>& path, const Layer& layer,
                           const RangeSet& instances) {
  auto depth = selector.matches(path);
  if (!depth) return std::nullopt;
  for (size_t i = 0; i < selector.steps.size(); ++i) {
    const auto& slice = selector.steps[i].slice;
    if (!slice) continue;
    if (i > 0 || !layer.repeated() || (!layer.isPart() && instances.ranges.empty())) return std::nullopt;
    // Statements about a class are statements about its first instance (cut-layers ensures this), so that instance
    // decides.
    if (!slice->contains(layer.isPart() ? layer.instance : instances.ranges.front().begin)) return std::nullopt;
  }
  return depth;
}

LayerClassId classOf(const ProgramHead& program, LayerId layer, int64_t instance) {
  // Classes are ordered by layer; boundary reshards come last.
  uint32_t first = 0;
  for (uint32_t count = program.classCount(); count > 0;) {
    const ClassHead& middle = program.head(LayerClassId(first + count / 2));
    if (middle.boundaryReshard || middle.layer >= layer)
      count /= 2;
    else
      first += count / 2 + 1, count -= count / 2 + 1;
  }
  for (uint32_t i = first; i < program.classCount(); ++i) {
    const ClassHead& layerClass = program.head(LayerClassId(i));
    if (layerClass.boundaryReshard || layerClass.layer != layer) break;
    if (layerClass.instances.contains(instance)) return LayerClassId(i);
  }
  return LayerClassId();
}

double timesOf(const ProgramHead& program, const Op& op) {
  return static_cast<double>(program.timesInside(op.layer, op.region));
}

bool trains(const ProgramHead& program, const ClassHead& layerClass, ValueId param) {
  const Value& value = program.model->values[param];
  if (!value.trainable || !program.plan->workload.hasBackward()) return false;
  const Layer& layer = program.model->layers[layerClass.layer];
  for (const Selector& s : program.plan->workload.freeze)
    if (reaches(s, value.path, layer, layerClass.instances)) return false;
  return true;
}

} // namespace planc::passes
