// Reads placements and states of a plan: nested scopes become rules, one per selector and dimension, which follow the
// override rules.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/statements/Rules.h"

#include "frontend/plan/Merge.h"
#include "frontend/plan/Steps.h"
#include "frontend/plan/Words.h"
#include "frontend/plan/statements/Mesh.h"
#include "ir/plan/MeshUse.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(RuleTwice, 658, "two rules place `{key}`")
PLANC_ERROR(UnknownState, 660, "parameters have no state `{state}`")
PLANC_ERROR(UnknownVia, 661, "`{via}` is not a way to move a dimension")
PLANC_ERROR(ReplicateAlone, 667, "`replicate` cannot be combined with axes")
PLANC_ERROR(StateForm, 668, "a state can be placed on axes only")
PLANC_ERROR(RuleFact, 780, "{what} has no fact `{fact}`")
PLANC_ERROR(TooManyRules, 669, "the plan has more than {limit} rules")

std::string_view subjectOf(const ir::PlacementRule& r) {
  return r.dim.view();
}
std::string_view subjectOf(const ir::StateRule& r) {
  return ir::name(r.state);
}

std::optional<std::vector<Symbol>> targetsOf(Context& context, const syntax::PlaceRule& rule) {
  static const Symbol kReplicate(kNoAxis);
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

std::optional<StateFacts> stateFacts(Elaboration& elab, const syntax::PlaceRule& rule, Scope& scope) {
  static const TypeInfo kBool{.kind = TypeInfo::Kind::Bool, .name = "bool"};
  static const Symbol kRegather("regather"), kWhen("when");
  StateFacts facts;
  if (!rule.facts) return facts;
  std::vector<const syntax::Fact*> seen;
  for (const syntax::SectionItem& item : rule.facts->items) {
    const auto* fact = std::get_if<syntax::Fact>(&item);
    const bool known = fact && (fact->name.text == kRegather || fact->name.text == kWhen);
    if (!known || !fact->members.empty() || fact->args) {
      reportRuleFact(elab, fact ? fact->name.range : rule.facts->range, fact ? fact->name.text.view() : "{ … }",
                     "a state",
                     "`params` takes `regather`: whether backward gathers them again; every state takes "
                     "`when`: whether the rule holds");
      return std::nullopt;
    }
    for (const syntax::Fact* before : seen)
      if (before->name.text == fact->name.text)
        reportGivenTwice(elab.context, fact->name.range, fact->name.text.view(), before->name.range);
    seen.push_back(fact);
    if (fact->name.text == kRegather)
      for (const syntax::Name& state : rule.dims)
        if (state.text.view() != ir::name(ir::StateKind::Params)) {
          reportRuleFact(elab, rule.facts->range, "regather", fmt::format("`{}`", state.text.view()),
                         "only parameters are gathered: write `params -> … { regather = false }` on a line of its own");
          return std::nullopt;
        }
    const Value v =
        elab.ev.coerce(elab.ev.evaluate(*fact->value, scope), kBool, fmt::format("`{}`", fact->name.text.view()));
    if (v.invalid()) {
      elab.ok = false;
      return std::nullopt;
    }
    (fact->name.text == kRegather ? facts.regather : facts.holds) = v.truth;
  }
  return facts;
}

bool takeHost(std::vector<Symbol>& targets) {
  return std::erase(targets, Symbol(ir::kHost)) > 0;
}

std::optional<ir::StateKind> stateOf(Context& context, const syntax::Name& state) {
  for (const ir::StateKind k : {ir::StateKind::Params, ir::StateKind::Grads, ir::StateKind::Optimizer})
    if (ir::name(k) == state.text.view()) return k;
  auto report = context.report(UnknownState, state.range, {{"state", state.text.str()}});
  report.meantElse(state.text.view(), {"params", "grads", "optimizer"}, "states are `params`, `grads` and `optimizer`");
  return std::nullopt;
}

namespace {

/// The name of a rule in messages: `decoder.seq`.
std::string shown(const ir::Selector& s, std::string_view dim) {
  return s.steps.empty() ? std::string(dim) : fmt::format("{}.{}", s.str(), dim);
}

/// The texts of the rules, sorted.
template <class Rule> std::vector<std::string> ruleTexts(const std::vector<Rule>& rules) {
  std::vector<std::string> texts;
  for (const Rule& r : rules) texts.push_back(ruleKey(r) + " " + ir::effectText(r));
  std::sort(texts.begin(), texts.end());
  return texts;
}

/// The names of the rules in messages, sorted.
template <class Rule> std::vector<std::string> ruleNames(const RuleDrafts<Rule>& drafts) {
  std::vector<std::string> names;
  for (const Rule& r : drafts.rules) names.push_back(shown(r.selector, subjectOf(r)));
  std::sort(names.begin(), names.end());
  return names;
}

/// An edit that turns the rule into the rule `name`, if only its subject or only its selector differs and is written
/// literally; else nothing.
std::optional<TextEdit> renamingEdit(Context& context, const ir::Selector& selector, SourceRange subject,
                                     const std::string& written, const std::string& name) {
  const size_t dot = name.rfind('.');
  const std::string before = dot == std::string::npos ? "" : name.substr(0, dot);
  const std::string behind = dot == std::string::npos ? name : name.substr(dot + 1);
  if (before == selector.str() || (before.empty() && selector.steps.empty())) return TextEdit{subject, behind, written};
  if (behind != written || context.text(selector.range) != selector.str()) return std::nullopt;
  return TextEdit{selector.range, before};
}

/// Adds a rule of one plan, or replaces an inherited rule. `subject`: the place of its dimension or state.
template <class Rule>
void mergeRule(Context& context, RuleDrafts<Rule>& drafts, Rule made, SourceRange subject, bool isOverride,
               const ChainLink& link) {
  const std::string text = shown(made.selector, subjectOf(made));
  const auto known = drafts.keys.find(ruleKey(made));
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
    drafts.keys.emplace(ruleKey(made), std::pair(drafts.rules.size(), link.index));
    drafts.rules.push_back(std::move(made));
    return;
  }
  auto& [index, layer] = known->second;
  Rule& before = drafts.rules[index];
  if (layer == link.index) {
    context.report(RuleTwice, subject, {{"key", text}})
        .label(before.range, "the first one")
        .help("keep one of them; list several axes in one rule, `-> [dp, tp]`, and write a rule for some layers in "
              "braces after their names");
    return;
  }
  if (!isOverride) return reportNeedsOverride(context, subject, text, before.range);
  layer = link.index;
  if (!(link.parametric && choosesInstances(made.selector)) && ir::effectText(before) == ir::effectText(made))
    reportOverrideChangesNothing(context, made.range, text, before.range);
  before = std::move(made);
}

/// Reads one line of a `place` block. An overload below reads the lines of `states` blocks.
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
  if (rule.facts) reportRuleFact(elab, rule.facts->range, "{ … }", "a placement of a dimension", "remove the braces");
  if (!axes || (rule.via && !ring) || rule.facts) return;
  const SourceRange targets = SourceRange::cover(rule.targets.front().range, rule.targets.back().range);
  for (const syntax::Name& dim : rule.dims)
    mergeRule(elab.context, drafts,
              ir::PlacementRule{selector, dim.text, *axes, ring, rule.uneven, rule.contiguous, rule.optional,
                                rule.range, dim.range, targets},
              dim.range, isOverride, link);
}

