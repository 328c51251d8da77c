// Placements and states of a plan: nested scopes become rules, one per selector and dimension, under the override
// rules.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/PlanBuilder.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(RuleTwice, 658, "two rules place `{key}`")
PLANC_ERROR(UnknownState, 660, "`{state}` is no state of a parameter")
PLANC_ERROR(UnknownVia, 661, "`{via}` is no way to move a dimension")
PLANC_ERROR(ReplicateAlone, 667, "`replicate` means no axis: it stands alone")
PLANC_ERROR(StateForm, 668, "a state takes axes only")
PLANC_ERROR(RuleFact, 780, "`{fact}` is no fact of {what}")
PLANC_ERROR(TooManyRules, 669, "a plan of more than {limit} rules")

namespace {

const Symbol kReplicate("replicate");

std::string keyOf(const ir::Selector& s, std::string_view dim) {
  return s.str() + " " + std::string(dim);
}

/// How a rule is named in messages: `seq` of `decoder`.
std::string shown(const ir::Selector& s, std::string_view dim) {
  return s.steps.empty() ? std::string(dim) : fmt::format("{}.{}", s.str(), dim);
}

} // namespace

void PlanBuilder::place(const syntax::PlaceBlock& block, bool isOverride, Scope& scope, int layer, bool states,
                        const ir::Selector& prefix) {
  std::vector<ir::Selector> selectors;
  if (block.selectors.empty()) selectors.push_back(prefix);
  for (const syntax::Selector& s : block.selectors)
    if (auto made = makeSelector(ev_, s, scope, prefix)) selectors.push_back(std::move(*made));
  for (const ir::Selector& selector : selectors)
    for (const syntax::PlaceItem& item : block.items) {
      if (plan_->placements.size() + plan_->states.size() > limits::kRules) {
        context_.report(TooManyRules, block.range, {{"limit", limits::kRules}});
        return;
      }
      if (const auto* inner = std::get_if<const syntax::PlaceBlock*>(&item.item)) {
        place(**inner, isOverride, scope, layer, states, selector);
      } else if (states) {
        stateRule(std::get<syntax::PlaceRule>(item.item), isOverride, scope, layer, selector);
      } else {
        placementRule(std::get<syntax::PlaceRule>(item.item), isOverride, layer, selector);
      }
    }
}

namespace {

std::string targetText(const std::vector<Symbol>& targets) {
  std::string text = " ->";
  for (Symbol t : targets) text += " " + t.str();
  return text;
}

} // namespace

/// What the rules say, in an order of their own.
std::vector<std::string> PlanBuilder::ruleTexts(bool states) const {
  std::vector<std::string> texts;
  if (states)
    for (const ir::StateRule& r : plan_->states)
      texts.push_back(keyOf(r.selector, ir::name(r.state)) + targetText(r.targets) + (r.regather ? "" : " kept") +
                      (r.host ? " host" : ""));
  else
    for (const ir::PlacementRule& r : plan_->placements)
      texts.push_back(keyOf(r.selector, r.dim.view()) + targetText(r.targets) + (r.ring ? " ring" : "") +
                      (r.uneven ? " uneven" : "") + (r.contiguous ? " contiguous" : ""));
  std::sort(texts.begin(), texts.end());
  return texts;
}

/// `override place = { … }`, `override states = { … }`: none of the inherited rules is left.
void PlanBuilder::wholeRules(const syntax::PlaceBlock& block, const syntax::PlanItem& item, Scope& scope, int layer,
                             bool states) {
  const std::string_view what = states ? "states" : "place";
  auto& keys = states ? stateKeys_ : placementKeys_;
  if (keys.empty()) {
    reportNothingToOverride(context_, item.range, what, fmt::format("plan `{}`", layers_.back()->name.view()))
        .help(fmt::format("write `{} {{ … }}` to add rules", what));
    return;
  }
  const SourceRange first = states ? plan_->states.front().range : plan_->placements.front().range;
  int given = -1; // the layer of another such statement, if this plan has one
  for (const auto& [key, rule] : keys) given = std::max(given, rule.second);
  const std::pair known{first, given};
  if (!mayReplace(item, layer, what, &known)) return;
  const std::vector<std::string> before = ruleTexts(states);
  const auto sliced = [](const auto& rules) {
    return std::any_of(rules.begin(), rules.end(), [](const auto& r) { return choosesInstances(r.selector); });
  };
  const bool byChance = overrideParametric_ && (states ? sliced(plan_->states) : sliced(plan_->placements));
  keys.clear();
  states ? plan_->states.clear() : plan_->placements.clear();
  place(block, false, scope, layer, states, {});
  if (!byChance && before == ruleTexts(states)) reportOverrideChangesNothing(context_, item.range, what, first);
}

