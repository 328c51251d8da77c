// Makes a space: what each list depends on, its values for all that it depends on, which choices are edits alone, and
// the order of them.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/SearchSpace.h"

#include "frontend/plan/Mesh.h"
#include "frontend/plan/Reading.h"
#include "frontend/plan/SearchValues.h"
#include "frontend/plan/Steps.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(ValueTwice, 688, "`{value}` is twice in the list of `{path}`")
PLANC_ERROR(UnequalLists, 686, "`{path}` has {count} values and `{other}`, to which it is bound, {expected}")
PLANC_ERROR(LaterChoice, 687, "the list of `{path}` depends on {other}")
PLANC_ERROR(EmptySpace, 691, "the search has no candidates")
PLANC_ERROR(TooManyLists, 692, "the list of `{path}` depends on more than {limit} combinations of other values")

namespace {

constexpr size_t kLists = 20'000;

/// A rule, a word or a path of the model: its names are none of the plan.
bool isOfWords(VariedKind kind) {
  return kind == VariedKind::Placement || kind == VariedKind::State || kind == VariedKind::Recompute ||
         kind == VariedKind::Schedule;
}

/// What elements of words read: numbers among their arguments and slices.
void walkWords(const Expr& e, Scope& scope, Reading& reading) {
  switch (e.kind) {
  case ExprKind::Name:
  case ExprKind::Member:
  case ExprKind::None:
    return;
  case ExprKind::List:
    for (const Expr* kid : e.kids) walkWords(*kid, scope, reading);
    return;
  case ExprKind::Call:
    walkWords(*e.kids[0], scope, reading);
    for (const syntax::Arg& arg : e.args)
      if (!arg.name || arg.name->text != Symbol("save")) reading.walk(*arg.value, scope);
    return;
  case ExprKind::Index:
    walkWords(*e.kids[0], scope, reading);
    for (size_t i = 1; i < e.kids.size(); ++i)
      if (e.kids[i]) reading.walk(*e.kids[i], scope);
    return;
  case ExprKind::If:
    reading.walk(*e.kids[0], scope);
    walkWords(*e.kids[1], scope, reading);
    walkWords(*e.kids[2], scope, reading);
    return;
  default:
    reading.walk(e, scope);
  }
}

/// What a list reads: `which` lists of an `if` there are, and its elements.
void walkList(const VariedLine& line, const Expr& e, Scope& scope, Reading& which, Reading& elements) {
  if (e.kind == ExprKind::If) {
    which.walk(*e.kids[0], scope);
    walkList(line, *e.kids[1], scope, which, elements);
    walkList(line, *e.kids[2], scope, which, elements);
  } else if (e.kind == ExprKind::List && isOfWords(line.kind)) {
    walkWords(e, scope, elements);
  } else {
    elements.walk(e, scope);
  }
}

class SpaceBuilder {
public:
  SpaceBuilder(Elaboration& elab, MergedPlan& merged, PathTree* paths, Scope& scope, const SearchLines& lines)
      : elab_(elab), merged_(merged), paths_(paths), lines_(lines), writer_(&merged.chain.back().decl) {
    for (ChainLink& link : merged.chain)
      if (&link.scope == &scope) writer_ = &link.decl;
  }

  /// False after a report.
  bool run(const std::set<std::string>& reads) {
    for (size_t g = 0; g < lines_.groups.size(); ++g)
      if (!choice(g)) return false;
    const std::vector<bool> outer = outerOnes(reads);
    if (!edits(outer)) return false;
    order(outer);
    out_.writer = writer_;
    ir::Space& space = out_.space;
    space.fill = lines_.fill;
    space.fillRange = lines_.fillRange;
    space.top = lines_.top;
    if (space.size() > 0) return true;
    auto report = elab_.context.report(EmptySpace, merged_.search ? merged_.search->range : SourceRange{});
    for (const ir::Choice& c : space.choices)
      if (c.values.empty()) report.label(c.range, "a list without values");
    return false;
  }

  SearchedSpace take() { return std::move(out_); }

private:
  const VariedGroup& group(size_t g) const { return lines_.groups[g]; }
  std::string nameOf(size_t g) const { return group(g).lines.front().path; }

  // ---- what lists depend on

