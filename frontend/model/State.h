// The model under construction, which all steps of its elaboration are given.
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

/// `name : type = value` under evaluation: what the operators inside it are called.
struct Statement {
  Symbol name;
  const syntax::Type* annotation = nullptr;
  Scope* scope = nullptr;
  const syntax::Expr* outer = nullptr; ///< the expression that carries the name; nested ones are numbered
  int nested = 0;
  bool checked = false; ///< the annotation was used to find the result
};

struct ModelState {
  ModelState(Evaluator& evaluator, Extents& given, TensorHost& tensors)
      : ev(evaluator), context(evaluator.context), extents(given), host(tensors), model(std::make_shared<ir::Model>()) {
  }

  Evaluator& ev;
  Context& context;
  Extents& extents;
  TensorHost& host; ///< of every scope: what its expressions ask of tensors
  std::shared_ptr<ir::Model> model;
  std::unordered_map<Symbol, std::vector<ir::DimId>> dimsByName;
  bool failed = false; ///< after a mistake: the model is void, and is made to its end to find others

  // ---- where construction stands
  std::vector<Symbol> prefix;              ///< the layers around
  std::vector<ir::CompositeId> composites; ///< in scope
  ir::LayerId layer;                       ///< the top-level one that is being made; none before the first thing in it
  ir::RegionId region;                     ///< the innermost repeat; none at the top
  Statement* statement = nullptr;
  OpContext* op = nullptr; ///< whose facts are being evaluated
  Symbol unitName;         ///< of the top-level statement, with its place
  SourceRange unitRange;
  bool inModel = false; ///< not in a block by itself: `in` is legal at the top

  /// Outside of all layers and repeats.
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
