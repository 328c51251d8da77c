// One use of an operator while it is lowered: its operands under its own names of dimensions, and the operator being
// made.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/Dimensions.h"

namespace planc::frontend {

/// A tensor argument.
struct OperandInfo {
  const syntax::Parameter* param = nullptr;
  ir::ValueId value;
  SourceRange range;           ///< of the argument
  std::vector<ir::DimId> dims; ///< the operator's own dimension for each of the value's
  std::vector<int> formal;     ///< per dimension the index of the formal name, or -1 if `..` covers it
};

/// A name of the signature and the dimension that stands for it in this use.
struct FormalDim {
  Symbol name;
  ir::DimId dim;
  SourceRange argument; ///< of the argument that gave it
  bool exact = false;   ///< the value's dimension has that name itself
};

struct OpContext {
  DeclInfo& decl;
  const syntax::OpDecl& syntax;
  Scope& scope;            ///< of facts: values of the parameters
  Scope* around = nullptr; ///< of the statement that uses it; null in a generic check
  SourceRange call;
  bool known = true; ///< false: a generic check, dimensions have names but no extents
  std::vector<OperandInfo> operands{};
  std::vector<FormalDim> formals{};
  std::vector<ir::DimId> result{};
  std::optional<ir::DType> resultDType{};
  std::vector<std::pair<const syntax::DimDecl*, ir::Dim>> routed{}; ///< their extents follow from the shapes
  ir::Op op{};
  bool flopsGiven = false;
  /// While a mask is read for one length of packed documents: that length, and the dimensions that have it.
  std::optional<double> document{};
  std::vector<ir::DimId> packed{};

  const FormalDim* formal(Symbol name) const {
    for (const FormalDim& f : formals)
      if (f.name == name) return &f;
    return nullptr;
  }
};

// ---- the steps from a use to the operator, in their order; false or nothing after a report
/// The equation that prices it (OperatorFacts.cpp).
bool kindOf(ModelState& state, OpContext& op);
/// Its signature against the shapes of the arguments: the dimensions for its names (OperatorDims.cpp).
bool unify(ModelState& state, OpContext& op);
/// `dim …` of the operator: dimensions that are routed or follow others.
bool dimDecls(ModelState& state, OpContext& op);
/// The shape and the element type of the result. `annotation`: the shape that the statement declares, if any.
bool resultDims(ModelState& state, OpContext& op, const syntax::Type* annotation, Scope& caller);
/// The extents of routed dimensions, which follow from all shapes.
void settleRouted(ModelState& state, OpContext& op);
/// Formulas, what backward keeps, statistics, gradients (OperatorFacts.cpp).
void facts(ModelState& state, OpContext& op);

// ---- parts of these (OperatorFormulas.cpp has what facts speak of)
/// What facts call the result.
inline const Symbol kResultName("out");
/// What a fact may call an operand: the parameters that are tensors.
std::vector<std::string> operandNames(const OpContext& op);
bool isTensorParam(const OpContext& op, Symbol name);
/// The operand of that name in this use, or -1.
int operandIndex(const OpContext& op, Symbol name);
/// The product of the extents.
ir::Poly product(const std::vector<ir::DimId>& dims);
/// A dimension of this operator by the name of its signature, or by its own.
Resolved ownDim(const ModelState& state, const OpContext& op, Symbol name);
/// The dimensions that a fact names.
void dimList(ModelState& state, OpContext& op, const std::vector<syntax::Name>& names, std::vector<ir::DimId>& out,
             bool mayBeAbsent);
/// The same of a name that must be an operand's: -1 where this use leaves it out, and after a report.
int operandNamed(ModelState& state, OpContext& op, const syntax::Name& name);
/// A formula in `unit`.
std::optional<ir::Poly> poly(ModelState& state, OpContext& op, const syntax::Expr& e, Scope& scope, const Unit& unit,
                             std::string_view what);
/// `extent(d)`, `size(x)`, `bytes(x)`, `width(x)`; `around`: the operator whose facts are read, null in a body.
Value dimensionFunction(ModelState& state, OpContext* around, const syntax::Expr& call, Scope& scope);

/// Reads a fact that is a role; false if it is none (OperatorRoles.cpp).
bool role(ModelState& state, OpContext& op, const syntax::Fact& f);
/// What an operator of its kind has to say.
void checkRoles(ModelState& state, OpContext& op);
/// A number from 0 to `most`; nothing after a report (OperatorFacts.cpp).
std::optional<double> factor(ModelState& state, OpContext& op, const syntax::Fact& f, double most);
/// Reads `share` and `last_share`, what a mask leaves: of packed documents, inside of each (OperatorMasks.cpp).
void masks(ModelState& state, OpContext& op);
/// Reads `groups` and `group_limit`, which bound where the copies of an element go (OperatorGroups.cpp).
void groupLimit(ModelState& state, OpContext& op);
/// The fact of the operator that is called so; null if it has none.
const syntax::Fact* factOf(const OpContext& op, std::string_view name);
/// The facts of an operator that are roles.
std::vector<std::string> roleNames();

} // namespace planc::frontend
