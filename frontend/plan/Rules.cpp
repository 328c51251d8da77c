// Placements and states of a plan: nested scopes become rules, one per selector and dimension, under the override
// rules.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Merge.h"
#include "frontend/plan/Mesh.h"
#include "frontend/plan/Steps.h"
#include "frontend/plan/Words.h"
#include "ir/MeshUse.h"
#include "support/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(RuleTwice, 658, "two rules place `{key}`")
PLANC_ERROR(UnknownState, 660, "`{state}` is no state of a parameter")
PLANC_ERROR(UnknownVia, 661, "`{via}` is no way to move a dimension")
PLANC_ERROR(ReplicateAlone, 667, "`replicate` means no axis: it stands alone")
PLANC_ERROR(StateForm, 668, "a state takes axes only")
PLANC_ERROR(RuleFact, 780, "`{fact}` is no fact of {what}")
PLANC_ERROR(TargetValue, 798, "a rule is set to axes, `tp`, `[cp, tp]`, or `replicate`; this is `{text}`")
PLANC_ERROR(TooManyRules, 669, "a plan of more than {limit} rules")

namespace {

const Symbol kReplicate(kNoAxis);

std::string keyOf(const ir::Selector& s, std::string_view dim) {
  return s.str() + " " + std::string(dim);
}

/// How a rule is named in messages: `seq` of `decoder`.
std::string shown(const ir::Selector& s, std::string_view dim) {
  return s.steps.empty() ? std::string(dim) : fmt::format("{}.{}", s.str(), dim);
}

// What placements and rules of states have in common: what a rule is about, and what it says of that.
std::string_view subjectOf(const ir::PlacementRule& r) {
  return r.dim.view();
}
std::string_view subjectOf(const ir::StateRule& r) {
  return ir::name(r.state);
}
template <class Rule> std::string keyOf(const Rule& r) {
  return keyOf(r.selector, subjectOf(r));
}

/// What the rules say, in an order of their own.
template <class Rule> std::vector<std::string> ruleTexts(const std::vector<Rule>& rules) {
  std::vector<std::string> texts;
  for (const Rule& r : rules) texts.push_back(keyOf(r) + " " + ir::effectText(r));
  std::sort(texts.begin(), texts.end());
  return texts;
}

/// The rules that are there, as messages name them.
template <class Rule> std::vector<std::string> ruleNames(const RuleDrafts<Rule>& drafts) {
  std::vector<std::string> names;
  for (const Rule& r : drafts.rules) names.push_back(shown(r.selector, subjectOf(r)));
  std::sort(names.begin(), names.end());
  return names;
}

/// What makes the rule another one, where only its subject or only its selector differs and stands there as it is.
std::optional<TextEdit> renamingEdit(Context& context, const ir::Selector& selector, SourceRange subject,
                                     const std::string& written, const std::string& name) {
  const size_t dot = name.rfind('.');
  const std::string before = dot == std::string::npos ? "" : name.substr(0, dot);
  const std::string behind = dot == std::string::npos ? name : name.substr(dot + 1);
  if (before == selector.str() || (before.empty() && selector.steps.empty())) return TextEdit{subject, behind, written};
  if (behind != written || context.text(selector.range) != selector.str()) return std::nullopt;
  return TextEdit{selector.range, before};
}

/// Adds a rule of one plan, or puts it in the place of an inherited one. `subject`: where it says what it is about.
template <class Rule>
void mergeRule(Context& context, RuleDrafts<Rule>& drafts, Rule made, SourceRange subject, bool isOverride,
               const ChainLink& link) {
  const std::string text = shown(made.selector, subjectOf(made));
  const auto known = drafts.keys.find(keyOf(made));
  if (known == drafts.keys.end()) {
    if (isOverride) {
      const std::vector<std::string> names = ruleNames(drafts);
      auto report = reportNothingInherited(context, subject, text, link);
      report.help(didYouMean(text, names, "rules are overridden one by one: without `override` it is added"));
      for (const std::string& name : offered(text, names))
        if (auto edit = renamingEdit(context, made.selector, subject, std::string(subjectOf(made)), name))
          report.fix({fmt::format("write `{}`", name), {std::move(*edit)}, name == onlyNearest(text, names)});
      return;
    }
    drafts.keys.emplace(keyOf(made), std::pair(drafts.rules.size(), link.index));
    drafts.rules.push_back(std::move(made));
    return;
  }
  auto& [index, layer] = known->second;
  Rule& before = drafts.rules[index];
  if (layer == link.index) {
    context.report(RuleTwice, subject, {{"key", text}})
        .label(before.range, "the first one")
        .help("keep one of them; several axes in one rule are a list, `-> [dp, tp]`, and a rule for some layers only "
              "stands in braces behind their names");
    return;
  }
  if (!isOverride) return reportNeedsOverride(context, subject, text, before.range);
  layer = link.index;
  if (!(link.parametric && choosesInstances(made.selector)) && ir::effectText(before) == ir::effectText(made))
    reportOverrideChangesNothing(context, made.range, text, before.range);
  before = std::move(made);
}

/// The axes of a rule, major first; empty for `replicate`. Whether they exist is looked at when the mesh is merged.
std::optional<std::vector<Symbol>> targetsOf(Context& context, const syntax::PlaceRule& rule) {
  std::vector<Symbol> names;
  for (const syntax::DottedName& t : rule.targets) {
    const Symbol name = t.parts.size() == 1 ? t.parts[0].text : Symbol(t.str());
    if (name == kReplicate && rule.targets.size() > 1) {
      context.report(ReplicateAlone, t.range);
      return std::nullopt;
    }
    if (name != kReplicate) names.push_back(name);
  }
  return names;
}

void reportRuleFact(Elaboration& elab, SourceRange at, std::string_view fact, std::string_view what,
                    std::string_view help) {
  elab.context.report(RuleFact, at, {{"fact", fact}, {"what", what}}).help(std::string(help));
  elab.ok = false;
}

/// One line of a `place` block, or of a `states` block (below).
void mergeLine(Elaboration& elab, RuleDrafts<ir::PlacementRule>& drafts, const syntax::PlaceRule& rule, bool isOverride,
               const ChainLink& link, const ir::Selector& selector) {
  const auto axes = targetsOf(elab.context, rule);
  bool ring = false;
  if (rule.via) {
    ring = rule.via->text == Symbol("ring");
    if (!ring) {
      auto report = elab.context.report(UnknownVia, rule.via->range, {{"via", rule.via->text.str()}});
      report.meantElse(rule.via->text.view(), {"ring"}, "keys and values go around `via ring`");
    }
  }
  if (rule.facts)
    reportRuleFact(elab, rule.facts->range, "{ … }", "a placement of a dimension", "leave the braces out");
  if (!axes || (rule.via && !ring) || rule.facts) return;
  const SourceRange targets = SourceRange::cover(rule.targets.front().range, rule.targets.back().range);
  for (const syntax::Name& dim : rule.dims)
    mergeRule(elab.context, drafts,
              ir::PlacementRule{selector, dim.text, *axes, ring, rule.uneven, rule.contiguous, rule.range, dim.range,
                                targets},
              dim.range, isOverride, link);
}

/// `{ regather = false }`, of parameters only.
std::optional<bool> regather(Elaboration& elab, const syntax::PlaceRule& rule, Scope& scope) {
  static const TypeInfo kBool{.kind = TypeInfo::Kind::Bool, .name = "bool"};
  const Symbol kRegather("regather");
  bool regather = true;
  if (!rule.facts) return regather;
  for (const syntax::Name& state : rule.dims)
    if (state.text.view() != ir::name(ir::StateKind::Params)) {
      reportRuleFact(elab, rule.facts->range, "regather", fmt::format("`{}`", state.text.view()),
                     "only parameters are gathered: write `params -> … { regather = false }` on a line of its own");
      return std::nullopt;
    }
  for (const syntax::SectionItem& item : rule.facts->items) {
    const auto* fact = std::get_if<syntax::Fact>(&item);
    if (!fact || fact->name.text != kRegather || !fact->members.empty() || fact->args) {
      reportRuleFact(elab, fact ? fact->name.range : rule.facts->range, fact ? fact->name.text.view() : "{ … }",
                     "a state", "`params` takes `regather`: whether backward gathers them again");
      return std::nullopt;
    }
    const Value v = elab.ev.coerce(elab.ev.evaluate(*fact->value, scope), kBool, "`regather`");
    if (v.invalid()) {
      elab.ok = false;
      return std::nullopt;
    }
    regather = v.truth;
  }
  return regather;
}

/// `host` among the targets of a state is no axis: the shard lives in the host's memory.
bool takeHost(std::vector<Symbol>& targets) {
  return std::erase(targets, Symbol(ir::kHost)) > 0;
}

/// Nothing after a report.
std::optional<ir::StateKind> stateOf(Context& context, const syntax::Name& state) {
  for (const ir::StateKind k : {ir::StateKind::Params, ir::StateKind::Grads, ir::StateKind::Optimizer})
    if (ir::name(k) == state.text.view()) return k;
  auto report = context.report(UnknownState, state.range, {{"state", state.text.str()}});
  report.meantElse(state.text.view(), {"params", "grads", "optimizer"}, "states are `params`, `grads` and `optimizer`");
  return std::nullopt;
}

void mergeLine(Elaboration& elab, RuleDrafts<ir::StateRule>& drafts, const syntax::PlaceRule& rule, bool isOverride,
               ChainLink& link, const ir::Selector& selector) {
  const auto axes = targetsOf(elab.context, rule);
  const bool plain = !rule.via && !rule.uneven && !rule.contiguous;
  if (!plain) elab.context.report(StateForm, rule.range);
  const auto again = regather(elab, rule, link.scope);
  if (!axes || !plain || !again) return;
  for (const syntax::Name& state : rule.dims) {
    const auto kind = stateOf(elab.context, state);
    if (!kind) continue;
    ir::StateRule made{selector, *kind, *axes, rule.range, *again};
    made.host = takeHost(made.targets);
    mergeRule(elab.context, drafts, std::move(made), state.range, isOverride, link);
  }
}

/// The rules of a block and of those inside it, below `prefix`.
template <class Rule>
void mergeRules(Elaboration& elab, const MergedPlan& merged, RuleDrafts<Rule>& drafts, const syntax::PlaceBlock& block,
                bool isOverride, ChainLink& link, const ir::Selector& prefix) {
  std::vector<ir::Selector> selectors;
  if (block.selectors.empty()) selectors.push_back(prefix);
  for (const syntax::Selector& s : block.selectors)
    if (auto made = makeSelector(elab.ev, s, link.scope, prefix)) selectors.push_back(std::move(*made));
  for (const ir::Selector& selector : selectors)
    for (const syntax::PlaceItem& item : block.items) {
      if (merged.placements.rules.size() + merged.states.rules.size() > limits::kRules) {
        elab.context.report(TooManyRules, block.range, {{"limit", limits::kRules}});
        return;
      }
      if (const auto* inner = std::get_if<const syntax::PlaceBlock*>(&item.item))
        mergeRules(elab, merged, drafts, **inner, isOverride, link, selector);
      else
        mergeLine(elab, drafts, std::get<syntax::PlaceRule>(item.item), isOverride, link, selector);
    }
}

/// `override place = { … }`, `override states = { … }`: none of the inherited rules is left.
template <class Rule>
void replaceRules(Elaboration& elab, const MergedPlan& merged, RuleDrafts<Rule>& drafts, std::string_view what,
                  const syntax::PlaceBlock& block, const syntax::PlanItem& item, ChainLink& link) {
  if (drafts.keys.empty()) {
    reportNothingInherited(elab.context, item.range, what, link)
        .help(fmt::format("write `{} {{ … }}` to add rules", what));
    return;
  }
  const SourceRange first = drafts.rules.front().range;
  int given = -1; // the layer of another such statement, if this plan has one
  for (const auto& [key, rule] : drafts.keys) given = std::max(given, rule.second);
  const std::pair known{first, given};
  if (!mayReplace(elab.context, item, link, what, &known)) return;
  const std::vector<std::string> before = ruleTexts(drafts.rules);
  const bool byChance = link.parametric && std::any_of(drafts.rules.begin(), drafts.rules.end(),
                                                       [](const Rule& r) { return choosesInstances(r.selector); });
  drafts.keys.clear();
  drafts.rules.clear();
  mergeRules(elab, merged, drafts, block, false, link, {});
  if (!byChance && before == ruleTexts(drafts.rules))
    reportOverrideChangesNothing(elab.context, item.range, what, first);
}

template <class Rule>
void mergeBlockOfRules(Elaboration& elab, const MergedPlan& merged, RuleDrafts<Rule>& drafts, std::string_view what,
                       const syntax::PlaceBlock& block, const syntax::PlanItem& item, ChainLink& link) {
  if (block.whole)
    replaceRules(elab, merged, drafts, what, block, item, link);
  else
    mergeRules(elab, merged, drafts, block, item.override_, link, {});
}

/// Every axis that a rule names exists; one report per name and rule. `at`: where a rule names them.
template <class Rule>
void checkTargets(Elaboration& elab, MeshDraft& mesh, const RuleDrafts<Rule>& drafts, std::string_view what,
                  SourceRange Rule::*at) {
  for (const Rule& r : drafts.rules)
    for (Symbol t : r.targets)
      elab.ok &= knownAxis(elab.context, mesh, t, r.*at, drafts.keys.at(keyOf(r)).second, what);
}

// ---- rules that are set beside the file

/// `a.b` of an expression; nothing if it is anything else.
std::optional<syntax::DottedName> dottedOf(const syntax::Expr& e) {
  const auto selector = selectorOf(e);
  if (!selector) return std::nullopt;
  syntax::DottedName made;
  made.range = e.range;
  for (const syntax::SelectorStep& step : selector->steps) {
    if (step.hasIndex) return std::nullopt;
    made.parts.push_back(step.name);
  }
  return made;
}

/// The rule that a value stands for, of the dimension or state that the path ends in; nothing after a report.
std::optional<syntax::PlaceRule> ruleOf(Elaboration& elab, const Edit& edit) {
  using syntax::ExprKind;
  const syntax::Expr* value = chosenWord(elab, *edit.value, *edit.scope);
  if (!value) return std::nullopt;
  const bool call = value->kind == ExprKind::Call;
  const syntax::Expr* targets = call ? value->kids[0] : value;
  syntax::PlaceRule rule;
  rule.dims = {edit.place->steps.back().name};
  rule.range = value->range;
  bool good = !edit.place->steps.back().star && !edit.place->steps.back().hasIndex;
  for (const syntax::Expr* target : itemsOf(targets)) {
    auto name = dottedOf(*target);
    good &= name.has_value();
    if (name) rule.targets.push_back(std::move(*name));
  }
  if (call) good &= (rule.facts = sectionOf(*value)).has_value();
  if (good && !rule.targets.empty()) return rule;
  elab.context.report(TargetValue, value->range, {{"text", elab.context.text(value->range)}});
  return std::nullopt;
}

/// The rule of the same layers and the same dimension or state; null if there is none.
template <class Rule> Rule* knownRule(RuleDrafts<Rule>& drafts, const Rule& made) {
  const auto known = drafts.keys.find(keyOf(made));
  return known == drafts.keys.end() ? nullptr : &drafts.rules[known->second.first];
}
template <class Rule> void putRule(RuleDrafts<Rule>& drafts, Rule made, int layer) {
  if (Rule* known = knownRule(drafts, made)) {
    *known = std::move(made);
    return;
  }
  drafts.keys.emplace(keyOf(made), std::pair(drafts.rules.size(), layer));
  drafts.rules.push_back(std::move(made));
}

bool applyPlacement(Elaboration& elab, MergedPlan& merged, Edit& edit, const syntax::PlaceRule& rule,
                    ir::PlacementRule made, int layer) {
  const auto axes = targetsOf(elab.context, rule);
  if (rule.facts) {
    reportRuleFact(elab, rule.facts->range, "( … )", "a placement of a dimension", "leave them out");
    return false;
  }
  if (!axes) return false;
  made.targets = *axes;
  if (const ir::PlacementRule* known = knownRule(merged.placements, made)) {
    edit.before = ir::targetText(known->targets, false);
    const bool split = !axes->empty();
    made.ring = split && known->ring;
    made.uneven = split && known->uneven;
    made.contiguous = split && known->contiguous;
  }
  merged.edits.placements.push_back(made);
  putRule(merged.placements, std::move(made), layer);
  return true;
}

bool applyState(Elaboration& elab, MergedPlan& merged, Edit& edit, const syntax::PlaceRule& rule, ir::StateRule made,
                int layer) {
  const auto kind = stateOf(elab.context, rule.dims.front());
  const auto axes = targetsOf(elab.context, rule);
  const auto again = regather(elab, rule, *edit.scope);
  if (!kind || !axes || !again) return false;
  made.state = *kind;
  made.targets = *axes;
  made.host = takeHost(made.targets);
  made.regather = *again;
  if (const ir::StateRule* known = knownRule(merged.states, made)) {
    edit.before = ir::targetText(known->targets, known->host);
    if (!known->regather) edit.before += "(regather = false)";
    if (!rule.facts && !axes->empty()) made.regather = known->regather;
  }
  merged.edits.states.push_back(made);
  putRule(merged.states, std::move(made), layer);
  return true;
}

} // namespace

