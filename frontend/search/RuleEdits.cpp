// Rules that are set beside the file, by `--set` or a search.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Merge.h"
#include "frontend/plan/Steps.h"
#include "frontend/plan/Words.h"
#include "frontend/plan/statements/Rules.h"
#include "ir/plan/MeshUse.h"

namespace planc::frontend {

PLANC_ERROR(TargetValue, 798, "a rule takes axes (`tp`, `[cp, tp]`) or `replicate`; this is `{text}`")

namespace {

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
std::optional<syntax::PlaceRule> ruleOf(Elaboration& elab, const AppliedEdit& edit) {
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
  const auto known = drafts.keys.find(ruleKey(made));
  return known == drafts.keys.end() ? nullptr : &drafts.rules[known->second.first];
}
template <class Rule> void putRule(RuleDrafts<Rule>& drafts, Rule made, int layer) {
  if (Rule* known = knownRule(drafts, made)) {
    *known = std::move(made);
    return;
  }
  drafts.keys.emplace(ruleKey(made), std::pair(drafts.rules.size(), layer));
  drafts.rules.push_back(std::move(made));
}

bool applyPlacement(Elaboration& elab, MergedPlan& merged, AppliedEdit& edit, const syntax::PlaceRule& rule,
                    ir::PlacementRule made, int layer) {
  const auto axes = targetsOf(elab.context, rule);
  if (rule.facts) {
    reportRuleFact(elab, rule.facts->range, "( … )", "a placement of a dimension", "remove the parentheses");
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
    made.optional = known->optional;
  }
  merged.edits.placements.push_back(made);
  putRule(merged.placements, std::move(made), layer);
  return true;
}

bool applyState(Elaboration& elab, MergedPlan& merged, AppliedEdit& edit, const syntax::PlaceRule& rule,
                ir::StateRule made, int layer) {
  const auto kind = stateOf(elab.context, rule.dims.front());
  const auto axes = targetsOf(elab.context, rule);
  const auto facts = stateFacts(elab, rule, *edit.scope);
  if (!kind || !axes || !facts) return false;
  made.state = *kind;
  made.targets = *axes;
  made.host = takeHost(made.targets);
  made.regather = facts->regather;
  if (const ir::StateRule* known = knownRule(merged.states, made)) {
    edit.before = ir::targetText(known->targets, known->host);
    if (!known->regather) edit.before += "(regather = false)";
    if (!rule.facts && !axes->empty()) made.regather = known->regather;
    made.optional = known->optional;
  }
  merged.edits.states.push_back(made);
  putRule(merged.states, std::move(made), layer);
  return true;
}

} // namespace

void applyRule(Elaboration& elab, MergedPlan& merged, AppliedEdit& edit, int layer) {
  edit.applied = true;
  syntax::Selector layers = *edit.place;
  const bool states = layers.steps.size() > 1 && ir::is(layers.steps.front().name.text, ir::Statement::States);
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
                                            false,
                                            rule->range,
                                            rule->dims.front().range,
                                            rule->range},
                          layer);
  elab.ok &= good;
}

} // namespace planc::frontend
