// Reads the facts of an operator (docs/language.md, section 7) for one use of it: its work, saved tensors, statistics
// and gradients. OperatorIdle.cpp reports those that would be read for nothing.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Arithmetic.h"
#include "frontend/model/OpContext.h"
#include "ir/layout/Routed.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(MissingKind, 440, "operator `{op}` has no kind")
PLANC_ERROR(UnknownKind, 413, "`{kind}` is not a kind of operator")
PLANC_ERROR(UnknownOpFact, 441, "operators have no fact `{fact}`")
PLANC_ERROR(ShareRange, 442, "`{name}` is the fraction of FLOPs that a mask keeps: it must be from 0 to 1, not {value}")
PLANC_ERROR(BufferBytes, 443, "`{name}` is not an operand: a separate buffer needs `{name}.bytes = …`")
PLANC_ERROR(CountFact, 446, "`{name}` must be a count of values from 0 to 64; this is {actual}")
PLANC_ERROR(DetachedBackward, 468, "operator `{op}` detaches `{name}`, but also states the work of its gradient")
PLANC_ERROR(CapacityRange, 447, "`capacity` is a factor of at least 0 on the slots; this is {value}")

namespace {

std::vector<std::string> factNames() {
  std::vector<std::string> names{"kind", "flops", "reads", "writes", "copies", "groups", "group_limit", "capacity"};
  for (std::string& role : roleNames()) names.push_back(std::move(role));
  return names;
}

/// The fact `NAME.bytes = …`; null if there is none.
const syntax::Fact* bufferFact(const OpContext& op, Symbol name) {
  for (const syntax::OpItem& item : op.syntax.items)
    if (const auto* f = std::get_if<syntax::Fact>(&item);
        f && f->name.text == name && f->members.size() == 1 && f->members[0].text == Symbol("bytes"))
      return f;
  return nullptr;
}

void fact(ModelState& state, OpContext& op, const syntax::Fact& f) {
  const std::string& name = f.name.text.str();
  if (f.members.size() == 1 && f.members[0].text == Symbol("bytes")) {
    for (const syntax::OpItem& item : op.syntax.items)
      if (const auto* save = std::get_if<syntax::SaveItem>(&item))
        for (const syntax::Name& n : save->names)
          if (n.text == f.name.text) return; // read with `save`
  }
  if (f.members.empty() && !f.args) {
    if (name == "kind") return;
    if (name == "flops") {
      if (auto p = poly(state, op, *f.value, op.scope, units::flops, "`flops`")) op.op.flops = std::move(*p);
      op.flopsGiven = true;
      return;
    }
    if (name == "reads") return void(op.op.reads = poly(state, op, *f.value, op.scope, units::bytes, "`reads`"));
    if (name == "writes") return void(op.op.writes = poly(state, op, *f.value, op.scope, units::bytes, "`writes`"));
    if (name == "copies") return void(op.op.copies = poly(state, op, *f.value, op.scope, units::none, "`copies`"));
    if (name == "groups" || name == "group_limit") return; // read by groupLimit
    if (name == "capacity") {
      if (auto capacity = factor(state, op, f, 1e9)) op.op.capacity = *capacity;
      return;
    }
    if (role(state, op, f)) return;
  }
  std::string whole = name;
  for (const syntax::Name& m : f.members) whole += "." + m.text.str();
  auto report = state.context.report(UnknownOpFact, f.name.range, {{"fact", whole}});
  report.meant(name, factNames());
  if (nearest(name, factNames()).empty())
    report.note("facts of an operator are " + quotedList(factNames()) + ", and `NAME.bytes` of a saved buffer");
  state.failed = true;
}

// Default for contractions: one multiplication and one addition per point of the iteration space.
void defaultFlops(OpContext& op) {
  if (op.flopsGiven || !ir::isContraction(op.op.kind) || !op.known) return;
  op.op.flops = product(op.op.dims).scaled(2);
}

void saves(ModelState& state, OpContext& op, const syntax::SaveItem& item) {
  for (const syntax::Name& n : item.names) {
    ir::Save save;
    if (n.text == kResultName) {
      save.what = ir::Save::What::Result;
    } else if (const int index = operandIndex(op, n.text); index >= 0) {
      save.operand = index;
    } else if (isTensorParam(op, n.text)) {
      continue; // this use leaves out an optional operand
    } else if (const syntax::Fact* bytes = bufferFact(op, n.text)) {
      save.what = ir::Save::What::Buffer;
      save.buffer = n.text;
      if (auto p = poly(state, op, *bytes->value, op.scope, units::bytes, fmt::format("`{}.bytes`", n.text.view())))
        save.bytes = std::move(*p);
    } else {
      auto report = state.context.report(BufferBytes, n.range, {{"name", n.text.str()}});
      std::vector<std::string> names = operandNames(op);
      names.insert(names.begin(), kResultName.str());
      report.meant(n.text.view(), names);
      state.failed = true;
      continue;
    }
    op.op.saves.push_back(std::move(save));
  }
}

void reduces(ModelState& state, OpContext& op, const syntax::ReduceItem& item) {
  ir::Reduce reduce;
  if (item.facts)
    for (const syntax::SectionItem& i : item.facts->items) {
      const auto* f = std::get_if<syntax::Fact>(&i);
      const bool values = f && f->name.text == Symbol("values"), backward = f && f->name.text == Symbol("backward");
      if (!values && !backward) {
        if (f) {
          auto report = state.context.report(UnknownOpFact, f->name.range, {{"fact", "reduce." + f->name.text.str()}});
          report.meant(f->name.text.view(), {"values", "backward"});
        }
        state.failed = true;
        continue;
      }
      const Value v = state.ev.evaluate(*f->value, op.scope);
      if (v.isInt() && v.integer >= 0 && v.integer <= 64) {
        (values ? reduce.values : reduce.backward) = static_cast<int>(v.integer);
      } else if (!v.invalid()) {
        state.context.report(CountFact, f->value->range, {{"name", f->name.text.str()}, {"actual", show(v)}});
        state.failed = true;
      }
    }
  std::vector<ir::DimId> dims;
  dimList(state, op, item.dims, dims, false);
  for (ir::DimId d : dims) {
    reduce.dim = d;
    op.op.reduces.push_back(reduce);
  }
}

void sectionFact(ModelState& state, OpContext& op, const syntax::Fact& f, Scope& scope, ir::BackwardSpec& spec) {
  const std::string& name = f.name.text.str();
  if (name == "flops") return void(spec.flops = poly(state, op, *f.value, scope, units::flops, "`flops`"));
  if (name == "reads") return void(spec.reads = poly(state, op, *f.value, scope, units::bytes, "`reads`"));
  if (name == "writes") return void(spec.writes = poly(state, op, *f.value, scope, units::bytes, "`writes`"));
  auto report = state.context.report(UnknownOpFact, f.name.range, {{"fact", "backward." + name}});
  report.meant(name, {"flops", "reads", "writes"});
  state.failed = true;
}

void backwards(ModelState& state, OpContext& op, const syntax::BackwardItem& item) {
  ir::BackwardSpec spec;
  for (const syntax::Name& n : item.names)
    if (const int index = operandNamed(state, op, n); index >= 0) spec.operands.push_back(index);
  if (item.names.empty())
    for (size_t i = 0; i < op.operands.size(); ++i) spec.operands.push_back(static_cast<int>(i));
  Scope scope(&op.scope);
  RecordValue forward;
  Value flops;
  if (op.known) {
    double value =
        op.op.flops.evaluate([&](ir::DimId d) { return ir::sizeOf(*state.model, d); }, [](int) { return 2.0; });
    flops = makePoly(state.context, op.op.flops, units::none, value, item.range);
  }
  forward.fields.push_back({Symbol("flops"), flops, item.range, ""});
  Value v;
  v.kind = ValueKind::Record;
  v.record = state.context.arena.make(std::move(forward));
  scope.names.add(Symbol("forward"), v, item.range);
  if (item.facts)
    for (const syntax::SectionItem& i : item.facts->items)
      if (const auto* f = std::get_if<syntax::Fact>(&i)) sectionFact(state, op, *f, scope, spec);
  op.op.backwards.push_back(std::move(spec));
}

/// Reads the operands that get no gradient. One with a `backward` of its own is a contradiction.
void detaches(ModelState& state, OpContext& op, const syntax::DetachItem& item) {
  for (const syntax::Name& n : item.names) {
    const int index = operandNamed(state, op, n);
    if (index >= 0) op.op.operands[index].detached = true; // else reported, or left out by this use
    for (const syntax::OpItem& other : op.syntax.items)
      if (const auto* b = std::get_if<syntax::BackwardItem>(&other))
        for (const syntax::Name& has : b->names) {
          if (has.text != n.text) continue;
          state.context.report(DetachedBackward, has.range, {{"op", op.decl.name.str()}, {"name", n.text.str()}})
              .label(n.range, "no gradient flows to it")
              .help("remove one of them");
          state.failed = true;
        }
  }
}

} // namespace