void applyRule(Elaboration& elab, MergedPlan& merged, Edit& edit, int layer) {
  static const Symbol kStates("states");
  edit.applied = true;
  syntax::Selector layers = *edit.place;
  const bool states = layers.steps.size() > 1 && layers.steps.front().name.text == kStates;
  layers.steps.pop_back();
  if (states) layers.steps.erase(layers.steps.begin());
  const auto rule = ruleOf(elab, edit);
  const auto selector =
      layers.steps.empty() ? std::optional(ir::Selector{}) : makeSelector(elab.ev, layers, *edit.scope);
  bool good = rule && selector;
  if (good && states)
    good = applyState(elab, merged, edit, *rule, ir::StateRule{*selector, {}, {}, rule->range}, layer);
  else if (good)
    good = applyPlacement(elab, merged, edit, *rule,
                          ir::PlacementRule{*selector,
                                            rule->dims.front().text,
                                            {},
                                            false,
                                            false,
                                            false,
                                            rule->range,
                                            rule->dims.front().range,
                                            rule->range},
                          layer);
  elab.ok &= good;
}

void mergePlacements(Elaboration& elab, MergedPlan& merged, const syntax::PlaceBlock& block,
                     const syntax::PlanItem& item, ChainLink& link) {
  mergeBlockOfRules(elab, merged, merged.placements, "place", block, item, link);
}

void mergeStates(Elaboration& elab, MergedPlan& merged, const syntax::PlaceBlock& block, const syntax::PlanItem& item,
                 ChainLink& link) {
  mergeBlockOfRules(elab, merged, merged.states, "states", block, item, link);
}

void placementRules(Elaboration& elab, MergedPlan& merged) {
  checkTargets(elab, merged.mesh, merged.placements, "place", &ir::PlacementRule::targetRange);
  checkTargets(elab, merged.mesh, merged.states, "states", &ir::StateRule::range);
  elab.plan.placements = merged.placements.rules;
  elab.plan.states = merged.states.rules;
}

} // namespace planc::frontend
