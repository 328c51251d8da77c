// Mesh axes of a plan: sizes, groups, and the level that an axis says it lives on.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/PlanBuilder.h"

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
PLANC_ERROR(AxisBeside, 770, "axis `{axis}` cannot lie {where} of `{neighbour}`")
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
  if (mesh.whole) return wholeMesh(mesh, item, scope, layer);
  if (!meshBlock_) meshBlock_ = Scoped<syntax::MeshBlock>{&mesh, &scope, item.range, layer};
  meshBlock_->range = item.range;
  for (const syntax::AxisItem& a : mesh.axes) axis(a, item, scope, layer);
}

namespace {

/// `where` an axis is to lie is part of what it says, and so is beside which other.
bool sameAxis(Context& context, const syntax::AxisItem& a, const syntax::AxisItem& b) {
  return context.text(a.value->range) == context.text(b.value->range) && a.where == b.where &&
         a.level.text == b.level.text && b.beside == syntax::AxisItem::Beside::Unstated;
}

} // namespace

/// `override mesh = { … }`: none of the inherited axes is left.
void PlanBuilder::wholeMesh(const syntax::MeshBlock& mesh, const syntax::PlanItem& item, Scope& scope, int layer) {
  if (axes_.empty()) {
    reportNothingToOverride(context_, item.range, "mesh", fmt::format("plan `{}`", layers_.back()->name.view()))
        .help("write `mesh { … }` to lay one out");
    return;
  }
  const std::pair known{meshBlock_->range, axes_.front().layer};
  if (!mayReplace(item, layer, "mesh", &known)) return;
  std::vector<const syntax::AxisItem*> before;
  for (const AxisDraft& a : axes_) before.push_back(a.syntax);
  axes_.clear();
  wholeMesh_ = meshBlock_ = Scoped<syntax::MeshBlock>{&mesh, &scope, item.range, layer};
  syntax::PlanItem fresh;
  fresh.range = item.range;
  for (const syntax::AxisItem& a : mesh.axes) axis(a, fresh, scope, layer);
  const bool same = std::equal(before.begin(), before.end(), axes_.begin(), axes_.end(), [&](auto* b, const auto& a) {
    return b->name.text == a.syntax->name.text && sameAxis(context_, *b, *a.syntax);
  });
  const bool byChance = overrideParametric_ && std::any_of(axes_.begin(), axes_.end(), [&](const AxisDraft& a) {
                          return varies(*a.syntax->value, scope);
                        });
  if (same && !byChance) reportOverrideChangesNothing(context_, item.range, "mesh", known.first);
}

void PlanBuilder::axis(const syntax::AxisItem& axis, const syntax::PlanItem& item, Scope& scope, int layer) {
  AxisDraft* known = findAxis(axis.name.text);
  const std::string what = fmt::format("mesh.{}", axis.name.text.view());
  if (known && known->layer == layer) {
    reportGivenTwice(context_, axis.name.range, what, known->syntax->name.range);
  } else if (known && !item.override_) {
    reportNeedsOverride(context_, axis.name.range, what, known->syntax->name.range);
  } else if (!known && item.override_) {
    auto report =
        reportNothingToOverride(context_, axis.name.range, what, fmt::format("plan `{}`", layers_.back()->name.view()));
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
    made.added =
        !known && !axes_.empty() && axes_.front().layer < layer && axis.beside == syntax::AxisItem::Beside::Unstated;
    if (!known) {
      axes_.push_back(made);
      return;
    }
    if (!(overrideParametric_ && varies(*axis.value, scope)) && sameAxis(context_, *known->syntax, axis))
      reportOverrideChangesNothing(context_, axis.range, what, known->syntax->range);
    *known = made; // keeps its place in the order
  }
}

/// Axes that say beside which one they lie, in the order in which they are written.
void PlanBuilder::moveAxes(int layer) {
  using Beside = syntax::AxisItem::Beside;
  std::vector<const syntax::AxisItem*> moved;
  const auto placed = [&](Symbol name) {
    return std::find_if(axes_.begin(), axes_.end(), [&](const AxisDraft& a) { return a.syntax->name.text == name; });
  };
  for (const AxisDraft& a : axes_)
    if (a.layer == layer && a.syntax->beside != Beside::Unstated) moved.push_back(a.syntax);
  for (const syntax::AxisItem*& item : moved) {
    const AxisDraft* neighbour = findAxis(item->neighbour.text);
    ok_ &= knownAxis(item->neighbour.text, item->neighbour.range);
    if (neighbour && (neighbour->group || findAxis(item->name.text)->group)) {
      const syntax::AxisItem& group = neighbour->group ? *neighbour->syntax : *item;
      context_.report(GroupPlace, item->neighbour.range, {{"group", group.name.text.str()}})
          .label(group.range, "declared here")
          .help("name one of its axes");
      ok_ = false;
    }
    if (!neighbour || neighbour->group || findAxis(item->name.text)->group) {
      item = nullptr;
      continue;
    }
    if (item->neighbour.text == item->name.text) continue;
    const AxisDraft draft = *placed(item->name.text);
    axes_.erase(placed(item->name.text));
    axes_.insert(placed(item->neighbour.text) + (item->beside == Beside::Outside ? 1 : 0), draft);
  }
  for (const syntax::AxisItem* item : moved) {
    if (!item) continue;
    const auto at = placed(item->name.text) - placed(item->neighbour.text);
    if (item->beside == Beside::Inside ? at < 0 : at > 0) continue;
    context_
        .report(AxisBeside, item->neighbour.range,
                {{"axis", item->name.text.str()},
                 {"where", item->beside == Beside::Inside ? "inside" : "outside"},
                 {"neighbour", item->neighbour.text.str()}})
        .help("axes lie inside each other in one order: name another axis");
    ok_ = false;
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
    const bool entered =
        static_cast<size_t>(axis.layer) < layers_.size() &&
        context_.enter(*layers_[static_cast<size_t>(axis.layer)], uses_[static_cast<size_t>(axis.layer)]);
    axis.size = ev_.integer(*axis.syntax->value, *axis.scope, fmt::format("axis `{}`", name.view()));
    if (entered) context_.leave();
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

/// `layer`: of the plan that names it in `block`, if it is inherited as a whole: a mesh laid out anew may have lost it.
bool PlanBuilder::knownAxis(Symbol name, SourceRange at, int layer, std::string_view block) {
  if (findAxis(name)) return true;
  std::vector<std::string> names;
  for (const AxisDraft& a : axes_) names.push_back(a.syntax->name.text.str());
  auto report = context_.report(UnknownAxis, at, {{"axis", name.str()}});
  const bool lost = wholeMesh_ && layer < wholeMesh_->layer;
  if (lost) {
    report.label(wholeMesh_->range, "this mesh stands in the place of the inherited one");
    report.help(block == "pipeline" ? std::string("override the pipeline as well: `override pipeline AXIS { … }`")
                                    : fmt::format("place anew as well: `override {} = {{ … }}`", block));
  }
  if (auto meant = didYouMean(name.view(), names); !lost && !meant.empty()) {
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
    if (draft.added) plan_->addedAxes.push_back(id);
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
