// What backward does again: `recompute` statements with their facts, through `extends`, and the checks that need the
// model.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/PlanBuilder.h"
#include "support/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(NestedCheckpoints, 750, "`{inner}` is recomputed {where}")
PLANC_ERROR(TooManyCheckpoints, 758, "more than {limit} `recompute` selectors")
PLANC_ERROR(UnknownSaved, 790, "nothing that `{selector}` recomputes makes `{saved}`")
PLANC_ERROR(SavedForm, 791, "`{saved}` chooses instances, and a saved result is of all that are recomputed")
PLANC_ERROR(FirstForm, 792, "`first` is {value}; it takes at least 1")
PLANC_ERROR(NoneBeside, 793, "`recompute none` beside another `recompute`")

// All `recompute` statements of a plan are overridden together.
void PlanBuilder::recompute(const syntax::RecomputeStmt& s, const syntax::PlanItem& item, Scope& scope, int layer) {
  if (item.override_) {
    if (recompute_.empty())
      reportNothingToOverride(context_, item.range, "recompute", fmt::format("plan `{}`", layers_.back()->name.view()))
          .help("leave `override` out to add it");
    else if (recompute_.front().layer < layer)
      recomputeOverride_ = OverrideDraft{
          recomputeTexts(), item.range, recompute_.front().rule.range, layer,
          std::any_of(recompute_.begin(), recompute_.end(), [](const RecomputeDraft& d) { return d.varies; })};
    std::erase_if(recompute_, [&](const RecomputeDraft& d) { return d.layer < layer; });
  }
  RecomputeDraft draft{{}, layer, s.selectors.empty()};
  draft.rule.range = s.range;
  draft.varies = varies(s.selectors, scope);
  if (s.facts)
    for (const syntax::SectionItem& fact : s.facts->items)
      if (const auto* f = std::get_if<syntax::Fact>(&fact); f && f->name.text != Symbol("save"))
        draft.varies |= varies(*f->value, scope);
  for (const syntax::Selector& sel : s.selectors)
    if (auto made = makeSelector(ev_, sel, scope)) draft.rule.selectors.push_back(std::move(*made));
  if (s.facts) recomputeFacts(*s.facts, scope, draft.rule);
  if (noneBeside(draft)) return;
  if (draft.none || !draft.rule.selectors.empty()) recompute_.push_back(std::move(draft));
}

/// Nothing is recomputed and something is: they contradict each other.
bool PlanBuilder::noneBeside(const RecomputeDraft& draft) {
  const auto other =
      std::find_if(recompute_.begin(), recompute_.end(), [&](const RecomputeDraft& d) { return d.none != draft.none; });
  if (other == recompute_.end()) return false;
  context_.report(NoneBeside, draft.rule.range)
      .label(other->rule.range, other->layer < draft.layer ? "inherited from here" : "the other statement")
      .help(other->layer < draft.layer
                ? fmt::format("write `override {}` to replace what is inherited", context_.text(draft.rule.range))
                : std::string("take one of them out"));
  ok_ = false;
  return true;
}

void PlanBuilder::recomputeFacts(const syntax::Section& facts, Scope& scope, ir::Recompute& out) {
  static const std::vector<std::string> kFacts{"save", "outputs", "first"};
  const FactOwner owner{"`recompute`", out.range};
  std::vector<const syntax::Fact*> seen;
  for (const syntax::SectionItem& item : facts.items) {
    const auto* fact = std::get_if<syntax::Fact>(&item);
    const auto* section = std::get_if<syntax::Section>(&item);
    if (!fact || !fact->members.empty() || fact->args || !recomputeFact(*fact, scope, out)) {
      const SourceRange at = fact ? fact->name.range : section ? section->name.range : facts.range;
      reportUnknownFact(context_, at,
                        fact      ? fact->name.text.view()
                        : section ? section->name.text.view()
                                  : "require",
                        owner, kFacts);
      ok_ = false;
      continue;
    }
    for (const syntax::Fact* before : seen)
      if (before->name.text == fact->name.text)
        reportGivenTwice(context_, fact->name.range, fact->name.text.view(), before->name.range);
    seen.push_back(fact);
  }
}

