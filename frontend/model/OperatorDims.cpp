// Determines the dimensions of one use of an operator: unifies the signature with the argument shapes, and finds the
// shape of the result.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/OpContext.h"
#include "frontend/model/Shapes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::DimRef;
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(OperandShape, 435, "`{name}` of operator `{op}` is {expected}; this value is {actual}")
PLANC_ERROR(FormalMismatch, 436, "`{dim}` of operator `{op}` is {first} in `{a}` and {second} in `{b}`")
PLANC_ERROR(ResultDim, 437, "dimension `{dim}` of the result of operator `{op}` has no extent")
PLANC_ERROR(NothingContracted, 404, "operator `{op}` has no dimension to sum over")
PLANC_ERROR(NotBroadcast, 438, "operand `{name}` of operator `{op}` has dimension `{dim}`, which `{other}` lacks")

namespace {

/// The dimensions of an operand that are covered by `..`.
std::vector<ir::DimId> restOf(const OperandInfo& o) {
  std::vector<ir::DimId> rest;
  for (size_t i = 0; i < o.dims.size(); ++i)
    if (o.formal[i] < 0) rest.push_back(o.dims[i]);
  return rest;
}

bool hasRest(const OperandInfo& o) {
  return restAt(*o.param->type) < o.param->type->dims.size();
}

std::vector<ir::DimId> without(const std::vector<ir::DimId>& dims, const std::vector<ir::DimId>& except) {
  std::vector<ir::DimId> left;
  for (ir::DimId d : dims)
    if (!llvm::is_contained(except, d)) left.push_back(d);
  return left;
}

/// Matches named dimensions with the value's dimensions from both ends; `..` takes the rest.
bool unifyOperand(ModelState& state, OpContext& op, OperandInfo& o) {
  const syntax::Type& type = *o.param->type;
  const std::vector<ir::DimId> dims = state.model->values[o.value].dims;
  if (!fits(type, dims.size())) {
    state.context
        .report(OperandShape, o.range,
                {{"name", o.param->name.text.str()},
                 {"op", op.decl.name.str()},
                 {"expected", written(type)},
                 {"actual", shape(*state.model, dims)}})
        .label(state.model->values[o.value].range, "it is computed here");
    return false;
  }
  o.dims = dims;
  o.formal.assign(dims.size(), -1);
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (type.dims[i].rest) continue;
    const size_t at = placeOf(type, i, dims.size());
    const DimRef& ref = type.dims[i];
    // `kv_seq = seq`: the operator renames the value's dimension.
    const ir::DimId own = ref.value ? basicDim(state, ref.name.text, state.model->dims[dims[at]].extent) : dims[at];
    size_t f = 0;
    while (f < op.formals.size() && op.formals[f].name != ref.name.text) ++f;
    const bool exact = state.model->dims[own].name == ref.name.text;
    if (f == op.formals.size()) {
      op.formals.push_back({ref.name.text, own, o.range, exact});
    } else if (FormalDim& known = op.formals[f]; known.dim != own) {
      if (state.model->dims[known.dim].extent != state.model->dims[own].extent) {
        std::string first;
        for (const OperandInfo& other : op.operands)
          if (other.range == known.argument) first = other.param->name.text.str();
        state.context
            .report(FormalMismatch, op.call,
                    {{"dim", ref.name.text.str()},
                     {"op", op.decl.name.str()},
                     {"first", state.model->dims[known.dim].extent},
                     {"a", first},
                     {"second", state.model->dims[own].extent},
                     {"b", o.param->name.text.str()}})
            .label(known.argument,
                   fmt::format("`{}` is {} here", ref.name.text.view(), state.model->dims[known.dim].extent))
            .label(o.range, shape(*state.model, o.value));
        return false;
      }
      if (exact && !known.exact) known = {ref.name.text, own, o.range, true};
    }
    o.formal[at] = static_cast<int>(f);
  }
  return true;
}

