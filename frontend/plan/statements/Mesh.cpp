// Reads the mesh axes of a plan: sizes, groups, and the cluster level of an axis.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/statements/Mesh.h"

#include "frontend/plan/Merge.h"
#include "frontend/plan/Steps.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(UnknownAxis, 650, "the mesh has no axis `{axis}`")
PLANC_ERROR(AxisSize, 651, "axis `{axis}` has the size {size}; it must be at least 1")
PLANC_ERROR(UnknownLevel, 652, "cluster `{cluster}` has no level `{level}`")
PLANC_ERROR(GroupOfItself, 654, "group `{group}` lists itself")
PLANC_ERROR(GroupForm, 665, "a group must list axes by name: `dp = [edp, ep]`")
PLANC_ERROR(MeshTooLarge, 662, "the mesh has more than {limit}")
PLANC_ERROR(AxisBeside, 770, "axis `{axis}` cannot be placed {where} of `{neighbour}`")
PLANC_ERROR(GroupPlace, 666, "`{group}` is a group: its axes determine its position")

namespace {

constexpr size_t kAxes = 32; // refinement may split them: ir supports 64
constexpr size_t kGroup = 64;

/// Used in place of a level: the outermost level that devices reach through the port of the innermost level.
constexpr std::string_view kScaleUp = "scale_up";

} // namespace

AxisDraft* MeshDraft::find(Symbol name) {
  for (AxisDraft& a : axes)
    if (a.syntax->name.text == name) return &a;
  return nullptr;
}

std::vector<std::string> MeshDraft::names() const {
  std::vector<std::string> names;
  for (const AxisDraft& a : axes) names.push_back(a.syntax->name.text.str());
  return names;
}

std::vector<Symbol> axesOf(MeshDraft& mesh, Symbol name) {
  std::vector<Symbol> left{name}, seen, axes;
  while (!left.empty()) {
    const Symbol at = left.back();
    left.pop_back();
    const AxisDraft* axis = mesh.find(at);
    if (!axis || std::find(seen.begin(), seen.end(), at) != seen.end()) continue;
    seen.push_back(at);
    if (!axis->group) axes.push_back(at);
    if (axis->group)
      for (const Expr* e : axis->syntax->value->kids)
        if (e->kind == ExprKind::Name) left.push_back(e->name.text);
  }
  return axes;
}

namespace {

/// Returns whether two axes have the same text. The level (`where`) counts, and so does a declared neighbour.
bool sameAxis(Context& context, const syntax::AxisItem& a, const syntax::AxisItem& b) {
  return context.text(a.value->range) == context.text(b.value->range) && a.where == b.where &&
         a.level.text == b.level.text && b.beside == syntax::AxisItem::Beside::Unstated;
}

void mergeAxis(Context& context, MeshDraft& mesh, const syntax::AxisItem& axis, bool isOverride, ChainLink& link) {
  AxisDraft* known = mesh.find(axis.name.text);
  const std::string what = fmt::format("mesh.{}", axis.name.text.view());
  if (known && known->layer == link.index)
    return reportGivenTwice(context, axis.name.range, what, known->syntax->name.range);
  if (known && !isOverride) return reportNeedsOverride(context, axis.name.range, what, known->syntax->name.range);
  if (!known && isOverride) {
    reportNothingInherited(context, axis.name.range, what, link).meant(axis.name.text.view(), mesh.names());
    return;
  }
  AxisDraft made;
  made.syntax = &axis;
  made.scope = &link.scope;
  made.range = axis.range;
  made.layer = link.index;
  made.link = &link;
  made.group = axis.value->kind == ExprKind::List;
  made.added = !known && !mesh.axes.empty() && mesh.axes.front().layer < link.index &&
               axis.beside == syntax::AxisItem::Beside::Unstated;
  if (!known) {
    mesh.axes.push_back(made);
    return;
  }
  if (!(link.parametric && varies(*axis.value, link.scope)) && sameAxis(context, *known->syntax, axis))
    reportOverrideChangesNothing(context, axis.range, what, known->syntax->range);
  *known = made; // keeps its place in the order
}

/// `override mesh = { … }`: removes all inherited axes.
void replaceMesh(Context& context, MeshDraft& mesh, const syntax::MeshBlock& block, const syntax::PlanItem& item,
                 ChainLink& link) {
  if (mesh.axes.empty()) {
    reportNothingInherited(context, item.range, ir::name(ir::Statement::Mesh), link)
        .help("write `mesh { … }` to lay one out");
    return;
  }
  const std::pair known{mesh.block->range, mesh.axes.front().layer};
  if (!mayReplace(context, item, link, ir::name(ir::Statement::Mesh), &known)) return;
  std::vector<const syntax::AxisItem*> before;
  for (const AxisDraft& a : mesh.axes) before.push_back(a.syntax);
  mesh.axes.clear();
  mesh.whole = mesh.block = Scoped<syntax::MeshBlock>{&block, &link.scope, item.range, link.index};
  for (const syntax::AxisItem& a : block.axes) mergeAxis(context, mesh, a, false, link);
  const auto& axes = mesh.axes;
  const bool same = std::equal(before.begin(), before.end(), axes.begin(), axes.end(), [&](auto* b, const auto& a) {
    return b->name.text == a.syntax->name.text && sameAxis(context, *b, *a.syntax);
  });
  const bool byChance = link.parametric && std::any_of(axes.begin(), axes.end(), [&](const AxisDraft& a) {
                          return varies(*a.syntax->value, link.scope);
                        });
  if (same && !byChance) reportOverrideChangesNothing(context, item.range, ir::name(ir::Statement::Mesh), known.first);
}

} // namespace

