// Merges a plan with the plans that it extends, root first. Each statement keeps the scope of its names.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Merge.h"

#include "frontend/plan/Steps.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;

PLANC_ERROR(PlanExtends, 523, "a plan can only extend a plan; this is {actual}")
PLANC_ERROR(PlanCycle, 524, "plan `{name}` extends itself: {cycle}")
PLANC_ERROR(PlanChainTooLong, 527, "the plan is at the end of more than {limit} `extends`")
PLANC_ERROR(BlockByPath, 534, "`{path}` is not a fact: `{block}` is a block of statements")
PLANC_ERROR(OverrideMeasured, 525, "`measured` lines are not inherited, so `override` has nothing to replace")

namespace {

/// Returns whether two statements differ only in `override` and in blanks.
bool sameText(Context& context, SourceRange a, SourceRange b) {
  auto plain = [&](SourceRange r) {
    std::string text;
    for (char c : context.text(r))
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') text += c;
    constexpr std::string_view kOverride = "override";
    return text.starts_with(kOverride) ? text.substr(kOverride.size()) : text;
  };
  return plain(a) == plain(b);
}

bool varies(const syntax::PipelineBlock& block, const Scope& scope) {
  return std::any_of(block.items.begin(), block.items.end(), [&](const auto& item) {
    if (const auto* f = std::get_if<syntax::Fact>(&item)) return varies(*f->value, scope);
    const auto& stage = std::get<syntax::StageItem>(item);
    return varies(*stage.index, scope) || varies(stage.selectors, scope);
  });
}

bool varies(const syntax::Section& section, const Scope& scope) {
  return std::any_of(section.items.begin(), section.items.end(), [&](const auto& item) {
    const auto* f = std::get_if<syntax::Fact>(&item);
    const auto* inner = std::get_if<syntax::Section>(&item);
    return f ? varies(*f->value, scope) : !inner || varies(*inner, scope);
  });
}

/// A `search` block may always depend on parameters: its names are not evaluated here.
bool varies(const syntax::SearchBlock&, const Scope&) {
  return true;
}

} // namespace

MergedPlan::MergedPlan(Evaluator& ev, DeclInfo& of, PlanEdits set)
    : decl(of), edits(std::move(set)), facts(ev, FactOwner{fmt::format("plan `{}`", of.name.view()), of.nameRange}),
      lets(ev, facts.owner()), space(ev, facts, lets, mesh) {
  mesh.filled = edits.search.out || edits.search.termsOnly;
}

DiagnosticEngine::Builder reportNothingInherited(Context& context, SourceRange at, std::string_view what,
                                                 const ChainLink& link) {
  return reportNothingToOverride(context, at, what, fmt::format("plan `{}`", link.decl.name.view()));
}

bool mayReplace(Context& context, const syntax::PlanItem& item, const ChainLink& link, std::string_view what,
                const std::pair<SourceRange, int>* known) {
  if (known && known->second == link.index)
    reportGivenTwice(context, item.range, what, known->first);
  else if (known && !item.override_)
    reportNeedsOverride(context, item.range, what, known->first);
  else if (!known && item.override_)
    reportNothingInherited(context, item.range, what, link).help("remove `override` to add it");
  else
    return true;
  return false;
}

