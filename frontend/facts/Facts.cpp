// Merges facts along `extends`: an override changes an inherited fact; other statements may only add facts.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/facts/Facts.h"

#include "frontend/eval/Equality.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(NoSuchPath, 211, "{owner} has no `{name}`")
PLANC_ERROR(UnknownFact, 501, "{owner} has no fact `{fact}`")
PLANC_ERROR(NothingToOverride, 503, "{owner} inherits no `{what}` to override")
PLANC_ERROR(NeedsOverride, 504, "`{what}` is inherited: write `override` to change it")
PLANC_ERROR(OverrideChangesNothing, 505, "`override` gives `{what}` its inherited value again")
PLANC_ERROR(GivenTwice, 506, "`{what}` is given twice")
PLANC_ERROR(OutOfRange, 507, "`{fact}` is {value}; expected {expected}")
PLANC_ERROR(FactDependsOnItself, 512, "`{what}` depends on itself")
PLANC_ERROR(PartOfRecord, 535, "`{fact}` names {what}: change its facts where it is declared")
PLANC_ERROR(FactShape, 513, "a fact must be written `name = value`")

void reportNeedsOverride(Context& context, SourceRange at, std::string_view what, SourceRange inherited) {
  context.report(NeedsOverride, at, {{"what", what}})
      .label(inherited, "inherited from here")
      .help("write `override` before it to change it");
}

void reportGivenTwice(Context& context, SourceRange at, std::string_view what, SourceRange first) {
  context.report(GivenTwice, at, {{"what", what}}).label(first, "first given here");
}

DiagnosticEngine::Builder reportNothingToOverride(Context& context, SourceRange at, std::string_view what,
                                                  std::string_view owner) {
  return context.report(NothingToOverride, at, {{"owner", owner}, {"what", what}});
}

void reportOverrideChangesNothing(Context& context, SourceRange at, std::string_view what, SourceRange inherited) {
  context.report(OverrideChangesNothing, at, {{"what", what}})
      .label(inherited, "inherited from here")
      .help("remove it");
}

DiagnosticEngine::Builder reportUnknownFact(Context& context, SourceRange at, std::string_view fact,
                                            const FactOwner& owner, const std::vector<std::string>& known) {
  auto report = context.report(UnknownFact, at, {{"owner", owner.text}, {"fact", fact}});
  report.meant(fact, known, "facts here are ");
  return report;
}

DiagnosticEngine::Builder reportOutOfRange(Context& context, SourceRange at, std::string_view fact,
                                           std::string_view value, std::string_view expected) {
  return context.report(OutOfRange, at, {{"fact", fact}, {"value", value}, {"expected", expected}});
}

void reportNoMember(Context& context, const Namespace& space, std::string_view owner, Symbol name, SourceRange use) {
  auto report = context.report(NoSuchPath, use, {{"owner", owner}, {"name", name.str()}});
  report.meant(name.view(), space.memberNames());
}

bool varies(const Expr& e, const Scope& scope) {
  std::vector<const Expr*> left{&e};
  while (!left.empty()) {
    const Expr& at = *left.back();
    left.pop_back();
    if (at.kind == ExprKind::Name)
      for (const Scope* s = &scope; s; s = s->parent)
        if (s->names.find(at.name.text) || (s->space && s->space->has(at.name.text))) return true;
    for (const Expr* kid : at.kids)
      if (kid) left.push_back(kid);
    for (const syntax::Arg& arg : at.args) left.push_back(arg.value);
    for (const syntax::Fact& fact : at.facts) left.push_back(fact.value);
  }
  return false;
}

bool varies(const std::vector<syntax::Selector>& selectors, const Scope& scope) {
  for (const syntax::Selector& s : selectors)
    for (const syntax::SelectorStep& step : s.steps)
      for (const Expr* e : {step.begin, step.end, step.step})
        if (e && varies(*e, scope)) return true;
  return false;
}

Value SectionSpace::valueOf(Context& context, FactTree& tree, FactNode& node, SourceRange use, std::string path) {
  if (tree.reads && !path.empty() && !node.section()) tree.reads->insert(path);
  if (!node.section()) return tree.value(node);
  Value v;
  v.kind = ValueKind::Space;
  v.symbol = node.name;
  v.space = context.arena.make(SectionSpace(context, tree, node, std::move(path)));
  v.range = use;
  return v;
}

