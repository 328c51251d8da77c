// The small questions of a lowered program: names, placements, element types under the plan's precision.
// SPDX-License-Identifier: Apache-2.0
#include "ir/program/Program.h"

#include <algorithm>
#include <array>

namespace planc::ir {

std::string_view name(Phase p) {
  static constexpr std::array<std::string_view, 4> kNames{"forward", "recompute", "backward", "step"};
  return kNames[static_cast<size_t>(p)];
}

std::string_view name(Role r) {
  static constexpr std::array<std::string_view, 8> kNames{"forward",    "dgrad", "wgrad", "backward",
                                                          "accumulate", "cast",  "save",  "optimizer"};
  return kNames[static_cast<size_t>(r)];
}

const AxisList& Placement::axesOf(DimId dim) const {
  static const AxisList kNone;
  for (const PlacedDim& d : dims)
    if (d.dim == dim) return d.axes;
  return kNone;
}

AxisMask Placement::mask() const {
  AxisMask m = 0;
  for (const PlacedDim& d : dims) m |= maskOf(d.axes);
  return m;
}

std::vector<size_t> ProgramHead::heldBy(int64_t stage) const {
  std::vector<size_t> held;
  for (size_t route = 0; route < static_cast<size_t>(routes); ++route)
    for (size_t vs = 0; vs < virtualStages.size(); ++vs)
      if (virtualStages[vs].devices[route] == stage) held.push_back(vs);
  return held;
}

bool ProgramHead::crosses(size_t virtualStage) const {
  return virtualStage + 1 < virtualStages.size() &&
         virtualStages[virtualStage].devices != virtualStages[virtualStage + 1].devices;
}

const Precision& ProgramHead::precisionAt(size_t index) const {
  static const Precision kDefault;
  return index < precisions.size() ? precisions[index] : plan ? plan->precision : kDefault;
}

DType ProgramHead::dtypeOf(ValueId value) const {
  const Value& v = model->values[value];
  if (v.dtype) return *v.dtype;
  const Precision& precision = precisionOf(v);
  return v.kind == ValueKind::Param ? precision.params : precision.activations;
}

DType ProgramHead::computeType(const Op& op) const {
  const Precision& precision = precisionOf(op);
  if (width(precision.compute) >= 2) return precision.compute;
  const bool narrow = isContraction(op.kind) && (model->layers[op.layer].repeated() || precision.byRule) &&
                      std::any_of(op.operands.begin(), op.operands.end(),
                                  [&](const Operand& o) { return model->values[o.value].kind == ValueKind::Param; });
  return narrow ? precision.compute : precision.activations;
}

DType ProgramHead::savedType(const Op& reader, ValueId value) const {
  const DType type = dtypeOf(value);
  const std::optional<DType>& saved = precisionOf(reader).saved;
  return saved && isFloat(type) && width(*saved) < width(type) ? *saved : type;
}

double ProgramHead::widthOf(ValueId value) const {
  return width(dtypeOf(value));
}

LayerRef ProgramHead::refOf(const ClassHead& layerClass) const {
  const Layer& layer = model->layers[layerClass.layer];
  const bool whole = !layer.repeat || layerClass.boundaryReshard || layerClass.instances.count() == layer.count;
  return whole ? layer.ref() : layer.ref(layerClass.instances);
}

int64_t ProgramHead::timesInside(LayerId layer, RegionId region) const {
  return model->times(region) / std::max<int64_t>(1, model->times(model->layers[layer].region));
}

std::vector<int64_t> ProgramHead::extents(const std::vector<DimId>& dims) const {
  std::vector<int64_t> out;
  out.reserve(dims.size());
  for (DimId d : dims) out.push_back(model->dims[d].extent);
  return out;
}

std::vector<bool> ProgramHead::unordered(const std::vector<DimId>& dims) const {
  std::vector<bool> out;
  out.reserve(dims.size());
  for (DimId d : dims) out.push_back(!model->dims[d].ordered());
  return out;
}

std::vector<bool> ProgramHead::unordered(const Traveller& what, OpId op) const {
  std::vector<bool> out = unordered(model->values[what.value].dims);
  if (what.gradient || !op.valid()) return out;
  for (const Operand& o : model->ops[op].operands)
    for (size_t i = 0; o.value == what.value && i < out.size(); ++i)
      if (!model->dims[o.dims[i]].ordered()) out[i] = true;
  return out;
}

namespace {
template <class Dims, class IsSplit> double skewWhere(const Model& model, const Dims& dims, IsSplit isSplit) {
  double skew = 1;
  for (DimId d : dims)
    if (const Dim& dim = model.dims[d];
        dim.kind == DimKind::Routed && dim.skew != 1 && dim.chosen.valid() && isSplit(dim.chosen))
      skew *= dim.skew;
  return skew;
}
} // namespace

double ProgramHead::skew(const std::vector<DimId>& dims, const Layout& layout) const {
  return skewWhere(model, dims, [&](DimId chosen) {
    const auto at = std::find(dims.begin(), dims.end(), chosen);
    return at != dims.end() && !layout.shard[static_cast<size_t>(at - dims.begin())].empty();
  });
}

double ProgramHead::skew(DimId dim, const Placement& placement) const {
  return skewWhere(*model, std::array{dim}, [&](DimId chosen) { return !placement.axesOf(chosen).empty(); });
}

double ProgramHead::skew(const std::vector<DimId>& dims, const Placement& placement) const {
  return skewWhere(model, dims, [&](DimId chosen) { return !placement.axesOf(chosen).empty(); });
}

} // namespace planc::ir
