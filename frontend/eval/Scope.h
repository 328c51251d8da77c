// Name look-up for expressions: tables of values, nested scopes, and the host that handles tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Tree.h"
#include "frontend/values/Value.h"

#include <optional>
#include <unordered_map>

namespace planc::frontend {

struct Module;
struct Scope;

/// Names and values in the order of declaration. Short tables are searched, long ones are indexed.
class NameTable {
public:
  struct Entry {
    Symbol name;
    Value value;
    SourceRange range; ///< of the name
  };
  const Entry* find(Symbol name) const;
  Entry* find(Symbol name) { return const_cast<Entry*>(static_cast<const NameTable*>(this)->find(name)); }
  /// Appends. The caller has checked that the name is new.
  Entry& add(Symbol name, Value value, SourceRange range);
  const std::vector<Entry>& entries() const { return entries_; }

private:
  static constexpr size_t kIndexFrom = 12;
  std::vector<Entry> entries_;
  std::unordered_map<Symbol, uint32_t> index_;
};

/// The meaning of tensors in model bodies and of dimensions in operator facts. Implemented in `model/`.
class TensorHost {
public:
  virtual ~TensorHost() = default;
  virtual Value callOperator(DeclInfo& op, const syntax::Expr& call, Scope& caller) = 0;
  virtual Value callBlock(DeclInfo& block, const syntax::Expr& call, Scope& caller) = 0;
  /// Operators such as `a + b` with a tensor on at least one side.
  virtual Value binary(const syntax::Expr& e, const Value& left, const Value& right) = 0;
  /// `extent(d)`, `size(x)`, `bytes(x)`, `width(x)`. Their arguments are names of dimensions and operands.
  virtual Value dimensionFunction(const syntax::Expr& call, Scope& scope) = 0;
  /// The extent of a dimension of the body whose name is used as a number. Nullopt if there is no such dimension;
  /// Invalid if its extent is unknown.
  virtual std::optional<Value> extent(Scope& scope, Symbol name) = 0;
  /// Called when an `if` expression takes a branch, which then replaces the `if`.
  virtual void chose(const syntax::Expr& whole, const syntax::Expr& branch) = 0;
};

struct Scope {
  Scope* parent = nullptr;
  Module* module = nullptr;
  TensorHost* host = nullptr;
  Namespace* space = nullptr; ///< names that are computed on demand: the paths of a plan
  NameTable names;
  std::vector<std::pair<Symbol, ir::DimId>> dims; ///< dimensions that a signature or an annotation introduces

  explicit Scope(Module* m) : module(m) {}
  explicit Scope(Scope* p) : parent(p), module(p->module), host(p->host) {}
};

} // namespace planc::frontend
