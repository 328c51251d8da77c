// Merges a plan with what it extends, root first: every statement is kept with the scope that its names belong to.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/PlanSpace.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;

PLANC_ERROR(PlanExtends, 523, "a plan extends a plan; this is {actual}")
PLANC_ERROR(PlanCycle, 524, "plan `{name}` extends itself: {cycle}")
PLANC_ERROR(PlanChainTooLong, 527, "a plan at the end of more than {limit} `extends`")
PLANC_ERROR(BlockByPath, 534, "`{path}` is no fact: `{block}` is a block of statements")
PLANC_ERROR(OverrideMeasured, 525, "a measured line is never inherited: there is none to override")

namespace {

/// Two statements that differ in `override` and in blanks only.
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

/// What a search varies are names of the plan: their values are of no account.
bool varies(const syntax::SearchBlock&, const Scope&) {
  return true;
}

} // namespace

PlanBuilder::PlanBuilder(Evaluator& evaluator, Machines& machines)
    : ev_(evaluator), machines_(machines), context_(evaluator.context), plan_(std::make_unique<ir::Plan>()) {}
PlanBuilder::~PlanBuilder() = default;

/// Adds the plans of the chain, the most general first.
bool PlanBuilder::chain(const BoundDecl& decl, SourceRange use) {
  std::vector<std::pair<const BoundDecl*, SourceRange>> plans;
  std::deque<Scope> scopes;
  const BoundDecl* at = &decl;
  SourceRange from = use;
  for (;;) {
    if (takesEdits(*at->decl)) at = &editedDecls_.emplace_back(withArguments(*at));
    for (size_t i = 0; i < plans.size(); ++i)
      if (plans[i].first->decl == at->decl) {
        std::vector<DeclInfo*> members;
        for (size_t j = i; j < plans.size(); ++j) members.push_back(plans[j].first->decl);
        const auto [first, cycle] = cycleText(std::move(members));
        context_.report(PlanCycle, first->nameRange, {{"name", first->name.str()}, {"cycle", cycle}});
        return false;
      }
    plans.emplace_back(at, from);
    if (plans.size() > limits::kExtends) {
      context_.report(PlanChainTooLong, from, {{"limit", limits::kExtends}});
      return false;
    }
    const auto& plan = at->decl->as<syntax::PlanDecl>();
    if (!plan.extends) break;
    Scope& scope = scopes.emplace_back(at->decl->module); // arguments of the base may use the parameters
    if (!ev_.bind(*at, scope, from)) return false;
    const Value base = ev_.evaluate(*plan.extends, scope);
    if (base.invalid()) return false;
    if (base.kind != ValueKind::Decl || base.decl->decl->kind != DeclKind::Plan) {
      context_.report(PlanExtends, plan.extends->range, {{"actual", describe(base)}});
      return false;
    }
    at = base.decl;
    from = plan.extends->range;
  }
  bool good = true;
  for (size_t i = plans.size(); i-- > 0 && good;)
    good = addLayer(*plans[i].first, plans[i].second, static_cast<int>(plans.size() - 1 - i));
  return good;
}

bool PlanBuilder::addLayer(const BoundDecl& decl, SourceRange use, int layer) {
  Scope& scope = scopes_.emplace_back(decl.decl->module);
  if (layers_.empty())
    scope.space = space_.get();
  else
    scope.parent = &scopes_[scopes_.size() - 2];
  layers_.push_back(decl.decl);
  uses_.push_back(use);
  if (!ev_.bind(decl, scope, use)) return false;
  if (!ev_.params(*decl.decl).empty()) facts_->parametric = lets_->parametric = overrideParametric_ = true;
  const auto& plan = decl.decl->as<syntax::PlanDecl>();
  // Constants and axes first: placements and selectors may use them.
  for (const syntax::PlanItem& i : plan.items)
    if (const auto* d = std::get_if<syntax::LetDecl>(&i.item)) let(*d, i.override_, scope, layer);
  for (const bool whole : {true, false})
    for (const syntax::PlanItem& i : plan.items)
      if (const auto* m = std::get_if<syntax::MeshBlock>(&i.item); m && m->whole == whole) axes(*m, i, scope, layer);
  moveAxes(layer);
  for (const syntax::PlanItem& i : plan.items) {
    if (const auto* p = std::get_if<syntax::PlaceBlock>(&i.item); p && p->whole) wholeRules(*p, i, scope, layer, false);
    const auto* s = std::get_if<syntax::StatesBlock>(&i.item);
    if (s && s->block.whole) wholeRules(s->block, i, scope, layer, true);
  }
  for (const syntax::PlanItem& i : plan.items) item(i, scope, layer);
  checkOverrideChanges(layer);
  if (takesEdits(*decl.decl)) applyEdits(scope);
  return true;
}