void mergeMesh(Elaboration& elab, MeshDraft& mesh, const syntax::MeshBlock& block, const syntax::PlanItem& item,
               ChainLink& link) {
  if (block.whole) return replaceMesh(elab.context, mesh, block, item, link);
  if (!mesh.block) mesh.block = Scoped<syntax::MeshBlock>{&block, &link.scope, item.range, link.index};
  mesh.block->range = item.range;
  for (const syntax::AxisItem& a : block.axes) mergeAxis(elab.context, mesh, a, item.override_, link);
}

void moveAxes(Elaboration& elab, MeshDraft& mesh, const ChainLink& link) {
  using Beside = syntax::AxisItem::Beside;
  std::vector<const syntax::AxisItem*> moved;
  const auto placed = [&](Symbol name) {
    return std::find_if(mesh.axes.begin(), mesh.axes.end(),
                        [&](const AxisDraft& a) { return a.syntax->name.text == name; });
  };
  for (const AxisDraft& a : mesh.axes)
    if (a.layer == link.index && a.syntax->beside != Beside::Unstated) moved.push_back(a.syntax);
  for (const syntax::AxisItem*& item : moved) {
    const AxisDraft* neighbour = mesh.find(item->neighbour.text);
    elab.ok &= knownAxis(elab.context, mesh, item->neighbour.text, item->neighbour.range);
    if (neighbour && (neighbour->group || mesh.find(item->name.text)->group)) {
      const syntax::AxisItem& group = neighbour->group ? *neighbour->syntax : *item;
      elab.context.report(GroupPlace, item->neighbour.range, {{"group", group.name.text.str()}})
          .label(group.range, "declared here")
          .help("name one of its axes");
      elab.ok = false;
    }
    if (!neighbour || neighbour->group || mesh.find(item->name.text)->group) {
      item = nullptr;
      continue;
    }
    if (item->neighbour.text == item->name.text) continue;
    const AxisDraft draft = *placed(item->name.text);
    mesh.axes.erase(placed(item->name.text));
    mesh.axes.insert(placed(item->neighbour.text) + (item->beside == Beside::Outside ? 1 : 0), draft);
  }
  for (const syntax::AxisItem* item : moved) {
    if (!item) continue;
    const auto at = placed(item->name.text) - placed(item->neighbour.text);
    if (item->beside == Beside::Inside ? at < 0 : at > 0) continue;
    elab.context
        .report(AxisBeside, item->neighbour.range,
                {{"axis", item->name.text.str()},
                 {"where", item->beside == Beside::Inside ? "inside" : "outside"},
                 {"neighbour", item->neighbour.text.str()}})
        .help("an axis cannot be next to itself: name another axis");
    elab.ok = false;
  }
}

