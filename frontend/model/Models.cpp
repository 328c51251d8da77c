// Builds models from their declarations, and checks single declarations.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Models.h"

#include "frontend/model/Body.h"
#include "frontend/model/OpContext.h"
#include "frontend/model/Unread.h"

namespace planc::frontend {

PLANC_ERROR(EmptyModel, 427, "model `{model}` has no operators")

namespace {

/// One model under construction, and the host that evaluates calls on its tensors.
struct Building final : TensorHost {
  Building(Evaluator& evaluator, Extents& extents) : state(evaluator, extents, *this) {}

  Value callOperator(DeclInfo& op, const syntax::Expr& call, Scope& caller) override {
    return frontend::callOperator(state, op, call, caller);
  }
  Value callBlock(DeclInfo& block, const syntax::Expr& call, Scope& caller) override {
    return frontend::callBlock(state, block, call, caller);
  }
  Value binary(const syntax::Expr& e, const Value& left, const Value& right) override {
    return onTensors(state, e, left, right);
  }
  Value dimensionFunction(const syntax::Expr& call, Scope& scope) override {
    return frontend::dimensionFunction(state, state.op, call, scope);
  }
  std::optional<Value> extent(Scope& scope, Symbol name) override { return extentOf(state, scope, name); }
  void chose(const syntax::Expr& whole, const syntax::Expr& branch) override {
    if (state.statement && state.statement->outer == &whole) state.statement->outer = &branch;
  }

  ModelState state;
};

void modelBody(ModelState& state, const syntax::ModelDecl& model, Scope& scope) {
  state.inModel = true;
  BodyResult result;
  body(state, *model.body, scope, result);
  if (const NameTable::Entry* loss = scope.names.find(kLossName); loss && loss->value.kind == ValueKind::Tensor)
    state.model->loss = loss->value.tensor->id;
}

} // namespace

std::shared_ptr<ir::Model> buildModel(Evaluator& ev, Extents& extents, const BoundDecl& decl, SourceRange use) {
  Building building(ev, extents);
  ModelState& state = building.state;
  const uint64_t failures = state.context.failures;
  const BoundDecl* root = state.ev.resolveModel(decl, use);
  if (!root || !state.context.enter(*root->decl, use)) return nullptr;
  Scope scope(root->decl->module);
  scope.host = &state.host;
  if (state.ev.bind(*root, scope, use)) {
    state.model->name = decl.decl->name;
    modelBody(state, root->decl->as<syntax::ModelDecl>(), scope);
    if (!state.failed && state.model->ops.empty()) {
      state.context.report(EmptyModel, root->decl->nameRange, {{"model", root->decl->name.str()}});
      state.failed = true;
    }
    if (!state.failed && !state.context.exhausted()) state.ok(checkRead(*state.model, state.context));
  } else {
    state.failed = true;
  }
  state.context.leave();
  if (state.failed || state.context.exhausted() || state.context.failures != failures) return nullptr;
  return state.model;
}

void checkModel(Evaluator& ev, Extents& extents, DeclInfo& decl) {
  Building building(ev, extents);
  ModelState& state = building.state;
  const auto& model = decl.as<syntax::ModelDecl>();
  state.ev.params(decl);
  if (!model.body) {
    state.ev.resolveModel(BoundDecl{&decl, {}}, decl.nameRange);
    return;
  }
  Scope scope(decl.module);
  scope.host = &state.host;
  state.ev.bind(BoundDecl{&decl, {}}, scope, decl.nameRange);
  modelBody(state, model, scope);
}

void checkBlock(Evaluator& ev, Extents& extents, DeclInfo& decl) {
  Building building(ev, extents);
  checkBlock(building.state, decl);
}

void checkOperator(Evaluator& ev, Extents& extents, DeclInfo& decl) {
  Building building(ev, extents);
  checkOperator(building.state, decl);
}

} // namespace planc::frontend