Value SectionSpace::member(Symbol name, SourceRange use) {
  if (FactNode* node = node_.find(name)) return valueOf(context_, tree_, *node, use, path_ + "." + name.str());
  reportNoMember(context_, *this, fmt::format("`{}`", node_.name.view()), name, use);
  return {};
}

std::vector<std::string> SectionSpace::memberNames() const {
  std::vector<std::string> names;
  for (const FactNode& child : node_.children) names.push_back(child.name.str());
  return names;
}

FactNode* FactNode::find(Symbol wanted) {
  for (FactNode& child : children)
    if (child.name == wanted) return &child;
  return nullptr;
}

void FactTree::add(const syntax::Section& section, Scope& scope, int layer, bool isOverride) {
  addItems(root_, section, scope, layer, isOverride);
}

void FactTree::addItems(FactNode& node, const syntax::Section& section, Scope& scope, int layer, bool isOverride) {
  for (const syntax::SectionItem& item : section.items) {
    if (const auto* fact = std::get_if<syntax::Fact>(&item))
      addFact(node, *fact, scope, layer, isOverride || fact->override_, "");
    else if (const auto* inner = std::get_if<syntax::Section>(&item))
      addSection(node, *inner, scope, layer, isOverride || inner->override_);
    else
      ev_.require(std::get<syntax::Require>(item), scope);
  }
}

void FactTree::addSection(FactNode& parent, const syntax::Section& section, Scope& scope, int layer, bool isOverride) {
  FactNode* node = parent.find(section.name.text);
  if (node && partOfRecord(*node, scope, section.name.range, "…")) return;
  if (node && !node->section()) {
    node = settle(parent, section.name, section.range, layer, isOverride);
    if (!node) return;
    node->value = nullptr;
  }
  if (!node) {
    node = &parent.children.emplace_back();
    node->name = section.name.text;
    node->nameRange = section.name.range;
    node->range = section.range;
    node->layer = layer;
    node->at = section.at.empty() ? nullptr : &section.at;
    node->scope = &scope;
  }
  addItems(*node, section, scope, layer, isOverride);
}

/// The node that a statement fills: a new node, or the overridden node after clearing it. Null after a report.
FactNode* FactTree::settle(FactNode& parent, const syntax::Name& name, SourceRange range, int layer, bool isOverride) {
  FactNode* known = parent.find(name.text);
  if (!known || (known->section() && known->children.empty())) {
    if (isOverride) {
      std::vector<std::string> names;
      for (const FactNode& child : parent.children) names.push_back(child.name.str());
      reportNothingToOverride(ev_.context, name.range, name.text.view(), owner_.text)
          .meantElse(name.text.view(), names, "remove `override` to add it");
      return nullptr;
    }
    FactNode& made = known ? *known : parent.children.emplace_back();
    made.name = name.text;
    made.nameRange = name.range;
    made.range = range;
    made.layer = layer;
    return &made;
  }
  if (known->lapsed) {
    known->layer = layer, known->lapsed = known->replaced = false;
    return known;
  }
  if (known->layer == layer) {
    reportGivenTwice(ev_.context, name.range, name.text.view(), known->nameRange);
    return nullptr;
  }
  if (!isOverride) {
    reportNeedsOverride(ev_.context, name.range, name.text.view(), known->nameRange);
    return nullptr;
  }
  return known;
}

void FactTree::fill(FactNode& node, const syntax::Fact& fact, Scope& scope, int layer, const std::string& source) {
  node.nameRange = fact.name.range;
  node.range = fact.range;
  node.layer = layer;
  node.value = fact.value;
  node.scope = &scope;
  node.evaluated = false;
  node.children.clear();
  node.source = fact.reason ? fact.reason->text : source;
  if (fact.value->kind != ExprKind::Record) return;
  node.value = nullptr;
  for (const syntax::Fact& inner : fact.value->facts) addFact(node, inner, scope, layer, false, node.source);
}