std::optional<int64_t> axisSize(Evaluator& ev, MeshDraft& mesh, AxisDraft& axis) {
  if (axis.done) return axis.size;
  const Symbol name = axis.syntax->name.text;
  if (axis.running) {
    if (axis.group || !takesRest(ev, axis))
      ev.context.report(GroupOfItself, axis.syntax->name.range, {{"group", name.str()}});
    else
      reportRestOfItself(ev.context, axis, "another axis");
    axis.done = true;
    return std::nullopt;
  }
  axis.running = true;
  if (!axis.group && takesRest(ev, axis)) {
    if (mesh.machine == MachineState::Unasked) return axis.running = false, std::nullopt;
    axis.size = restSize(ev, mesh, axis);
    ev.context.failures += !axis.size;
  } else if (!axis.group) {
    const bool entered = ev.context.enter(axis.link->decl, axis.link->use);
    axis.size = ev.integer(*axis.syntax->value, *axis.scope, fmt::format("axis `{}`", name.view()));
    if (entered) ev.context.leave();
    if (axis.size && (*axis.size < 1 || *axis.size > limits::kDevices)) {
      if (*axis.size < 1)
        ev.context.report(AxisSize, axis.syntax->value->range, {{"axis", name.str()}, {"size", *axis.size}});
      else
        ev.context.report(MeshTooLarge, axis.syntax->value->range,
                          {{"limit", fmt::format("{} devices", limits::kDevices)}});
      axis.size = std::nullopt;
    }
  } else {
    int64_t product = 1;
    bool known = true;
    for (const Expr* e : axis.syntax->value->kids) {
      AxisDraft* part = e->kind == ExprKind::Name ? mesh.find(e->name.text) : nullptr;
      if (e->kind != ExprKind::Name) ev.context.report(GroupForm, e->range);
      if (e->kind == ExprKind::Name && !part) knownAxis(ev.context, mesh, e->name.text, e->range);
      const auto size = part ? axisSize(ev, mesh, *part) : std::nullopt;
      known = known && size && !__builtin_mul_overflow(product, *size, &product);
    }
    if (known) axis.size = product;
  }
  axis.running = false;
  axis.done = true;
  return axis.size;
}

namespace {

/// The names to suggest for an unknown axis; in rules also the word for no axis.
std::vector<std::string> targetNames(std::vector<std::string> axes, std::string_view block) {
  if (!block.empty() && block != ir::name(ir::Statement::Pipeline)) axes.emplace_back(kNoAxis);
  return axes;
}

} // namespace

bool knownAxis(Context& context, MeshDraft& mesh, Symbol name, SourceRange at, int layer, std::string_view block) {
  if (mesh.find(name)) return true;
  const std::vector<std::string> names = mesh.names();
  auto report = context.report(UnknownAxis, at, {{"axis", name.str()}});
  const bool lost = mesh.whole && layer < mesh.whole->layer;
  if (lost) {
    report.label(mesh.whole->range, "this mesh replaces the inherited one");
    report.help(block == ir::name(ir::Statement::Pipeline)
                    ? std::string("override the pipeline as well: `override pipeline AXIS { … }`")
                    : fmt::format("override the rules too: `override {} = {{ … }}`", block));
  }
  if (names.empty())
    report.help(fmt::format("declare it: `mesh {{ {} = … }}`", name.view()));
  else if (lost)
    report.note("axes are " + quotedList(names));
  else if (std::vector<std::string> known = targetNames(names, block); !nearest(name.view(), known).empty())
    report.meant(name.view(), known);
  else
    report.note("axes are " + quotedList(names));
  return false;
}

