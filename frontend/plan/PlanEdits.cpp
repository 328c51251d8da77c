// Facts that are set beside the file, put into a plan: its parameters, its constants, axes, and all that it says by
// path.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/PlanSpace.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

namespace {

const Symbol kMeshBlock("mesh"), kOverlapBlock("overlap"), kPipelineBlock("pipeline"), kTrainSection("train"),
    kPrecisionSection("precision");

/// Facts of a plan that may be set where it says nothing of them.
bool mayBeAdded(const Edit& edit) {
  static const Symbol kNamed[] = {"model", "cluster", "software"};
  return edit.path[0].text == kPrecisionSection ||
         (edit.path.size() == 1 &&
          std::find(std::begin(kNamed), std::end(kNamed), edit.path[0].text) != std::end(kNamed));
}

} // namespace

bool PlanBuilder::takesEdits(const DeclInfo& decl) const {
  return !edits_.empty() && decl.name == editsOf_;
}

/// The plan with those of its parameters set that edits name.
BoundDecl PlanBuilder::withArguments(const BoundDecl& decl) {
  BoundDecl made = decl;
  Scope& scope = scopes_.emplace_back(decl.decl->module);
  for (Edit& edit : edits_)
    for (const ParamInfo& p : ev_.params(*decl.decl))
      if (edit.path.size() == 1 && edit.path[0].text == p.name()) {
        edit.scope = &scope;
        setArgument(ev_, made, p, edit);
      }
  return made;
}

/// All others, when the plan that they belong to has stated all that it says.
void PlanBuilder::applyEdits(Scope& scope) {
  std::vector<EditBelow> facts, constants;
  for (Edit& edit : edits_) {
    if (edit.applied) continue;
    edit.scope = &scope;
    const Symbol first = edit.path[0].text;
    if (edit.path.size() > 2 && edit.path[1].text == kPrecisionSection && first == kTrainSection)
      edit.path.erase(edit.path.begin()); // as a plan may write it
    if (first == kMeshBlock && edit.path.size() == 2)
      editAxis(edit, scope);
    else if (lets_->root().find(first))
      constants.push_back({&edit, 0});
    else if (facts_->root().find(edit.path[0].text) || mayBeAdded(edit))
      facts.push_back({&edit, 0});
    else if (!editBlock(edit))
      reportUnset(edit);
  }
  frontend::applyEdits(context_, *facts_, facts_->root(), facts, machines_);
  frontend::applyEdits(context_, *lets_, lets_->root(), constants, machines_);
  facts_->forget();
  lets_->forget();
  for (AxisDraft& axis : axes_) axis.done = false, axis.size = std::nullopt;
}

void PlanBuilder::editAxis(Edit& edit, Scope& scope) {
  AxisDraft* axis = findAxis(edit.path[1].text);
  if (!axis) return reportNothingToSet(context_, edit.path[1], "the mesh", MeshSpace(*this).memberNames());
  const auto size = axisSize(*axis);
  edit.before = size && !axis->group ? std::to_string(*size) : std::string(context_.text(axis->syntax->value->range));
  syntax::AxisItem& made = editedAxes_.emplace_back(*axis->syntax);
  made.value = edit.value;
  axis->syntax = &made;
  axis->scope = &scope;
  axis->group = edit.value->kind == syntax::ExprKind::List;
  axis->done = false;
  edit.applied = true;
}

/// Blocks that are read as a whole keep their edits until then. False if the edit is of none of them.
bool PlanBuilder::editBlock(Edit& edit) {
  if (edit.path.size() < 2) return false;
  if (edit.path[0].text == kOverlapBlock) {
    overlapEdits_.push_back({&edit, 1});
    return true;
  }
  if (edit.path[0].text != kPipelineBlock || edit.path.size() != 2 || !pipeline_) return false;
  for (const auto& item : pipeline_->syntax->items)
    if (const auto* f = std::get_if<syntax::Fact>(&item); f && f->name.text == edit.path[1].text)
      edit.before = context_.text(f->value->range);
  pipelineEdits_.push_back({&edit, 1});
  edit.applied = true;
  return true;
}

const Edit* PlanBuilder::pipelineEdit(Symbol fact) const {
  for (const EditBelow& e : pipelineEdits_)
    if (e.name().text == fact) return e.edit;
  return nullptr;
}

void PlanBuilder::reportUnset(const Edit& edit) {
  std::vector<std::string> names{"overlap", "precision"};
  if (pipeline_) names.emplace_back("pipeline");
  for (const std::string& name : space_->memberNames())
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  for (const DeclInfo* layer : layers_)
    if (takesEdits(*layer))
      for (const ParamInfo& p : ev_.params(const_cast<DeclInfo&>(*layer))) names.push_back(p.name().str());
  for (FactNode& fact : facts_->root().children) { // `nodes` is one of the cluster
    const Value v = fact.section() ? Value{} : facts_->value(fact);
    if (v.kind != ValueKind::Decl) continue;
    for (const ParamInfo& p : ev_.params(*v.decl->decl))
      if (p.name() == edit.path[0].text) names = {fmt::format("{}.{}", fact.name.view(), p.name().view())};
    if (names.size() == 1) break;
  }
  reportNothingToSet(context_, edit.path[0], fmt::format("plan `{}`", editsOf_.view()), names);
}

/// What was set, as reports say it.
void PlanBuilder::editsDone() {
  for (Edit& edit : edits_) {
    ir::SetFact done{edit.text(), edit.after, edit.before};
    if (edit.node) {
      done.value = edit.tree->shown(*edit.node);
      done.changed = edit.before.empty() || edit.tree->differ(edit.was, *edit.node);
    } else {
      if (const auto* axis =
              edit.path.size() == 2 && edit.path[0].text == kMeshBlock ? findAxis(edit.path[1].text) : nullptr;
          axis && axis->size && !axis->group)
        done.value = std::to_string(*axis->size);
      if (done.value.empty()) done.value = context_.text(edit.value->range);
      done.changed = edit.after.empty() ? done.value != done.before : edit.differs;
    }
    plan_->set.push_back(std::move(done));
  }
}

} // namespace planc::frontend
