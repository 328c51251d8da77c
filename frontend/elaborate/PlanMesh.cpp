// Mesh axes of a plan: sizes, groups, and the level that an axis says it lives on.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/elaborate/PlanBuilder.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(UnknownAxis, 650, "`{axis}` is no axis of the mesh")
PLANC_ERROR(AxisSize, 651, "axis `{axis}` has the size {size}; it takes at least 1")
PLANC_ERROR(UnknownLevel, 652, "cluster `{cluster}` has no level `{level}`")
PLANC_ERROR(GroupOfItself, 654, "group `{group}` lists itself")
PLANC_ERROR(GroupForm, 665, "a group lists axes by name: `dp = [edp, ep]`")
PLANC_ERROR(MeshTooLarge, 662, "the mesh has more than {limit}")
PLANC_ERROR(GroupPlace, 666, "`{group}` is a group: where it lies follows from its axes")

namespace {

constexpr size_t kAxes = 32; // refinement may split them: ir holds 64
constexpr size_t kGroup = 64;

} // namespace

PlanBuilder::AxisDraft* PlanBuilder::findAxis(Symbol name) {
  for (AxisDraft& a : axes_)
    if (a.syntax->name.text == name) return &a;
  return nullptr;
}

void PlanBuilder::axes(const syntax::MeshBlock& mesh, const syntax::PlanItem& item, Scope& scope, int layer) {
  if (!meshBlock_) meshBlock_ = Said<syntax::MeshBlock>{&mesh, &scope, item.range, layer};
  meshBlock_->range = item.range;
  for (const syntax::AxisItem& axis : mesh.axes) {
    AxisDraft* known = findAxis(axis.name.text);
    const std::string what = fmt::format("mesh.{}", axis.name.text.view());
    if (known && known->layer == layer) {
      reportGivenTwice(context_, axis.name.range, what, known->syntax->name.range);
    } else if (known && !item.override_) {
      reportNeedsOverride(context_, axis.name.range, what, known->syntax->name.range);
    } else if (!known && item.override_) {
      auto report = reportNothingToOverride(context_, axis.name.range, what,
                                            fmt::format("plan `{}`", layers_.back()->name.view()));
      std::vector<std::string> names;
      for (const AxisDraft& a : axes_) names.push_back(a.syntax->name.text.str());
      if (auto meant = didYouMean(axis.name.text.view(), names); !meant.empty()) report.help(meant);
    } else {
      AxisDraft made;
      made.syntax = &axis;
      made.scope = &scope;
      made.range = axis.range;
      made.layer = layer;
      made.group = axis.value->kind == ExprKind::List;
      if (!known) {
        axes_.push_back(made);
        continue;
      }
      const bool same = !overrideParametric_ &&
                        context_.text(known->syntax->value->range) == context_.text(axis.value->range) &&
                        known->syntax->where == axis.where && known->syntax->level.text == axis.level.text;
      if (same) reportOverrideChangesNothing(context_, axis.range, what, known->syntax->range);
      *known = made; // keeps its place in the order
    }
  }
}

std::optional<int64_t> PlanBuilder::axisSize(AxisDraft& axis) {
  if (axis.done) return axis.size;
  const Symbol name = axis.syntax->name.text;
  if (axis.running) {
    context_.report(GroupOfItself, axis.syntax->name.range, {{"group", name.str()}});
    axis.done = true;
    return std::nullopt;
  }
  axis.running = true;
  if (!axis.group) {
    axis.size = ev_.integer(*axis.syntax->value, *axis.scope, fmt::format("axis `{}`", name.view()));
    if (axis.size && (*axis.size < 1 || *axis.size > limits::kDevices)) {
      if (*axis.size < 1)
        context_.report(AxisSize, axis.syntax->value->range, {{"axis", name.str()}, {"size", *axis.size}});
      else
        context_.report(MeshTooLarge, axis.syntax->value->range,
                        {{"limit", fmt::format("{} devices", limits::kDevices)}});
      axis.size = std::nullopt;
    }
  } else {
    int64_t product = 1;
    bool known = true;
    for (const Expr* e : axis.syntax->value->kids) {
      AxisDraft* part = e->kind == ExprKind::Name ? findAxis(e->name.text) : nullptr;
      if (e->kind != ExprKind::Name) context_.report(GroupForm, e->range);
      if (e->kind == ExprKind::Name && !part) knownAxis(e->name.text, e->range);
      const auto size = part ? axisSize(*part) : std::nullopt;
      known = known && size && !__builtin_mul_overflow(product, *size, &product);
    }
    if (known) axis.size = product;
  }
  axis.running = false;
  axis.done = true;
  return axis.size;
}

