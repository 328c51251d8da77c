// The statements of bodies, and what they call: each takes the model under construction, the scope of its names, and
// what the body has given so far.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/State.h"

namespace planc::frontend {

/// The result of a body: `out e`, or the value named `out`.
struct BodyResult {
  Value value;
  SourceRange range;
  bool any = false;
};

/// Every statement, until too much is wrong.
void body(ModelState& state, const syntax::Body& b, Scope& scope, BodyResult& result);
/// `name * count with x = … { … }` (Repeats.cpp).
void repeat(ModelState& state, const syntax::RepeatItem& d, SourceRange range, Scope& scope);
/// `in`, `param`, `dim` (Declared.cpp).
void input(ModelState& state, const syntax::InItem& d, Scope& scope);
void parameter(ModelState& state, const syntax::ParamItem& d, Scope& scope);
void composite(ModelState& state, const syntax::DimDecl& d, Scope& scope);

// ---- what expressions call
/// Blocks.cpp.
Value callBlock(ModelState& state, DeclInfo& decl, const syntax::Expr& call, Scope& caller);
/// Operators.cpp.
Value callOperator(ModelState& state, DeclInfo& decl, const syntax::Expr& call, Scope& caller);
/// `a + b`, `0.3 * a` (Operators.cpp).
Value onTensors(ModelState& state, const syntax::Expr& e, const Value& left, const Value& right);
/// A generic declaration by itself.
void checkBlock(ModelState& state, DeclInfo& decl);
void checkOperator(ModelState& state, DeclInfo& decl);

// ---- parts of these
/// A new name of the body; reported where it has one already.
void define(ModelState& state, const syntax::Name& name, const Value& v, Scope& scope);
Value tensor(ModelState& state, ir::ValueId id, SourceRange range, const NameTable* members = nullptr);
/// The top-level layer that is being made, which begins with the first thing in it.
ir::LayerId ensureLayer(ModelState& state);
void closeLayer(ModelState& state);

/// Where what a call makes stands, and the shape that its statement declares for it.
struct StatementPath {
  std::vector<Symbol> path;
  const syntax::Type* annotation = nullptr;
};
StatementPath pathFor(ModelState& state, const syntax::Expr& call);
/// Operators and blocks need a name for what they make: they stand in a layer or in `out`.
bool named(ModelState& state, const DeclInfo& callee, const syntax::Expr& call);

} // namespace planc::frontend
