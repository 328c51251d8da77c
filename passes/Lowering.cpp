// Layout helpers of the lowering passes.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Lowering.h"

#include <algorithm>
#include <cmath>

namespace planc::passes {
using namespace ir;

Layout need(const Program& program, const Placement& placement, const std::vector<DimId>& dims) {
  std::vector<AxisList> perDim;
  perDim.reserve(dims.size());
  for (DimId d : dims) perDim.push_back(placement.axesOf(d));
  return Layout::of(program.mesh, perDim);
}

namespace {
bool contains(const std::vector<DimId>& dims, DimId d) {
  return std::find(dims.begin(), dims.end(), d) != dims.end();
}

/// Is the dim there, by itself, through a routed dim that stands for it, or as a routed dim all of whose parts are
/// there?
bool present(const Model& model, const std::vector<DimId>& dims, DimId d) {
  if (contains(dims, d)) return true;
  for (DimId x : dims)
    if (model.dims[x].kind == DimKind::Routed && contains(model.dims[x].parts, d)) return true;
  const Dim& dim = model.dims[d];
  return dim.kind == DimKind::Routed &&
         std::all_of(dim.parts.begin(), dim.parts.end(), [&](DimId part) { return contains(dims, part); });
}
} // namespace

Layout produced(const Program& program, const Op& op, const Placement& placement, const std::vector<DimId>& dims) {
  Layout layout = need(program, placement, dims);
  AxisMask partial = 0;
  for (const PlacedDim& p : placement.dims)
    if (!p.axes.empty() && contains(op.dims, p.dim) && !present(program.model, dims, p.dim)) partial |= maskOf(p.axes);
  layout.partial = partial & ~layout.axes();
  return layout;
}

namespace {
/// The largest of `ranks` shards of a dim; where data decides what lies where no rank rounds up.
double share(const Dim& dim, int64_t ranks) {
  const double part = static_cast<double>(dim.extent) / static_cast<double>(ranks);
  return dim.kind == DimKind::Basic ? std::ceil(part) : part;
}
} // namespace

double localExtent(const Program& program, const Placement& placement, DimId dim) {
  const Dim& d = program.model.dims[dim];
  const AxisList& axes = placement.axesOf(dim);
  return share(d, program.mesh.size(axes)) * program.skew({dim}, placement);
}

double localElements(const Program& program, const std::vector<DimId>& dims, const Layout& layout) {
  double n = program.skew(dims, layout);
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t ranks = 1;
    for (const Digit& d : layout.shard[i]) ranks *= program.mesh.axes[d.axis].size;
    n *= share(program.model.dims[dims[i]], ranks);
  }
  return n;
}

AxisList resolveTargets(const Mesh& mesh, const std::vector<Symbol>& targets) {
  AxisList axes;
  for (Symbol t : targets)
    if (auto list = mesh.resolve(t)) axes.insert(axes.end(), list->begin(), list->end());
  return axes;
}

AxisList withoutTrivial(const Mesh& mesh, const AxisList& axes) {
  AxisList kept;
  for (AxisId a : axes)
    if (mesh.axes[a].size > 1) kept.push_back(a);
  return kept;
}

std::optional<int> reaches(const Selector& selector, const std::vector<Symbol>& path, const Unit& unit,
                           const RangeSet& instances) {
  auto depth = selector.matches(path);
  if (!depth) return std::nullopt;
  for (size_t i = 0; i < selector.steps.size(); ++i) {
    const auto& slice = selector.steps[i].slice;
    // A class of instances lies inside a slice or outside of it (passes::cutUnits made it so): one member tells.
    if (slice &&
        (i > 0 || !unit.repeat || instances.ranges.empty() || !slice->contains(instances.ranges.front().begin)))
      return std::nullopt;
  }
  return depth;
}

BodyId bodyOf(const Program& program, UnitId unit, int64_t instance) {
  for (uint32_t i = 0; i < program.bodies.size(); ++i) {
    const Body& body = program.bodies[BodyId(i)];
    if (!body.seam && body.unit == unit && body.instances.contains(instance)) return BodyId(i);
  }
  return BodyId();
}

double timesOf(const Program& program, const Op& op) {
  const int64_t outside = std::max<int64_t>(1, program.model.times(program.model.units[op.unit].region));
  return static_cast<double>(program.model.times(op.region) / outside);
}

std::vector<bool> valuesWithGradient(const Model& model) {
  std::vector<bool> upstream(model.values.size()), downstream(model.values.size());
  for (uint32_t i = 0; i < model.values.size(); ++i)
    upstream[i] = model.values[ValueId(i)].kind == ValueKind::Param && model.values[ValueId(i)].trainable;
  for (const Op& op : model.ops)
    for (const Operand& o : op.operands)
      if (upstream[o.value.index]) upstream[op.result.index] = true;
  if (model.loss.valid()) downstream[model.loss.index] = true;
  for (uint32_t i = model.ops.size(); i-- > 0;) {
    const Op& op = model.ops[OpId(i)];
    if (!downstream[op.result.index]) continue;
    for (const Operand& o : op.operands) downstream[o.value.index] = true;
  }
  for (uint32_t i = 0; i < upstream.size(); ++i) upstream[i] = upstream[i] && downstream[i];
  return upstream;
}

} // namespace planc::passes
