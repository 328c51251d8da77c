// Repeats stay folded: a body once, a count, and identity operators `carry` where values go from one instance to the
// next (docs/language.md, section 10).
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Dimensions.h"
#include "frontend/model/ModelBuilder.h"
#include "ir/Labels.h"

#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(CountBeforeName, 339, "`{count}` has a value: the name of a repeat stands before `*`, its count behind")
PLANC_ERROR(RepeatCount, 407, "`{name}` is repeated {count} times; it takes at least one")
PLANC_ERROR(RepeatWithoutCarry, 428, "repeat `{name}` carries no value from one instance to the next")
PLANC_ERROR(CarryChanges, 410, "`{name}` of repeat `{repeat}` begins as {before} and ends as {after}")
PLANC_ERROR(RepeatResult, 429, "repeat `{name}` carries {carried} and its `out` gives {given}")

namespace {

std::string valuesText(size_t n) {
  return n == 1 ? "one value" : fmt::format("{} values", n);
}

} // namespace

ir::ValueId ModelBuilder::addCarry(Symbol name, ir::ValueId from, SourceRange range) {
  ir::Op op;
  op.path = prefix_;
  op.name = ir::labels::kCarry;
  op.kind = ir::OpKind::Carry;
  op.dims = op.resultDims = state_.model->values[from].dims;
  op.operands.push_back({from, op.dims});
  op.composites = composites_;
  op.layer = layer_;
  op.region = region_;
  op.range = range;
  ir::Value v;
  v.name = name;
  v.path = prefix_;
  v.path.push_back(name);
  v.dims = op.dims;
  v.dtype = state_.model->values[from].dtype;
  v.producer = ir::OpId(state_.model->ops.size());
  v.layer = layer_;
  v.region = region_;
  v.range = range;
  op.result = state_.model->values.add(std::move(v));
  const ir::ValueId result = op.result;
  state_.model->ops.add(std::move(op));
  return result;
}

void ModelBuilder::beginCarries(const syntax::RepeatItem& d, Scope& outer, Scope& inner,
                                std::vector<ir::Carry>& carries) {
  Statement* before = std::exchange(statement_, nullptr);
  for (const syntax::Binding& b : d.bindings) {
    const Value initial = state_.ev.evaluate(*b.value, outer);
    if (initial.kind != ValueKind::Tensor) {
      if (!initial.invalid())
        state_.ok(!state_.ev
                       .coerce(initial, TypeInfo{.kind = TypeInfo::Kind::Tensor, .name = "tensor"},
                               fmt::format("`{}`", b.name.text.view()))
                       .invalid());
      define(b.name, state_.fail(), inner);
      continue;
    }
    ir::Carry carry;
    carry.name = b.name.text;
    carry.initial = initial.tensor->id;
    carry.inside = addCarry(b.name.text, carry.initial, b.name.range);
    define(b.name, tensor(carry.inside, b.name.range), inner);
    carries.push_back(carry);
  }
  statement_ = before;
}

/// The values that `out` gives, one for each carried one, of the same shape.
bool ModelBuilder::endCarries(const syntax::RepeatItem& d, const Result& result, std::vector<ir::Carry>& carries) {
  if (!result.any) {
    state_.context
        .report(RepeatResult, d.name.range,
                {{"name", d.name.text.str()}, {"carried", valuesText(d.bindings.size())}, {"given", "nothing"}})
        .help("end the body with `out e`, the value of the next instance");
    return false;
  }
  if (result.value.invalid() || carries.size() != d.bindings.size()) return false;
  std::vector<Value> last{result.value};
  if (result.value.kind == ValueKind::List) last = result.value.list->items;
  if (last.size() != carries.size()) {
    state_.context
        .report(
            RepeatResult, result.range,
            {{"name", d.name.text.str()}, {"carried", valuesText(carries.size())}, {"given", valuesText(last.size())}})
        .help("`out [a, b]` gives one value for each carried one, in their order");
    return false;
  }
  for (size_t i = 0; i < carries.size(); ++i) {
    if (last[i].kind != ValueKind::Tensor)
      return !state_.ev
                  .coerce(last[i], TypeInfo{.kind = TypeInfo::Kind::Tensor, .name = "tensor"},
                          fmt::format("`{}`", carries[i].name.view()))
                  .invalid();
    const ir::ValueId value = last[i].tensor->id;
    if (state_.model->values[value].dims != state_.model->values[carries[i].initial].dims) {
      state_.context
          .report(CarryChanges, result.range,
                  {{"name", carries[i].name.str()},
                   {"repeat", d.name.text.str()},
                   {"before", shape(*state_.model, carries[i].initial)},
                   {"after", shape(*state_.model, value)}})
          .label(d.bindings[i].value->range, "begins here");
      return false;
    }
    carries[i].last = addCarry(carries[i].name, value, result.range);
  }
  return true;
}

