// Elaborates calls of blocks: each has a body of its own, under the path of the calling statement.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Body.h"
#include "frontend/model/Dimensions.h"

#include <utility>

namespace planc::frontend {

PLANC_ERROR(NoResult, 408, "block `{block}` has no result")

namespace {

void noResult(const ModelState& state, const DeclInfo& block) {
  state.context.report(NoResult, block.nameRange, {{"block", block.name.str()}})
      .help("end it with `out e`, or name a value `out`");
}

} // namespace

bool named(ModelState& state, const DeclInfo& callee, const syntax::Expr& call) {
  if (state.statement) return true;
  state.ev.reportNoLayer(callee, call.range);
  return false;
}

StatementPath pathFor(ModelState& state, const syntax::Expr& call) {
  StatementPath result{state.prefix, nullptr};
  result.path.push_back(state.statement->name);
  if (state.statement->outer == &call)
    result.annotation = state.statement->annotation;
  else
    result.path.push_back(Symbol(std::to_string(++state.statement->nested)));
  return result;
}

Value callBlock(ModelState& state, DeclInfo& decl, const syntax::Expr& call, Scope& caller) {
  const auto& block = decl.as<syntax::BlockDecl>();
  const Arguments args = state.ev.arguments(decl, call, caller);
  const auto params = state.ev.params(decl);
  if (!state.ev.complete(decl, args, call.range) || !args.known() || !named(state, decl, call) ||
      !state.context.enter(decl, call.range))
    return state.fail();
  Scope* scope = state.context.arena.make(Scope(decl.module)); // outlives the call: `embed.table`
  scope->host = &state.host;
  bool good = state.ev.bind(decl, args, *scope, call.range);
  for (size_t i = 0; i < params.size(); ++i)
    if (params[i].type->kind == TypeInfo::Kind::Tensor)
      if (const NameTable::Entry* given = scope->names.find(params[i].name());
          good && given->value.kind == ValueKind::Tensor)
        good = bindSignature(state, *params[i].syntax, given->value, args.ranges[i], *scope);
  Value value;
  if (good) {
    const StatementPath at = pathFor(state, call);
    auto outerPrefix = std::exchange(state.prefix, at.path);
    auto outerComposites = state.composites.size();
    Statement* before = std::exchange(state.statement, nullptr);
    BodyResult result;
    body(state, *block.body, *scope, result);
    state.statement = before;
    state.composites.resize(outerComposites);
    state.prefix = std::move(outerPrefix);
    if (!result.any)
      noResult(state, decl);
    else if (result.value.kind == ValueKind::Tensor &&
             (!block.result ||
              checkAnnotation(state, *block.result, result.value.tensor->id, block.result->range, *scope)))
      value = tensor(state, result.value.tensor->id, call.range, &scope->names);
  }
  state.context.leave();
  return value.invalid() ? state.fail() : value;
}

void checkBlock(ModelState& state, DeclInfo& decl) {
  const auto& block = decl.as<syntax::BlockDecl>();
  Scope scope(decl.module);
  scope.host = &state.host;
  state.ev.bind(BoundDecl{&decl, {}}, scope, decl.nameRange);
  for (const syntax::Parameter& p : block.params)
    if (p.type && p.type->tensor) bindSignature(state, p, {}, p.range, scope);
  state.prefix.push_back(decl.name); // layers of a block are never top-level layers
  BodyResult result;
  body(state, *block.body, scope, result);
  if (!result.any) noResult(state, decl);
}

} // namespace planc::frontend
