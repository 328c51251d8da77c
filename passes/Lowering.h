// What the lowering passes share: need and produced layouts, local extents, and where bodies and values live.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Program.h"

#include <optional>

namespace planc::passes {

using ir::Unit; // not planc::Unit, the exponents of a quantity

/// need(op, operand): the operand's dims as placed, nothing partial (SEMANTICS §1).
ir::Layout need(const ir::Program& program, const ir::Placement& placement, const std::vector<ir::DimId>& dims);

/// produced(op, dims): dims as placed, partial over the axes of every placed dim of the iteration space that `dims`
/// lacks. The one rule serves the result and every gradient.
ir::Layout produced(const ir::Program& program, const ir::Op& op, const ir::Placement& placement,
                    const std::vector<ir::DimId>& dims);

/// Extent of a dim on one device under a placement: the largest shard.
double localExtent(const ir::Program& program, const ir::Placement& placement, ir::DimId dim);

/// Elements of one device.
double localElements(const ir::Program& program, const std::vector<ir::DimId>& dims, const ir::Layout& layout);

/// The axes that a rule's targets stand for now, axes of size one included; empty for `replicate`.
ir::AxisList resolveTargets(const ir::Mesh& mesh, const std::vector<Symbol>& targets);

/// Drops axes of size one: they split nothing.
ir::AxisList withoutTrivial(const ir::Mesh& mesh, const ir::AxisList& axes);

/// Does the selector, slices included, reach a path for these instances of the unit? Gives the number of steps.
std::optional<int> reaches(const ir::Selector& selector, const std::vector<Symbol>& path, const ir::Unit& unit,
                           const ir::RangeSet& instances);

/// The body of a unit that holds an instance (seams do not).
ir::BodyId bodyOf(const ir::Program& program, ir::UnitId unit, int64_t instance);

/// Layout of a value where it was produced: by an operator (of the last instance, if that is a repeat), or an input as
/// the rules that reach the model's top place it.
ir::Layout layoutOf(const ir::Program& program, ir::ValueId value);

/// Index of an operator in its unit's lists.
inline uint32_t local(const ir::Unit& unit, ir::OpId op) {
  return op.index - unit.first.index;
}

/// Which values need a gradient: a trainable parameter is upstream and the loss is downstream. By value index.
std::vector<bool> valuesWithGradient(const ir::Model& model);

/// The placement of an iteration space `dims` at `path` under the plan's rules; used for operators and for inputs. Laws
/// L1–L3 and L5 are reported to `diagnostics` if it is given.
struct PlaceRequest {
  const std::vector<Symbol>* path = nullptr;
  const std::vector<ir::DimId>* dims = nullptr;
  const std::vector<ir::DimId>* along = nullptr;
  const std::vector<ir::DimId>* contest = nullptr;
  const std::vector<ir::CompositeId>* composites = nullptr;
  const ir::Unit* unit = nullptr; ///< null for inputs
  const ir::RangeSet* instances = nullptr;
  SourceRange range;
};

} // namespace planc::passes