void mergeLine(Elaboration& elab, RuleDrafts<ir::StateRule>& drafts, const syntax::PlaceRule& rule, bool isOverride,
               ChainLink& link, const ir::Selector& selector) {
  const auto axes = targetsOf(elab.context, rule);
  const bool plain = !rule.via && !rule.uneven && !rule.contiguous;
  if (!plain) elab.context.report(StateForm, rule.range);
  const bool useless = rule.optional && selector.steps.empty();
  if (useless)
    reportRuleFact(elab, rule.range, "optional", "a state of the whole model",
                   "remove it: only a rule of some layers can be optional");
  const auto facts = stateFacts(elab, rule, link.scope);
  if (!axes || !plain || !facts || !facts->holds || useless) return;
  for (const syntax::Name& state : rule.dims) {
    const auto kind = stateOf(elab.context, state);
    if (!kind) continue;
    ir::StateRule made{selector, *kind, *axes, rule.range, facts->regather};
    made.host = takeHost(made.targets);
    made.optional = rule.optional;
    mergeRule(elab.context, drafts, std::move(made), state.range, isOverride, link);
  }
}

/// Reads the rules of a block and of its nested blocks, below `prefix`.
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

/// `override place = { … }`, `override states = { … }`: removes all inherited rules.
template <class Rule>
void replaceRules(Elaboration& elab, const MergedPlan& merged, RuleDrafts<Rule>& drafts, std::string_view what,
                  const syntax::PlaceBlock& block, const syntax::PlanItem& item, ChainLink& link) {
  if (drafts.keys.empty()) {
    reportNothingInherited(elab.context, item.range, what, link)
        .help(fmt::format("write `{} {{ … }}` to add rules", what));
    return;
  }
  const SourceRange first = drafts.rules.front().range;
  int given = -1; // newest layer among the rules: that of this plan if it has another such statement
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

/// Checks that every axis of a rule exists, with one report per name and rule. `at`: the place of the names in a rule.
template <class Rule>
void checkTargets(Elaboration& elab, MeshDraft& mesh, const RuleDrafts<Rule>& drafts, std::string_view what,
                  SourceRange Rule::*at) {
  for (const Rule& r : drafts.rules)
    for (Symbol t : r.targets)
      elab.ok &= knownAxis(elab.context, mesh, t, r.*at, drafts.keys.at(ruleKey(r)).second, what);
}

} // namespace

void mergePlacements(Elaboration& elab, MergedPlan& merged, const syntax::PlaceBlock& block,
                     const syntax::PlanItem& item, ChainLink& link) {
  mergeBlockOfRules(elab, merged, merged.placements, ir::name(ir::Statement::Place), block, item, link);
}

void mergeStates(Elaboration& elab, MergedPlan& merged, const syntax::PlaceBlock& block, const syntax::PlanItem& item,
                 ChainLink& link) {
  mergeBlockOfRules(elab, merged, merged.states, ir::name(ir::Statement::States), block, item, link);
}

void placementRules(Elaboration& elab, MergedPlan& merged) {
  checkTargets(elab, merged.mesh, merged.placements, ir::name(ir::Statement::Place), &ir::PlacementRule::targetRange);
  checkTargets(elab, merged.mesh, merged.states, ir::name(ir::Statement::States), &ir::StateRule::range);
  elab.plan.placements = merged.placements.rules;
  elab.plan.states = merged.states.rules;
}

} // namespace planc::frontend
