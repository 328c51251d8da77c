// Facts that are set beside the file, put into a plan: its parameters, its constants, axes, and all that it says by
// path.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Merge.h"
#include "frontend/plan/SearchMistakes.h"
#include "frontend/plan/Steps.h"
#include "frontend/plan/statements/Mesh.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

namespace {

/// Facts of a plan that may be set where it says nothing of them.
bool mayBeAdded(const Edit& edit) {
  const ir::StatementRow* row = ir::statementNamed(edit.path[0].text.view());
  return row && row->addable && row->form != ir::StatementForm::Block &&
         (row->form == ir::StatementForm::Section || edit.path.size() == 1);
}

bool isOfKind(const Edit& edit, ir::SettingKind kind) {
  const ir::SettingRow* row = ir::settingAt(edit.text());
  return row && row->kind == kind;
}

/// Returns the size that the text gives to an axis that is set. Errors of this size do not count, because it is
/// replaced.
std::optional<int64_t> sizeBefore(Elaboration& elab, MergedPlan& merged, AxisDraft& axis) {
  if (takesRest(elab.ev, axis)) return std::nullopt; // its text says it
  merged.mesh.machine = MachineState::Unasked;
  const auto asked = llvm::make_scope_exit([&] { merged.mesh.machine = MachineState::Open; });
  if (!varies(*axis.syntax->value, *axis.scope)) return axisSize(elab.ev, merged.mesh, axis);
  Context& context = elab.context;
  const SourceRange text = axis.syntax->value->range;
  const uint64_t failures = context.failures;
  DiagnosticEngine before = context.diagnostics.take();
  const auto size = axisSize(elab.ev, merged.mesh, axis);
  const DiagnosticEngine found = context.diagnostics.take();
  context.diagnostics = std::move(before);
  context.failures = failures;
  for (const Diagnostic* one : found.sorted())
    if (one->range.file != text.file || one->range.begin < text.begin || one->range.end > text.end)
      reportAgain(context, *one);
  return size;
}

void editAxis(Elaboration& elab, MergedPlan& merged, AppliedEdit& edit, Scope& scope) {
  AxisDraft* axis = merged.mesh.find(edit.path[1].text);
  if (!axis) return reportNothingToSet(elab.context, edit.path[1], "the mesh", merged.mesh.names());
  const auto size = sizeBefore(elab, merged, *axis);
  edit.before =
      size && !axis->group ? std::to_string(*size) : std::string(elab.context.text(axis->syntax->value->range));
  syntax::AxisItem& made = merged.edits.axes.emplace_back(*axis->syntax);
  made.value = edit.value;
  axis->syntax = &made;
  axis->scope = &scope;
  axis->group = edit.value->kind == syntax::ExprKind::List;
  axis->done = false;
  edit.applied = true;
}

/// Blocks that are read as a whole keep their edits until then. False if the edit is of none of them.
bool editBlock(Context& context, MergedPlan& merged, AppliedEdit& edit) {
  if (edit.path.size() < 2) return false;
  if (ir::is(edit.path[0].text, ir::Statement::Overlap)) {
    merged.edits.overlap.push_back({&edit, 1});
    return true;
  }
  if (!ir::is(edit.path[0].text, ir::Statement::Pipeline) || edit.path.size() != 2 || !merged.pipeline) return false;
  for (const auto& item : merged.pipeline->syntax->items)
    if (const auto* f = std::get_if<syntax::Fact>(&item); f && f->name.text == edit.path[1].text)
      edit.before = context.text(f->value->range);
  merged.edits.pipeline.push_back({&edit, 1});
  edit.applied = true;
  return true;
}

/// Where the names of an edit are looked up: in the plan that wrote it, or in the one that it is set in.
Scope& scopeOf(MergedPlan& merged, const Edit& edit, ChainLink& link) {
  for (ChainLink& before : merged.chain)
    if (&before.decl == edit.writer) return before.scope;
  return link.scope;
}

} // namespace

std::string pathOfParameter(Elaboration& elab, MergedPlan& merged, Symbol name) {
  for (FactNode& fact : merged.facts.root().children) {
    const Value v = fact.section() ? Value{} : merged.facts.value(fact);
    if (v.kind != ValueKind::Decl) continue;
    for (const ParamInfo& p : elab.ev.params(*v.decl->decl))
      if (p.name() == name) return fmt::format("{}.{}", fact.name.view(), name.view());
  }
  return "";
}

