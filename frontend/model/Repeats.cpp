// Elaborates repeats, which stay folded: one body, a count, and identity operators `carry` for values that go from one
// instance to the next (docs/language.md, section 10).
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Body.h"
#include "frontend/model/Dimensions.h"
#include "ir/print/Labels.h"

#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(CountBeforeName, 339, "`{count}` is a value: write the name of a repeat before `*` and its count after it")
PLANC_ERROR(RepeatCount, 407, "`{name}` is repeated {count} times; the count must be at least 1")
PLANC_ERROR(RepeatWithoutCarry, 428, "repeat `{name}` carries no value from one instance to the next")
PLANC_ERROR(CarryChanges, 410, "`{name}` of repeat `{repeat}` begins as {before} and ends as {after}")
PLANC_ERROR(RepeatResult, 429, "repeat `{name}` carries {carried}, but its `out` gives {given}")

namespace {

std::string valuesText(size_t n) {
  return n == 1 ? "one value" : fmt::format("{} values", n);
}

ir::ValueId addCarry(ModelState& state, Symbol name, ir::ValueId from, SourceRange range) {
  ir::Op op;
  op.path = state.prefix;
  op.name = ir::labels::kCarry;
  op.kind = ir::OpKind::Carry;
  op.dims = op.resultDims = state.model->values[from].dims;
  op.operands.push_back({from, op.dims});
  op.composites = state.composites;
  op.layer = ensureLayer(state);
  op.region = state.region;
  op.range = range;
  ir::Value v;
  v.name = name;
  v.path = state.prefix;
  v.path.push_back(name);
  v.dims = op.dims;
  v.dtype = state.model->values[from].dtype;
  v.producer = ir::OpId(state.model->ops.size());
  v.layer = state.layer;
  v.region = state.region;
  v.range = range;
  op.result = state.model->values.add(std::move(v));
  const ir::ValueId result = op.result;
  state.model->ops.add(std::move(op));
  return result;
}

void beginCarries(ModelState& state, const syntax::RepeatItem& d, Scope& outer, Scope& inner,
                  std::vector<ir::Carry>& carries) {
  Statement* before = std::exchange(state.statement, nullptr);
  for (const syntax::Binding& b : d.bindings) {
    const Value initial = state.ev.evaluate(*b.value, outer);
    if (initial.kind != ValueKind::Tensor) {
      if (!initial.invalid())
        state.ok(!state.ev
                      .coerce(initial, TypeInfo{.kind = TypeInfo::Kind::Tensor, .name = "tensor"},
                              fmt::format("`{}`", b.name.text.view()))
                      .invalid());
      define(state, b.name, state.fail(), inner);
      continue;
    }
    ir::Carry carry;
    carry.name = b.name.text;
    carry.initial = initial.tensor->id;
    carry.inside = addCarry(state, b.name.text, carry.initial, b.name.range);
    define(state, b.name, tensor(state, carry.inside, b.name.range), inner);
    carries.push_back(carry);
  }
  state.statement = before;
}

/// Checks the values of `out`: one for each carried value, of the same shape.
bool endCarries(ModelState& state, const syntax::RepeatItem& d, const BodyResult& result,
                std::vector<ir::Carry>& carries) {
  if (!result.any) {
    state.context
        .report(RepeatResult, d.name.range,
                {{"name", d.name.text.str()}, {"carried", valuesText(d.bindings.size())}, {"given", "nothing"}})
        .help("end the body with `out e`, the value of the next instance");
    return false;
  }
  if (result.value.invalid() || carries.size() != d.bindings.size()) return false;
  std::vector<Value> last{result.value};
  if (result.value.kind == ValueKind::List) last = result.value.list->items;
  if (last.size() != carries.size()) {
    state.context
        .report(
            RepeatResult, result.range,
            {{"name", d.name.text.str()}, {"carried", valuesText(carries.size())}, {"given", valuesText(last.size())}})
        .help("`out [a, b]` gives one value for each carried one, in their order");
    return false;
  }
  for (size_t i = 0; i < carries.size(); ++i) {
    if (last[i].kind != ValueKind::Tensor)
      return !state.ev
                  .coerce(last[i], TypeInfo{.kind = TypeInfo::Kind::Tensor, .name = "tensor"},
                          fmt::format("`{}`", carries[i].name.view()))
                  .invalid();
    const ir::ValueId value = last[i].tensor->id;
    if (state.model->values[value].dims != state.model->values[carries[i].initial].dims) {
      state.context
          .report(CarryChanges, result.range,
                  {{"name", carries[i].name.str()},
                   {"repeat", d.name.text.str()},
                   {"before", shape(*state.model, carries[i].initial)},
                   {"after", shape(*state.model, value)}})
          .label(d.bindings[i].value->range, "begins here");
      return false;
    }
    carries[i].last = addCarry(state, carries[i].name, value, result.range);
  }
  return true;
}

/// Reports `layers * decoder { … }` if the first word is a number and the second has no value: the count must come
/// last.
bool countBeforeName(ModelState& state, const syntax::RepeatItem& d, Scope& scope) {
  if (d.count->kind != syntax::ExprKind::Name || state.ev.find(d.count->name.text, scope, d.count->range)) return false;
  const std::optional<Value> first = state.ev.find(d.name.text, scope, d.name.range);
  if (!first || first->kind == ValueKind::Tensor) return false;
  state.context
      .report(CountBeforeName, d.name.range, {{"count", d.name.text.str()}, {"name", d.count->name.text.str()}})
      .label(d.count->range, "the name of the repeat")
      .help(fmt::format("write `{} * {}`", d.count->name.text.view(), d.name.text.view()));
  define(state, d.count->name, state.fail(), scope);
  return true;
}

} // namespace

