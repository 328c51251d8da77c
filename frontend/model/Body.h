// Elaborates the statements of bodies, and the calls in them. Each function takes the model under construction, the
// scope of names and, for bodies, the result so far.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/State.h"

namespace planc::frontend {

/// The result of a body: the value of `out e`, or the value named `out`.
struct BodyResult {
  Value value;
  SourceRange range;
  bool any = false;
};

/// Elaborates every statement. Stops after too many errors.
void body(ModelState& state, const syntax::Body& b, Scope& scope, BodyResult& result);
/// `name * count with x = … { … }` (defined in Repeats.cpp).
void repeat(ModelState& state, const syntax::RepeatItem& d, SourceRange range, Scope& scope);
/// `in`, `param`, `dim` (defined in Declared.cpp).
void input(ModelState& state, const syntax::InItem& d, Scope& scope);
void parameter(ModelState& state, const syntax::ParamItem& d, Scope& scope);
void composite(ModelState& state, const syntax::DimDecl& d, Scope& scope);

// ---- calls in expressions
/// Defined in Blocks.cpp.
Value callBlock(ModelState& state, DeclInfo& decl, const syntax::Expr& call, Scope& caller);
/// Defined in Operators.cpp.
Value callOperator(ModelState& state, DeclInfo& decl, const syntax::Expr& call, Scope& caller);
/// `a + b`, `0.3 * a` (defined in Operators.cpp).
Value onTensors(ModelState& state, const syntax::Expr& e, const Value& left, const Value& right);
/// Checks a generic declaration without a call.
void checkBlock(ModelState& state, DeclInfo& decl);
void checkOperator(ModelState& state, DeclInfo& decl);

// ---- helpers
/// Defines a new name of the body. Reports a name that exists already.
void define(ModelState& state, const syntax::Name& name, const Value& v, Scope& scope);
Value tensor(ModelState& state, ir::ValueId id, SourceRange range, const NameTable* members = nullptr);
/// The top-level layer under construction. Creates it if there is none.
ir::LayerId ensureLayer(ModelState& state);
void closeLayer(ModelState& state);

/// The path of an operator or block that a call creates, and the shape that the call's statement declares for it.
struct StatementPath {
  std::vector<Symbol> path;
  const syntax::Type* annotation = nullptr;
};
StatementPath pathFor(ModelState& state, const syntax::Expr& call);
/// Returns whether the call of an operator or block has a name: it must be in a layer or in `out`. Reports if not.
bool named(ModelState& state, const DeclInfo& callee, const syntax::Expr& call);

} // namespace planc::frontend