void PlanBuilder::item(const syntax::PlanItem& i, Scope& scope, int layer) {
  struct Visit {
    PlanBuilder& b;
    const syntax::PlanItem& i;
    Scope& scope;
    int layer;
    void operator()(const syntax::MeshBlock&) {}
    void operator()(const syntax::LetDecl&) {}
    void operator()(const syntax::PlaceBlock& p) {
      if (!p.whole) b.place(p, i.override_, scope, layer, false, {});
    }
    void operator()(const syntax::StatesBlock& s) {
      if (!s.block.whole) b.place(s.block, i.override_, scope, layer, true, {});
    }
    void operator()(const syntax::PipelineBlock& p) {
      if (i.override_) b.replacedPipeline_ = b.pipeline_;
      b.whole(b.pipeline_, p, i, scope, layer, "pipeline");
    }
    void operator()(const syntax::SearchBlock& s) { b.whole(b.search_, s, i, scope, layer, "search"); }
    void operator()(const syntax::RecomputeStmt& s) { b.recompute(s, i, scope, layer); }
    void operator()(const syntax::KeepStmt& s) { b.keep(s, i, scope, layer); }
    void operator()(const syntax::Fact& f) { b.fact(f, i.override_, scope, layer); }
    void operator()(const syntax::Section& s) {
      if (s.name.text == Symbol("overlap"))
        b.whole(b.overlap_, s, i, scope, layer, "overlap");
      else
        b.section(s, i.override_, scope, layer);
    }
    void operator()(const syntax::AssertStmt& a) { b.asserts_.push_back({&a, &scope, i.range, layer}); }
    void operator()(const syntax::MeasuredStmt& m) {
      if (i.override_) b.context_.report(OverrideMeasured, i.range).help("leave `override` out");
      b.measured_.push_back({&m, &scope, i.range, layer});
    }
  };
  std::visit(Visit{*this, i, scope, layer}, i.item);
}

/// Whether a block may stand in place of an inherited one, `known` with its layer.
bool PlanBuilder::mayReplace(const syntax::PlanItem& item, int layer, std::string_view what,
                             const std::pair<SourceRange, int>* known) {
  if (known && known->second == layer)
    reportGivenTwice(context_, item.range, what, known->first);
  else if (known && !item.override_)
    reportNeedsOverride(context_, item.range, what, known->first);
  else if (!known && item.override_)
    reportNothingToOverride(context_, item.range, what, fmt::format("plan `{}`", layers_.back()->name.view()))
        .help("leave `override` out to add it");
  else
    return true;
  return false;
}

/// Blocks that are inherited and overridden as a whole.
template <class T>
void PlanBuilder::whole(std::optional<Scoped<T>>& slot, const T& syntax, const syntax::PlanItem& item, Scope& scope,
                        int layer, std::string_view what) {
  const auto known = slot ? std::optional(std::pair(slot->range, slot->layer)) : std::nullopt;
  if (mayReplace(item, layer, what, known ? &*known : nullptr)) {
    if (slot && !(overrideParametric_ && varies(syntax, scope)) && sameText(context_, slot->range, item.range))
      reportOverrideChangesNothing(context_, item.range, what, slot->range);
    slot = Scoped<T>{&syntax, &scope, item.range, layer};
  }
}

