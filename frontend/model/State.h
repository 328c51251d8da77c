// The model under construction, which all elaboration steps receive.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"
#include "frontend/model/Extents.h"
#include "ir/model/Model.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace planc::frontend {

struct OpContext;

/// The `name : type = value` statement under evaluation, from which the operators in it get their names.
struct Statement {
  Symbol name;
  const syntax::Type* annotation = nullptr;
  Scope* scope = nullptr;
  const syntax::Expr* outer = nullptr; ///< the expression that gets the name; nested expressions are numbered
  int nested = 0;
  bool checked = false; ///< the annotation was used to determine the result
};

/// The name of a value at which backward begins.
inline const Symbol kLossName("loss");

struct ModelState {
  ModelState(Evaluator& evaluator, Extents& given, TensorHost& tensors)
      : ev(evaluator), context(evaluator.context), extents(given), host(tensors), model(std::make_shared<ir::Model>()) {
  }

  Evaluator& ev;
  Context& context;
  Extents& extents;
  TensorHost& host; ///< host of every scope: evaluates calls on tensors
  std::shared_ptr<ir::Model> model;
  std::unordered_map<Symbol, std::vector<ir::DimId>> dimsByName;
  bool failed = false; ///< an error was found: construction continues to find others, then the model is dropped

  // ---- current position
  std::vector<Symbol> prefix;              ///< path of the enclosing layers
  std::vector<ir::CompositeId> composites; ///< in scope
  ir::LayerId layer;                       ///< top-level layer under construction; invalid before its first operator
  ir::RegionId region;                     ///< innermost repeat; invalid at the top
  Statement* statement = nullptr;
  OpContext* op = nullptr; ///< operator whose facts are evaluated
  Symbol unitName;         ///< name of the top-level statement; its place follows
  SourceRange unitRange;
  bool inModel = false; ///< false in a block by itself; `in` is legal only at the top of a model

  /// Returns whether construction is outside of all layers and repeats.
  bool atTop() const { return prefix.empty() && !region.valid(); }

  Value fail() {
    failed = true;
    return {};
  }
  bool ok(bool good) {
    failed |= !good;
    return good;
  }
};

} // namespace planc::frontend