std::optional<double> factor(ModelState& state, OpContext& op, const syntax::Fact& f, double most) {
  const Value v = state.ev.evaluate(*f.value, op.scope);
  if (v.invalid()) {
    state.ok(!op.known);
    return std::nullopt;
  }
  const bool number = (v.numeric() || v.kind == ValueKind::Poly) && (v.isInt() || v.unit.plain());
  const double value = !number ? -1 : v.kind == ValueKind::Poly ? v.poly->value : v.asDouble();
  if (value >= 0 && value <= most) return value;
  if (f.name.text == Symbol("capacity"))
    state.context.report(CapacityRange, f.value->range, {{"value", show(v)}});
  else
    state.context.report(ShareRange, f.value->range, {{"name", f.name.text.str()}, {"value", show(v)}});
  state.failed = true;
  return std::nullopt;
}

bool kindOf(ModelState& state, OpContext& op) {
  for (const syntax::OpItem& item : op.syntax.items) {
    const auto* f = std::get_if<syntax::Fact>(&item);
    if (!f || f->name.text != Symbol("kind") || !f->members.empty()) continue;
    const Symbol text =
        f->value->kind == ExprKind::Name ? f->value->name.text : Symbol(state.context.text(f->value->range));
    if (auto kind = ir::parseOpKind(text.view())) {
      op.op.kind = *kind;
      return true;
    }
    std::vector<std::string> kinds;
    for (int k = 0; k < static_cast<int>(ir::OpKind::Carry); ++k)
      kinds.emplace_back(ir::name(static_cast<ir::OpKind>(k)));
    state.context.report(UnknownKind, f->value->range, {{"kind", text.str()}})
        .meant(text.view(), kinds)
        .note("kinds are " + quotedList(kinds));
    return false;
  }
  state.context.report(MissingKind, op.decl.nameRange, {{"op", op.decl.name.str()}})
      .help("state the kind whose equation prices it: `kind = memory`");
  return false;
}

