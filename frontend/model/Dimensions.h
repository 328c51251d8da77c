// Named dimensions: what a name in a tensor type stands for, and whether a value has the shape that is declared.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/State.h"

namespace planc::frontend {

/// A dimension by name; `id` is invalid where the extent is unknown (generic declarations, errors).
struct Resolved {
  bool found = false;
  ir::DimId id;
};

/// `[batch 8, seq 2048]`: dimensions with their extents, for messages.
std::string shape(const ir::Model& model, const std::vector<ir::DimId>& dims);
inline std::string shape(const ir::Model& model, ir::ValueId v) {
  return shape(model, model.values[v].dims);
}

/// The one dimension of that name and extent; made if there is none.
ir::DimId basicDim(ModelState& state, Symbol name, int64_t extent);
/// The same of a dimension that is routed or follows another.
ir::DimId specialDim(ModelState& state, const ir::Dim& d);

/// What a name stands for; `input`: it stands in the type of an input.
Resolved resolve(ModelState& state, Scope& scope, Symbol name, SourceRange use, bool input = false);
Resolved resolveOrReport(ModelState& state, Scope& scope, const syntax::Name& name, bool input = false);

/// The extent of a dimension of the scopes around, or of one that the workload gives; nothing for other names.
std::optional<Value> extentOf(ModelState& state, Scope& scope, Symbol name);

/// The dimensions of a declared tensor; nothing if one is unknown or wrong.
std::optional<std::vector<ir::DimId>> declaredDims(ModelState& state, const syntax::Type& type, Scope& scope,
                                                   bool input = false);
std::optional<ir::DType> declaredDType(ModelState& state, const syntax::Type& type, Scope& scope);
/// Brings the dimensions of an argument into the scope of a block under the names of its signature.
bool bindSignature(ModelState& state, const syntax::Parameter& p, const Value& argument, SourceRange use, Scope& scope);
/// An operator that reads ids must not be given activations, nor the other way round.
bool checkDType(ModelState& state, const syntax::Type& type, Scope& scope, ir::ValueId value, SourceRange use,
                std::string_view what);
/// Whether a value has the shape that is declared for it at `at`.
bool checkAnnotation(ModelState& state, const syntax::Type& type, ir::ValueId value, SourceRange at, Scope& scope);

} // namespace planc::frontend