namespace {

/// Appends the axes of a group to `list`, with nested groups expanded, major first.
bool groupAxes(Elaboration& elab, MeshDraft& mesh, AxisDraft& axis, ir::AxisList& list, int depth) {
  if (!axis.group) {
    const auto id = elab.plan.mesh.findAxis(axis.syntax->name.text);
    if (id) list.push_back(*id);
    return id.has_value();
  }
  bool good = depth < static_cast<int>(mesh.axes.size()) && list.size() <= kGroup;
  if (!good) {
    elab.context.report(MeshTooLarge, axis.syntax->value->range,
                        {{"limit", fmt::format("{} axes in a group", kGroup)}});
    elab.ok = false;
  }
  for (const Expr* e : axis.syntax->value->kids)
    if (AxisDraft* part = e->kind == ExprKind::Name ? mesh.find(e->name.text) : nullptr; part && good)
      good = groupAxes(elab, mesh, *part, list, depth + 1);
  return good;
}

/// Reads the cluster level that an axis lies within or across.
void axisLevel(Elaboration& elab, const AxisDraft& axis, ir::AxisId id) {
  using Where = syntax::AxisItem::Where;
  if (axis.syntax->where == Where::Anywhere || !elab.plan.cluster) return;
  const Symbol level = axis.syntax->level.text;
  std::vector<std::string> names;
  const auto place = [&](Symbol name) {
    elab.plan.axisPlaces.push_back(
        {id, axis.syntax->where == Where::Within ? ir::AxisPlace::Where::Within : ir::AxisPlace::Where::Across, name,
         axis.range});
  };
  for (const ir::ClusterLevel& l : elab.plan.cluster->levels) {
    if (l.name == level) return place(level);
    names.push_back(l.name.str());
  }
  if (level.view() == kScaleUp) return place(elab.plan.cluster->levels[elab.plan.cluster->scaleUp()].name);
  names.emplace_back(kScaleUp);
  auto report = elab.context.report(UnknownLevel, axis.syntax->level.range,
                                    {{"cluster", elab.plan.cluster->name.str()}, {"level", level.str()}});
  report.label(elab.plan.cluster->range, "declared here");
  report.meant(level.view(), names, "its levels are ");
}

} // namespace

void mesh(Elaboration& elab, MergedPlan& merged) {
  MeshDraft& said = merged.mesh;
  ir::Mesh& mesh = elab.plan.mesh;
  if (said.block) elab.plan.meshRange = said.block->range;
  if (said.axes.size() > kAxes) {
    elab.context.report(MeshTooLarge, said.axes.back().syntax->name.range, {{"limit", fmt::format("{} axes", kAxes)}});
    elab.ok = false;
    return;
  }
  int64_t stride = 1;
  for (AxisDraft& draft : said.axes) {
    const auto size = axisSize(elab.ev, said, draft);
    if (draft.group || !size) continue;
    ir::Axis axis{draft.syntax->name.text, *size, stride, draft.syntax->name.text, draft.range};
    if (__builtin_mul_overflow(stride, *size, &stride) || stride > limits::kDevices) {
      elab.context.report(MeshTooLarge, draft.syntax->value->range,
                          {{"limit", fmt::format("{} devices", limits::kDevices)}});
      elab.ok = false;
      return;
    }
    const ir::AxisId id = mesh.axes.add(axis);
    mesh.order.push_back(id);
    axisLevel(elab, draft, id);
    if (draft.added) elab.plan.addedAxes.push_back(id);
  }
  // With a condition, an axis may take the rest in some candidates of a search. Its size then depends on all other
  // axes, so all of them count as read.
  for (AxisDraft& draft : said.axes)
    if (!draft.group && draft.syntax->value->kind == ExprKind::If && takesRest(elab.ev, draft))
      for (const std::string& name : said.names()) merged.space.read("mesh." + name);
  for (AxisDraft& draft : said.axes) {
    if (!draft.group) continue;
    if (draft.syntax->where != syntax::AxisItem::Where::Anywhere)
      elab.context.report(GroupPlace, draft.range, {{"group", draft.syntax->name.text.str()}})
          .help("write `within` or `across` after its axes");
    ir::AxisGroup group{draft.syntax->name.text, {}, draft.range};
    if (draft.size && groupAxes(elab, said, draft, group.axes, 0)) mesh.groups.push_back(std::move(group));
  }
  if (!elab.plan.cluster) return;
  int64_t size = 1;
  for (const ir::ClusterLevel& l : elab.plan.cluster->levels) {
    size *= l.count;
    mesh.levelSizes.push_back(size);
    mesh.levelNames.push_back(l.name);
  }
}

} // namespace planc::frontend