/// `layers * decoder { … }`: the first is a number, the second is no value at all.
bool ModelBuilder::countBeforeName(const syntax::RepeatItem& d, Scope& scope) {
  if (d.count->kind != syntax::ExprKind::Name || state_.ev.find(d.count->name.text, scope, d.count->range))
    return false;
  const std::optional<Value> first = state_.ev.find(d.name.text, scope, d.name.range);
  if (!first || first->kind == ValueKind::Tensor) return false;
  state_.context
      .report(CountBeforeName, d.name.range, {{"count", d.name.text.str()}, {"name", d.count->name.text.str()}})
      .label(d.count->range, "the name of the repeat")
      .help(fmt::format("write `{} * {}`", d.count->name.text.view(), d.name.text.view()));
  define(d.count->name, state_.fail(), scope);
  return true;
}

void ModelBuilder::repeat(const syntax::RepeatItem& d, SourceRange range, Scope& scope) {
  if (countBeforeName(d, scope)) return;
  if (d.bindings.empty()) { // its body would be about values that it does not have
    state_.context.report(RepeatWithoutCarry, d.name.range, {{"name", d.name.text.str()}})
        .help(fmt::format("write `{} * … with x = …`, and give the next x with `out`", d.name.text.view()));
    define(d.name, state_.fail(), scope);
    return;
  }
  const auto count = state_.ev.integer(*d.count, scope, fmt::format("the count of `{}`", d.name.text.view()));
  if (count && *count < 1) {
    state_.context.report(RepeatCount, d.count->range, {{"name", d.name.text.str()}, {"count", *count}});
    state_.failed = true;
  }
  state_.failed |= !count;
  const bool top = prefix_.empty() && !region_.valid();
  const ir::RegionId outerRegion = region_;
  const size_t outerComposites = composites_.size();
  prefix_.push_back(d.name.text);
  region_ = state_.model->regions.add({prefix_, std::max<int64_t>(count.value_or(1), 1), outerRegion, range});
  if (top) {
    unitName_ = d.name.text;
    unitRange_ = d.name.range;
    layer_ = {};
    ir::Layer& layer = state_.model->layers[ensureLayer()];
    layer.repeat = true;
    layer.count = state_.model->regions[region_].count;
    layer.region = region_;
  }
  Scope* inner = state_.context.arena.make(Scope(&scope));
  std::vector<ir::Carry> carries;
  Result result;
  beginCarries(d, scope, *inner, carries);
  body(*d.body, *inner, result);
  const bool good = state_.ok(endCarries(d, result, carries));
  prefix_.pop_back();
  composites_.resize(outerComposites);
  if (top) {
    if (good) state_.model->layers[layer_].carries = carries;
    closeLayer();
  }
  region_ = outerRegion;
  Value value;
  if (good && !carries.empty()) {
    NameTable* members =
        state_.context.arena.make(NameTable()); // `decoder` is the first carried value, `decoder.y` another
    for (const ir::Carry& c : carries) members->add(c.name, tensor(c.last, d.name.range), d.name.range);
    value = tensor(carries[0].last, d.name.range, members);
  }
  define(d.name, value, scope);
}

} // namespace planc::frontend
