// Builds the model IR from a model declaration: inlines blocks, folds repeats, resolves dimensions, and lowers
// operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/State.h"

#include <memory>

namespace planc::frontend {

struct OpContext;

/// One model under construction. Errors are reported and construction goes on; the result is used only if there were
/// none.
class ModelBuilder final : public TensorHost {
public:
  ModelBuilder(Evaluator& evaluator, Extents& extents);

  /// The model with its arguments; null after errors. `use` is where it was asked for.
  std::shared_ptr<ir::Model> build(const BoundDecl& decl, SourceRange use);
  /// Checks a generic declaration: parameters without defaults are unknown.
  void checkModel(DeclInfo& decl);
  void checkBlock(DeclInfo& decl);
  void checkOperator(DeclInfo& decl);

  // TensorHost
  Value callOperator(DeclInfo& op, const syntax::Expr& call, Scope& caller) override;
  Value callBlock(DeclInfo& block, const syntax::Expr& call, Scope& caller) override;
  Value binary(const syntax::Expr& e, const Value& left, const Value& right) override;
  Value dimensionFunction(const syntax::Expr& call, Scope& scope) override;
  std::optional<Value> extent(Scope& scope, Symbol name) override;
  void chose(const syntax::Expr& whole, const syntax::Expr& branch) override;

private:
  /// `name : type = value` under evaluation: what the operators inside it are called.
  struct Statement {
    Symbol name;
    const syntax::Type* annotation = nullptr;
    Scope* scope = nullptr;
    const syntax::Expr* outer = nullptr; ///< the expression that carries the name; nested ones are numbered
    int nested = 0;
    bool checked = false; ///< the annotation was used to find the result
  };
  /// The result of a body: `out e`, or the value named `out`.
  struct Result {
    Value value;
    SourceRange range;
    bool any = false;
  };
  struct StatementPath {
    std::vector<Symbol> path;
    const syntax::Type* annotation = nullptr;
  };

  // ---- bodies (Bodies.cpp)
  void body(const syntax::Body& b, Scope& scope, Result& result);
  void item(const syntax::BodyItem& item, Scope& scope, Result& result);
  void let(const syntax::LetDecl& d, Scope& scope);
  void input(const syntax::InItem& d, Scope& scope);
  std::vector<ir::DimId> countedDims(const syntax::InItem& d, const std::vector<ir::DimId>& dims);
  void parameter(const syntax::ParamItem& d, Scope& scope);
  ir::ValueId tiedTo(const syntax::ParamItem& d, const std::vector<ir::DimId>& dims, Scope& scope);
  void composite(const syntax::DimDecl& d, Scope& scope);
  void conditional(const syntax::IfItem& d, Scope& scope, Result& result);
  Value statement(const syntax::Name& name, const syntax::Type* annotation, const syntax::Expr& value, Scope& scope);
  void layer(const syntax::LayerItem& d, Scope& scope, Result& result);
  void out(const syntax::OutItem& d, SourceRange range, Scope& scope, Result& result);
  void setResult(Result& result, const Value& v, SourceRange range);
  void define(const syntax::Name& name, const Value& v, Scope& scope);
  Value modelBody(const syntax::ModelDecl& model, Scope& scope);
  void finishModel(Scope& scope);

  // ---- repeats (Repeats.cpp)
  bool countBeforeName(const syntax::RepeatItem& d, Scope& scope);
  void repeat(const syntax::RepeatItem& d, SourceRange range, Scope& scope);
  ir::ValueId addCarry(Symbol name, ir::ValueId from, SourceRange range);
  void beginCarries(const syntax::RepeatItem& d, Scope& outer, Scope& inner, std::vector<ir::Carry>& carries);
  bool endCarries(const syntax::RepeatItem& d, const Result& result, std::vector<ir::Carry>& carries);

  // ---- operators (Operators.cpp; their steps are in OpContext.h)
  Value emit(DeclInfo& op, const Arguments& args, const syntax::Expr& call, Scope& caller);
  Value finish(OpContext& op, std::vector<Symbol> path, SourceRange range);

  ir::LayerId ensureLayer();
  void closeLayer();
  bool named(const DeclInfo& callee, const syntax::Expr& call);
  StatementPath pathFor(const syntax::Expr& call);
  Value tensor(ir::ValueId id, SourceRange range, const NameTable* members = nullptr);

  ModelState state_;
  std::vector<Symbol> prefix_;
  std::vector<ir::CompositeId> composites_;
  ir::LayerId layer_;
  ir::RegionId region_;
  Statement* statement_ = nullptr;
  OpContext* op_ = nullptr; ///< whose facts are being evaluated
  Symbol unitName_;
  SourceRange unitRange_;
  bool topLevel_ = false;
  bool inModel_ = false; ///< `in` is legal here
};

} // namespace planc::frontend
