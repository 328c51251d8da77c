// Evaluates expressions to values: names, operators, calls, members, lists; iteratively along left chains, within the
// bounds of Context.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Context.h"
#include "frontend/eval/Scope.h"
#include "frontend/eval/Show.h"

#include <functional>
#include <span>

namespace planc::frontend {

/// Members of declarations that hold facts: `cluster.device.memory`. `machine/` implements it.
class FactMembers {
public:
  virtual ~FactMembers() = default;
  virtual Value member(const BoundDecl& decl, const syntax::Name& name) = 0;
  /// Is there such a fact, level or parameter?
  virtual bool has(const BoundDecl& decl, Symbol name, SourceRange use) = 0;
};

/// Arguments of one call, matched to parameters.
struct Arguments {
  std::vector<Value> values;       ///< by parameter
  std::vector<SourceRange> ranges; ///< of the argument; invalid: not given
  bool ok = true;                  ///< names and types agree
  /// Every given argument has a value.
  bool known() const {
    for (size_t i = 0; i < values.size(); ++i)
      if (ranges[i].valid() && values[i].invalid()) return false;
    return ok;
  }
};

class Evaluator {
public:
  explicit Evaluator(Context& of) : context(of) {}

  Context& context;
  FactMembers* factMembers = nullptr;
  /// Generic declarations are checked with unknown parameters: then both branches of an `if` are looked at.
  bool checking = false;

  Value evaluate(const syntax::Expr& e, Scope& scope, const TypeInfo* expected = nullptr);
  /// Evaluates and demands the type; Invalid after a report. `what` names the place: `parameter `layers``.
  Value evaluateAs(const syntax::Expr& e, Scope& scope, const TypeInfo& type, std::string_view what);
  /// A condition: nothing if it is unknown or no bool.
  std::optional<bool> condition(const syntax::Expr& e, Scope& scope);
  /// An int; nothing after a report (or silently if it is unknown).
  std::optional<int64_t> integer(const syntax::Expr& e, Scope& scope, std::string_view what);
  /// A constant of a body, a record or an operator.
  Value let(const syntax::LetDecl& d, Scope& scope);
  /// Evaluates a `require`; reports it if it fails. False if it failed.
  bool require(const syntax::Require& r, Scope& scope);

  // ---- names
  /// The value of a name in scope; nothing if there is none.
  std::optional<Value> find(Symbol name, Scope& scope, SourceRange use);
  /// What a declaration is as a value; constants are computed once.
  Value valueOf(DeclInfo& decl, SourceRange use);
  Value boundDecl(DeclInfo& decl, SourceRange use);
  void reportUnknown(const syntax::Name& name, Scope& scope);
  void reportUnknownDType(const syntax::Name& name);
  /// An operator or a block is called where it can make no layer.
  void reportNoLayer(const DeclInfo& callee, SourceRange call);

  // ---- types
  const TypeInfo* type(const syntax::Type& written, Module& module);
  /// The value as that type; Invalid after reporting a mismatch at the value.
  Value coerce(Value v, const TypeInfo& type, std::string_view what);

  // ---- calls
  /// The parameters of a declaration; of `model X = Y(…)` those of Y.
  std::span<const ParamInfo> params(DeclInfo& decl);
  /// Matches and evaluates the arguments of a call. Tensor parameters are evaluated without a type.
  Arguments arguments(DeclInfo& callee, const syntax::Expr& call, Scope& caller);
  /// Reports parameters without a default that are not given. False if there are any.
  bool complete(DeclInfo& callee, const Arguments& args, SourceRange call);
  /// Fills a scope with the parameters: given values, defaults, and the `where` conditions. False if anything is
  /// missing or wrong.
  bool bind(DeclInfo& callee, const Arguments& args, Scope& scope, SourceRange call);
  bool bind(const BoundDecl& decl, Scope& scope, SourceRange use);
  /// The arguments of a bound declaration as those of a call.
  Arguments argumentsOf(const BoundDecl& decl);
  /// The argument that a bound declaration has for a parameter, also by what it stands for (`model X = Y(…)`); null
  /// where its default holds.
  const Value* argumentOf(const BoundDecl& decl, Symbol parameter, SourceRange use);
  /// `model X = Y(…)` to the model that has a body, with all arguments; null after a report.
  const BoundDecl* resolveModel(const BoundDecl& decl, SourceRange use);

  /// `base.name`
  Value member(const syntax::Expr& e, const Value& base);
  Value binary(const syntax::Expr& e, const Value& left, const Value& right);
  Value enumMember(const TypeInfo& type, Symbol name, SourceRange range);

private:
  Value leaf(const syntax::Expr& e, Scope& scope, const TypeInfo* expected);
  Value apply(const syntax::Expr& e, Value left, Scope& scope, const TypeInfo* expected);
  Value literalInt(const syntax::Expr& e);
  Value literalQuantity(const syntax::Expr& e);
  Value name(const syntax::Expr& e, Scope& scope, const TypeInfo* expected);
  Value unary(const syntax::Expr& e, Scope& scope);
  Value branch(const syntax::Expr& e, Scope& scope, const TypeInfo* expected);
  Value list(const syntax::Expr& e, Scope& scope, const TypeInfo* expected);
  Value comprehension(const syntax::Expr& e, Scope& scope, const TypeInfo* expected);
  Value record(const syntax::Expr& e, Scope& scope);
  Value applyBinary(const syntax::Expr& e, Value left, Scope& scope);
  Value rightOperand(const syntax::Expr& e, const Value& left, Scope& scope);
  Value contains(const syntax::Expr& e, const Value& item, const Value& list);
  Value index(const syntax::Expr& e, const Value& base, Scope& scope);
  Value call(const syntax::Expr& e, const Value& callee, Scope& scope);
  Value callBuiltin(const syntax::Expr& e, const Builtin& function, Scope& scope);
  Value callFunction(const syntax::Expr& e, DeclInfo& function, Scope& scope);
  Value bindMore(const syntax::Expr& e, const BoundDecl& decl, Scope& scope);
  void resolveParams(DeclInfo& decl);
  const TypeInfo* makeType(const syntax::Type& written, Module& module);
  const TypeInfo* pathType(const syntax::Type& written, Module& module);
  bool checkWhere(DeclInfo& callee, const Arguments& args, Scope& scope, SourceRange call);
  Value unfold(const BoundDecl& decl, SourceRange use);
  void reportModelCycle(DeclInfo& info, SourceRange use);

  std::vector<const syntax::Expr*> spine_; ///< left chains under evaluation, innermost last
};

/// That an expression nests deeper than that many levels, and what to do.
void reportTooDeep(Context& context, SourceRange at, unsigned limit, std::string help);
/// Whether a mistake is that a parameter's own `where` does not hold.
bool isLawOfParameters(const DiagnosticKind& kind);

/// A built-in function: its row in the table of Builtins.cpp.
struct Builtin {
  std::string_view name;
  int minArgs = 1;
  int maxArgs = 1; ///< -1: any number
  Value (*call)(Evaluator& evaluator, const syntax::Expr& call, std::vector<Value>& args) = nullptr;
  bool named = false; ///< its arguments have names: `curve(x = …, y = …)`; passed in the order x, y
};
const Builtin* findBuiltin(Symbol name);
std::vector<std::string> builtinNames();
/// `extent`, `size`, `bytes`, `width`: functions of dimensions and operands, which only a TensorHost can answer.
std::span<const Symbol> dimensionFunctions();
bool isDimensionFunction(Symbol name);

} // namespace planc::frontend
