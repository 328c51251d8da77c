// Makes a space of the lists of a search: which choices are edits alone, and the order of them.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/search/SearchSpace.h"

#include "frontend/plan/SearchMistakes.h"
#include "frontend/plan/Steps.h"
#include "frontend/search/ListReading.h"
#include "frontend/search/SearchEdits.h"
#include "frontend/search/SearchLists.h"

#include <algorithm>
#include <numeric>

namespace planc::frontend {
PLANC_ERROR(EmptySpace, 691, "the search has no candidates")

namespace {

class SpaceBuilder {
public:
  SpaceBuilder(const SpaceSource& source, PathTree* paths, SearchedLists lists)
      : source_(source), paths_(paths), lists_(std::move(lists)) {}

  /// False after a report.
  bool run(const std::set<std::string>& reads) {
    const std::vector<bool> outer = outerOnes(reads);
    if (!edits(outer) || !checkOuter(outer)) return false;
    order(outer);
    lists_.space.writer = source_.writer;
    ir::Space& space = lists_.space.space;
    space.fill = source_.lines.fill;
    space.fillRange = source_.lines.fillRange;
    space.top = source_.lines.top;
    if (space.size() > 0) return true;
    std::vector<SourceRange> empty;
    for (const ir::Choice& c : space.choices)
      if (c.values.empty()) empty.push_back(c.range);
    const SourceRange block = source_.merged.search ? source_.merged.search->range : SourceRange{};
    auto report = source_.elab.context.report(EmptySpace, empty.empty() ? block : empty.front());
    for (size_t i = 0; i < empty.size(); ++i)
      i == 0 ? report.primary("a list without values") : report.label(empty[i], "a list without values");
    return false;
  }

  SearchedSpace take() { return std::move(lists_.space); }

private:
  const VariedGroup& group(size_t g) const { return source_.lines.groups[g]; }

  bool checkOuter(const std::vector<bool>& outer) {
    std::vector<WrittenValue> values;
    for (const auto& l : lists_.looked)
      if ((outer[l.first] || l.second.edit.shown == "0") && !lists_.openElements[l.first]) values.push_back(l.second);
    return checkWritten(source_.elab, source_.merged, values);
  }

  // ---- which choices are edits alone

  /// Others are set in the text of the plan: their values, or what the text computes of them, decide more than
  /// themselves.
  std::vector<bool> outerOnes(const std::set<std::string>& reads) const {
    std::vector<bool> outer(source_.lines.groups.size());
    for (size_t g = 0; g < outer.size(); ++g)
      for (const VariedLine& line : group(g).lines) {
        const auto isRead = [&](const std::string& path) { return samePlace(path, line.path); };
        const bool counts = isCount(line.kind);
        outer[g] = outer[g] || lists_.fails[g] || line.kind == ir::SettingKind::Text ||
                   (lists_.openElements[g] && !counts) || std::any_of(reads.begin(), reads.end(), isRead) ||
                   std::any_of(source_.elab.plan.reads.begin(), source_.elab.plan.reads.end(), isRead);
      }
    for (size_t g = outer.size(); g-- > 0;)
      if (outer[g])
        for (const uint32_t d : lists_.space.space.choices[g].depends) outer[d] = true;
    return outer;
  }

  /// Turns values into changes of the plan. Rules and `recompute` are made for all values, so that their mistakes are
  /// reported here.
  bool edits(const std::vector<bool>& outer) {
    for (size_t g = 0; g < source_.lines.groups.size(); ++g) {
      const auto& lines = group(g).lines;
      const bool rules = std::any_of(lines.begin(), lines.end(), [](const VariedLine& l) {
        return isOfWords(l.kind) && l.kind != ir::SettingKind::Schedule;
      });
      for (size_t v = 0; (!outer[g] || (rules && !lists_.openElements[g])) && v < lists_.space.edits[g].size(); ++v) {
        auto edit = editOfValue(g, v);
        if (!edit) return false;
        if (!outer[g]) lists_.space.space.choices[g].values[v].edit = std::move(*edit);
      }
    }
    return true;
  }

  std::optional<ir::PlanEdit> editOfValue(size_t g, size_t v) {
    ir::Plan plan;
    Elaboration elab{source_.elab.ev, source_.elab.context, source_.elab.machines, plan};
    const uint64_t failures = source_.elab.context.failures;
    const std::unique_ptr<MergedPlan> merged = source_.with(elab, lists_.space.edits[g][v]);
    if (!merged) return std::nullopt;
    ir::PlanEdit edit;
    for (size_t i = 0; i < group(g).lines.size(); ++i)
      addToEdit(elab, *merged, group(g).lines[i], *lists_.space.edits[g][v][i].value, source_.scopeIn(*merged), edit);
    if (paths_ && elab.ok) checkLayers(elab, *merged, *paths_, source_.elab.plan.model, edit);
    if (!elab.ok || source_.elab.context.failures != failures) return std::nullopt;
    return edit;
  }

  /// Choices that are set in the text first.
  void order(const std::vector<bool>& outer) {
    std::vector<uint32_t> from(outer.size()), to(outer.size());
    std::iota(from.begin(), from.end(), 0U);
    std::stable_partition(from.begin(), from.end(), [&](uint32_t g) { return outer[g]; });
    for (uint32_t i = 0; i < from.size(); ++i) to[from[i]] = i;
    std::vector<ir::Choice> choices;
    std::vector<std::vector<std::vector<Edit>>> edits;
    for (const uint32_t g : from) {
      choices.push_back(std::move(lists_.space.space.choices[g]));
      edits.push_back(std::move(lists_.space.edits[g]));
      choices.back().inner = !outer[g];
      for (uint32_t& d : choices.back().depends) d = to[d];
    }
    lists_.space.space.choices = std::move(choices);
    lists_.space.edits = std::move(edits);
  }

  const SpaceSource& source_;
  PathTree* paths_;
  SearchedLists lists_;
};

} // namespace

void searchSpace(Elaboration& elab, MergedPlan& merged, PathTree* paths, Scope& scope, const SearchLines& lines,
                 const std::set<std::string>& reads) {
  SpaceSource source{elab, merged, lines, &merged.chain.back().decl};
  for (ChainLink& link : merged.chain)
    if (&link.scope == &scope) source.writer = &link.decl;
  auto found = searchLists(source);
  if (!found) {
    elab.ok = false;
    return;
  }
  SpaceBuilder builder(source, paths, std::move(*found));
  if (!builder.run(reads)) elab.ok = false;
  SearchedSpace* out = elab.ok ? merged.edits.search.out : nullptr;
  if (!out) return;
  *out = builder.take();
  if (!merged.edits.search.known) warnOfIdle(elab, merged, lines, out->space, reads);
}

} // namespace planc::frontend