/// Looks up a named dimension of the result: of an operand, of a parameter or `let` of the operator, or of the using
/// place.
Resolved resultDim(ModelState& state, OpContext& op, const DimRef& ref, Scope& caller, bool annotation) {
  const Symbol name = ref.name.text;
  if (!annotation) {
    if (const FormalDim* f = op.formal(name)) return {true, f->dim};
  }
  for (const OperandInfo& o : op.operands)
    for (ir::DimId d : o.dims)
      if (state.model->dims[d].name == name) return {true, d};
  if (annotation)
    if (const FormalDim* f = op.formal(name)) return {true, f->dim};
  if (!annotation) {
    if (ref.value) {
      const auto extent = state.ev.integer(*ref.value, op.scope, fmt::format("dimension `{}`", name.view()));
      if (extent && *extent >= 1) return {true, basicDim(state, name, *extent)};
      if (!extent) return {true, {}};
    }
    if (const NameTable::Entry* e = op.scope.names.find(name); e && e->value.isInt())
      return resolve(state, op.scope, name, ref.range);
  }
  return resolve(state, caller, name, ref.range);
}

/// The result of a signature, given the dimensions of `..`.
bool namedResult(ModelState& state, OpContext& op, const std::vector<ir::DimId>& rest, Scope& caller) {
  for (const DimRef& ref : op.syntax.result.dims) {
    if (ref.rest) {
      op.result.insert(op.result.end(), rest.begin(), rest.end());
      continue;
    }
    const bool routed = std::any_of(op.routed.begin(), op.routed.end(),
                                    [&](const auto& r) { return r.first->name.text == ref.name.text; });
    const Resolved d = routed ? Resolved{true, {}} : resultDim(state, op, ref, caller, false);
    if (!d.found)
      state.context.report(ResultDim, op.call, {{"op", op.decl.name.str()}, {"dim", ref.name.text.str()}})
          .label(ref.range, "declared here")
          .help(fmt::format("declare a value of that name in the model or block: `let {} = …`", ref.name.text.view()));
    if (!d.id.valid() && !routed) return false;
    op.result.push_back(d.id);
  }
  return true;
}

/// Elementwise operators: `..` is the longest `..` of the operands, which must contain the dimensions of the others.
bool elementwiseRest(ModelState& state, OpContext& op, std::vector<ir::DimId>& rest) {
  const OperandInfo* longest = nullptr;
  for (const OperandInfo& o : op.operands)
    if (hasRest(o) && (!longest || restOf(o).size() > rest.size())) {
      longest = &o;
      rest = restOf(o);
    }
  if (restAt(op.syntax.result) == op.syntax.result.dims.size() || ir::isContraction(op.op.kind)) return true;
  for (const OperandInfo& o : op.operands)
    for (ir::DimId d : restOf(o)) {
      if (llvm::is_contained(rest, d)) continue;
      state.context
          .report(NotBroadcast, o.range,
                  {{"name", o.param->name.text.str()},
                   {"op", op.decl.name.str()},
                   {"dim", fmt::format("{} {}", state.model->dims[d].name.view(), state.model->dims[d].extent)},
                   {"other", longest->param->name.text.str()}})
          .label(longest->range, shape(*state.model, longest->value));
      return false;
    }
  return true;
}

// y[..] has the dimensions that only one of x and w has. Dimensions that both have are summed over.
std::vector<ir::DimId> contractedRest(const OpContext& op) {
  const OperandInfo &x = op.operands[0], &w = op.operands[1];
  std::vector<ir::DimId> rest = without(restOf(x), w.dims);
  const std::vector<ir::DimId> second = without(restOf(w), x.dims);
  rest.insert(rest.end(), second.begin(), second.end());
  return rest;
}

