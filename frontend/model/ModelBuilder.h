// Builds the model IR from a model declaration: inlines blocks, folds repeats, resolves dimensions, and lowers
// operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"
#include "frontend/model/Extents.h"
#include "ir/Model.h"

#include <memory>
#include <unordered_map>

namespace planc::frontend {

struct OpContext;
struct OperandInfo;

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
  /// A dimension by name; `id` is invalid where the extent is unknown (generic declarations, errors).
  struct Resolved {
    bool found = false;
    ir::DimId id;
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

  // ---- dimensions (Dimensions.cpp)
  ir::DimId dim(Symbol name, int64_t extent);
  ir::DimId specialDim(const ir::Dim& d);
  Resolved resolve(Scope& scope, Symbol name, SourceRange use, bool input = false);
  Resolved resolveOrReport(Scope& scope, const syntax::Name& name, bool input = false);
  /// The dimensions of a declared tensor; nothing if one is unknown or wrong.
  std::optional<std::vector<ir::DimId>> declaredDims(const syntax::Type& type, Scope& scope, bool input = false);
  std::optional<ir::DType> declaredDType(const syntax::Type& type, Scope& scope);
  /// Brings the dimensions of an argument into the scope of a block under the names of its signature.
  bool bindSignature(const syntax::Parameter& p, const Value& argument, SourceRange use, Scope& scope);
  bool checkDType(const syntax::Type& type, Scope& scope, ir::ValueId value, SourceRange use, std::string_view what);
  bool checkAnnotation(const syntax::Type& type, ir::ValueId value, SourceRange at, Scope& scope);
  bool agrees(const syntax::DimRef& ref, ir::DimId actual, Scope& scope);
  std::string shape(const std::vector<ir::DimId>& dims) const;
  std::string shape(ir::ValueId v) const { return shape(model_->values[v].dims); }

  // ---- operators (Operators.cpp, OperatorDims.cpp, OperatorFacts.cpp, OperatorRoles.cpp)
  Value emit(DeclInfo& op, const Arguments& args, const syntax::Expr& call, Scope& caller);
  bool collectOperands(OpContext& op, const Arguments& args);
  bool unify(OpContext& op);
  bool unifyOperand(OpContext& op, OperandInfo& operand);
  bool settleFormals(OpContext& op);
  bool dimDecls(OpContext& op);
  bool dimDecl(OpContext& op, const syntax::DimDecl& d);
  bool resultDims(OpContext& op, const syntax::Type* annotation, Scope& caller);
  bool namedResult(OpContext& op, const std::vector<ir::DimId>& rest, Scope& caller);
  bool elementwiseRest(OpContext& op, std::vector<ir::DimId>& rest);
  std::vector<ir::DimId> contractedRest(const OpContext& op) const;
  bool declaredResult(OpContext& op, const syntax::Type& annotation);
  bool checkContracted(const OpContext& op);
  Resolved resultDim(OpContext& op, const syntax::DimRef& ref, Scope& caller, bool annotation);
  bool settleRouted(OpContext& op);
  bool iterationSpace(OpContext& op);
  bool kindOf(OpContext& op);
  void facts(OpContext& op);
  void fact(OpContext& op, const syntax::Fact& f);
  /// Reads a fact that is a role; false if it is none.
  bool role(OpContext& op, const syntax::Fact& f);
  void checkLinear(OpContext& op, const syntax::Fact& f);
  bool dimRole(OpContext& op, const syntax::Fact& f);
  void biasOperand(OpContext& op, const syntax::Name& name);
  void checkRoles(OpContext& op);
  /// Reads `groups` and `group_limit`, which bound where the copies of an element go.
  void groupLimit(OpContext& op);
  /// The operand of that name, or -1: left out by this use, or reported.
  int operandNamed(OpContext& op, const syntax::Name& name);
  std::optional<double> factor(OpContext& op, const syntax::Fact& f, double most);
  void defaultFlops(OpContext& op);
  void saves(OpContext& op, const syntax::SaveItem& item);
  void reduces(OpContext& op, const syntax::ReduceItem& item);
  void backwards(OpContext& op, const syntax::BackwardItem& item);
  void sectionFact(OpContext& op, const syntax::Fact& f, Scope& scope, ir::BackwardSpec& spec);
  void dimList(OpContext& op, const std::vector<syntax::Name>& names, std::vector<ir::DimId>& out, bool mayBeAbsent);
  std::optional<ir::Poly> poly(OpContext& op, const syntax::Expr& e, Scope& scope, const Unit& unit,
                               std::string_view what);
  Resolved ownDim(const OpContext& op, Symbol name) const;
  Value finish(OpContext& op, std::vector<Symbol> path, SourceRange range);

  ir::LayerId ensureLayer();
  void closeLayer();
  bool named(const DeclInfo& callee, const syntax::Expr& call);
  StatementPath pathFor(const syntax::Expr& call);
  Value tensor(ir::ValueId id, SourceRange range, const NameTable* members = nullptr);
  Value fail() {
    failed_ = true;
    return {};
  }
  bool ok(bool good) {
    failed_ |= !good;
    return good;
  }

  Evaluator& ev_;
  Context& context_;
  Extents& extents_;
  std::shared_ptr<ir::Model> model_;
  std::unordered_map<Symbol, std::vector<ir::DimId>> dimsByName_;
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
  bool failed_ = false;
};

} // namespace planc::frontend
