// Collects the lines of the block and of the command line, and checks that the plan has the paths that they name.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/SearchLines.h"

#include "frontend/plan/Conditions.h"
#include "frontend/plan/Merge.h"
#include "frontend/plan/SearchMistakes.h"
#include "frontend/plan/Steps.h"
#include "frontend/plan/statements/Mesh.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace planc::frontend {

PLANC_ERROR(VaryPath, 676, "`{path}` cannot be varied by a search")
PLANC_ERROR(SearchFact, 678, "a search has no `{fact}`")
PLANC_ERROR(VariedTwice, 685, "`{path}` is given twice: {one} and {other}")
PLANC_ERROR(FillForm, 689, "`fill` needs one axis of the mesh that is not set otherwise; `{path}` is {what}")
PLANC_ERROR(TopValue, 693, "`top` is {value}; it must be a whole number from 1 to {most}")

namespace {

const Symbol kMeshRoot(ir::name(ir::Statement::Mesh));

ir::SettingKind kindOf(MergedPlan& merged, const syntax::VaryItem& item, const std::string& path) {
  const ir::SettingRow* row = ir::settingAt(path);
  const ir::SettingKind kind = row ? row->kind : ir::SettingKind::Text;
  const auto& steps = item.path.steps;
  const AxisDraft* axis = kind == ir::SettingKind::Axis ? merged.mesh.find(steps[1].name.text) : nullptr;
  const bool asText = kind == ir::SettingKind::Number || kind == ir::SettingKind::Record ||
                      (kind == ir::SettingKind::Axis && (!axis || axis->group));
  return asText ? ir::SettingKind::Text : kind;
}

/// The paths of all facts below a section.
void factPaths(FactNode& node, const std::string& path, std::vector<std::string>& out) {
  if (!node.section()) out.push_back(path);
  for (FactNode& child : node.children)
    factPaths(child, path.empty() ? child.name.str() : path + "." + child.name.str(), out);
}

bool isParameter(Elaboration& elab, MergedPlan& merged, Symbol name) {
  return std::any_of(merged.chain.begin(), merged.chain.end(), [&](ChainLink& link) {
    const auto params = elab.ev.params(link.decl);
    return std::any_of(params.begin(), params.end(), [&](const ParamInfo& p) { return p.name() == name; });
  });
}

/// Whether the plan has what a path names; what lies in records that it names is looked at when it is set.
bool reaches(Elaboration& elab, MergedPlan& merged, const VariedLine& line) {
  const auto& steps = line.item->path.steps;
  const Symbol root = steps.front().name.text;
  if (line.item->placement) return line.kind == ir::SettingKind::Placement || steps.size() > 1;
  for (const syntax::SelectorStep& step : steps)
    if (step.star || step.hasIndex) return false;
  if (line.kind == ir::SettingKind::Schedule || line.kind == ir::SettingKind::Stages)
    return merged.pipeline.has_value();
  if (ir::is(root, ir::Statement::Pipeline)) return merged.pipeline && ir::settingAt(line.path);
  if (line.kind == ir::SettingKind::Recompute || ir::is(root, ir::Statement::Precision)) return true;
  if (ir::is(root, ir::Statement::Overlap)) return steps.size() > 1;
  if (steps.size() == 1 && (isParameter(elab, merged, root) || merged.lets.root().find(root))) return true;
  FactNode* at = &merged.facts.root();
  for (const syntax::SelectorStep& step : steps) {
    FactNode* const section = at;
    at = at->find(step.name.text);
    if (!at && steps.size() == 2 && section != &merged.facts.root()) {
      const std::vector<std::string> known = ir::settingNames(section->name.view());
      return std::find(known.begin(), known.end(), step.name.text.view()) != known.end();
    }
    if (!at) return false;
    if (!at->section()) return true;
  }
  return false;
}

void reportVaryPath(Elaboration& elab, MergedPlan& merged, const VariedLine& line) {
  std::vector<std::string> names{"recompute"};
  factPaths(merged.facts.root(), "", names);
  std::string facts;
  for (const FactNode& section : merged.facts.root().children) {
    if (!section.section()) continue;
    const std::vector<std::string> known = ir::settingNames(section.name.view());
    for (const std::string& fact : known) names.push_back(section.name.str() + "." + fact);
    if (!known.empty()) facts += fmt::format("`{}.FACT`, ", section.name.view());
  }
  for (const std::string& axis : merged.mesh.names()) names.push_back("mesh." + axis);
  if (merged.pipeline) names.insert(names.end(), {"pipeline.schedule", "pipeline.stages"});
  for (FactNode& let : merged.lets.root().children) names.push_back(let.name.str());
  for (ChainLink& link : merged.chain)
    for (const ParamInfo& p : elab.ev.params(link.decl)) names.push_back(p.name().str());
  const std::string meant = pathOfParameter(elab, merged, line.item->path.steps.back().name.text);
  auto report = elab.context.report(VaryPath, line.item->path.range, {{"path", line.path}});
  if (!meant.empty())
    report.help(fmt::format("did you mean `{}`?", meant))
        .fix({fmt::format("write `{}`", meant), {{line.item->path.range, meant, line.path}}});
  else
    report.meantElse(line.path, names,
                     fmt::format("a search varies parameters and constants of the plan, `mesh.AXIS`, {}"
                                 "`pipeline.schedule`, `pipeline.stages`, `recompute`, `cluster.device.FACT`, rules "
                                 "(`LAYER.DIM ->`, `states.optimizer ->`)",
                                 facts));
  elab.ok = false;
}

/// The first place of each text.
using Firsts = std::map<std::string, SourceRange, std::less<>>;

/// Collects the statements of a block, in the order in which they are written.
struct GatherLines {
  Elaboration& elab;
  MergedPlan& merged;
  Scope& scope;
  SearchLines& out;
  Firsts conditions = {}, goals = {};

