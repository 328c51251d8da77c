// Merges `recompute` statements and their facts along `extends`, and checks them against the model.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Merge.h"
#include "frontend/plan/Steps.h"
#include "frontend/plan/Words.h"
#include "frontend/plan/statements/Overlaps.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(NestedCheckpoints, 750, "`{inner}` is recomputed {where}")
PLANC_ERROR(TooManyCheckpoints, 758, "the plan has more than {limit} `recompute` selectors")
PLANC_ERROR(UnknownSaved, 790, "`{saved}` is not computed inside `{selector}`, so `save` cannot keep it")
PLANC_ERROR(SavedForm, 791, "`{saved}` has a slice: `save` applies to all recomputed instances")
PLANC_ERROR(FirstForm, 792, "`first` is {value}; it must be at least 1")
PLANC_ERROR(RecomputeValue, 797,
            "`recompute` takes `none`, layers, or layers with facts such as `decoder(first = 2)`, not `{text}`")
PLANC_ERROR(NoneBeside, 793, "`recompute none` cannot be combined with another `recompute`")

namespace {

/// One text per selector with its facts, sorted.
std::vector<std::string> recomputeTexts(const std::vector<RecomputeDraft>& drafts) {
  std::vector<std::string> texts;
  for (const RecomputeDraft& d : drafts) {
    ir::Recompute one = d.rule;
    for (const ir::Selector& s : d.rule.selectors) {
      one.selectors = {s};
      texts.push_back(one.str());
    }
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

bool anyVaries(const std::vector<RecomputeDraft>& drafts) {
  return std::any_of(drafts.begin(), drafts.end(), [](const RecomputeDraft& d) { return d.varies; });
}

/// `override recompute …`: removes the inherited statements.
void replaceRecompute(Context& context, MergedPlan& merged, SourceRange at, const ChainLink& link) {
  std::vector<RecomputeDraft>& drafts = merged.recompute;
  if (drafts.empty())
    reportNothingInherited(context, at, ir::name(ir::Statement::Recompute), link).help("remove `override` to add it");
  else if (drafts.front().layer < link.index)
    merged.recomputeOverride =
        OverrideDraft{recomputeTexts(drafts), at, drafts.front().rule.range, link.index, anyVaries(drafts)};
  std::erase_if(drafts, [&](const RecomputeDraft& d) { return d.layer < link.index; });
}

/// Reports `recompute none` next to another `recompute` statement, which contradicts it.
bool noneBeside(Elaboration& elab, const MergedPlan& merged, const RecomputeDraft& draft) {
  const auto other = std::find_if(merged.recompute.begin(), merged.recompute.end(),
                                  [&](const RecomputeDraft& d) { return d.none != draft.none; });
  if (other == merged.recompute.end()) return false;
  elab.context.report(NoneBeside, draft.rule.range)
      .label(other->rule.range, other->layer < draft.layer ? "inherited from here" : "the other statement")
      .help(other->layer < draft.layer
                ? fmt::format("write `override {}` to replace the inherited one", elab.context.text(draft.rule.range))
                : std::string("remove one of them"));
  elab.ok = false;
  return true;
}

/// The value of a boolean fact; false after a report.
bool truth(Elaboration& elab, const syntax::Fact& fact, Scope& scope) {
  static const TypeInfo kBool{.kind = TypeInfo::Kind::Bool, .name = "bool"};
  const Value v =
      elab.ev.coerce(elab.ev.evaluate(*fact.value, scope), kBool, fmt::format("`{}`", fact.name.text.view()));
  if (v.invalid()) elab.ok = false;
  return !v.invalid() && v.truth;
}

/// Reads one fact. Returns false if `recompute` has no such fact. `holds` receives the value of `when`.
bool recomputeFact(Elaboration& elab, const syntax::Fact& fact, Scope& scope, ir::Recompute& out, bool& holds) {
  static const Symbol kSave("save"), kOutputs("outputs"), kFirst("first"), kWhen("when");
  if (fact.name.text == kSave) {
    out.saves = pathsOf(elab, fact.value);
    for (size_t i = 0; i < out.saves.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (out.saves[i].str() == out.saves[j].str()) {
          reportGivenTwice(elab.context, out.saves[i].range, out.saves[i].str(), out.saves[j].range);
          elab.ok = false;
          return true;
        }
    for (const ir::Selector& s : out.saves)
      if (choosesInstances(s)) {
        elab.context.report(SavedForm, s.range, {{"saved", s.str()}})
            .help("choose the instances in the selector, `recompute decoder[0:4] { save = [attn.core] }`");
        elab.ok = false;
      }
    return true;
  }
  if (fact.name.text == kOutputs) {
    out.outputs = truth(elab, fact, scope);
    out.outputsRange = fact.range;
    return true;
  }
  if (fact.name.text == kWhen) {
    holds = truth(elab, fact, scope);
    return true;
  }
  if (fact.name.text != kFirst) return false;
  const auto count = elab.ev.integer(*fact.value, scope, "`first`");
  if (count && *count < 1) {
    elab.context.report(FirstForm, fact.value->range, {{"value", *count}})
        .help("remove the statement to recompute nothing");
    elab.ok = false;
  } else if (count) {
    out.first = *count;
  }
  out.firstRange = fact.range;
  return true;
}

/// Reads the facts of a statement. Returns false if its `when` is false.
bool recomputeFacts(Elaboration& elab, const syntax::Section& facts, Scope& scope, ir::Recompute& out) {
  static const std::vector<std::string> kFacts{"save", "outputs", "first", "when"};
  bool holds = true;
  const FactOwner owner{"`recompute`", out.range};
  std::vector<const syntax::Fact*> seen;
  for (const syntax::SectionItem& item : facts.items) {
    const auto* fact = std::get_if<syntax::Fact>(&item);
    const auto* section = std::get_if<syntax::Section>(&item);
    if (!fact || !fact->members.empty() || fact->args || !recomputeFact(elab, *fact, scope, out, holds)) {
      const SourceRange at = fact ? fact->name.range : section ? section->name.range : facts.range;
      reportUnknownFact(elab.context, at,
                        fact      ? fact->name.text.view()
                        : section ? section->name.text.view()
                                  : "require",
                        owner, kFacts);
      elab.ok = false;
      continue;
    }
    for (const syntax::Fact* before : seen)
      if (before->name.text == fact->name.text)
        reportGivenTwice(elab.context, fact->name.range, fact->name.text.view(), before->name.range);
    seen.push_back(fact);
  }
  return holds;
}

} // namespace

void mergeRecompute(Elaboration& elab, MergedPlan& merged, const syntax::RecomputeStmt& s, const syntax::PlanItem& item,
                    ChainLink& link) {
  if (item.override_) replaceRecompute(elab.context, merged, item.range, link);
  RecomputeDraft draft{{}, link.index, s.selectors.empty()};
  draft.rule.range = s.range;
  draft.varies = varies(s.selectors, link.scope);
  if (s.facts)
    for (const syntax::SectionItem& fact : s.facts->items)
      if (const auto* f = std::get_if<syntax::Fact>(&fact); f && f->name.text != Symbol("save"))
        draft.varies |= varies(*f->value, link.scope);
  for (const syntax::Selector& sel : s.selectors)
    if (auto made = makeSelector(elab.ev, sel, link.scope)) draft.rule.selectors.push_back(std::move(*made));
  if (s.facts && !recomputeFacts(elab, *s.facts, link.scope, draft.rule)) {
    draft.holds = false;
    draft.rule.selectors.clear();
    merged.recompute.push_back(std::move(draft));
    return;
  }
  if (noneBeside(elab, merged, draft)) return;
  if (draft.none || !draft.rule.selectors.empty()) merged.recompute.push_back(std::move(draft));
}

namespace {

/// Parses a value as statements; nothing after a report.
std::optional<std::vector<syntax::RecomputeStmt>> statementsOf(Elaboration& elab, const syntax::Expr& written,
                                                               Scope& scope) {
  using syntax::ExprKind;
  const syntax::Expr* value = chosenWord(elab, written, scope);
  if (!value) return std::nullopt;
  std::vector<syntax::RecomputeStmt> made;
  if (value->kind == ExprKind::None) return made;
  const auto items = itemsOf(value);
  const bool calls = std::any_of(items.begin(), items.end(), [](auto* e) { return e->kind == ExprKind::Call; });
  for (const syntax::Expr* e : items) {
    const syntax::Expr* layers = e->kind == ExprKind::Call ? e->kids[0] : e;
    if (calls || made.empty()) made.emplace_back().range = calls ? e->range : value->range;
    syntax::RecomputeStmt& statement = made.back();
    bool good = true;
    if (e->kind == ExprKind::Call) good = (statement.facts = sectionOf(*e)).has_value();
    for (const syntax::Expr* layer : itemsOf(layers)) {
      const auto selector = selectorOf(*layer);
      good &= selector.has_value();
      if (selector) statement.selectors.push_back(*selector);
    }
    if (good) continue;
    elab.context.report(RecomputeValue, e->range, {{"text", elab.context.text(e->range)}});
    return std::nullopt;
  }
  if (made.empty()) {
    elab.context.report(RecomputeValue, value->range, {{"text", elab.context.text(value->range)}})
        .help("write `none` to recompute nothing");
    return std::nullopt;
  }
  return made;
}

} // namespace

std::optional<std::vector<ir::Recompute>> recomputeOf(Elaboration& elab, const syntax::Expr& value, Scope& scope) {
  const auto statements = statementsOf(elab, value, scope);
  if (!statements) {
    elab.ok = false;
    return std::nullopt;
  }
  std::vector<ir::Recompute> rules;
  for (const syntax::RecomputeStmt& s : *statements) {
    ir::Recompute rule;
    rule.range = s.range;
    for (const syntax::Selector& written : s.selectors)
      if (auto made = makeSelector(elab.ev, written, scope)) rule.selectors.push_back(std::move(*made));
    if (s.facts && !recomputeFacts(elab, *s.facts, scope, rule)) continue;
    if (!rule.selectors.empty()) rules.push_back(std::move(rule));
  }
  return rules;
}

void applyRecompute(Elaboration& elab, MergedPlan& merged, AppliedEdit& edit, int layer) {
  edit.applied = true;
  for (const RecomputeDraft& d : merged.recompute)
    if (d.holds) edit.before += (edit.before.empty() ? "" : "; ") + (d.none ? std::string("none") : d.rule.str());
  if (edit.before.empty()) edit.before = "none";
  auto rules = recomputeOf(elab, *edit.value, *edit.scope);
  merged.recompute.clear();
  merged.recomputeOverride = std::nullopt;
  if (!rules) return;
  for (ir::Recompute& rule : *rules) merged.recompute.push_back({std::move(rule), layer});
}

void checkRecomputeOverride(Context& context, const MergedPlan& merged, const ChainLink& link) {
  const auto& over = merged.recomputeOverride;
  if (over && over->layer == link.index && recomputeTexts(merged.recompute) == over->before &&
      !(link.parametric && (over->varies || anyVaries(merged.recompute))))
    reportOverrideChangesNothing(context, over->range, ir::name(ir::Statement::Recompute), over->inherited);
}

void recompute(Elaboration& elab, const MergedPlan& merged) {
  for (const RecomputeDraft& draft : merged.recompute)
    if (!draft.rule.selectors.empty()) elab.plan.recompute.push_back(draft.rule);
}

namespace {

/// Searches the paths that a statement matches for a saved name: how many of its steps exist, and which names exist in
/// place of the first missing step.
struct SavedSearch {
  const ir::Recompute& rule;
  const ir::Selector& saved;
  size_t found = 0; ///< number of existing steps
  std::vector<std::string> names = {};
  bool parameter = false;

  void look(const std::vector<Symbol>& path, bool result) {
    for (const ir::Selector& s : rule.selectors) {
      const auto depth = s.matches(path);
      if (!depth) continue;
      size_t same = 0;
      const size_t from = static_cast<size_t>(*depth);
      while (same < saved.steps.size() && from + same < path.size() &&
             (saved.steps[same].star || saved.steps[same].name == path[from + same]))
        ++same;
      if (same == saved.steps.size() && !result) {
        parameter = true;
        continue;
      }
      if (same < found || !result) continue;
      if (same > found) names.clear();
      found = same;
      if (from + same < path.size()) names.push_back(path[from + same].str());
    }
  }

  void run(const ir::Model& model) {
    for (const ir::Op& op : model.ops) look(op.path, true);
    for (ir::ValueId p : model.params) look(model.values[p].path, false);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  }
};

/// The index of the plan in the chain that wrote a selector of `recompute`.
int layerOf(const std::vector<RecomputeDraft>& drafts, const ir::Selector& selector) {
  for (const RecomputeDraft& d : drafts)
    if (d.rule.range.file == selector.range.file && d.rule.range.begin <= selector.range.begin &&
        selector.range.end <= d.rule.range.end)
      return d.layer;
  return 0;
}

} // namespace

void checkSavedNames(Elaboration& elab) {
  if (!elab.ok || !elab.plan.model) return;
  for (const ir::Recompute& rule : elab.plan.recompute)
    for (const ir::Selector& saved : rule.saves) {
      SavedSearch search{rule, saved};
      search.run(*elab.plan.model);
      if (search.found == saved.steps.size()) continue;
      elab.ok = false;
      ir::Recompute plain{rule.selectors};
      auto report = elab.context.report(UnknownSaved, saved.range, {{"selector", plain.str()}, {"saved", saved.str()}});
      if (search.parameter) {
        report.help("it is a parameter, which is always kept: name the layer whose result is to be kept");
        continue;
      }
      const std::string& wrong = saved.steps[search.found].name.str();
      if (!nearest(wrong, search.names).empty()) {
        report.meant(wrong, search.names);
        continue;
      }
      std::string list;
      for (size_t i = 0; i < std::min<size_t>(search.names.size(), 12); ++i)
        list += (i ? ", `" : "`") + search.names[i] + "`";
      report.note("names are relative to the selected layer, as `save = [attn.core]` for `recompute decoder`");
      if (!list.empty()) report.note(fmt::format("layers there: {}{}", list, search.names.size() > 12 ? ", …" : ""));
    }
}

namespace {

/// Returns whether one selector matches only repeats and the other one only a layer that is not repeated.
bool isApart(const ir::Model* model, const ir::Selector& a, const ir::Selector& b) {
  if (!model || a.steps.empty() || b.steps.empty() || !(a.steps[0].isRepeats() != b.steps[0].isRepeats())) return false;
  const Symbol named = (a.steps[0].isRepeats() ? b : a).steps[0].name;
  return std::any_of(model->layers.begin(), model->layers.end(),
                     [&](const ir::Layer& layer) { return layer.name == named && !layer.repeat; });
}

} // namespace

/// Reports overlapping selectors: each match is one checkpoint, so matches must be disjoint.
void checkCheckpoints(Elaboration& elab, const MergedPlan& merged) {
  constexpr size_t kCheckpoints = 1000;
  std::vector<const ir::Selector*> all;
  for (const ir::Recompute& rule : elab.plan.recompute)
    for (const ir::Selector& s : rule.selectors) all.push_back(&s);
  if (all.size() > kCheckpoints) {
    elab.context.report(TooManyCheckpoints, all[kCheckpoints]->range, {{"limit", kCheckpoints}})
        .help("use a slice: `recompute decoder[0:80:2]`");
    elab.ok = false;
    return;
  }
  const auto layer = [&](const ir::Selector& s) { return layerOf(merged.recompute, s); };
  Overlaps before;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!before.add(*all[i])) continue;
    for (size_t j = 0; j < i; ++j) {
      if (!overlaps(*all[i], *all[j]) || isApart(elab.plan.model.get(), *all[i], *all[j])) continue;
      const bool deeper = all[i]->steps.size() >= all[j]->steps.size();
      const ir::Selector &inner = deeper ? *all[i] : *all[j], &outer = deeper ? *all[j] : *all[i];
      const bool same = inner.str() == outer.str();
      const ir::Selector &later = layer(*all[i]) >= layer(*all[j]) ? *all[i] : *all[j],
                         &earlier = &later == all[i] ? *all[j] : *all[i];
      const bool derived = layer(later) != layer(earlier);
      const ir::Selector &at = same || derived ? later : inner, &other = &at == all[i] ? *all[j] : *all[i];
      elab.context
          .report(NestedCheckpoints, at.range,
                  {{"inner", inner.str()}, {"where", same ? "twice" : fmt::format("inside `{}`", outer.str())}})
          .label(other.range, same               ? "the other statement"
                              : &other == &outer ? "this checkpoint already replays it"
                                                 : "it is already replayed here")
          .help(!derived ? "remove one of them"
                : same   ? "remove it: it is inherited"
                         : fmt::format("`{}` is inherited: write `override recompute {}` to replace it", earlier.str(),
                                       later.str()));
      elab.ok = false;
      return;
    }
  }
}

} // namespace planc::frontend
