// Checks single values of a search against the vocabulary, the model, and the plan.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/SearchMistakes.h"

#include "frontend/plan/Plans.h"
#include "ir/vocabulary/Schedules.h"
#include "support/Quantity.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(NoSuchWord, 696, "unknown {kind}: `{name}`")
PLANC_WARNING(IdleChoice, 697, "`{path}` has no effect: the plan does not use it")

std::string plainText(std::string_view text) {
  std::string plain;
  bool quoted = false;
  for (const char c : text) {
    quoted ^= c == '"';
    if (quoted || (c != ' ' && c != '\t' && c != '\n')) plain += c;
  }
  const auto one = [&] { // `[dp]` and `(dp)` are equal
    const char open = plain.empty() ? ' ' : plain.front(), close = open == '[' ? ']' : open == '(' ? ')' : ' ';
    return close != ' ' && plain.size() > 2 && plain.back() == close &&
           plain.find_first_of(",[](){}\"", 1) == plain.size() - 1;
  };
  while (one()) plain = plain.substr(1, plain.size() - 2);
  std::string badUnit, number = plain; // `2_048`
  std::erase(number, '_');
  if (const auto quantity = parseQuantity(number, badUnit))
    return fmt::format("{} {}", quantity->value, quantity->unit.name());
  return plain;
}

bool knownSchedule(Elaboration& elab, const Expr& schedule) {
  const bool call = schedule.kind == ExprKind::Call;
  const Expr& name = call ? *schedule.kids[0] : schedule;
  if (name.kind != ExprKind::Name) return true; // reported elsewhere
  const auto report = [&](SourceRange at, std::string_view word, std::string kind,
                          const std::vector<std::string>& known) {
    elab.context.report(NoSuchWord, at, {{"name", word}, {"kind", std::move(kind)}})
        .meantElse(word, known, known.empty() ? "remove it" : "there are " + quotedList(known));
    elab.ok = false;
    return false;
  };
  const ir::Word* word = ir::scheduleWords().find(name.name.text.view());
  if (!word) return report(name.range, name.name.text.view(), "schedule", ir::scheduleWords().names());
  if (call)
    for (const syntax::Arg& arg : schedule.args)
      if (arg.name && !word->find(arg.name->text.view()))
        return report(arg.name->range, arg.name->text.view(), fmt::format("argument of schedule `{}`", word->name),
                      word->parameterNames());
  return true;
}

bool knownDimension(Elaboration& elab, const ir::Model& model, const ir::PlacementRule& rule) {
  std::vector<std::string> names;
  const auto add = [&](const auto& list) {
    for (const auto& one : list)
      if (std::find(names.begin(), names.end(), one.name.str()) == names.end()) names.push_back(one.name.str());
  };
  add(model.dims), add(model.composites);
  if (std::find(names.begin(), names.end(), rule.dim.str()) != names.end()) return true;
  elab.context.report(NoSuchWord, rule.dimRange, {{"name", rule.dim.str()}, {"kind", "dimension of the model"}})
      .meantElse(rule.dim.view(), names, "its dimensions are " + quotedList(names));
  elab.ok = false;
  return false;
}

namespace {

bool within(SourceRange inner, SourceRange outer) {
  return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end;
}

/// Returns whether an error is in a value itself, independent of other values.
bool isOf(const Diagnostic& found, const WrittenValue& value) {
  if (found.kind->severity != Severity::Error || isLawOfParameters(*found.kind))
    return false; // may differ by candidate
  return within(found.range, value.value) || (value.pathHolds && within(found.range, value.path));
}

/// Returns whether an expression in the chain reads a parameter outside of `search` blocks.
bool isNamed(Elaboration& elab, const MergedPlan& merged, Symbol name) {
  bool declared = false;
  for (const ChainLink& link : merged.chain) {
    for (const ParamInfo& p : elab.ev.params(link.decl)) declared |= p.name() == name;
    if (!link.decl.module->tree || link.decl.module->archive) return true; // library plans are not checked
    const auto& items = link.decl.as<syntax::PlanDecl>().items;
    for (const Expr& e : link.decl.module->tree->exprs) {
      if (e.kind != ExprKind::Name || e.name.text != name || !within(e.range, link.decl.decl().range)) continue;
      if (std::none_of(items.begin(), items.end(), [&](const syntax::PlanItem& item) {
            return std::holds_alternative<syntax::SearchBlock>(item.item) && within(e.range, item.range);
          }))
        return true;
    }
  }
  return !declared;
}

/// Returns whether the list of another choice depends on a path.
bool isListed(const ir::Space& space, const std::string& path) {
  return std::any_of(space.choices.begin(), space.choices.end(), [&](const ir::Choice& c) {
    return std::any_of(c.depends.begin(), c.depends.end(), [&](uint32_t d) {
      const auto& paths = space.choices[d].paths;
      return std::find(paths.begin(), paths.end(), path) != paths.end();
    });
  });
}

} // namespace

void warnOfIdle(Elaboration& elab, MergedPlan& merged, const SearchLines& lines, const ir::Space& space,
                const std::set<std::string>& reads) {
  for (const VariedGroup& group : lines.groups)
    for (const VariedLine& line : group.lines) {
      const auto& steps = line.item->path.steps;
      if (steps.size() != 1 || line.item->placement || line.kind != ir::SettingKind::Text) continue;
      const Symbol name = steps[0].name.text;
      const bool constant = merged.lets.root().find(name) != nullptr;
      const bool parameter = !constant && !merged.facts.root().find(name);
      const bool read = reads.contains(line.path) || isListed(space, line.path) ||
                        (constant && merged.space.reads().contains("let " + line.path)) ||
                        (parameter && isNamed(elab, merged, name));
      if ((constant || parameter) && !read)
        elab.context.report(IdleChoice, line.item->path.range, {{"path", line.path}}).help("remove the choice");
    }
}

void reportAgain(Context& context, const Diagnostic& found) {
  auto report = context.report(*found.kind, found.range, found.args);
  report.primary(found.primary);
  for (const Label& label : found.labels) report.label(label.range, label.text);
  for (const std::string& help : found.help) report.help(help);
  for (const std::string& note : found.notes) report.note(note);
}

bool checkWritten(Elaboration& elab, MergedPlan& merged, const std::vector<WrittenValue>& values) {
  Context& context = elab.context;
  bool good = true;
  for (const WrittenValue& value : values) {
    std::vector<Edit> edits{value.edit};
    edits.insert(edits.end(), merged.edits.all.begin(), merged.edits.all.end());
    context.renew(); // limits apply to each plan
    const uint64_t failures = context.failures;
    DiagnosticEngine before = context.diagnostics.take();
    SearchRequest request;
    request.termsOnly = true;
    buildPlan(elab.ev, elab.machines, *merged.asked, merged.use, edits, merged.edits.of, request);
    const DiagnosticEngine found = context.diagnostics.take();
    context.diagnostics = std::move(before);
    context.failures = failures;
    for (const Diagnostic* d : found.sorted()) {
      if (!isOf(*d, value)) continue;
      reportAgain(context, *d);
      good = false;
      break;
    }
  }
  elab.ok &= good;
  return good;
}

} // namespace planc::frontend
