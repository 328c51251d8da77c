// Resolves names: scopes from the inside out, then the module, then built-in names. Constants are computed once.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/eval/Evaluator.h"
#include "frontend/modules/Deprecated.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(UnknownName, 201, "unknown name `{name}`")
PLANC_ERROR(UnknownMember, 202, "{owner} has no `{name}`")
PLANC_ERROR(UnknownEnumMember, 206, "`{name}` is not a member of `{enum}`")
PLANC_ERROR(UnknownDType, 334, "`{name}` is not an element type")
PLANC_ERROR(LocalFunction, 425, "functions must be declared at the top level of a file")
PLANC_ERROR(CyclicConstant, 207, "the value of `{name}` depends on itself: {cycle}")

std::optional<Value> Evaluator::find(Symbol name, Scope& scope, SourceRange use) {
  for (Scope* s = &scope; s; s = s->parent) {
    if (const NameTable::Entry* e = s->names.find(name)) return e->value;
    if (s->space && s->space->has(name)) return s->space->member(name, use);
  }
  if (scope.host)
    if (auto extent = scope.host->extent(scope, name)) return extent;
  Module& module = *scope.module;
  if (auto decl = module.names.find(name); decl != module.names.end()) {
    if (use.file != module.file) reportDeprecatedUse(*decl->second, use, context.diagnostics); // `--plan`, `--set`
    return valueOf(*decl->second, use);
  }
  if (auto import = module.importNames.find(name); import != module.importNames.end()) {
    Value v;
    v.kind = ValueKind::Module;
    v.import = import->second;
    v.range = use;
    import->second->used = true;
    return v;
  }
  if (const Builtin* builtin = findBuiltin(name)) {
    Value v;
    v.kind = ValueKind::Function;
    v.function = builtin;
    v.range = use;
    return v;
  }
  if (!module.lost(name)) return std::nullopt;
  ++context.failures;
  return Value{};
}

void Evaluator::reportUnknown(const syntax::Name& name, Scope& scope) {
  std::vector<std::string> candidates;
  for (Scope* s = &scope; s; s = s->parent) {
    for (const NameTable::Entry& e : s->names.entries()) candidates.push_back(e.name.str());
    for (const auto& [dim, id] : s->dims) candidates.push_back(dim.str());
    if (s->space)
      for (std::string& n : s->space->memberNames()) candidates.push_back(std::move(n));
  }
  for (std::string& n : scope.module->visibleNames()) candidates.push_back(std::move(n));
  for (std::string& n : builtinNames()) candidates.push_back(std::move(n));
  candidates.insert(candidates.end(), {"true", "false", "none", "if", "not"}); // other words that may begin a value
  if (scope.host)
    for (Symbol n : dimensionFunctions()) candidates.push_back(n.str());
  auto report = context.report(UnknownName, name.range, {{"name", name.text.str()}});
  const std::string_view text = context.sources.text(name.range.file);
  const std::string_view behind = name.range.end < text.size() ? text.substr(name.range.end) : std::string_view();
  const std::vector<std::string> offers = context.loader.offers(*scope.module, name.text, behind);
  if (!offers.empty()) {
    for (const std::string& offer : offers) report.help(offer);
    return;
  }
  report.meant(name.text.view(), candidates);
}

void Evaluator::reportUnknownDType(const syntax::Name& name) {
  std::vector<std::string> names;
  for (ir::DType t : ir::allDTypes()) names.emplace_back(ir::name(t));
  context.report(UnknownDType, name.range, {{"name", name.text.str()}})
      .meant(name.text.view(), names)
      .note("element types are " + quotedList(names));
}

Value Evaluator::boundDecl(DeclInfo& decl, SourceRange use) {
  Value v;
  v.kind = ValueKind::Decl;
  v.decl = context.arena.make(BoundDecl{&decl, {}});
  v.range = use;
  return v;
}