/// Handles `device.price = 2USD/h` if `device` names a declaration: reports that its facts are changed where they are
/// declared, and returns true.
bool FactTree::partOfRecord(FactNode& node, const Scope& scope, SourceRange at, const std::string& part) {
  if (node.section() || node.running) return false;
  const Value v = value(node);
  if (v.kind != ValueKind::Decl) return false;
  const DeclInfo& decl = *v.decl->decl;
  std::string name = decl.name.str();
  if (decl.module != scope.module) {
    const std::string& path = decl.module->path;
    const size_t begin = path.rfind('/') + 1; // 0 if the path has no folder
    name = fmt::format("{}.{}", path.substr(begin, path.rfind('.') - begin), name);
  }
  auto report = ev_.context.report(PartOfRecord, at, {{"fact", node.name.str()}, {"what", describe(v)}});
  report.label(node.range, "named here");
  if (decl.kind == DeclKind::Model || decl.kind == DeclKind::Plan)
    report.help(fmt::format("give it as an argument: `override {} = {}({})`", node.name.view(), name, part));
  else
    report.help(fmt::format("declare a changed one, `{0} mine extends {1} {{ override {2} }}` (without `override` for "
                            "a fact that it lacks), and name it: `override {3} = mine`",
                            describe(decl.kind), name, part, node.name.view()));
  if (decl.module != scope.module)
    for (const std::string& offer : ev_.context.loader.offers(*scope.module, decl.name, "")) report.note(offer);
  return true;
}

namespace {

/// The part of `a.b.c = 1` that follows `b`: `c = 1`.
std::string partText(Context& context, const FactNode& node, const syntax::Fact& fact) {
  std::string path;
  bool below = fact.name.text == node.name;
  for (const syntax::Name& name : fact.members) {
    if (below) path += (path.empty() ? "" : ".") + name.text.str();
    below |= name.text == node.name;
  }
  return fmt::format("{} = {}", path, context.text(fact.value->range));
}

} // namespace

void FactTree::addFact(FactNode& parent, const syntax::Fact& fact, Scope& scope, int layer, bool isOverride,
                       const std::string& source) {
  if (fact.args) {
    ev_.context.report(FactShape, fact.range);
    return;
  }
  if (!fact.members.empty()) { // a.b = 1 is a { b = 1 }
    FactNode* at = &parent;
    const syntax::Name* name = &fact.name;
    for (const syntax::Name& next : fact.members) {
      FactNode* inner = at->find(name->text);
      if (!inner) {
        inner = &at->children.emplace_back();
        inner->name = name->text;
        inner->nameRange = name->range;
        inner->range = fact.range;
        inner->layer = layer;
      } else if (partOfRecord(*inner, scope, SourceRange::cover(fact.name.range, fact.members.back().range),
                              partText(ev_.context, *inner, fact))) {
        return;
      } else if (!inner->section()) { // a value has no parts, so the section replaces it
        inner = settle(*at, *name, fact.range, layer, isOverride);
        if (!inner) return;
        inner->value = nullptr;
      }
      at = inner;
      name = &next;
    }
    syntax::Fact last = fact;
    last.name = *name;
    last.members.clear();
    addFact(*at, last, scope, layer, isOverride, source);
    return;
  }
  const bool literal = fact.value->kind == ExprKind::Record;
  FactNode* known = parent.find(fact.name.text);
  if (literal && !isOverride && known && known->section()) { // adds to an inherited section
    for (const syntax::Fact& inner : fact.value->facts)
      addFact(*known, inner, scope, layer, false, fact.reason ? fact.reason->text : source);
    return;
  }
  FactNode* node = settle(parent, fact.name, fact.range, layer, isOverride);
  if (!node) return;
  const bool inherited = node->layer != layer;
  FactNode before;
  if (inherited) before = *node;
  fill(*node, fact, scope, layer, source);
  node->replaced = inherited;
  if (inherited && !(parametric && (varies(before) || varies(*node))) && !differ(before, *node))
    reportOverrideChangesNothing(ev_.context, fact.range, fact.name.text.view(), before.range);
}

void FactTree::lapse(llvm::function_ref<bool(std::string_view path)> chosen) {
  std::vector<std::pair<FactNode*, std::string>> left{{&root_, ""}};
  while (!left.empty()) {
    const auto [node, path] = std::move(left.back());
    left.pop_back();
    node->lapsed = node != &root_ && chosen(path);
    for (FactNode& child : node->children)
      left.emplace_back(&child, path.empty() ? child.name.str() : path + "." + child.name.str());
  }
}