namespace {

/// Merges a block that is inherited and overridden as a whole.
template <class T>
void mergeBlock(Context& context, std::optional<Scoped<T>>& slot, const T& syntax, const syntax::PlanItem& item,
                ChainLink& link, std::string_view what) {
  const auto known = slot ? std::optional(std::pair(slot->range, slot->layer)) : std::nullopt;
  if (!mayReplace(context, item, link, what, known ? &*known : nullptr)) return;
  if (slot && !(link.parametric && varies(syntax, link.scope)) && sameText(context, slot->range, item.range))
    reportOverrideChangesNothing(context, item.range, what, slot->range);
  slot = Scoped<T>{&syntax, &link.scope, item.range, link.index};
}

void mergeLet(Evaluator& ev, FactTree& lets, const syntax::LetDecl& d, bool isOverride, ChainLink& link) {
  syntax::Fact fact;
  fact.name = d.name;
  fact.value = d.value;
  fact.range = d.range;
  lets.addFact(fact, link.scope, link.index, isOverride);
  FactNode* node = lets.root().find(d.name.text);
  if (!node || node->value != d.value || !(d.type || d.params)) return;
  node->evaluated = node->told = true; // typed constants and functions are reported here
  node->cached = ev.let(d, link.scope);
}

/// Merges a section. `precision` is also legal inside of `train` and `finetune`, with the same facts.
void mergeSection(FactTree& facts, const syntax::Section& s, bool isOverride, ChainLink& link) {
  const auto isPrecision = [](const syntax::Name& name) { return ir::is(name.text, ir::Statement::Precision); };
  if (!ir::is(s.name.text, ir::Statement::Train) && !ir::is(s.name.text, ir::Statement::Finetune)) {
    facts.addSection(s, link.scope, link.index, isOverride);
    return;
  }
  syntax::Section rest = s;
  rest.items.clear();
  for (const syntax::SectionItem& item : s.items) {
    const auto* inner = std::get_if<syntax::Section>(&item);
    const auto* f = std::get_if<syntax::Fact>(&item);
    if (inner && isPrecision(inner->name))
      facts.addSection(*inner, link.scope, link.index, isOverride || inner->override_);
    else if (f && isPrecision(f->name) && !f->members.empty()) // `precision.compute = bf16`
      facts.addFact(*f, link.scope, link.index, isOverride || f->override_);
    else
      rest.items.push_back(item);
  }
  facts.addSection(rest, link.scope, link.index, isOverride);
}

/// Reports `pipeline.stages = balanced`: blocks of statements are no facts, so paths cannot set their parts.
void reportBlockByPath(Context& context, const MergedPlan& merged, const syntax::Fact& f) {
  const std::string_view block = f.name.text.view();
  const ir::Statement statement = ir::statementNamed(block)->statement;
  const std::string part = fmt::format("{} = {}", f.members.front().text.view(), context.text(f.value->range));
  auto report = context.report(
      BlockByPath, SourceRange::cover(f.name.range, f.members.back().range),
      {{"path", context.text(SourceRange::cover(f.name.range, f.members.back().range))}, {"block", block}});
  if (statement == ir::Statement::Pipeline && merged.pipeline) {
    std::string items, axes;
    for (const syntax::DottedName& axis : merged.pipeline->syntax->axes)
      axes += (axes.empty() ? "" : ", ") + axis.str();
    for (const auto& item : merged.pipeline->syntax->items) {
      const auto* known = std::get_if<syntax::Fact>(&item);
      if (known && known->name.text == f.members.front().text) continue;
      items += fmt::format("{}; ", context.text(known ? known->range : std::get<syntax::StageItem>(item).range));
    }
    report.label(merged.pipeline->range, "inherited from here");
    report.help(fmt::format("it is overridden as a whole: `override pipeline {} {{ {}{} }}`", axes, items, part));
  } else {
    report.help(fmt::format(
        fmt::runtime(statement == ir::Statement::Pipeline ? "write `pipeline AXIS {{ schedule = one_f_one_b; {} }}`"
                     : statement == ir::Statement::Keep   ? "write `keep LAYERS = gathered`, `split` or `host`"
                     : statement == ir::Statement::Recompute
                         ? "write `recompute LAYERS {{ {} }}`"
                         : "write `overlap {{ {} }}`; with `override` before it, it replaces the inherited one"),
        part));
  }
}

void mergeFact(Context& context, MergedPlan& merged, const syntax::Fact& f, bool isOverride, ChainLink& link) {
  const ir::StatementRow* statement = ir::statementNamed(f.name.text.view());
  if (!f.members.empty() && statement && statement->form == ir::StatementForm::Block)
    return reportBlockByPath(context, merged, f);
  merged.facts.addFact(f, link.scope, link.index, isOverride || f.override_);
}

/// Merges one statement. Constants, the mesh, and blocks that replace inherited rules were merged before.
struct MergeItem {
  Elaboration& elab;
  MergedPlan& merged;
  const syntax::PlanItem& item;
  ChainLink& link;

