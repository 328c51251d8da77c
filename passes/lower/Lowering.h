// What the lowering passes share: need and produced layouts, local extents, and where classes and values live.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/MeshUse.h"
#include "ir/program/Program.h"

#include <optional>

namespace planc::passes {

/// need(op, operand): the operand's dims as placed, nothing partial (docs/language.md, section 10).
ir::Layout need(const ir::ProgramHead& program, const ir::Placement& placement, const std::vector<ir::DimId>& dims);

/// produced(op, dims): dims as placed, partial over the axes of every placed dim of the iteration space that `dims`
/// lacks. The one rule serves the result and every gradient.
ir::Layout produced(const ir::ProgramHead& program, const ir::Op& op, const ir::Placement& placement,
                    const std::vector<ir::DimId>& dims);

/// Extent of a dim on one device under a placement: the largest shard, on the busiest device.
double localExtent(const ir::ProgramHead& program, const ir::Placement& placement, ir::DimId dim);

/// A mask relates a dimension to the one that an operand calls otherwise: queries along seq, keys along kv_seq.
bool isMasked(const ir::Model& model, const ir::Op& op, ir::DimId dim);

/// Elements of one device, the busiest.
double localElements(const ir::ProgramHead& program, const std::vector<ir::DimId>& dims, const ir::Layout& layout);

/// Does the selector, slices included, reach a path for these instances of the layer, all of a class? Gives the number
/// of steps. The first instance decides: of several selectors that say the same of a class only one reaches it.
std::optional<int> reaches(const ir::Selector& selector, const std::vector<Symbol>& path, const ir::Layer& layer,
                           const ir::RangeSet& instances);

/// Is it a product with a parameter? What holds one is a layer or a part of one; what does not goes with its neighbour.
bool multipliesWithParameter(const ir::Model& model, const ir::Op& op);

/// The class of a layer that holds an instance (boundary reshards do not).
ir::LayerClassId classOf(const ir::ProgramHead& program, ir::LayerId layer, int64_t instance);

/// Layout of a value where it was produced: by an operator (of the last instance, if that is a repeat), or an input as
/// the rules that reach the model's top place it.
ir::Layout layoutOf(const ir::ProgramHead& program, ir::ValueId value);

/// Index of an operator in its layer's lists.
inline uint32_t local(const ir::Layer& layer, ir::OpId op) {
  return op.index - layer.first.index;
}

/// How often an operator runs per instance of its layer: the product of the nested repeats around it.
double timesOf(const ir::ProgramHead& program, const ir::Op& op);

/// Is a parameter trained in this class of instances: not frozen by the model, and reached by no selector of `freeze`?
bool trains(const ir::ProgramHead& program, const ir::ClassHead& layerClass, ir::ValueId param);

/// Is it a parameter of the class that is stored narrower than contractions compute?
bool isPackedParam(const ir::ProgramHead& program, const ir::ClassHead& layerClass, ir::ValueId value);

} // namespace planc::passes