Value Evaluator::valueOf(DeclInfo& decl, SourceRange use) {
  if (decl.valueState == DeclInfo::State::Done) {
    Value v = decl.value;
    v.range = use;
    context.failures += v.invalid();
    return v;
  }
  const Arena::Lasting keep(context.arena);
  if (decl.kind != DeclKind::Let) {
    decl.value = boundDecl(decl, decl.nameRange);
    decl.valueState = DeclInfo::State::Done;
    return valueOf(decl, use);
  }
  if (decl.valueState == DeclInfo::State::Running) {
    auto begin = std::find(context.evaluating.begin(), context.evaluating.end(), &decl);
    std::string cycle;
    for (auto at = begin; at != context.evaluating.end(); ++at) cycle += (*at)->name.str() + " -> ";
    context.report(CyclicConstant, decl.nameRange, {{"name", decl.name.str()}, {"cycle", cycle + decl.name.str()}})
        .label(use, "needed again here");
    return {};
  }
  decl.valueState = DeclInfo::State::Running;
  context.evaluating.push_back(&decl);
  Scope scope(decl.module);
  Value v = let(decl.as<syntax::LetDecl>(), scope);
  if (v.kind == ValueKind::Record && v.record->declared.empty()) { // `let adam = {…}` names the record
    RecordValue named = *v.record;
    named.declared = decl.name;
    v.record = context.arena.make(std::move(named));
  }
  context.evaluating.pop_back();
  decl.value = v;
  decl.valueState = DeclInfo::State::Done;
  return v;
}

Value Evaluator::let(const syntax::LetDecl& d, Scope& scope) {
  if (d.params) {
    context.report(LocalFunction, d.range);
    return {};
  }
  if (!d.type) return evaluate(*d.value, scope);
  return evaluateAs(*d.value, scope, *type(*d.type, *scope.module), fmt::format("constant `{}`", d.name.text.view()));
}

Value Evaluator::enumMember(const TypeInfo& type, Symbol name, SourceRange range) {
  std::vector<std::string> members;
  for (const syntax::Name& m : type.enumDecl->as<syntax::EnumDecl>().members) {
    if (m.text == name) {
      Value v;
      v.kind = ValueKind::Enum;
      v.symbol = name;
      v.decl = valueOf(const_cast<DeclInfo&>(*type.enumDecl), range).decl;
      v.range = range;
      return v;
    }
    members.push_back(m.text.str());
  }
  context.report(UnknownEnumMember, range, {{"name", name.str()}, {"enum", type.name}})
      .label(type.enumDecl->nameRange, "declared here")
      .meant(name.view(), members)
      .note("its members are " + quotedList(members));
  return {};
}

Value Evaluator::member(const syntax::Expr& e, const Value& base) {
  const Symbol name = e.name.text;
  std::vector<std::string> candidates;
  switch (base.kind) {
  case ValueKind::Invalid:
    return {};
  case ValueKind::Module: {
    DeclInfo* decl = context.loader.exported(*base.import, name, e.name.range);
    context.failures += decl == nullptr;
    return decl ? valueOf(*decl, e.range) : Value{};
  }
  case ValueKind::Space: {
    Value v = base.space->member(name, e.name.range);
    v.range = e.range;
    return v;
  }
  case ValueKind::Tensor:
    if (!base.tensor->members) break;
    if (const NameTable::Entry* entry = base.tensor->members->find(name);
        entry && entry->value.kind == ValueKind::Tensor) {
      Value v = entry->value;
      v.range = e.range;
      return v;
    }
    for (const NameTable::Entry& entry : base.tensor->members->entries())
      if (entry.value.kind == ValueKind::Tensor) candidates.push_back(entry.name.str());
    break;
  case ValueKind::Record:
    if (const Field* f = base.record->find(name)) {
      Value v = f->value;
      v.range = e.range;
      return v;
    }
    for (const Field& f : base.record->fields) candidates.push_back(f.name.str());
    break;
  case ValueKind::Decl: {
    DeclInfo& decl = *base.decl->decl;
    if (decl.kind == DeclKind::Enum) {
      TypeInfo type{.kind = TypeInfo::Kind::Enum, .enumDecl = &decl, .name = decl.name.str()};
      return enumMember(type, name, e.range);
    }
    if (factMembers) {
      Value v = factMembers->member(*base.decl, e.name);
      v.range = e.range;
      return v;
    }
    break;
  }
  default:
    break;
  }
  auto report = context.report(UnknownMember, e.name.range, {{"owner", describe(base)}, {"name", name.str()}});
  report.meant(name.view(), candidates);
  return {};
}

} // namespace planc::frontend