void PlanBuilder::let(const syntax::LetDecl& d, bool isOverride, Scope& scope, int layer) {
  syntax::Fact fact;
  fact.name = d.name;
  fact.value = d.value;
  fact.range = d.range;
  lets_->addFact(fact, scope, layer, isOverride);
  FactNode* node = lets_->root().find(d.name.text);
  if (!node || node->value != d.value || !(d.type || d.params)) return;
  node->evaluated = node->told = true; // what is more than a plain constant is told here
  node->cached = ev_.let(d, scope);
}

/// `precision` is legal inside `train` and `finetune`, too: the same facts, once.
void PlanBuilder::section(const syntax::Section& s, bool isOverride, Scope& scope, int layer) {
  static const Symbol kPrecision("precision"), kTrain("train"), kFinetune("finetune");
  if (s.name.text != kTrain && s.name.text != kFinetune) {
    facts_->addSection(s, scope, layer, isOverride);
    return;
  }
  syntax::Section rest = s;
  rest.items.clear();
  for (const syntax::SectionItem& item : s.items) {
    const auto* inner = std::get_if<syntax::Section>(&item);
    const auto* f = std::get_if<syntax::Fact>(&item);
    if (inner && inner->name.text == kPrecision)
      facts_->addSection(*inner, scope, layer, isOverride || inner->override_);
    else if (f && f->name.text == kPrecision && !f->members.empty()) // `precision.compute = bf16`
      facts_->addFact(*f, scope, layer, isOverride || f->override_);
    else
      rest.items.push_back(item);
  }
  facts_->addSection(rest, scope, layer, isOverride);
}

/// `pipeline.stages = balanced`: blocks of statements are no facts, and have no parts by path.
void PlanBuilder::blockByPath(const syntax::Fact& f) {
  const std::string_view block = f.name.text.view();
  const std::string part = fmt::format("{} = {}", f.members.front().text.view(), context_.text(f.value->range));
  auto report = context_.report(
      BlockByPath, SourceRange::cover(f.name.range, f.members.back().range),
      {{"path", context_.text(SourceRange::cover(f.name.range, f.members.back().range))}, {"block", block}});
  ok_ = false;
  if (block == "pipeline" && pipeline_) {
    std::string items, axes;
    for (const syntax::DottedName& axis : pipeline_->syntax->axes) axes += (axes.empty() ? "" : ", ") + axis.str();
    for (const auto& item : pipeline_->syntax->items) {
      const auto* known = std::get_if<syntax::Fact>(&item);
      if (known && known->name.text == f.members.front().text) continue;
      items += fmt::format("{}; ", context_.text(known ? known->range : std::get<syntax::StageItem>(item).range));
    }
    report.label(pipeline_->range, "inherited from here");
    report.help(fmt::format("it is overridden as a whole: `override pipeline {} {{ {}{} }}`", axes, items, part));
  } else {
    report.help(fmt::format(
        fmt::runtime(block == "pipeline" ? "write `pipeline AXIS {{ schedule = one_f_one_b; {} }}`"
                     : block == "keep"   ? "write `keep LAYERS = gathered`, `split` or `host`"
                     : block == "recompute"
                         ? "write `recompute LAYERS {{ {} }}`"
                         : "write `overlap {{ {} }}`; with `override` before it, it replaces the inherited one"),
        part));
  }
}

void PlanBuilder::fact(const syntax::Fact& f, bool isOverride, Scope& scope, int layer) {
  static const std::array<std::string_view, 4> kBlocks{"pipeline", "recompute", "keep", "overlap"};
  if (!f.members.empty() && std::find(kBlocks.begin(), kBlocks.end(), f.name.text.view()) != kBlocks.end())
    return blockByPath(f);
  facts_->addFact(f, scope, layer, isOverride || f.override_);
}

} // namespace planc::frontend
