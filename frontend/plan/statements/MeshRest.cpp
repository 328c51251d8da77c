// Computes the axis that takes the remaining devices of the cluster: `dp = rest`.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/statements/Mesh.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(RestNotWhole, 653,
            "axis `{axis} = rest` has no whole size: {devices} devices are not divisible by the other axes ({others})")
PLANC_ERROR(RestTwice, 663, "only one axis can be `rest`; both `{first}` and `{second}` are")
PLANC_ERROR(RestOfItself, 675, "axis `{axis} = rest` depends on itself: {needs} needs its size")

bool takesRest(Evaluator& ev, const AxisDraft& axis) {
  static const Symbol kRest("rest");
  static const TypeInfo kBool{.kind = TypeInfo::Kind::Bool, .name = "bool"};
  const Expr* e = axis.syntax->value;
  while (e->kind == ExprKind::If) {
    const Value condition = ev.coerce(ev.evaluate(*e->kids[0], *axis.scope), kBool, "the condition of `if`");
    if (condition.invalid()) return false;
    e = e->kids[condition.truth ? 1 : 2];
  }
  return e->kind == ExprKind::Name && e->name.text == kRest && !ev.find(kRest, *axis.scope, e->range);
}

AxisDraft* restAxis(Evaluator& ev, MeshDraft& mesh) {
  const auto found = std::find_if(mesh.axes.begin(), mesh.axes.end(), [&](const AxisDraft& a) {
    return a.syntax->value->kind == ExprKind::Name && takesRest(ev, a);
  });
  return found == mesh.axes.end() ? nullptr : &*found;
}

DiagnosticEngine::Builder reportRestOfItself(Context& context, const AxisDraft& axis, std::string_view needs) {
  auto report = context.report(RestOfItself, axis.syntax->value->range,
                               {{"axis", axis.syntax->name.text.str()}, {"needs", needs}});
  report.help(
      fmt::format("give one of them a number: facts of a workload can use `mesh.{}`, but the cluster and `when` cannot",
                  axis.syntax->name.text.view()));
  return report;
}

std::optional<int64_t> restSize(Evaluator& ev, MeshDraft& mesh, AxisDraft& axis) {
  const Symbol name = axis.syntax->name.text;
  const SourceRange at = axis.syntax->value->range;
  if (mesh.machine == MachineState::Open)
    reportRestOfItself(ev.context, axis, "the cluster or a condition, which is read before it,");
  if (mesh.machine == MachineState::Without) return 1; // a plan that others extend and that is not priced
  if (!mesh.devices) return std::nullopt;
  int64_t others = 1;
  for (AxisDraft& other : mesh.axes) {
    if (other.group || &other == &axis) continue;
    if (other.running) {
      reportRestOfItself(ev.context, axis, fmt::format("axis `{}`", other.syntax->name.text.view()))
          .label(other.range, "its size depends on this one");
      return std::nullopt;
    }
    if (takesRest(ev, other)) {
      ev.context.report(RestTwice, other.range, {{"first", name.str()}, {"second", other.syntax->name.text.str()}})
          .label(axis.range, "the first one")
          .help("give one of them a number");
      other.done = true;
      return std::nullopt;
    }
    const auto size = axisSize(ev, mesh, other);
    if (!size || __builtin_mul_overflow(others, *size, &others)) return std::nullopt;
  }
  if (*mesh.devices % others == 0) return *mesh.devices / others;
  if (mesh.filled) return 1; // each candidate computes it
  auto report =
      ev.context.report(RestNotWhole, at, {{"axis", name.str()}, {"devices", *mesh.devices}, {"others", others}});
  for (const AxisDraft& other : mesh.axes)
    if (!other.group && &other != &axis && other.size.value_or(1) > 1)
      report.label(other.range, fmt::format("`{}` is {} here", other.syntax->name.text.view(), *other.size));
  report.help(others > *mesh.devices ? fmt::format("the cluster needs {} devices or a multiple of it", others)
                                     : fmt::format("choose sizes whose product divides {}", *mesh.devices));
  return std::nullopt;
}

} // namespace planc::frontend