  /// The choices that these paths belong to. False after a report: one is no earlier choice.
  bool dependOn(size_t g, const Reading& reading, std::vector<uint32_t>& depends) {
    for (const std::string& path : reading.paths()) {
      if (lines_.fill && path == "mesh." + lines_.fill->str())
        return tooLate(g, fmt::format("`{}`, which is filled", path));
      for (uint32_t h = 0; h < lines_.groups.size(); ++h) {
        const auto& lines = group(h).lines;
        if (std::none_of(lines.begin(), lines.end(), [&](const VariedLine& l) { return samePlace(l.path, path); }))
          continue;
        if (h >= g)
          return tooLate(g, h == g ? std::string("itself") : fmt::format("`{}`, which is varied behind it", nameOf(h)));
        if (std::find(depends.begin(), depends.end(), h) == depends.end()) depends.push_back(h);
      }
    }
    std::sort(depends.begin(), depends.end());
    return true;
  }
  bool tooLate(size_t g, std::string other) {
    elab_.context.report(LaterChoice, group(g).range, {{"path", nameOf(g)}, {"other", std::move(other)}})
        .help(
            "a list may depend on what is varied before it: put the lines in that order, or state what is left out as "
            "a `where`");
    return false;
  }
  bool isVaried(const std::string& path) const {
    for (const VariedGroup& g : lines_.groups)
      for (const VariedLine& line : g.lines)
        if (samePlace(line.path, path)) return true;
    return lines_.fill && path == "mesh." + lines_.fill->str();
  }

  // ---- plans with some values set

  Scope& scopeIn(MergedPlan& merged) const {
    for (ChainLink& link : merged.chain)
      if (&link.decl == writer_) return link.scope;
    return merged.chain.back().scope;
  }
  /// The chain folded with these values and what else is set beside the file; null after a report.
  std::unique_ptr<MergedPlan> with(Elaboration& elab, const std::vector<Edit>& values) {
    PlanEdits set;
    set.of = merged_.edits.of;
    for (const Edit& e : merged_.edits.all)
      if (!e.writer &&
          std::none_of(values.begin(), values.end(), [&](const Edit& v) { return v.text() == e.text(); })) {
        Edit& fresh = set.all.emplace_back();
        fresh.path = e.path;
        fresh.place = e.place;
        fresh.value = e.value;
        fresh.range = e.range;
      }
    set.all.insert(set.all.end(), values.begin(), values.end());
    return merge(elab, *merged_.asked, merged_.use, std::move(set));
  }

  // ---- one choice

  bool choice(size_t g) {
    Reading which(merged_, [&](const std::string& p) { return isVaried(p); });
    Reading elements(merged_, [&](const std::string& p) { return isVaried(p); });
    Scope& scope = scopeIn(merged_);
    for (const VariedLine& line : group(g).lines) walkList(line, *line.item->values, scope, which, elements);
    ir::Choice& made = out_.space.choices.emplace_back();
    std::vector<uint32_t> inElements;
    if (!dependOn(g, elements, inElements)) return false;
    made.depends = inElements;
    if (!dependOn(g, which, made.depends)) return false;
    openElements_.push_back(!inElements.empty());
    made.range = group(g).range;
    for (const VariedLine& line : group(g).lines) made.paths.push_back(line.path);
    out_.edits.emplace_back();
    size_t lists = 1;
    for (const uint32_t d : made.depends)
      if (__builtin_mul_overflow(lists, out_.space.choices[d].values.size(), &lists) || lists > kLists) {
        elab_.context.report(TooManyLists, made.range, {{"path", nameOf(g)}, {"limit", kLists}})
            .help("state what is left out as a `where`");
        return false;
      }
    std::map<std::vector<std::string>, uint32_t> known;
    for (size_t at = 0; at < lists; ++at)
      if (!list(g, at, known)) return false;
    return true;
  }

  /// The values of the choices that a list depends on, from its number.
  std::vector<uint32_t> valuesAt(const ir::Choice& choice, size_t at) const {
    std::vector<uint32_t> values(choice.depends.size());
    for (size_t i = values.size(); i-- > 0;) {
      const size_t count = out_.space.choices[choice.depends[i]].values.size();
      values[i] = static_cast<uint32_t>(at % count);
      at /= count;
    }
    return values;
  }
  /// Whether these values go together, as far as they say.
  bool goTogether(const ir::Choice& choice, const std::vector<uint32_t>& values) const {
    std::vector<uint32_t> digits(out_.space.choices.size(), 0);
    std::vector<bool> said(digits.size(), false);
    for (size_t i = 0; i < values.size(); ++i) digits[choice.depends[i]] = values[i], said[choice.depends[i]] = true;
    for (const uint32_t d : choice.depends) {
      const auto& before = out_.space.choices[d].depends;
      if (std::all_of(before.begin(), before.end(), [&](uint32_t b) { return said[b]; }) && !out_.space.has(digits, d))
        return false;
    }
    return true;
  }