  void operator()(const syntax::MeshBlock&) {}
  void operator()(const syntax::LetDecl&) {}
  void operator()(const syntax::PlaceBlock& p) {
    if (!p.whole) mergePlacements(elab, merged, p, item, link);
  }
  void operator()(const syntax::StatesBlock& s) {
    if (!s.block.whole) mergeStates(elab, merged, s.block, item, link);
  }
  void operator()(const syntax::PipelineBlock& p) {
    if (item.override_) merged.replacedPipeline = merged.pipeline;
    mergeBlock(elab.context, merged.pipeline, p, item, link, ir::name(ir::Statement::Pipeline));
  }
  void operator()(const syntax::SearchBlock& s) {
    mergeBlock(elab.context, merged.search, s, item, link, ir::name(ir::Statement::Search));
    if (item.override_ && s.items.empty()) merged.search.reset(); // `override search { }` removes the search
  }
  void operator()(const syntax::RecomputeStmt& s) { mergeRecompute(elab, merged, s, item, link); }
  void operator()(const syntax::KeepStmt& s) { mergeKeep(elab, merged, s, item, link); }
  void operator()(const syntax::Fact& f) { mergeFact(elab.context, merged, f, item.override_, link); }
  void operator()(const syntax::Section& s) {
    if (ir::is(s.name.text, ir::Statement::Overlap))
      mergeBlock(elab.context, merged.overlap, s, item, link, ir::name(ir::Statement::Overlap));
    else
      mergeSection(merged.facts, s, item.override_, link);
  }
  void operator()(const syntax::AssertStmt& a) { merged.asserts.push_back({&a, &link.scope, item.range, link.index}); }
  void operator()(const syntax::AllowStmt&) {} // merged before everything else
  void operator()(const syntax::MeasuredStmt& m) {
    if (item.override_) elab.context.report(OverrideMeasured, item.range).help("remove `override`");
    merged.measured.push_back({&m, &link.scope, item.range, link.index});
  }
};

/// Adds the statements of one plan of the chain. Constants and axes come first, because placements and selectors use
/// them.
bool mergeLink(Elaboration& elab, MergedPlan& merged, const BoundDecl& decl, SourceRange use) {
  ChainLink* base = merged.chain.empty() ? nullptr : &merged.chain.back();
  ChainLink& link =
      merged.chain.emplace_back(ChainLink{*decl.decl, use, base ? base->index + 1 : 0, Scope(decl.decl->module)});
  if (base)
    link.scope.parent = &base->scope;
  else
    link.scope.space = &merged.space;
  if (!elab.ev.bind(decl, link.scope, use)) return false;
  link.parametric = (base && base->parametric) || !elab.ev.params(*decl.decl).empty();
  merged.facts.parametric = merged.lets.parametric = link.parametric;
  const auto& items = decl.decl->as<syntax::PlanDecl>().items;
  for (const syntax::PlanItem& i : items)
    if (const auto* d = std::get_if<syntax::LetDecl>(&i.item)) mergeLet(elab.ev, merged.lets, *d, i.override_, link);
  for (const bool whole : {true, false})
    for (const syntax::PlanItem& i : items)
      if (const auto* m = std::get_if<syntax::MeshBlock>(&i.item); m && m->whole == whole)
        mergeMesh(elab, merged.mesh, *m, i, link);
  moveAxes(elab, merged.mesh, link);
  for (const syntax::PlanItem& i : items) {
    if (const auto* p = std::get_if<syntax::PlaceBlock>(&i.item); p && p->whole)
      mergePlacements(elab, merged, *p, i, link);
    const auto* s = std::get_if<syntax::StatesBlock>(&i.item);
    if (s && s->block.whole) mergeStates(elab, merged, s->block, i, link);
  }
  for (const syntax::PlanItem& i : items) std::visit(MergeItem{elab, merged, i, link}, i.item);
  checkRecomputeOverride(elab.context, merged, link);
  checkKeepOverride(elab.context, merged, link);
  if (!merged.edits.all.empty()) applyEdits(elab, merged, link);
  return true;
}

struct ChainPlan {
  const BoundDecl* decl = nullptr;
  SourceRange use;
};

/// Reports a plan that extends itself.
bool inCircle(Context& context, const std::vector<ChainPlan>& plans, const DeclInfo* decl) {
  const auto met = std::find_if(plans.begin(), plans.end(), [&](const ChainPlan& p) { return p.decl->decl == decl; });
  if (met == plans.end()) return false;
  std::vector<DeclInfo*> members;
  for (auto p = met; p != plans.end(); ++p) members.push_back(p->decl->decl);
  const auto [first, cycle] = cycleText(std::move(members));
  context.report(PlanCycle, first->nameRange, {{"name", first->name.str()}, {"cycle", cycle}});
  return true;
}

/// Adds the `allow`s of a plan of the chain, which apply to all reports about the last plan.
void allowWarnings(Elaboration& elab, const ChainPlan& plan) {
  for (const syntax::PlanItem& item : plan.decl->decl->as<syntax::PlanDecl>().items)
    if (const auto* statement = std::get_if<syntax::AllowStmt>(&item.item)) {
      const auto allowance = elab.context.loader.allowed.of(*statement);
      elab.ok &= allowance != nullptr;
      if (allowance) elab.context.diagnostics.allow({allowance});
    }
}

/// The plan and the plans that it extends, itself first; empty after a report. The `allow`s of each plan apply from its
/// `extends` on.
std::vector<ChainPlan> chainOf(Elaboration& elab, PlanEdits& edits, const BoundDecl& decl, SourceRange use) {
  Evaluator& ev = elab.ev;
  std::vector<ChainPlan> plans;
  std::deque<Scope> scopes;
  const BoundDecl* at = &decl;
  SourceRange from = use;
  for (;;) {
    if (!edits.all.empty()) at = &edits.decls.emplace_back(withArguments(ev, edits, *at));
    if (inCircle(ev.context, plans, at->decl)) return {};
    plans.push_back({at, from});
    allowWarnings(elab, plans.back());
    if (plans.size() > limits::kExtends) {
      ev.context.report(PlanChainTooLong, from, {{"limit", limits::kExtends}});
      return {};
    }
    const auto& plan = at->decl->as<syntax::PlanDecl>();
    if (!plan.extends) return plans;
    Scope& scope = scopes.emplace_back(at->decl->module); // arguments of the base may use the parameters
    if (!ev.bind(*at, scope, from)) return {};
    const Value base = ev.evaluate(*plan.extends, scope);
    if (base.invalid()) return {};
    if (base.kind != ValueKind::Decl || base.decl->decl->kind != DeclKind::Plan) {
      ev.context.report(PlanExtends, plan.extends->range, {{"actual", describe(base)}});
      return {};
    }
    at = base.decl;
    from = plan.extends->range;
  }
}

} // namespace

std::unique_ptr<MergedPlan> merge(Elaboration& elab, const BoundDecl& decl, SourceRange use, PlanEdits edits) {
  auto merged = std::make_unique<MergedPlan>(elab.ev, *decl.decl, std::move(edits));
  merged->asked = &decl;
  merged->use = use;
  const size_t before = elab.context.diagnostics.allowances().size();
  const std::vector<ChainPlan> plans = chainOf(elab, merged->edits, decl, use);
  elab.context.diagnostics.allowFirst(before); // of two equal `allow`s the base's counts as used
  for (auto p = plans.rbegin(); p != plans.rend(); ++p) allowWarnings(elab, *p);
  for (auto p = plans.rbegin(); p != plans.rend(); ++p)
    if (!mergeLink(elab, *merged, *p->decl, p->use)) return nullptr;
  return plans.empty() ? nullptr : std::move(merged);
}

} // namespace planc::frontend