/// False if `recompute` has no such fact.
bool PlanBuilder::recomputeFact(const syntax::Fact& fact, Scope& scope, ir::Recompute& out) {
  static const Symbol kSave("save"), kOutputs("outputs"), kFirst("first");
  static const TypeInfo kBool{.kind = TypeInfo::Kind::Bool, .name = "bool"};
  if (fact.name.text == kSave) {
    out.saves = paths(fact.value);
    for (size_t i = 0; i < out.saves.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (out.saves[i].str() == out.saves[j].str()) {
          reportGivenTwice(context_, out.saves[i].range, out.saves[i].str(), out.saves[j].range);
          ok_ = false;
          return true;
        }
    for (const ir::Selector& s : out.saves)
      if (choosesInstances(s)) {
        context_.report(SavedForm, s.range, {{"saved", s.str()}})
            .help("choose the instances in the selector, `recompute decoder[0:4] { save = [attn.core] }`");
        ok_ = false;
      }
    return true;
  }
  if (fact.name.text == kOutputs) {
    const Value v = ev_.coerce(ev_.evaluate(*fact.value, scope), kBool, "`outputs`");
    if (v.invalid()) ok_ = false;
    out.outputs = !v.invalid() && v.truth;
    out.outputsRange = fact.range;
    return true;
  }
  if (fact.name.text != kFirst) return false;
  const auto count = ev_.integer(*fact.value, scope, "`first`");
  if (count && *count < 1) {
    context_.report(FirstForm, fact.value->range, {{"value", *count}})
        .help("leave the statement out to recompute nothing");
    ok_ = false;
  } else if (count) {
    out.first = *count;
  }
  out.firstRange = fact.range;
  return true;
}

/// One text per selector with the facts that hold for it, in one order.
std::vector<std::string> PlanBuilder::recomputeTexts() const {
  std::vector<std::string> texts;
  for (const RecomputeDraft& d : recompute_) {
    ir::Recompute one = d.rule;
    for (const ir::Selector& s : d.rule.selectors) {
      one.selectors = {s};
      texts.push_back(one.str());
    }
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

void PlanBuilder::checkOverrideChanges(int layer) {
  const bool recomputes =
      recomputeOverride_ && recomputeOverride_->layer == layer && recomputeTexts() == recomputeOverride_->before;
  const bool mayVary = overrideParametric_ && recomputes &&
                       (recomputeOverride_->varies || std::any_of(recompute_.begin(), recompute_.end(),
                                                                  [](const RecomputeDraft& d) { return d.varies; }));
  if (recomputes && !mayVary)
    reportOverrideChangesNothing(context_, recomputeOverride_->range, "recompute", recomputeOverride_->inherited);
  if (keepOverride_ && keepOverride_->layer == layer && !(overrideParametric_ && keepOverride_->varies) &&
      keepTexts() == keepOverride_->before)
    reportOverrideChangesNothing(context_, keepOverride_->range, "keep", keepOverride_->inherited);
}

namespace {

/// What lies behind the selectors of a statement: how much of a saved name is found there, and what stands in its
/// place.
struct SavedSearch {
  const ir::Recompute& rule;
  const ir::Selector& saved;
  size_t found = 0; ///< steps of the name
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

} // namespace

void PlanBuilder::checkSavedNames() {
  if (!ok_ || !plan_->model) return;
  for (const ir::Recompute& rule : plan_->recompute)
    for (const ir::Selector& saved : rule.saves) {
      SavedSearch search{rule, saved};
      search.run(*plan_->model);
      if (search.found == saved.steps.size()) continue;
      ok_ = false;
      ir::Recompute plain{rule.selectors};
      auto report = context_.report(UnknownSaved, saved.range, {{"selector", plain.str()}, {"saved", saved.str()}});
      if (search.parameter) {
        report.help("it is a parameter, which is there anyway: name the layer whose result is to be kept");
        continue;
      }
      const std::string& wrong = saved.steps[search.found].name.str();
      if (const auto meant = didYouMean(wrong, search.names); !meant.empty()) {
        report.help(meant);
        continue;
      }
      std::string list;
      for (size_t i = 0; i < std::min<size_t>(search.names.size(), 12); ++i)
        list += (i ? ", `" : "`") + search.names[i] + "`";
      report.note("names are those inside of a match, `save = [attn.core]` of `recompute decoder`");
      if (!list.empty()) report.note(fmt::format("layers there: {}{}", list, search.names.size() > 12 ? ", …" : ""));
    }
}

/// The plan of the chain that wrote a selector of `recompute`.
int PlanBuilder::layerOf(const ir::Selector& selector) const {
  for (const RecomputeDraft& d : recompute_)
    if (d.rule.range.file == selector.range.file && d.rule.range.begin <= selector.range.begin &&
        selector.range.end <= d.rule.range.end)
      return d.layer;
  return 0;
}

/// Each match is one checkpoint, so no two may meet.
void PlanBuilder::checkCheckpoints() {
  constexpr size_t kCheckpoints = 1000; // the check compares pairs
  std::vector<const ir::Selector*> all;
  for (const ir::Recompute& rule : plan_->recompute)
    for (const ir::Selector& s : rule.selectors) all.push_back(&s);
  if (all.size() > kCheckpoints) {
    context_.report(TooManyCheckpoints, all[kCheckpoints]->range, {{"limit", kCheckpoints}})
        .help("use a slice: `recompute decoder[0:80:2]`");
    ok_ = false;
    return;
  }
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (!overlaps(*all[i], *all[j])) continue;
      const bool deeper = all[i]->steps.size() >= all[j]->steps.size();
      const ir::Selector &inner = deeper ? *all[i] : *all[j], &outer = deeper ? *all[j] : *all[i];
      const bool same = inner.str() == outer.str();
      const ir::Selector &later = layerOf(*all[i]) >= layerOf(*all[j]) ? *all[i] : *all[j],
                         &earlier = &later == all[i] ? *all[j] : *all[i];
      const bool derived = layerOf(later) != layerOf(earlier);
      const ir::Selector &at = same || derived ? later : inner, &other = &at == all[i] ? *all[j] : *all[i];
      context_
          .report(NestedCheckpoints, at.range,
                  {{"inner", inner.str()}, {"where", same ? "twice" : fmt::format("inside `{}`", outer.str())}})
          .label(other.range, same               ? "the other statement"
                              : &other == &outer ? "this checkpoint replays it already"
                                                 : "it is replayed here already")
          .help(!derived ? "take one of them out"
                : same   ? "take it out: it is inherited"
                         : fmt::format("`{}` is inherited: write `override recompute {}` to replace what is",
                                       earlier.str(), later.str()));
      ok_ = false;
      return;
    }
}

} // namespace planc::frontend
