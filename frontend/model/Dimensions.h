// Named dimensions: resolves the names in tensor types, and checks declared shapes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/State.h"

namespace planc::frontend {

/// The result of looking up a dimension by name. `id` is invalid if the extent is unknown (generic declarations,
/// errors).
struct Resolved {
  bool found = false;
  ir::DimId id;
};

/// `[batch 8, seq 2048]`: dimensions with their extents, for messages.
std::string shape(const ir::Model& model, const std::vector<ir::DimId>& dims);
inline std::string shape(const ir::Model& model, ir::ValueId v) {
  return shape(model, model.values[v].dims);
}

/// The one dimension of that name and extent. Creates it if there is none.
ir::DimId basicDim(ModelState& state, Symbol name, int64_t extent);
/// The one dimension equal to `d`, which is routed or follows another. Creates it if there is none.
ir::DimId specialDim(ModelState& state, const ir::Dim& d);

/// Looks up a name. `input`: the name is in the type of an input.
Resolved resolve(ModelState& state, Scope& scope, Symbol name, SourceRange use, bool input = false);
Resolved resolveOrReport(ModelState& state, Scope& scope, const syntax::Name& name, bool input = false);

/// The extent of a dimension in the enclosing scopes or from the workload; nothing for other names.
std::optional<Value> extentOf(ModelState& state, Scope& scope, Symbol name);

/// The dimensions of a declared tensor; nothing if one is unknown or invalid.
std::optional<std::vector<ir::DimId>> declaredDims(ModelState& state, const syntax::Type& type, Scope& scope,
                                                   bool input = false);
std::optional<ir::DType> declaredDType(ModelState& state, const syntax::Type& type, Scope& scope);
/// Binds the dimensions of an argument in the scope of a block, under the names of the block's signature.
bool bindSignature(ModelState& state, const syntax::Parameter& p, const Value& argument, SourceRange use, Scope& scope);
/// Checks the element type of an argument: an operator that reads ids rejects activations, and the other way round.
bool checkDType(ModelState& state, const syntax::Type& type, Scope& scope, ir::ValueId value, SourceRange use,
                std::string_view what);
/// Checks that a value has the shape that is declared for it at `at`.
bool checkAnnotation(ModelState& state, const syntax::Type& type, ir::ValueId value, SourceRange at, Scope& scope);

} // namespace planc::frontend