FactNode& FactTree::put(FactNode& section, const syntax::Fact& fact, Scope& scope) {
  constexpr int kBeside = std::numeric_limits<int>::max(); // after every layer of an `extends` chain
  FactNode* node = section.find(fact.name.text);
  const bool replaced = node != nullptr;
  if (!node) {
    node = &section.children.emplace_back();
    node->name = fact.name.text;
  }
  FactNode before = *node;
  fill(*node, fact, scope, kBeside, "set outside of the file");
  node->told = false;
  // A fact that gets its own value back still belongs to the layer that stated it.
  if (replaced && !differ(before, *node))
    node->layer = before.layer, node->replaced = before.replaced;
  else
    node->replaced = replaced;
  node->edited = true;
  return *node;
}

void FactTree::forget() {
  std::vector<FactNode*> left{&root_};
  while (!left.empty()) {
    FactNode* node = left.back();
    left.pop_back();
    node->evaluated &= node->told;
    for (FactNode& child : node->children) left.push_back(&child);
  }
}

bool isLiteral(const Expr& value) {
  const Expr* at = &value;
  while (at->kind == ExprKind::Unary) at = at->kids[0];
  return at->kind == ExprKind::Int || at->kind == ExprKind::Float || at->kind == ExprKind::Quantity ||
         at->kind == ExprKind::String;
}

std::string FactTree::shown(FactNode& node) {
  if (node.section() || !node.scope) return "{ … }";
  const std::string written(ev_.context.text(node.value->range));
  if (isWord(node) || isLiteral(*node.value)) return written;
  const Value v = value(node);
  return v.kind == ValueKind::Invalid || v.kind == ValueKind::Decl || v.kind == ValueKind::Record ? written : show(v);
}

bool FactTree::varies(const FactNode& node) const {
  if (node.value) return !node.scope || frontend::varies(*node.value, *node.scope);
  return std::any_of(node.children.begin(), node.children.end(), [&](const FactNode& c) { return varies(c); });
}

bool FactTree::isWord(const FactNode& node) {
  const Expr* at = node.value;
  while (at->kind == ExprKind::Call || at->kind == ExprKind::Member) at = at->kids[0];
  return at->kind == ExprKind::None || (at->kind == ExprKind::Name && !ev_.find(at->name.text, *node.scope, at->range));
}

bool FactTree::differ(FactNode& before, FactNode& after) {
  if (before.section() != after.section() || before.children.size() != after.children.size()) return true;
  if (before.section()) {
    for (FactNode& child : after.children) {
      FactNode* old = before.find(child.name);
      if (!old || differ(*old, child)) return true;
    }
    return false;
  }
  // Words (`accumulate = fused`, `fat_tree(oversubscription = 1)`) are not values in scope, so their texts are
  // compared.
  if (isWord(before) || isWord(after))
    return ev_.context.text(before.value->range) != ev_.context.text(after.value->range);
  const Value a = value(before), b = value(after);
  // Software identifies optimizers by name: `adamw` differs from `adam` even if their facts are equal.
  if (a.kind == ValueKind::Record && b.kind == ValueKind::Record && a.record->declared != b.record->declared)
    return true;
  return a.invalid() || b.invalid() || !equal(ev_.context, after.value->range, a, b).value_or(false);
}

Value FactTree::value(FactNode& node, const TypeInfo* expected) {
  if (node.evaluated) {
    ev_.context.failures += node.cached.invalid();
    return node.cached;
  }
  if (node.section() || !node.scope) return {};
  if (node.running) {
    ev_.context.report(FactDependsOnItself, node.range, {{"what", node.name.str()}});
    return {};
  }
  node.running = true;
  const Arena::Lasting keep(ev_.context.arena, lasting);
  Value v = ev_.evaluate(*node.value, *node.scope, expected);
  if (!v.invalid()) v.range = node.value->range;
  node.running = false;
  node.evaluated = true;
  node.cached = v;
  return v;
}

} // namespace planc::frontend