void repeat(ModelState& state, const syntax::RepeatItem& d, SourceRange range, Scope& scope) {
  if (countBeforeName(state, d, scope)) return;
  if (d.bindings.empty()) { // its body would use values that do not exist
    state.context.report(RepeatWithoutCarry, d.name.range, {{"name", d.name.text.str()}})
        .help(fmt::format("write `{} * … with x = …`, and give the next x with `out`", d.name.text.view()));
    define(state, d.name, state.fail(), scope);
    return;
  }
  const auto count = state.ev.integer(*d.count, scope, fmt::format("the count of `{}`", d.name.text.view()));
  if (count && *count < 1) {
    state.context.report(RepeatCount, d.count->range, {{"name", d.name.text.str()}, {"count", *count}});
    state.failed = true;
  }
  state.failed |= !count;
  const bool top = state.atTop();
  const ir::RegionId outerRegion = state.region;
  const size_t outerComposites = state.composites.size();
  state.prefix.push_back(d.name.text);
  state.region = state.model->regions.add({state.prefix, std::max<int64_t>(count.value_or(1), 1), outerRegion, range});
  if (top) {
    state.unitName = d.name.text;
    state.unitRange = d.name.range;
    state.layer = {};
    ir::Layer& layer = state.model->layers[ensureLayer(state)];
    layer.repeat = true;
    layer.count = state.model->regions[state.region].count;
    layer.region = state.region;
  }
  Scope* inner = state.context.arena.make(Scope(&scope));
  std::vector<ir::Carry> carries;
  BodyResult result;
  beginCarries(state, d, scope, *inner, carries);
  body(state, *d.body, *inner, result);
  const bool good = state.ok(endCarries(state, d, result, carries));
  state.prefix.pop_back();
  state.composites.resize(outerComposites);
  if (top) {
    if (good) state.model->layers[state.layer].carries = carries;
    closeLayer(state);
  }
  state.region = outerRegion;
  Value value;
  if (good && !carries.empty()) {
    NameTable* members =
        state.context.arena.make(NameTable()); // `decoder` is the first carried value, `decoder.y` is another
    for (const ir::Carry& c : carries) members->add(c.name, tensor(state, c.last, d.name.range), d.name.range);
    value = tensor(state, carries[0].last, d.name.range, members);
  }
  define(state, d.name, value, scope);
}

} // namespace planc::frontend