/// The result that a layer declares for a contraction. It may keep dimensions that both operands have. Stays empty if
/// it lacks a dimension of the signature; comparing the declared shape reports the difference.
bool declaredResult(ModelState& state, OpContext& op, const syntax::Type& annotation) {
  const OperandInfo &x = op.operands[0], &w = op.operands[1];
  std::vector<ir::DimId> named;
  for (const DimRef& ref : annotation.dims) {
    const Resolved d = ref.rest ? Resolved{true, {}} : resultDim(state, op, ref, *op.around, true);
    if (!d.found)
      state.context.report(ResultDim, ref.range, {{"op", op.decl.name.str()}, {"dim", ref.name.text.str()}})
          .label(x.range, shape(*state.model, x.value))
          .label(w.range, shape(*state.model, w.value));
    if (!d.id.valid() && !ref.rest) return false;
    named.push_back(d.id);
  }
  const std::vector<ir::DimId> rest = without(without(x.dims, w.dims), named);
  std::vector<ir::DimId> dims;
  for (ir::DimId d : named) {
    if (d.valid())
      dims.push_back(d);
    else
      dims.insert(dims.end(), rest.begin(), rest.end());
  }
  for (const DimRef& ref : op.syntax.result.dims)
    if (const FormalDim* f = ref.rest ? nullptr : op.formal(ref.name.text); f && !llvm::is_contained(dims, f->dim))
      return true;
  op.result = std::move(dims);
  return true;
}

bool checkContracted(ModelState& state, const OpContext& op) {
  const OperandInfo &x = op.operands[0], &w = op.operands[1];
  for (ir::DimId d : x.dims)
    if (llvm::is_contained(w.dims, d) && !llvm::is_contained(op.result, d)) return true;
  for (ir::DimId d : x.dims) // one name with two extents is the likelier mistake
    for (ir::DimId e : w.dims)
      if (state.model->dims[d].name == state.model->dims[e].name && d != e)
        return true; // reported with the iteration space
  state.context.report(NothingContracted, op.call, {{"op", op.decl.name.str()}})
      .label(x.range, shape(*state.model, x.value))
      .label(w.range, shape(*state.model, w.value))
      .help("the operands need a dimension in common that the result lacks");
  return false;
}

} // namespace

Resolved ownDim(const ModelState& state, const OpContext& op, Symbol name) {
  if (const FormalDim* f = op.formal(name)) return {true, f->dim};
  for (ir::DimId d : op.op.dims)
    if (state.model->dims[d].name == name) return {true, d};
  for (const OperandInfo& o : op.operands)
    for (ir::DimId d : o.dims)
      if (state.model->dims[d].name == name) return {true, d};
  for (ir::DimId d : op.result)
    if (d.valid() && state.model->dims[d].name == name) return {true, d};
  for (const auto& [decl, routed] : op.routed)
    if (decl->name.text == name) return {true, {}};
  return {};
}

void settleFormals(OpContext& op) {
  for (OperandInfo& o : op.operands)
    for (size_t i = 0; i < o.dims.size(); ++i)
      if (o.formal[i] >= 0) o.dims[i] = op.formals[static_cast<size_t>(o.formal[i])].dim;
}

bool unify(ModelState& state, OpContext& op) {
  for (OperandInfo& o : op.operands)
    if (!unifyOperand(state, op, o)) return false;
  settleFormals(op);
  return true;
}

bool resultDims(ModelState& state, OpContext& op, const syntax::Type* annotation, Scope& caller) {
  const syntax::Type& type = op.syntax.result;
  for (const syntax::OpItem& item : op.syntax.items) // a `let` may define the extent of a new dimension
    if (const auto* let = std::get_if<syntax::LetDecl>(&item))
      if (!op.scope.names.find(let->name.text))
        op.scope.names.add(let->name.text, state.ev.let(*let, op.scope), let->name.range);
  op.resultDType = declaredDType(state, type, op.scope);
  const auto rests = std::count_if(op.operands.begin(), op.operands.end(), hasRest);
  std::vector<ir::DimId> rest;
  if (ir::isContraction(op.op.kind) && rests > 1) {
    if (annotation && restAt(type) < type.dims.size() && !declaredResult(state, op, *annotation)) return false;
    if (op.result.empty()) rest = contractedRest(op);
    if (op.result.empty() && !namedResult(state, op, rest, caller)) return false;
    return checkContracted(state, op);
  }
  return elementwiseRest(state, op, rest) && namedResult(state, op, rest, caller);
}

} // namespace planc::frontend
