// Functions that the lowering passes share: needed and produced layouts, local extents, and the classes of instances
// and values.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/MeshUse.h"
#include "ir/program/Program.h"

#include <optional>

namespace planc::passes {

/// Returns the layout that an operator needs of an operand: the operand's dims as placed, without pending sums
/// (docs/language.md, section 10).
ir::Layout need(const ir::ProgramHead& program, const ir::Placement& placement, const std::vector<ir::DimId>& dims);

/// Returns the layout that an operator produces: dims as placed, partial over the axes of every placed dim of the
/// iteration space that `dims` lacks. This one rule covers the result and every gradient.
ir::Layout produced(const ir::ProgramHead& program, const ir::Op& op, const ir::Placement& placement,
                    const std::vector<ir::DimId>& dims);

/// Returns the extent of a dim on one device under a placement: the largest shard, on the busiest device.
double localExtent(const ir::ProgramHead& program, const ir::Placement& placement, ir::DimId dim);

/// Returns whether a mask relates the dimension to another dimension of an operand: queries along seq, keys along
/// kv_seq.
bool isMasked(const ir::Model& model, const ir::Op& op, ir::DimId dim);

/// Returns the number of elements on the busiest device.
double localElements(const ir::ProgramHead& program, const std::vector<ir::DimId>& dims, const ir::Layout& layout);

/// Returns the number of steps with which the selector, slices included, reaches a path for these instances of the
/// layer, which are all of a class; null if it does not. The first instance decides: of several selectors that state
/// the same for a class, only one reaches it.
std::optional<int> reaches(const ir::Selector& selector, const std::vector<Symbol>& path, const ir::Layer& layer,
                           const ir::RangeSet& instances);

/// Returns whether the operator is a product with a parameter. A block with such a product is a layer or a part of a
/// layer; all other operators belong to a neighbour.
bool multipliesWithParameter(const ir::Model& model, const ir::Op& op);

/// Returns the class of a layer that holds an instance. Boundary reshards are not considered.
ir::LayerClassId classOf(const ir::ProgramHead& program, ir::LayerId layer, int64_t instance);

/// Returns the layout of a value where it is produced: by an operator (in the last instance of a repeat), or as an
/// input by the rules that reach the model's top.
ir::Layout layoutOf(const ir::ProgramHead& program, ir::ValueId value);

/// Returns the index of an operator in its layer's lists.
inline uint32_t local(const ir::Layer& layer, ir::OpId op) {
  return op.index - layer.first.index;
}

/// Returns how often an operator runs per instance of its layer: the product of the nested repeats around it.
double timesOf(const ir::ProgramHead& program, const ir::Op& op);

/// Returns whether a parameter is trained in this class: not frozen by the model, and not reached by a selector of
/// `freeze`.
bool trains(const ir::ProgramHead& program, const ir::ClassHead& layerClass, ir::ValueId param);

} // namespace planc::passes