  bool list(size_t g, size_t at, std::map<std::vector<std::string>, uint32_t>& known) {
    const std::vector<uint32_t> given = valuesAt(out_.space.choices[g], at);
    std::vector<uint32_t>& indices = out_.space.choices[g].lists.emplace_back();
    if (!goTogether(out_.space.choices[g], given)) return true;
    if (given.empty()) return values(g, merged_, indices, known);
    std::vector<Edit> set;
    for (size_t i = 0; i < given.size(); ++i) {
      const auto& edits = out_.edits[out_.space.choices[g].depends[i]][given[i]];
      set.insert(set.end(), edits.begin(), edits.end());
    }
    ir::Plan plan;
    Elaboration elab{elab_.ev, elab_.context, elab_.machines, plan};
    const std::unique_ptr<MergedPlan> merged = with(elab, set);
    return merged && elab.ok && values(g, *merged, indices, known);
  }

  static std::vector<std::string> textsAt(const std::vector<std::vector<VariedValue>>& columns, size_t i) {
    std::vector<std::string> texts;
    for (const auto& column : columns) texts.push_back(column[i].text);
    return texts;
  }
  /// Values that are bound may repeat by themselves, not all of them at once.
  bool checkTwice(size_t g, const std::vector<std::vector<VariedValue>>& columns) {
    std::map<std::vector<std::string>, size_t> seen;
    for (size_t i = 0; i < columns.front().size(); ++i) {
      const auto [first, fresh] = seen.emplace(textsAt(columns, i), i);
      if (fresh) continue;
      std::string value;
      for (const std::string& text : first->first) value += (value.empty() ? "" : " with ") + text;
      const SourceRange at = columns.front()[i].expr->range, before = columns.front()[first->second].expr->range;
      auto report = elab_.context.report(ValueTwice, at, {{"value", value}, {"path", nameOf(g)}});
      if (before != at) report.label(before, "the first one");
      return false;
    }
    return true;
  }

  bool values(size_t g, MergedPlan& merged, std::vector<uint32_t>& indices,
              std::map<std::vector<std::string>, uint32_t>& known) {
    std::vector<std::vector<VariedValue>> columns;
    for (const VariedLine& line : group(g).lines) {
      auto column = variedValues(elab_, line, scopeIn(merged), out_);
      if (!column) return false;
      if (!columns.empty() && column->size() != columns.front().size()) {
        elab_.context
            .report(UnequalLists, line.item->values->range,
                    {{"path", line.path},
                     {"count", column->size()},
                     {"other", nameOf(g)},
                     {"expected", columns.front().size()}})
            .label(group(g).lines.front().item->values->range, fmt::format("{} values", columns.front().size()))
            .help("values go together by their places: write as many of each");
        return false;
      }
      columns.push_back(std::move(*column));
    }
    if (!checkTwice(g, columns)) return false;
    for (size_t i = 0; i < columns.front().size(); ++i) {
      const std::vector<std::string> texts = textsAt(columns, i);
      const auto [found, fresh] = known.emplace(texts, static_cast<uint32_t>(known.size()));
      indices.push_back(found->second);
      if (!fresh) continue;
      out_.space.choices[g].values.push_back({texts, {}});
      std::vector<Edit>& edits = out_.edits[g].emplace_back();
      for (size_t k = 0; k < columns.size(); ++k) {
        Edit& edit = edits.emplace_back(editOf(*group(g).lines[k].item, *columns[k][i].expr));
        edit.writer = writer_;
        edit.shown = texts[k];
      }
    }
    return true;
  }

  // ---- which choices are edits alone

  /// Others are set in the text of the plan: their values, or what the text computes of them, decide more than
  /// themselves.
  std::vector<bool> outerOnes(const std::set<std::string>& reads) const {
    std::vector<bool> outer(lines_.groups.size());
    for (size_t g = 0; g < outer.size(); ++g)
      for (const VariedLine& line : group(g).lines) {
        const auto isRead = [&](const std::string& path) { return samePlace(path, line.path); };
        const bool counts = line.kind == VariedKind::Axis || line.kind == VariedKind::Batch;
        outer[g] = outer[g] || line.kind == VariedKind::Other || (openElements_[g] && !counts) ||
                   std::any_of(reads.begin(), reads.end(), isRead) ||
                   std::any_of(elab_.plan.reads.begin(), elab_.plan.reads.end(), isRead);
      }
    for (size_t g = outer.size(); g-- > 0;)
      if (outer[g])
        for (const uint32_t d : out_.space.choices[g].depends) outer[d] = true;
    return outer;
  }

