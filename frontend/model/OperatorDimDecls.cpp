// Elaborates `dim …` of an operator: dimensions that are routed, follow others, or pool others.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/facts/Facts.h"
#include "frontend/model/OpContext.h"
#include "ir/layout/Routed.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>
#include <map>
#include <set>

namespace planc::frontend {
using syntax::DimRef;
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(DimDeclForm, 439, "in an operator, `dim` must be `routed(a, b)`, `follows(a)` or `pooled(a, n)`")
PLANC_ERROR(PoolCount, 469,
            "`{dim}` of operator `{op}` pools {count} elements of `{origin}`; it must be a whole number of at least 1")
PLANC_ERROR(PoolMismatch, 470,
            "`{dim}` of operator `{op}` is {first} in `{a}`, but pooled from `{origin}` it is {second}")
PLANC_ERROR(UnknownSignatureDim, 412, "operator `{op}` has no dimension `{dim}`{where}")
PLANC_ERROR(DimOfItself, 472, "a dimension cannot {problem}: `{dim}` of operator `{op}`")

namespace {

bool namedBy(const syntax::Type& type, Symbol name) {
  return llvm::any_of(type.dims, [&](const DimRef& d) { return !d.rest && d.name.text == name; });
}

bool namedByOperand(const OpContext& op, Symbol name) {
  return llvm::any_of(op.syntax.params,
                      [&](const syntax::Parameter& p) { return p.type && p.type->tensor && namedBy(*p.type, name); });
}

/// Reports a name that is no dimension of the signature, or not of the part of it that `where` tells.
void reportUnknown(ModelState& state, const OpContext& op, const syntax::Name& name, std::string_view where = {}) {
  std::vector<std::string> names;
  for (const syntax::Parameter& p : op.syntax.params)
    if (p.type && p.type->tensor)
      for (const DimRef& d : p.type->dims)
        if (!d.rest) names.push_back(d.name.text.str());
  for (const DimRef& d : op.syntax.result.dims)
    if (!d.rest) names.push_back(d.name.text.str());
  state.context
      .report(UnknownSignatureDim, name.range, {{"op", op.decl.name.str()}, {"dim", name.text.str()}, {"where", where}})
      .meant(name.text.view(), names);
}

/// The name of the first operand that has the dimension.
std::string operandWith(const OpContext& op, ir::DimId dim) {
  for (const OperandInfo& o : op.operands)
    if (llvm::is_contained(o.dims, dim)) return o.param->name.text.str();
  return {};
}

FormalDim* formalOf(OpContext& op, Symbol name) {
  for (FormalDim& candidate : op.formals)
    if (candidate.name == name) return &candidate;
  return nullptr;
}

/// Looks up a dimension that a `dim` of the operator names; nothing after a report.
std::optional<Resolved> partOf(ModelState& state, OpContext& op, const syntax::Arg& arg) {
  if (arg.value->kind != ExprKind::Name || arg.name) {
    state.context.report(DimDeclForm, arg.value->range);
    return std::nullopt;
  }
  const Resolved part = ownDim(state, op, arg.value->name.text);
  if (part.found) return part;
  reportUnknown(state, op, arg.value->name);
  return std::nullopt;
}

/// Declares a routed dimension. Its extent is computed from all shapes.
bool routedDim(ModelState& state, OpContext& op, const syntax::DimDecl& d) {
  if (!namedBy(op.syntax.result, d.name.text)) {
    reportUnknown(state, op, d.name, " in its result");
    return false;
  }
  ir::Dim made{d.name.text, 0, ir::DimKind::Routed, {}, 1};
  for (const syntax::Arg& arg : d.value->args) {
    const std::optional<Resolved> part = partOf(state, op, arg);
    if (!part) return false;
    if (op.known) made.parts.push_back(part->id);
  }
  op.routed.emplace_back(&d, made);
  return true;
}

/// Makes a dimension of the operands follow another one.
bool followingDim(ModelState& state, OpContext& op, const syntax::DimDecl& d) {
  if (d.value->args.size() != 1) {
    state.context.report(DimDeclForm, d.value->range);
    return false;
  }
  const std::optional<Resolved> part = partOf(state, op, d.value->args.front());
  if (!part) return false;
  FormalDim* f = formalOf(op, d.name.text);
  if (!f) {
    reportUnknown(state, op, d.name, namedBy(op.syntax.result, d.name.text) ? " in its operands" : "");
    return false;
  }
  if (!op.known) return true;
  f->dim = specialDim(
      state, {state.model->dims[f->dim].name, state.model->dims[f->dim].extent, ir::DimKind::Following, {part->id}, 1});
  settleFormals(op);
  return true;
}

/// Reports a dimension that depends on itself.
DiagnosticEngine::Builder reportOfItself(ModelState& state, const OpContext& op, const syntax::DimDecl& d) {
  static const std::map<Symbol, std::string_view> kProblems = {
      {Symbol("routed"), "stand for itself"}, {Symbol("follows"), "follow itself"}, {Symbol("pooled"), "pool itself"}};
  auto report = state.context.report(
      DimOfItself, d.range,
      {{"problem", kProblems.at(d.value->kids[0]->name.text)}, {"dim", d.name.text.str()}, {"op", op.decl.name.str()}});
  report.help("name a dimension of an operand that no `dim` of the operator declares, or remove the line");
  return report;
}

/// The number of elements that each element of a pooled dimension stands for. Returns nothing if it is unknown, or
/// after a report.
std::optional<int64_t> poolCount(ModelState& state, OpContext& op, const syntax::DimDecl& d) {
  const Expr& e = *d.value->args[1].value;
  const bool dimension = e.kind == ExprKind::Name && !op.scope.names.find(e.name.text) &&
                         (namedByOperand(op, e.name.text) || namedBy(op.syntax.result, e.name.text));
  const Value v = dimension ? Value{} : state.ev.evaluate(e, op.scope);
  if (v.invalid() && !dimension) return std::nullopt;
  if (v.isInt() && v.integer >= 1) return v.integer;
  const std::string_view origin = d.value->args[0].value->name.text.view();
  const std::string count = v.numeric() ? show(v) : fmt::format("`{}`", state.context.text(e.range));
  state.context
      .report(PoolCount, e.range,
              {{"dim", d.name.text.str()}, {"op", op.decl.name.str()}, {"count", count}, {"origin", origin}})
      .help(v.isInt() ? std::string()
                      : fmt::format("write a number or a parameter, such as `n: int`: `pooled({}, 4)`", origin));
  return std::nullopt;
}

/// Reports an operand's dimension that is not as long as it would be pooled.
void reportMismatch(ModelState& state, const OpContext& op, const syntax::DimDecl& d, const FormalDim& f,
                    int64_t pooled) {
  const int64_t extent = state.model->dims[f.dim].extent;
  state.context
      .report(PoolMismatch, op.call,
              {{"dim", d.name.text.str()},
               {"op", op.decl.name.str()},
               {"first", extent},
               {"a", operandWith(op, f.dim)},
               {"second", pooled},
               {"origin", d.value->args[0].value->name.text.str()}})
      .label(f.argument, fmt::format("`{}` is {} here", d.name.text.view(), extent))
      .label(d.value->range, "it is pooled here");
}

/// Declares a dimension each of whose elements stands for n neighbours of another one: a new dimension of the result,
/// or one of an operand that was pooled so before.
bool pooledDim(ModelState& state, OpContext& op, const syntax::DimDecl& d) {
  const std::vector<syntax::Arg>& args = d.value->args;
  if (args.size() != 2 || args[1].name) {
    state.context.report(DimDeclForm, d.value->range);
    return false;
  }
  if (!namedByOperand(op, d.name.text) && !namedBy(op.syntax.result, d.name.text)) {
    reportUnknown(state, op, d.name);
    return false;
  }
  const std::optional<Resolved> part = partOf(state, op, args[0]);
  if (!part) return false;
  const auto count = poolCount(state, op, d);
  if (!op.known || !part->id.valid()) {
    if (!op.formal(d.name.text)) op.formals.push_back({d.name.text, part->id, op.call, true});
    return true;
  }
  if (!count) return false;
  const ir::Dim of = state.model->dims[part->id]; // a copy: a new dimension may move them
  ir::Dim made{d.name.text, 0, ir::DimKind::Pooled, {part->id}, 1.0 / static_cast<double>(*count)};
  if (of.kind == ir::DimKind::Pooled) made.parts = of.parts, made.scale *= of.scale; // pooled twice
  if (state.model->dims[made.parts.front()].name == made.name) {
    reportOfItself(state, op, d).label(op.call, fmt::format("`{}` is pooled from it in this use", of.name.view()));
    return false;
  }
  made.extent = ir::wholeExtent(ir::sizeOf(*state.model, made));
  FormalDim* const f = formalOf(op, d.name.text);
  const ir::DimId id = specialDim(state, made);
  op.op.pools.push_back(id);
  if (!f) {
    op.formals.push_back({d.name.text, id, op.call, true});
    return true;
  }
  if (state.model->dims[f->dim].extent != made.extent) {
    reportMismatch(state, op, d, *f, made.extent);
    return false;
  }
  f->dim = id;
  settleFormals(op);
  return true;
}

/// Returns whether a declaration takes its dimension from itself, through those before it.
bool closesCycle(const OpContext& op, const syntax::DimDecl& d) {
  std::set<Symbol> sources;
  const auto add = [&](const syntax::DimDecl& from) {
    for (const syntax::Arg& arg : from.value->args)
      if (arg.value->kind == ExprKind::Name) sources.insert(arg.value->name.text);
  };
  bool before = false;
  for (const syntax::OpItem& item : llvm::reverse(op.syntax.items)) {
    const auto* other = std::get_if<syntax::DimDecl>(&item);
    if (!other) continue;
    before |= other == &d;
    if (other == &d || (before && sources.count(other->name.text))) add(*other);
  }
  return sources.count(d.name.text) > 0;
}

/// Checks a declaration against those before it: it is the first of its dimension, and closes no cycle.
bool startsAnew(ModelState& state, const OpContext& op, const syntax::DimDecl& d) {
  for (const syntax::OpItem& item : op.syntax.items) {
    const auto* other = std::get_if<syntax::DimDecl>(&item);
    if (other == &d) break;
    if (!other || other->name.text != d.name.text) continue;
    reportGivenTwice(state.context, d.name.range, fmt::format("dim {}", d.name.text.view()), other->name.range);
    return false;
  }
  if (!closesCycle(op, d)) return true;
  reportOfItself(state, op, d);
  return false;
}

bool dimDecl(ModelState& state, OpContext& op, const syntax::DimDecl& d) {
  using Form = bool (*)(ModelState&, OpContext&, const syntax::DimDecl&);
  static const std::pair<Symbol, Form> kForms[] = {
      {Symbol("routed"), routedDim}, {Symbol("follows"), followingDim}, {Symbol("pooled"), pooledDim}};
  const Expr& e = *d.value;
  const Symbol name = e.kind == ExprKind::Call && e.kids[0]->kind == ExprKind::Name ? e.kids[0]->name.text : Symbol();
  for (const auto& [form, declare] : kForms)
    if (form == name && !e.args.empty()) return startsAnew(state, op, d) && declare(state, op, d);
  state.context.report(DimDeclForm, e.range);
  return false;
}

} // namespace

bool dimDecls(ModelState& state, OpContext& op) {
  bool good = true;
  for (const syntax::OpItem& item : op.syntax.items)
    if (const auto* d = std::get_if<syntax::DimDecl>(&item)) good &= dimDecl(state, op, *d);
  return good;
}

// Routing neither creates nor drops elements: the result has `copies` times the elements of the first operand. With a
// `capacity` factor each choice has that many slots, filled or not.
void settleRouted(ModelState& state, OpContext& op) {
  for (auto& [decl, made] : op.routed) {
    auto number = [&](std::string_view name) -> double {
      for (const syntax::OpItem& item : op.syntax.items)
        if (const auto* f = std::get_if<syntax::Fact>(&item); f && f->name.text == Symbol(name))
          if (const Value v = state.ev.evaluate(*f->value, op.scope); v.numeric() || v.kind == ValueKind::Poly)
            return v.kind == ValueKind::Poly ? v.poly->value : v.asDouble();
      return 0;
    };
    const double copies = number("copies"), capacity = number("capacity");
    made.capacity = capacity;
    double elements = (copies > 0 ? copies : 1) * (capacity > 0 ? capacity : 1), parts = 1, others = 1;
    for (ir::DimId d : op.operands[0].dims) elements *= ir::sizeOf(*state.model, d);
    for (ir::DimId d : made.parts) parts *= ir::sizeOf(*state.model, d);
    for (ir::DimId d : op.result)
      if (d.valid()) {
        others *= ir::sizeOf(*state.model, d);
        if (!made.chosen.valid() && !llvm::is_contained(op.operands[0].dims, d)) made.chosen = d;
      }
    made.scale = elements / (parts * others);
    made.extent = ir::wholeExtent(ir::sizeOf(*state.model, made));
    const ir::DimId id = specialDim(state, made);
    size_t at = 0;
    for (const DimRef& ref : op.syntax.result.dims) {
      if (!ref.rest && ref.name.text == decl->name.text && at < op.result.size() && !op.result[at].valid())
        op.result[at] = id;
      at += ref.rest ? op.result.size() + 1 - op.syntax.result.dims.size() : 1;
    }
    op.formals.push_back({decl->name.text, id, op.call, true});
  }
}

} // namespace planc::frontend