/// The axes of a rule, major first; empty for `replicate`. Whether they exist is looked at when the mesh is merged.
std::optional<std::vector<Symbol>> PlanBuilder::targets(const syntax::PlaceRule& rule) {
  std::vector<Symbol> names;
  for (const syntax::DottedName& t : rule.targets) {
    const Symbol name = t.parts.size() == 1 ? t.parts[0].text : Symbol(t.str());
    if (name == kReplicate && rule.targets.size() > 1) {
      context_.report(ReplicateAlone, t.range);
      return std::nullopt;
    }
    if (name != kReplicate) names.push_back(name);
  }
  return names;
}

int PlanBuilder::ruleKey(std::unordered_map<std::string, std::pair<size_t, int>>& keys, const std::string& key,
                         const std::string& text, bool isOverride, int layer, SourceRange at, size_t next,
                         size_t& index, const std::function<SourceRange(size_t)>& rangeOf) {
  auto known = keys.find(key);
  if (known == keys.end()) {
    if (isOverride) {
      auto report = reportNothingToOverride(context_, at, text, fmt::format("plan `{}`", layers_.back()->name.view()));
      std::vector<std::string> names;
      for (const auto& [k, v] : keys) {
        std::string name = k;
        if (const size_t space = name.find(' '); space == 0)
          name.erase(0, 1);
        else if (space != std::string::npos)
          name[space] = '.';
        names.push_back(std::move(name));
      }
      std::sort(names.begin(), names.end());
      if (auto meant = didYouMean(text, names); !meant.empty()) report.help(meant);
      return -1;
    }
    keys.emplace(key, std::pair(next, layer));
    return 0;
  }
  index = known->second.first;
  if (known->second.second == layer) {
    context_.report(RuleTwice, at, {{"key", text}})
        .label(rangeOf(index), "the first one")
        .help("keep one of them; several axes in one rule are a list, `-> [dp, tp]`, and a rule for some layers only "
              "stands in braces behind their names");
    return -1;
  }
  if (!isOverride) {
    reportNeedsOverride(context_, at, text, rangeOf(index));
    return -1;
  }
  known->second.second = layer;
  return 1;
}

void PlanBuilder::placementRule(const syntax::PlaceRule& rule, bool isOverride, int layer,
                                const ir::Selector& selector) {
  const auto axes = targets(rule);
  bool ring = false;
  if (rule.via) {
    ring = rule.via->text == Symbol("ring");
    if (!ring) {
      auto report = context_.report(UnknownVia, rule.via->range, {{"via", rule.via->text.str()}});
      const auto meant = didYouMean(rule.via->text.view(), {"ring"});
      report.help(meant.empty() ? "keys and values go around `via ring`" : meant);
    }
  }
  if (rule.facts) ruleFact(rule.facts->range, "{ … }", "a placement of a dimension", "leave the braces out");
  if (!axes || (rule.via && !ring) || rule.facts) return;
  SourceRange targetRange = rule.targets.front().range;
  targetRange = SourceRange::cover(targetRange, rule.targets.back().range);
  for (const syntax::Name& dim : rule.dims) {
    ir::PlacementRule made{selector,        dim.text,   *axes,     ring,       rule.uneven,
                           rule.contiguous, rule.range, dim.range, targetRange};
    size_t index = 0;
    const int action =
        ruleKey(placementKeys_, keyOf(selector, dim.text.view()), shown(selector, dim.text.view()), isOverride, layer,
                dim.range, plan_->placements.size(), index, [&](size_t i) { return plan_->placements[i].range; });
    if (action == 0) plan_->placements.push_back(std::move(made));
    if (action != 1) continue;
    ir::PlacementRule& before = plan_->placements[index];
    if (!(overrideParametric_ && choosesInstances(selector)) && before.targets == made.targets &&
        before.ring == made.ring && before.uneven == made.uneven && before.contiguous == made.contiguous)
      reportOverrideChangesNothing(context_, rule.range, shown(selector, dim.text.view()), before.range);
    before = std::move(made);
  }
}

