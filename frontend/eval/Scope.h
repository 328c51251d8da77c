// Names that expressions see: tables of values, nested scopes, and the host that gives tensors a meaning.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Tree.h"
#include "frontend/values/Value.h"

#include <optional>
#include <unordered_map>

namespace planc::frontend {

struct Module;
struct Scope;

/// Names and their values in the order of declaration. Short tables are searched, long ones are indexed.
class NameTable {
public:
  struct Entry {
    Symbol name;
    Value value;
    SourceRange range; ///< of the name
  };
  const Entry* find(Symbol name) const;
  Entry* find(Symbol name) { return const_cast<Entry*>(static_cast<const NameTable*>(this)->find(name)); }
  /// Appends; the caller has looked for an earlier one.
  Entry& add(Symbol name, Value value, SourceRange range);
  const std::vector<Entry>& entries() const { return entries_; }

private:
  static constexpr size_t kIndexFrom = 12;
  std::vector<Entry> entries_;
  std::unordered_map<Symbol, uint32_t> index_;
};

/// What expressions of model bodies and operator facts mean beyond plain values; `model/` implements it.
class TensorHost {
public:
  virtual ~TensorHost() = default;
  virtual Value callOperator(DeclInfo& op, const syntax::Expr& call, Scope& caller) = 0;
  virtual Value callBlock(DeclInfo& block, const syntax::Expr& call, Scope& caller) = 0;
  /// `a + b` and the like where at least one side is a tensor.
  virtual Value binary(const syntax::Expr& e, const Value& left, const Value& right) = 0;
  /// `extent(d)`, `size(x)`, `bytes(x)`, `width(x)`: their arguments are names of dimensions and operands.
  virtual Value dimensionFunction(const syntax::Expr& call, Scope& scope) = 0;
  /// The extent of a dimension of the body, where an expression uses its name as a number; Invalid if it is not known.
  virtual std::optional<Value> extent(Scope& scope, Symbol name) = 0;
  /// An `if` expression took this branch: it stands where the `if` stood.
  virtual void chose(const syntax::Expr& whole, const syntax::Expr& branch) = 0;
};

struct Scope {
  Scope* parent = nullptr;
  Module* module = nullptr;
  TensorHost* host = nullptr;
  Namespace* space = nullptr; ///< names computed when asked for: the paths of a plan
  NameTable names;
  std::vector<std::pair<Symbol, ir::DimId>> dims; ///< dimensions that a signature or an annotation brings into a body

  explicit Scope(Module* m) : module(m) {}
  explicit Scope(Scope* p) : parent(p), module(p->module), host(p->host) {}
};

} // namespace planc::frontend
