// Elaborates the declarations of a body: inputs, parameters, products of dimensions.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Body.h"
#include "frontend/model/Dimensions.h"

#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(InputInBlock, 424, "only models have inputs")
PLANC_ERROR(TiedTarget, 415, "`{param}` cannot share the storage of `{target}`: {problem}")
PLANC_ERROR(CompositeForm, 426, "in a body, `dim` declares a product of dimensions: `dim heads = kv_heads * group`")
PLANC_ERROR(CompositeExtent, 417, "`{dim}` is {value}, but the product of its factors is {product}")
PLANC_ERROR(CountedDimension, 454, "input `{input}` cannot count `{dim}`")

namespace {

/// The dimensions of `counts seq`, which count the tokens of an input; without the batch.
std::vector<ir::DimId> countedDims(ModelState& state, const syntax::InItem& d, const std::vector<ir::DimId>& dims) {
  std::vector<ir::DimId> counted;
  for (const syntax::Name& n : d.counts) {
    for (ir::DimId dim : dims)
      if (state.model->dims[dim].name == n.text && n.text != kSamples) counted.push_back(dim);
    if (!counted.empty() && state.model->dims[counted.back()].name == n.text) continue;
    auto report =
        state.context.report(CountedDimension, n.range, {{"input", d.name.text.str()}, {"dim", n.text.str()}});
    report.label(d.type.range, shape(*state.model, dims));
    report.help("tokens are counted per sample, along dimensions of the input other than `batch`");
    state.failed = true;
  }
  return counted;
}

/// The parameter whose storage `d` shares; invalid if it has its own.
ir::ValueId tiedTo(ModelState& state, const syntax::ParamItem& d, const std::vector<ir::DimId>& dims, Scope& scope) {
  if (!d.tied) return {};
  const auto& parts = d.tied->parts;
  auto v = state.ev.find(parts[0].text, scope, parts[0].range);
  if (!v) state.ev.reportUnknown(parts[0], scope);
  for (size_t i = 1; v && i < parts.size(); ++i) {
    Expr e;
    e.kind = ExprKind::Member;
    e.name = parts[i];
    e.range = d.tied->range;
    v = state.ev.member(e, *v);
  }
  if (!v || v->invalid()) {
    state.failed = true;
    return {};
  }
  std::string problem;
  if (v->kind != ValueKind::Tensor || state.model->values[v->tensor->id].kind != ir::ValueKind::Param)
    problem = "it is not a parameter";
  else if (state.model->values[v->tensor->id].dims != dims)
    problem = fmt::format("one is {}, the other {}", shape(*state.model, dims), shape(*state.model, v->tensor->id));
  else
    return state.model->values[v->tensor->id].storage;
  state.context.report(TiedTarget, d.tied->range,
                       {{"param", d.name.text.str()}, {"target", d.tied->str()}, {"problem", problem}});
  state.failed = true;
  return {};
}

} // namespace

void input(ModelState& state, const syntax::InItem& d, Scope& scope) {
  if (!state.inModel || !state.atTop()) {
    state.context.report(InputInBlock, d.name.range)
        .help("pass the value as a parameter: `block name(x: [batch, seq])`");
    define(state, d.name, state.fail(), scope);
    return;
  }
  for (const syntax::Name& n : d.counts) state.extents.count(n.text);
  const auto dims = declaredDims(state, d.type, scope, true);
  if (!dims) {
    define(state, d.name, state.fail(), scope);
    return;
  }
  ir::Value v;
  v.name = d.name.text;
  v.path = {d.name.text};
  v.kind = ir::ValueKind::Input;
  v.dims = *dims;
  v.dtype = declaredDType(state, d.type, scope);
  v.counts = countedDims(state, d, *dims);
  v.range = d.name.range;
  const ir::ValueId id = state.model->values.add(std::move(v));
  state.model->inputs.push_back(id);
  define(state, d.name, tensor(state, id, d.name.range), scope);
}

void parameter(ModelState& state, const syntax::ParamItem& d, Scope& scope) {
  const auto dims = declaredDims(state, d.type, scope);
  if (!dims) {
    define(state, d.name, state.fail(), scope);
    return;
  }
  ir::Value v;
  v.name = d.name.text;
  v.path = state.prefix;
  v.path.push_back(d.name.text);
  v.kind = ir::ValueKind::Param;
  v.dims = *dims;
  v.dtype = declaredDType(state, d.type, scope);
  v.trainable = !d.frozen && !(v.dtype && ir::isInteger(*v.dtype)); // a table of integers has no gradient
  v.region = state.region;
  v.range = d.name.range;
  if (!state.prefix.empty()) v.layer = ensureLayer(state); // a parameter of the model itself belongs to its first user
  v.storage = tiedTo(state, d, *dims, scope);
  const ir::ValueId id = state.model->values.add(std::move(v));
  if (ir::Value& added = state.model->values[id]; !added.storage.valid()) added.storage = id;
  state.model->params.push_back(id);
  define(state, d.name, tensor(state, id, d.name.range), scope);
}

void composite(ModelState& state, const syntax::DimDecl& d, Scope& scope) {
  ir::Composite c;
  c.name = d.name.text;
  c.range = d.range;
  std::vector<const Expr*> factors;
  const Expr* at = d.value;
  for (; at->kind == ExprKind::Binary && at->text == "*"; at = at->kids[0]) factors.push_back(at->kids[1]);
  factors.push_back(at);
  double product = 1;
  for (auto f = factors.rbegin(); f != factors.rend(); ++f) {
    if ((*f)->kind != ExprKind::Name) {
      state.context.report(CompositeForm, d.value->range);
      state.failed = true;
      return;
    }
    const Resolved dim = resolveOrReport(state, scope, (*f)->name);
    if (!dim.id.valid()) return; // unknown, or reported
    product *= static_cast<double>(state.model->dims[dim.id].extent);
    c.factors.push_back(dim.id);
  }
  if (const NameTable::Entry* value = scope.names.find(d.name.text);
      value && value->value.isInt() && static_cast<double>(value->value.integer) != product) {
    state.context
        .report(CompositeExtent, d.range,
                {{"dim", d.name.text.str()}, {"value", value->value.integer}, {"product", formatQuantity(product, {})}})
        .label(value->range, "declared here");
    state.failed = true;
  }
  state.composites.push_back(state.model->composites.add(std::move(c)));
}

} // namespace planc::frontend
