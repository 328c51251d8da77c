// Merges `keep` statements along `extends`: which side of a reshard is kept for backward.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/Selectors.h"
#include "frontend/plan/Merge.h"
#include "frontend/plan/Steps.h"

#include <algorithm>

namespace planc::frontend {

PLANC_ERROR(UnknownSide, 756, "`{side}` is not a side of a reshard that can be kept")

namespace {

std::vector<std::string> keepTexts(const std::vector<KeepDraft>& keeps) {
  std::vector<std::string> texts;
  for (const auto& [keep, layer] : keeps)
    texts.push_back(keep.selector.str() + (keep.host ? " = host" : keep.gathered ? " = gathered" : " = split"));
  std::sort(texts.begin(), texts.end());
  return texts;
}

/// `override keep …`: removes the inherited statements.
void replaceKeeps(Context& context, MergedPlan& merged, SourceRange at, const ChainLink& link) {
  std::vector<KeepDraft>& keeps = merged.keeps;
  if (keeps.empty())
    reportNothingInherited(context, at, ir::name(ir::Statement::Keep), link).help("remove `override` to add it");
  else if (keeps.front().layer < link.index)
    merged.keepOverride = OverrideDraft{
        keepTexts(keeps), at, keeps.front().keep.selector.range, link.index,
        std::any_of(keeps.begin(), keeps.end(), [](const KeepDraft& k) { return choosesInstances(k.keep.selector); })};
  std::erase_if(keeps, [&](const KeepDraft& k) { return k.layer < link.index; });
}

} // namespace

void mergeKeep(Elaboration& elab, MergedPlan& merged, const syntax::KeepStmt& s, const syntax::PlanItem& item,
               ChainLink& link) {
  if (item.override_) replaceKeeps(elab.context, merged, item.range, link);
  bool gathered = true, host = false;
  if (s.side) {
    host = s.side->text == Symbol(ir::kHost);
    gathered = !host && s.side->text != Symbol("split");
    if (gathered && s.side->text != Symbol("gathered")) {
      auto report = elab.context.report(UnknownSide, s.side->range, {{"side", s.side->text.str()}});
      report.meantElse(s.side->text.view(), {"gathered", "split", std::string(ir::kHost)},
                       "sides are `gathered`, `split` and `host`");
      elab.ok = false;
    }
  }
  for (const syntax::Selector& sel : s.selectors)
    if (auto made = makeSelector(elab.ev, sel, link.scope))
      merged.keeps.push_back({{std::move(*made), gathered, host}, link.index});
}

void checkKeepOverride(Context& context, const MergedPlan& merged, const ChainLink& link) {
  const auto& over = merged.keepOverride;
  if (over && over->layer == link.index && !(link.parametric && over->varies) &&
      keepTexts(merged.keeps) == over->before)
    reportOverrideChangesNothing(context, over->range, ir::name(ir::Statement::Keep), over->inherited);
}

void keeps(Elaboration& elab, const MergedPlan& merged) {
  for (const KeepDraft& draft : merged.keeps) elab.plan.keeps.push_back(draft.keep);
}

} // namespace planc::frontend