void facts(ModelState& state, OpContext& op) {
  checkGivenTwice(state, op);
  checkGradients(state, op);
  for (const syntax::OpItem& item : op.syntax.items)
    if (const auto* f = std::get_if<syntax::Fact>(&item)) fact(state, op, *f);
  checkRoles(state, op);
  groupLimit(state, op);
  defaultFlops(op);
  masks(state, op);
  for (const syntax::OpItem& item : op.syntax.items) {
    if (const auto* i = std::get_if<syntax::SaveItem>(&item)) saves(state, op, *i);
    if (const auto* i = std::get_if<syntax::ReduceItem>(&item)) reduces(state, op, *i);
    if (const auto* i = std::get_if<syntax::BackwardItem>(&item)) backwards(state, op, *i);
    if (const auto* i = std::get_if<syntax::AlongItem>(&item)) dimList(state, op, i->dims, op.op.along, true);
    if (const auto* i = std::get_if<syntax::ContestItem>(&item)) dimList(state, op, i->dims, op.op.contest, false);
    if (const auto* i = std::get_if<syntax::DetachItem>(&item)) detaches(state, op, *i);
    if (const auto* i = std::get_if<syntax::Require>(&item)) state.ok(state.ev.require(*i, op.scope));
  }
}

} // namespace planc::frontend