bool PlanBuilder::knownAxis(Symbol name, SourceRange at) {
  if (findAxis(name)) return true;
  std::vector<std::string> names;
  for (const AxisDraft& a : axes_) names.push_back(a.syntax->name.text.str());
  auto report = context_.report(UnknownAxis, at, {{"axis", name.str()}});
  if (auto meant = didYouMean(name.view(), names); !meant.empty()) {
    report.help(meant);
  } else if (names.empty()) {
    report.help(fmt::format("declare it: `mesh {{ {} = … }}`", name.view()));
  } else {
    std::string list;
    for (const std::string& n : names) list += (list.empty() ? "`" : ", `") + n + "`";
    report.note("axes are " + list);
  }
  return false;
}

/// The axes of a group, groups inside it opened, major first.
bool PlanBuilder::groupAxes(AxisDraft& axis, ir::AxisList& list, int depth) {
  if (!axis.group) {
    const auto id = plan_->mesh.findAxis(axis.syntax->name.text);
    if (id) list.push_back(*id);
    return id.has_value();
  }
  bool good = depth < static_cast<int>(axes_.size()) && list.size() <= kGroup;
  if (!good) {
    context_.report(MeshTooLarge, axis.syntax->value->range, {{"limit", fmt::format("{} axes in a group", kGroup)}});
    ok_ = false;
  }
  for (const Expr* e : axis.syntax->value->kids)
    if (AxisDraft* part = e->kind == ExprKind::Name ? findAxis(e->name.text) : nullptr; part && good)
      good = groupAxes(*part, list, depth + 1);
  return good;
}

void PlanBuilder::axisLevel(const AxisDraft& axis, ir::AxisId id) {
  using Where = syntax::AxisItem::Where;
  if (axis.syntax->where == Where::Anywhere || !plan_->cluster) return;
  const Symbol level = axis.syntax->level.text;
  std::vector<std::string> names;
  for (const ir::ClusterLevel& l : plan_->cluster->levels) {
    if (l.name == level) {
      plan_->axisPlaces.push_back(
          {id, axis.syntax->where == Where::Within ? ir::AxisPlace::Where::Within : ir::AxisPlace::Where::Across, level,
           axis.range});
      return;
    }
    names.push_back(l.name.str());
  }
  auto report = context_.report(UnknownLevel, axis.syntax->level.range,
                                {{"cluster", plan_->cluster->name.str()}, {"level", level.str()}});
  report.label(plan_->cluster->range, "declared here");
  if (auto meant = didYouMean(level.view(), names); !meant.empty()) {
    report.help(meant);
  } else {
    std::string list;
    for (const std::string& n : names) list += (list.empty() ? "`" : ", `") + n + "`";
    report.note("its levels are " + list);
  }
}

void PlanBuilder::mesh() {
  ir::Mesh& mesh = plan_->mesh;
  if (meshBlock_) plan_->meshRange = meshBlock_->range;
  if (axes_.size() > kAxes) {
    context_.report(MeshTooLarge, axes_.back().syntax->name.range, {{"limit", fmt::format("{} axes", kAxes)}});
    ok_ = false;
    return;
  }
  int64_t stride = 1;
  for (AxisDraft& draft : axes_) {
    const auto size = axisSize(draft);
    if (draft.group || !size) continue;
    ir::Axis axis{draft.syntax->name.text, *size, stride, draft.syntax->name.text, draft.range};
    if (__builtin_mul_overflow(stride, *size, &stride) || stride > limits::kDevices) {
      context_.report(MeshTooLarge, draft.syntax->value->range,
                      {{"limit", fmt::format("{} devices", limits::kDevices)}});
      ok_ = false;
      return;
    }
    const ir::AxisId id = mesh.axes.add(axis);
    mesh.order.push_back(id);
    axisLevel(draft, id);
  }
  for (AxisDraft& draft : axes_) {
    if (!draft.group) continue;
    if (draft.syntax->where != syntax::AxisItem::Where::Anywhere)
      context_.report(GroupPlace, draft.range, {{"group", draft.syntax->name.text.str()}})
          .help("write `within` or `across` behind its axes");
    ir::AxisGroup group{draft.syntax->name.text, {}, draft.range};
    if (draft.size && groupAxes(draft, group.axes, 0)) mesh.groups.push_back(std::move(group));
  }
  if (!plan_->cluster) return;
  int64_t size = 1;
  for (const ir::ClusterLevel& l : plan_->cluster->levels) {
    size *= l.count;
    mesh.levelSizes.push_back(size);
    mesh.levelNames.push_back(l.name);
  }
}

} // namespace planc::frontend
