// Evaluates expressions: names, operators, calls, members, lists. Chains on the left side are walked iteratively. Works
// within the limits of Context.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Context.h"
#include "frontend/eval/Scope.h"
#include "frontend/eval/Show.h"

#include <functional>
#include <span>

namespace planc::frontend {

/// Members of declarations with facts: `cluster.device.memory`. Implemented in `machine/`.
class FactMembers {
public:
  virtual ~FactMembers() = default;
  virtual Value member(const BoundDecl& decl, const syntax::Name& name) = 0;
  /// Whether there is such a fact, level or parameter.
  virtual bool has(const BoundDecl& decl, Symbol name, SourceRange use) = 0;
};

/// The arguments of a call, matched to parameters.
struct Arguments {
  std::vector<Value> values;       ///< by parameter
  std::vector<SourceRange> ranges; ///< ranges of the arguments; invalid: not given
  bool ok = true;                  ///< names and types match
  /// Whether every given argument has a value.
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
  /// Checks a generic declaration with unknown parameters. Both branches of an `if` are then evaluated.
  bool checking = false;

  Value evaluate(const syntax::Expr& e, Scope& scope, const TypeInfo* expected = nullptr);
  /// Evaluates and checks the type; Invalid after a report. `what` describes the place: `parameter `layers``.
  Value evaluateAs(const syntax::Expr& e, Scope& scope, const TypeInfo& type, std::string_view what);
  /// Evaluates a condition; nullopt if it is unknown or not a bool.
  std::optional<bool> condition(const syntax::Expr& e, Scope& scope);
  /// Evaluates an int; nullopt after a report, or without one if the value is unknown.
  std::optional<int64_t> integer(const syntax::Expr& e, Scope& scope, std::string_view what);
  /// Evaluates a `let` in a body, a record or an operator.
  Value let(const syntax::LetDecl& d, Scope& scope);
  /// Evaluates a `require` and reports it if it fails. Returns false if it failed.
  bool require(const syntax::Require& r, Scope& scope);

  // ---- names
  /// The value of a name in scope; nullopt if there is none.
  std::optional<Value> find(Symbol name, Scope& scope, SourceRange use);
  /// A declaration as a value. Constants are computed once.
  Value valueOf(DeclInfo& decl, SourceRange use);
  Value boundDecl(DeclInfo& decl, SourceRange use);
  void reportUnknown(const syntax::Name& name, Scope& scope);
  void reportUnknownDType(const syntax::Name& name);
  /// Reports a call of an operator or block in a place that cannot have layers.
  void reportNoLayer(const DeclInfo& callee, SourceRange call);

  // ---- types
  const TypeInfo* type(const syntax::Type& written, Module& module);
  /// Converts the value to the type; Invalid after reporting a mismatch at the value.
  Value coerce(Value v, const TypeInfo& type, std::string_view what);

  // ---- calls
  /// The parameters of a declaration; for `model X = Y(…)` the parameters of Y.
  std::span<const ParamInfo> params(DeclInfo& decl);
  /// Matches and evaluates the arguments of a call. Tensor arguments are evaluated without an expected type.
  Arguments arguments(DeclInfo& callee, const syntax::Expr& call, Scope& caller);
  /// Reports missing parameters without a default. Returns false if there are any.
  bool complete(DeclInfo& callee, const Arguments& args, SourceRange call);
  /// Fills a scope with the parameters from given values and defaults, and checks the `where` conditions. Returns false
  /// if anything is missing or wrong.
  bool bind(DeclInfo& callee, const Arguments& args, Scope& scope, SourceRange call);
  bool bind(const BoundDecl& decl, Scope& scope, SourceRange use);
  /// The arguments of a bound declaration, as arguments of a call.
  Arguments argumentsOf(const BoundDecl& decl);
  /// The argument of a bound declaration for a parameter, also through `model X = Y(…)`; null if the default applies.
  const Value* argumentOf(const BoundDecl& decl, Symbol parameter, SourceRange use);
  /// Resolves `model X = Y(…)` to the model with a body, with all arguments; null after a report.
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

  std::vector<const syntax::Expr*> spine_; ///< left chains being evaluated, innermost last
};

/// Reports that an expression nests deeper than `limit` levels.
void reportTooDeep(Context& context, SourceRange at, unsigned limit, std::string help);
/// Whether a diagnostic reports a failed `where` condition of a parameter.
bool isLawOfParameters(const DiagnosticKind& kind);

/// A built-in function, as a row of the table in Builtins.cpp.
struct Builtin {
  std::string_view name;
  int minArgs = 1;
  int maxArgs = 1; ///< -1: any number
  Value (*call)(Evaluator& evaluator, const syntax::Expr& call, std::vector<Value>& args) = nullptr;
  bool named = false; ///< takes named arguments, as in `curve(x = …, y = …)`; passed in the order x, y
};
const Builtin* findBuiltin(Symbol name);
std::vector<std::string> builtinNames();
/// The functions of dimensions and operands, which a TensorHost evaluates: `extent`, `size`, `bytes`, `width`.
std::span<const Symbol> dimensionFunctions();
bool isDimensionFunction(Symbol name);

} // namespace planc::frontend