  /// What values set, as data. Rules and what is recomputed are made of all, so that their mistakes are told here.
  bool edits(const std::vector<bool>& outer) {
    for (size_t g = 0; g < lines_.groups.size(); ++g) {
      const auto& lines = group(g).lines;
      const bool rules = std::any_of(lines.begin(), lines.end(), [](const VariedLine& l) {
        return isOfWords(l.kind) && l.kind != VariedKind::Schedule;
      });
      for (size_t v = 0; (!outer[g] || (rules && !openElements_[g])) && v < out_.edits[g].size(); ++v) {
        auto edit = editOfValue(g, v);
        if (!edit) return false;
        if (!outer[g]) out_.space.choices[g].values[v].edit = std::move(*edit);
      }
    }
    return true;
  }

  std::optional<ir::PlanEdit> editOfValue(size_t g, size_t v) {
    ir::Plan plan;
    Elaboration elab{elab_.ev, elab_.context, elab_.machines, plan};
    const uint64_t failures = elab_.context.failures;
    const std::unique_ptr<MergedPlan> merged = with(elab, out_.edits[g][v]);
    if (!merged) return std::nullopt;
    ir::PlanEdit edit;
    for (size_t i = 0; i < group(g).lines.size(); ++i)
      add(elab, *merged, group(g).lines[i], *out_.edits[g][v][i].value, edit);
    checkLayers(elab, *merged, edit);
    if (!elab.ok || elab_.context.failures != failures) return std::nullopt;
    return edit;
  }

  void add(Elaboration& elab, MergedPlan& merged, const VariedLine& line, const Expr& value, ir::PlanEdit& edit) {
    switch (line.kind) {
    case VariedKind::Axis: {
      AxisDraft& axis = *merged.mesh.find(line.item->path.steps[1].name.text);
      if (const auto size = axisSize(elab.ev, merged.mesh, axis)) edit.axes.push_back({axis.syntax->name.text, *size});
      return;
    }
    case VariedKind::Batch: {
      const auto count = elab.ev.integer(value, scopeIn(merged), fmt::format("`{}`", line.path));
      (line.path.ends_with("global_batch") ? edit.globalBatch : edit.microBatch) = count;
      return;
    }
    case VariedKind::Schedule:
    case VariedKind::Stages:
      if (!elab.plan.pipeline) pipeline(elab, merged);
      if (elab.plan.pipeline && line.kind == VariedKind::Schedule)
        edit.schedule = ir::ScheduleEdit{elab.plan.pipeline->schedule, elab.plan.pipeline->arguments};
      else if (elab.plan.pipeline)
        edit.cut = elab.plan.pipeline->cut;
      return;
    case VariedKind::Placement:
    case VariedKind::State:
      placementRules(elab, merged);
      edit.placements = merged.edits.placements;
      edit.states = merged.edits.states;
      return;
    case VariedKind::Recompute:
      recompute(elab, merged);
      edit.recompute = elab.plan.recompute;
      return;
    case VariedKind::Other:
      return;
    }
  }

  /// Layers that rules and checkpoints name are those of the model.
  void checkLayers(Elaboration& elab, const MergedPlan& merged, const ir::PlanEdit& edit) {
    if (!paths_ || !elab.ok) return;
    for (const ir::PlacementRule& r : edit.placements) elab.ok &= paths_->check(r.selector, elab.context);
    for (const ir::StateRule& r : edit.states) elab.ok &= paths_->check(r.selector, elab.context);
    if (!edit.recompute) return;
    for (const ir::Recompute& r : *edit.recompute)
      for (const ir::Selector& s : r.selectors) elab.ok &= paths_->check(s, elab.context);
    elab.plan.model = elab_.plan.model;
    checkSavedNames(elab);
    checkCheckpoints(elab, merged);
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
      choices.push_back(std::move(out_.space.choices[g]));
      edits.push_back(std::move(out_.edits[g]));
      choices.back().inner = !outer[g];
      for (uint32_t& d : choices.back().depends) d = to[d];
    }
    out_.space.choices = std::move(choices);
    out_.edits = std::move(edits);
  }

  Elaboration& elab_;
  MergedPlan& merged_;
  PathTree* paths_;
  const SearchLines& lines_;
  const DeclInfo* writer_;
  SearchedSpace out_;
  std::vector<bool> openElements_; ///< by choice: the elements of its lists depend on others
};

} // namespace

void searchSpace(Elaboration& elab, MergedPlan& merged, PathTree* paths, Scope& scope, const SearchLines& lines,
                 const std::set<std::string>& reads) {
  SpaceBuilder builder(elab, merged, paths, scope, lines);
  if (!builder.run(reads))
    elab.ok = false;
  else if (merged.edits.search.out)
    *merged.edits.search.out = builder.take();
}

} // namespace planc::frontend
