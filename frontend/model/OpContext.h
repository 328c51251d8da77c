// One use of an operator during lowering: its operands under the operator's own dimension names, and the operator under
// construction.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/Dimensions.h"

namespace planc::frontend {

/// A tensor argument.
struct OperandInfo {
  const syntax::Parameter* param = nullptr;
  ir::ValueId value;
  SourceRange range;           ///< place of the argument
  std::vector<ir::DimId> dims; ///< the operator's own dimension for each dimension of the value
  std::vector<int> formal;     ///< per dimension: index of the formal name, or -1 if `..` covers it
};

/// A dimension name of the signature, with its dimension in this use.
struct FormalDim {
  Symbol name;
  ir::DimId dim;
  SourceRange argument; ///< place of the argument that provides it
  bool exact = false;   ///< the value's dimension has the same name
};

struct OpContext {
  DeclInfo& decl;
  const syntax::OpDecl& syntax;
  Scope& scope;            ///< for facts: has the values of the parameters
  Scope* around = nullptr; ///< scope of the statement that uses it; null in a generic check
  SourceRange call;
  bool known = true; ///< false in a generic check, whose dimensions have names but no extents
  std::vector<OperandInfo> operands{};
  std::vector<FormalDim> formals{};
  std::vector<ir::DimId> result{};
  std::optional<ir::DType> resultDType{};
  std::vector<std::pair<const syntax::DimDecl*, ir::Dim>> routed{}; ///< their extents are computed from the shapes
  ir::Op op{};
  bool flopsGiven = false;
  /// Set while a mask is evaluated for one length of packed documents: that length, and the dimensions that have it.
  std::optional<double> document{};
  std::vector<ir::DimId> packed{};

  const FormalDim* formal(Symbol name) const {
    for (const FormalDim& f : formals)
      if (f.name == name) return &f;
    return nullptr;
  }
};

// ---- the steps from a use to the operator, in order; they return false or nothing after a report
/// Finds the equation that prices the operator (OperatorFacts.cpp).
bool kindOf(ModelState& state, OpContext& op);
/// Unifies its signature with the shapes of the arguments, which gives the dimensions of its names (OperatorDims.cpp).
bool unify(ModelState& state, OpContext& op);
/// Makes every operand use the one dimension that was chosen for a name.
void settleFormals(OpContext& op);
/// Elaborates `dim …` of the operator: dimensions that are routed, follow or pool others (OperatorDimDecls.cpp).
bool dimDecls(ModelState& state, OpContext& op);
/// Determines shape and element type of the result. `annotation`: the shape that the statement declares; may be null.
bool resultDims(ModelState& state, OpContext& op, const syntax::Type* annotation, Scope& caller);
/// Computes the extents of routed dimensions from all shapes.
void settleRouted(ModelState& state, OpContext& op);
/// Reads formulas, saved tensors, statistics and gradients (OperatorFacts.cpp).
void facts(ModelState& state, OpContext& op);

// ---- helpers (OperatorFormulas.cpp has those for the names and formulas in facts)
/// The name of the result in facts.
inline const Symbol kResultName("out");
/// The names of operands in facts: the parameters that are tensors.
std::vector<std::string> operandNames(const OpContext& op);
bool isTensorParam(const OpContext& op, Symbol name);
/// The index of the operand of that name in this use, or -1.
int operandIndex(const OpContext& op, Symbol name);
/// The product of the extents of `dims`.
ir::Poly product(const std::vector<ir::DimId>& dims);
/// Looks up a dimension of this operator, by the name in its signature or by its own name.
Resolved ownDim(const ModelState& state, const OpContext& op, Symbol name);
/// Appends the dimensions that a fact names to `out`. `mayBeAbsent`: skips unknown names instead of reporting them.
void dimList(ModelState& state, OpContext& op, const std::vector<syntax::Name>& names, std::vector<ir::DimId>& out,
             bool mayBeAbsent);
/// The index of a named operand. Returns -1 if this use leaves the operand out, or after a report if there is none.
int operandNamed(ModelState& state, OpContext& op, const syntax::Name& name);
/// A formula whose value has the unit `unit`; nothing after a report.
std::optional<ir::Poly> poly(ModelState& state, OpContext& op, const syntax::Expr& e, Scope& scope, const Unit& unit,
                             std::string_view what);
/// Evaluates `extent(d)`, `size(x)`, `bytes(x)`, `width(x)`. `around`: the operator whose facts are read, null in a
/// body.
Value dimensionFunction(ModelState& state, OpContext* around, const syntax::Expr& call, Scope& scope);

/// Reads a fact that is a role; returns false if it is not a role (OperatorRoles.cpp).
bool role(ModelState& state, OpContext& op, const syntax::Fact& f);
/// Checks that the operator has the roles that its kind requires.
void checkRoles(ModelState& state, OpContext& op);
/// Reads a number from 0 to `most`; nothing after a report (OperatorFacts.cpp).
std::optional<double> factor(ModelState& state, OpContext& op, const syntax::Fact& f, double most);
/// Reads `share` and `last_share`, the fraction of work that a mask leaves; for packed documents, inside of each
/// document (OperatorMasks.cpp).
void masks(ModelState& state, OpContext& op);
/// Reads `groups` and `group_limit`, which limit where the copies of an element go (OperatorGroups.cpp).
void groupLimit(ModelState& state, OpContext& op);
/// Reports statements of the operator that are given twice (OperatorIdle.cpp).
void checkGivenTwice(ModelState& state, const OpContext& op);
/// Reports `save`, `backward` and `detach` where integers end the gradient (OperatorIdle.cpp).
void checkGradients(ModelState& state, const OpContext& op);
/// Reports that a statement of the operator has no effect (OperatorIdle.cpp).
DiagnosticEngine::Builder reportIdleFact(ModelState& state, const OpContext& op, SourceRange at, std::string_view name,
                                         std::string_view reason);
/// The fact of the operator with that name; null if it has none.
const syntax::Fact* factOf(const OpContext& op, std::string_view name);
/// The names of all roles.
std::vector<std::string> roleNames();

} // namespace planc::frontend