namespace {

/// `host` among the targets of a state is no axis: the shard lives in the host's memory.
bool takeHost(std::vector<Symbol>& targets) {
  return std::erase(targets, Symbol(ir::kHost)) > 0;
}

} // namespace

void PlanBuilder::ruleFact(SourceRange at, std::string_view fact, std::string_view what, std::string_view help) {
  context_.report(RuleFact, at, {{"fact", fact}, {"what", what}}).help(std::string(help));
  ok_ = false;
}

/// `{ regather = false }`, of parameters only.
std::optional<bool> PlanBuilder::regather(const syntax::PlaceRule& rule, Scope& scope) {
  static const TypeInfo kBool{.kind = TypeInfo::Kind::Bool, .name = "bool"};
  const Symbol kRegather("regather");
  bool regather = true;
  if (!rule.facts) return regather;
  for (const syntax::Name& state : rule.dims)
    if (state.text.view() != ir::name(ir::StateKind::Params)) {
      ruleFact(rule.facts->range, "regather", fmt::format("`{}`", state.text.view()),
               "only parameters are gathered: write `params -> … { regather = false }` on a line of its own");
      return std::nullopt;
    }
  for (const syntax::SectionItem& item : rule.facts->items) {
    const auto* fact = std::get_if<syntax::Fact>(&item);
    if (!fact || fact->name.text != kRegather || !fact->members.empty() || fact->args) {
      ruleFact(fact ? fact->name.range : rule.facts->range, fact ? fact->name.text.view() : "{ … }", "a state",
               "`params` takes `regather`: whether backward gathers them again");
      return std::nullopt;
    }
    const Value v = ev_.coerce(ev_.evaluate(*fact->value, scope), kBool, "`regather`");
    if (v.invalid()) {
      ok_ = false;
      return std::nullopt;
    }
    regather = v.truth;
  }
  return regather;
}

void PlanBuilder::stateRule(const syntax::PlaceRule& rule, bool isOverride, Scope& scope, int layer,
                            const ir::Selector& selector) {
  const auto axes = targets(rule);
  const bool plain = !rule.via && !rule.uneven && !rule.contiguous;
  if (!plain) context_.report(StateForm, rule.range);
  const auto again = regather(rule, scope);
  if (!axes || !plain || !again) return;
  static const std::vector<ir::StateKind> kStates{ir::StateKind::Params, ir::StateKind::Grads,
                                                  ir::StateKind::Optimizer};
  for (const syntax::Name& state : rule.dims) {
    auto kind =
        std::find_if(kStates.begin(), kStates.end(), [&](ir::StateKind k) { return ir::name(k) == state.text.view(); });
    if (kind == kStates.end()) {
      auto report = context_.report(UnknownState, state.range, {{"state", state.text.str()}});
      const auto meant = didYouMean(state.text.view(), {"params", "grads", "optimizer"});
      report.help(meant.empty() ? "states are `params`, `grads` and `optimizer`" : meant);
      continue;
    }
    ir::StateRule made{selector, *kind, *axes, rule.range, *again};
    made.host = takeHost(made.targets);
    size_t index = 0;
    const int action =
        ruleKey(stateKeys_, keyOf(selector, state.text.view()), shown(selector, state.text.view()), isOverride, layer,
                state.range, plan_->states.size(), index, [&](size_t i) { return plan_->states[i].range; });
    if (action == 0) plan_->states.push_back(std::move(made));
    if (action != 1) continue;
    ir::StateRule& before = plan_->states[index];
    if (!(overrideParametric_ && choosesInstances(selector)) && before.targets == made.targets &&
        before.host == made.host && before.regather == made.regather)
      reportOverrideChangesNothing(context_, rule.range, shown(selector, state.text.view()), before.range);
    before = std::move(made);
  }
}

/// Every axis that a rule names exists; one report per name and rule.
void PlanBuilder::checkTargets() {
  for (const ir::PlacementRule& r : plan_->placements)
    for (Symbol t : r.targets)
      ok_ &= knownAxis(t, r.targetRange, placementKeys_.at(keyOf(r.selector, r.dim.view())).second, "place");
  for (const ir::StateRule& r : plan_->states)
    for (Symbol t : r.targets)
      ok_ &= knownAxis(t, r.range, stateKeys_.at(keyOf(r.selector, ir::name(r.state))).second, "states");
}

} // namespace planc::frontend