namespace {

/// The plan has nothing such that could be set: with what it has.
void reportUnset(Elaboration& elab, MergedPlan& merged, const Edit& edit) {
  std::vector<std::string> names;
  for (const ir::StatementRow& row : ir::statements())
    if (row.addable && row.form != ir::StatementForm::Named) names.emplace_back(row.name);
  std::sort(names.begin(), names.end());
  if (merged.pipeline) names.emplace_back(ir::name(ir::Statement::Pipeline));
  for (const std::string& name : merged.space.memberNames())
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  for (const ChainLink& link : merged.chain)
    if (merged.edits.setIn(edit, link.decl, merged.decl))
      for (const ParamInfo& p : elab.ev.params(link.decl)) names.push_back(p.name().str());
  if (const std::string path = pathOfParameter(elab, merged, edit.path[0].text); !path.empty()) names = {path};
  reportNothingToSet(elab.context, edit.path[0], fmt::format("plan `{}`", merged.edits.of.view()), names);
}

} // namespace

BoundDecl withArguments(Evaluator& ev, PlanEdits& edits, const BoundDecl& decl) {
  BoundDecl made = decl;
  for (AppliedEdit& edit : edits.all)
    for (const ParamInfo& p : ev.params(*decl.decl))
      if (edit.path.size() == 1 && edit.path[0].text == p.name() && !edit.place &&
          (edit.writer ? !edit.applied : decl.decl->name == edits.of)) {
        edit.scope = &edits.scopes.emplace_back(edit.writer ? edit.writer->module : decl.decl->module);
        setArgument(ev, made, p, edit);
      }
  return made;
}

void applyEdits(Elaboration& elab, MergedPlan& merged, ChainLink& link) {
  std::vector<EditBelow> facts, constants;
  bool any = false;
  for (AppliedEdit& edit : merged.edits.all) {
    if (!merged.edits.setIn(edit, link.decl, merged.decl)) continue;
    any = true;
    if (edit.applied) continue;
    edit.scope = &scopeOf(merged, edit, link);
    const Symbol first = edit.path[0].text;
    if (edit.path.size() > 2 && ir::is(edit.path[1].text, ir::Statement::Precision) &&
        ir::is(first, ir::Statement::Train))
      edit.path.erase(edit.path.begin()); // as a plan may write it
    if (edit.place)
      applyRule(elab, merged, edit, link.index);
    else if (isOfKind(edit, ir::SettingKind::Recompute))
      applyRecompute(elab, merged, edit, link.index);
    else if (isOfKind(edit, ir::SettingKind::Axis))
      editAxis(elab, merged, edit, *edit.scope);
    else if (merged.lets.root().find(first))
      constants.push_back({&edit, 0});
    else if (merged.facts.root().find(edit.path[0].text) || mayBeAdded(edit))
      facts.push_back({&edit, 0});
    else if (!editBlock(elab.context, merged, edit))
      reportUnset(elab, merged, edit);
  }
  if (!any) return;
  applyEdits(elab.context, merged.facts, merged.facts.root(), facts, elab.machines);
  applyEdits(elab.context, merged.lets, merged.lets.root(), constants, elab.machines);
  merged.facts.forget();
  merged.lets.forget();
  for (AxisDraft& axis : merged.mesh.axes) axis.done = false, axis.size = std::nullopt;
}

void setFacts(Elaboration& elab, MergedPlan& merged) {
  for (AppliedEdit& edit : merged.edits.all) {
    ir::SetFact done{edit.text(), edit.after, edit.before};
    if (edit.node) {
      done.value = edit.tree->shown(*edit.node);
      done.changed = edit.changes();
    } else {
      if (const auto* axis = isOfKind(edit, ir::SettingKind::Axis) ? merged.mesh.find(edit.path[1].text) : nullptr;
          axis && axis->size && !axis->group)
        done.value = std::to_string(*axis->size);
      if (done.value.empty()) done.value = elab.context.text(edit.value->range);
      done.changed = edit.after.empty() ? done.value != done.before : edit.differs;
    }
    if (!edit.shown.empty()) {
      done.value = edit.shown;
      if (!edit.node) done.changed = done.before != done.value;
    }
    elab.plan.set.push_back(std::move(done));
  }
}

} // namespace planc::frontend
