// One use of an operator while it is lowered: its operands under its own names of dimensions, and the operator being
// made.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/ModelBuilder.h"

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
  Scope& scope; ///< of facts: values of the parameters
  SourceRange call;
  bool known = true; ///< false: a generic check, dimensions have names but no extents
  std::vector<OperandInfo> operands{};
  std::vector<FormalDim> formals{};
  std::vector<ir::DimId> result{};
  std::optional<ir::DType> resultDType{};
  std::vector<std::pair<const syntax::DimDecl*, ir::Dim>> routed{}; ///< their extents follow from the shapes
  ir::Op op{};
  bool flopsGiven = false;

  const FormalDim* formal(Symbol name) const {
    for (const FormalDim& f : formals)
      if (f.name == name) return &f;
    return nullptr;
  }
};

/// The facts of an operator that are roles.
std::vector<std::string> roleNames();

} // namespace planc::frontend