  void operator()(const syntax::VaryItem& item) {
    VariedLine line{&item, item.path.str() + (item.placement ? " ->" : ""), ir::SettingKind::Text};
    line.kind = kindOf(merged, item, line.path);
    if (!item.with) out.groups.emplace_back();
    VariedGroup& group = out.groups.back();
    group.range = item.with ? SourceRange::cover(group.range, item.values->range)
                            : SourceRange::cover(item.path.range, item.values->range);
    group.lines.push_back(std::move(line));
  }
  void operator()(const syntax::FillItem& item) {
    const auto& parts = item.path.parts;
    const AxisDraft* axis = parts.size() == 2 && parts[0].text == kMeshRoot ? merged.mesh.find(parts[1].text) : nullptr;
    std::string what = !axis         ? "not an axis of the mesh"
                       : axis->group ? "a group of axes"
                       : out.fill    ? "a second one"
                                     : "";
    if (what.empty()) {
      out.fill = parts[1].text;
      out.fillRange = item.path.range;
      return;
    }
    auto report = elab.context.report(FillForm, item.path.range, {{"path", item.path.str()}, {"what", what}});
    if (out.fill) report.label(out.fillRange, "the first one");
    if (!axis && parts.size() == 2) report.meant(parts[1].text.view(), merged.mesh.names(), "axes are ");
    if (parts.size() == 1 && merged.mesh.find(parts[0].text))
      report.help(fmt::format("did you mean `mesh.{}`?", parts[0].text.view()))
          .fix({fmt::format("write `mesh.{}`", parts[0].text.view()),
                {{parts[0].range, "mesh." + parts[0].text.str()}},
                true});
    elab.ok = false;
  }
  /// Adds a condition or a goal, and reports one that is repeated. `first`: places of the earlier ones, by normalized
  /// text.
  template <class Item>
  void once(std::vector<const Item*>& items, const Item& item, const syntax::Expr& what, Firsts& first) {
    const auto [before, added] = first.emplace(plainText(elab.context.text(what.range)), what.range);
    if (added) return items.push_back(&item);
    reportGivenTwice(elab.context, what.range, elab.context.text(what.range), before->second);
    elab.ok = false;
  }
  void operator()(const syntax::WhereItem& item) { once(out.conditions, item, *item.condition, conditions); }
  void operator()(const syntax::GoalItem& item) { once(out.goals, item, *item.value, goals); }
  void operator()(const syntax::Fact& f) {
    if (f.name.text != Symbol("top") || !f.members.empty() || f.args) {
      elab.context.report(SearchFact, f.name.range, {{"fact", f.name.text.str()}})
          .help("a search has `vary`, `fill`, `where`, `minimize` and `maximize` lines, and `top = 10`");
      elab.ok = false;
      return;
    }
    if (out.topRange.valid()) {
      reportGivenTwice(elab.context, f.name.range, "top", out.topRange);
      elab.ok = false;
      return;
    }
    out.topRange = f.name.range;
    const auto value = elab.ev.integer(*f.value, scope, "`top`");
    elab.ok &= value.has_value() || elab.ev.checking;
    if (value && (*value < 1 || *value > ir::kMostShown)) {
      elab.context.report(TopValue, f.value->range, {{"value", *value}, {"most", ir::kMostShown}})
          .help(
              "it is how many of the best are shown; `planc search --store FILE.db --keep all` keeps every candidate");
      elab.ok = false;
    } else if (value) {
      out.top = *value;
    }
  }
};

bool varies(const VariedGroup& group, const std::string& path) {
  return std::any_of(group.lines.begin(), group.lines.end(), [&](const VariedLine& l) { return l.path == path; });
}

void reportTwice(Elaboration& elab, SourceRange where, std::string_view path, std::string_view one, std::string other,
                 SourceRange at) {
  elab.context.report(VariedTwice, where, {{"path", path}, {"one", one}, {"other", std::move(other)}})
      .label(at, "here");
  elab.ok = false;
}

/// Reports a path that the command line varies twice. Lines of the command line do not replace each other.
void checkWords(Elaboration& elab, const SearchLines& words) {
  Firsts seen;
  for (const VariedGroup& group : words.groups)
    for (const VariedLine& line : group.lines)
      if (const auto [first, added] = seen.emplace(line.path, line.item->path.range); !added)
        reportTwice(elab, line.item->path.range, line.path, "varied", "varied again", first->second);
}

/// Returns whether a line varies an axis or a fact whose value is just the given parameter: `mesh { tp = tp }`.
bool variesWhatIs(MergedPlan& merged, const VariedLine& line, const VariedLine& parameter) {
  const auto& steps = line.item->path.steps;
  if (line.item->placement || parameter.item->path.steps.size() != 1) return false;
  const syntax::Expr* value = nullptr;
  if (line.kind == ir::SettingKind::Axis) {
    if (const AxisDraft* axis = merged.mesh.find(steps.back().name.text)) value = axis->syntax->value;
  } else {
    FactNode* at = &merged.facts.root();
    for (size_t i = 0; at && i < steps.size(); ++i) at = at->find(steps[i].name.text);
    if (at) value = at->value;
  }
  return value && value->kind == syntax::ExprKind::Name && value->name.text == parameter.item->path.steps[0].name.text;
}

/// Returns whether a group varies the same thing as a line of the command line, one by the parameter and one by the
/// axis or fact.
bool variesSame(MergedPlan& merged, const VariedGroup& group, const VariedLine& said) {
  return std::any_of(group.lines.begin(), group.lines.end(), [&](const VariedLine& line) {
    return variesWhatIs(merged, line, said) || variesWhatIs(merged, said, line);
  });
}

/// Adds the lines of the command line. A line replaces the lines of the block that vary the same thing, by whatever
/// name. Otherwise a parameter of the plan goes before the block, whose lists may depend on it; any other line goes
/// after the block, or before it if `before` is set.
void addWords(MergedPlan& merged, SearchLines& lines, SearchLines words, bool before) {
  size_t first = 0;
  for (VariedGroup& group : words.groups) {
    std::optional<size_t> place;
    for (size_t i = lines.groups.size(); i-- > 0;)
      for (const VariedLine& line : group.lines)
        if (varies(lines.groups[i], line.path) || variesSame(merged, lines.groups[i], line)) {
          lines.groups.erase(lines.groups.begin() + static_cast<std::ptrdiff_t>(i));
          place = i;
          break;
        }
    const bool parameter = group.lines.front().item->path.steps.size() == 1 &&
                           group.lines.front().kind == ir::SettingKind::Text && !group.lines.front().item->placement;
    if ((before || parameter) && !place) place = first++;
    lines.groups.insert(lines.groups.begin() + static_cast<std::ptrdiff_t>(place.value_or(lines.groups.size())), group);
  }
  if (words.fill) lines.fill = words.fill, lines.fillRange = words.fillRange;
  lines.conditions.insert(lines.conditions.end(), words.conditions.begin(), words.conditions.end());
  if (!words.goals.empty()) lines.goals = std::move(words.goals);
}

/// Fills an axis `= rest` without a `fill` line.
void fillRest(Elaboration& elab, MergedPlan& merged, SearchLines& lines) {
  const AxisDraft* const rest = restAxis(elab.ev, merged.mesh);
  if (!rest) return;
  const Symbol name = rest->syntax->name.text;
  if (lines.fill && *lines.fill != name) {
    elab.context
        .report(FillForm, lines.fillRange,
                {{"path", "mesh." + lines.fill->str()}, {"what", "not the axis that is `rest`"}})
        .label(rest->range, fmt::format("`{}` takes the remaining devices", name.view()))
        .help(fmt::format("remove the line, or give `{}` a number", name.view()));
    elab.ok = false;
  }
  if (!lines.fill) lines.fill = name, lines.fillRange = rest->range;
}

/// Reports a path that is given twice: by two lines, by a line and `--set`, or by a line and `fill`.
void checkTwice(Elaboration& elab, MergedPlan& merged, const SearchLines& lines) {
  Firsts seen;
  const auto report = [&](const VariedLine& line, std::string other, SourceRange at) {
    reportTwice(elab, line.item->path.range, line.path, "varied", std::move(other), at);
  };
  for (const Edit& edit : merged.edits.all)
    if (merged.edits.search.out && lines.fill && !edit.writer && edit.text() == "mesh." + lines.fill->str())
      reportTwice(elab, lines.fillRange, edit.text(), "filled", "set", edit.range);
  for (const VariedGroup& group : lines.groups)
    for (const VariedLine& line : group.lines) {
      if (const auto [first, added] = seen.emplace(line.path, line.item->path.range); !added)
        report(line, "varied again", first->second);
      if (lines.fill && line.path == "mesh." + lines.fill->str()) report(line, "filled", lines.fillRange);
      if (!merged.edits.search.out) continue;
      for (const Edit& edit : merged.edits.all)
        if (!edit.writer && edit.text() == line.path) report(line, "set", edit.range);
    }
}

} // namespace

SearchLines searchLines(Elaboration& elab, MergedPlan& merged, Scope& scope) {
  const SearchRequest& request = merged.edits.search;
  SearchLines lines, words;
  GatherLines ofBlock{elab, merged, scope, lines}, ofWords{elab, merged, scope, words};
  if (merged.search)
    for (const auto& item : merged.search->syntax->items) std::visit(ofBlock, item);
  if (request.alone) lines.groups.clear(), lines.fill.reset();
  if (request.words)
    for (const auto& item : request.words->items) std::visit(ofWords, item);
  checkWords(elab, words);
  if (elab.ok) addWords(merged, lines, std::move(words), request.before);
  if (request.top) lines.top = *request.top;
  fillRest(elab, merged, lines);
  for (const VariedGroup& group : lines.groups)
    for (const VariedLine& line : group.lines) {
      const auto& steps = line.item->path.steps;
      if (!line.item->placement && steps.front().name.text == kMeshRoot && steps.size() == 2)
        elab.ok &= knownAxis(elab.context, merged.mesh, steps[1].name.text, steps[1].range);
      else if (!reaches(elab, merged, line))
        reportVaryPath(elab, merged, line);
    }
  checkTwice(elab, merged, lines);
  return lines;
}

} // namespace planc::frontend
