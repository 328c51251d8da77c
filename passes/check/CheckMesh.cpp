// check-mesh: the axes multiply to the devices of the cluster, and `within` and `across` hold (docs/language.md,
// section 9).
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(MeshProduct, 620, "the mesh has {mesh} devices, but the cluster has {cluster}")
PLANC_ERROR(AxisWiderThanLevel, 621, "axis `{axis}` ({size}) does not fit within one {level} of {devices} devices")
PLANC_ERROR(AxisInsideLevel, 622,
            "axis `{axis}` does not begin at a boundary of {level}: the axes before it span {inner} devices, and a "
            "unit of the level below has {below}")
PLANC_ERROR(AcrossInnermost, 690, "`across {level}` has no effect on axis `{axis}`: `{level}` is the innermost level")
PLANC_ERROR(AxisListedTwice, 635, "`{name}` lists axis `{axis}` twice")

namespace {

/// Returns the index of a cluster level by name. The frontend has checked that the name exists.
size_t levelIndex(const Mesh& mesh, Symbol level) {
  for (size_t i = 0; i < mesh.levelNames.size(); ++i)
    if (mesh.levelNames[i] == level) return i;
  return 0;
}

std::string product(const Mesh& mesh) {
  std::string text;
  for (AxisId a : mesh.order)
    text += fmt::format("{}{} {}", text.empty() ? "" : " x ", mesh.axes[a].name.view(), mesh.axes[a].size);
  return text;
}

/// Returns `tp = 2 within node` as a mesh writes it, with another size if one is given.
std::string axisText(const Plan& plan, AxisId id, int64_t size) {
  std::string text = fmt::format("{} = {}", plan.mesh.axes[id].name.view(), size);
  for (const AxisPlace& place : plan.axisPlaces)
    if (place.axis == id)
      text += fmt::format(" {} {}", place.where == AxisPlace::Where::Within ? "within" : "across", place.level.view());
  return text;
}

bool isAdded(const Plan& plan, AxisId id) {
  return std::find(plan.addedAxes.begin(), plan.addedAxes.end(), id) != plan.addedAxes.end();
}

/// Returns the mesh that a derived plan may have meant by the axes it added to the inherited ones. Axes within a level
/// come inside, and the largest axis that can shrink makes room for them.
std::string meshAnew(const ProgramHead& program) {
  const Plan& plan = *program.plan;
  const Mesh& mesh = plan.mesh;
  const auto within = [&](AxisId id) {
    return std::any_of(plan.axisPlaces.begin(), plan.axisPlaces.end(),
                       [&](const AxisPlace& p) { return p.axis == id && p.where == AxisPlace::Where::Within; });
  };
  AxisList order = mesh.order;
  std::stable_partition(order.begin(), order.end(), [&](AxisId id) { return isAdded(plan, id) && within(id); });
  const int64_t devices = program.plan->cluster->devices(), factor = devices > 0 ? mesh.devices() / devices : 0;
  AxisId smaller;
  if (factor > 1 && mesh.devices() % devices == 0)
    for (AxisId id : order)
      if (!isAdded(plan, id) && mesh.axes[id].size % factor == 0 &&
          (!smaller.valid() || mesh.axes[id].size > mesh.axes[smaller].size))
        smaller = id;
  std::string text;
  for (AxisId id : order)
    text += (text.empty() ? "" : "; ") + axisText(plan, id, mesh.axes[id].size / (id == smaller ? factor : 1));
  for (const AxisGroup& g : mesh.groups) {
    std::string parts;
    for (AxisId id : g.axes) parts += (parts.empty() ? "" : ", ") + mesh.axes[id].name.str();
    text += fmt::format("; {} = [{}]", g.name.view(), parts);
  }
  return "override mesh = { " + text + " }";
}

/// Adds the suggestion for a derived plan that added axes.
void offerAnew(const ProgramHead& program, DiagnosticEngine::Builder& report) {
  const Plan& plan = *program.plan;
  for (AxisId id : plan.addedAxes)
    report.label(plan.mesh.axes[id].range, "added outside of the axes of the inherited mesh");
  report.help(fmt::format("override the whole mesh: `{}`; or add an axis `inside` another one", meshAnew(program)));
}

bool checkProduct(const ProgramHead& program, DiagnosticEngine& diagnostics) {
  const Mesh& mesh = program.mesh;
  const int64_t devices = program.plan->cluster->devices();
  if (mesh.devices() == devices) return true;
  auto report =
      diagnostics.report(MeshProduct, program.plan->meshRange.valid() ? program.plan->meshRange : program.plan->range,
                         {{"mesh", mesh.devices()}, {"cluster", devices}});
  report.primary(mesh.order.empty() ? "a plan without `mesh` runs on one device"
                                    : product(mesh) + " = " + std::to_string(mesh.devices()));
  std::string levels;
  for (const ClusterLevel& l : program.plan->cluster->levels)
    levels += fmt::format("{}{} {}", levels.empty() ? "" : " x ", l.name.view(), l.count);
  report.label(program.plan->cluster->range, levels + " = " + std::to_string(devices));
  if (!program.plan->addedAxes.empty() && mesh.devices() > devices)
    offerAnew(program, report);
  else if (mesh.devices() > 0 && devices % mesh.devices() == 0)
    report.help(fmt::format("an axis of {} more devices fills the cluster", devices / mesh.devices()));
  else if (devices > 0 && mesh.devices() % devices == 0)
    report.help(fmt::format("make an axis {} times smaller, or the cluster {} times larger", mesh.devices() / devices,
                            mesh.devices() / devices));
  else
    report.help(fmt::format("choose sizes of the axes whose product is {}", devices));
  return false;
}

bool checkPlace(const ProgramHead& program, const AxisPlace& place, DiagnosticEngine& diagnostics) {
  const Mesh& mesh = program.mesh;
  const Axis& axis = mesh.axes[place.axis];
  if (axis.size == 1) return true; // it has no position
  const size_t level = levelIndex(mesh, place.level);
  if (place.where == AxisPlace::Where::Within) {
    int64_t span = 0;
    if (!__builtin_mul_overflow(axis.stride, axis.size, &span) && mesh.levelSizes[level] % span == 0) return true;
    auto report = diagnostics.report(AxisWiderThanLevel, place.range,
                                     {{"axis", axis.name.str()},
                                      {"size", axis.size},
                                      {"level", place.level.str()},
                                      {"devices", mesh.levelSizes[level]}});
    report.label(program.plan->cluster->levels[level].range,
                 fmt::format("a {} has {} devices", place.level.view(), mesh.levelSizes[level]));
    if (axis.stride > 1)
      report.note(fmt::format("{} devices are taken by the axes listed before `{}`", axis.stride, axis.name.view()));
    if (isAdded(*program.plan, place.axis))
      offerAnew(program, report);
    else
      report.help(fmt::format("make {}the size of `{}` divide {}, or remove `within {}`",
                              axis.stride > 1 ? fmt::format("{} times ", axis.stride) : "", axis.name.view(),
                              mesh.levelSizes[level], place.level.view()));
    return false;
  }
  if (level == 0) {
    auto report =
        diagnostics.report(AcrossInnermost, place.range, {{"axis", axis.name.str()}, {"level", place.level.str()}});
    report.label(program.plan->cluster->levels[level].range, "the innermost level: every axis begins at a device");
    if (mesh.levelNames.size() > 1)
      report.help(fmt::format("write `across {}` for an axis of whole {}s, or `within {}` for an axis inside one",
                              mesh.levelNames[1].view(), place.level.view(), place.level.view()));
    else
      report.help(fmt::format("remove `across {}`", place.level.view()));
    return false;
  }
  const int64_t below = mesh.levelSizes[level - 1];
  if (axis.stride % below == 0) return true;
  diagnostics
      .report(AxisInsideLevel, place.range,
              {{"axis", axis.name.str()}, {"level", place.level.str()}, {"inner", axis.stride}, {"below", below}})
      .help(fmt::format("make the product of the axes before `{}` a multiple of {}", axis.name.view(), below));
  return false;
}

/// Checks that a group names each axis once (L4).
bool checkGroup(const Mesh& mesh, const AxisGroup& group, DiagnosticEngine& diagnostics) {
  AxisMask seen = 0;
  for (AxisId a : resolveTargets(mesh, {group.name})) {
    if (seen & maskOf(a)) {
      diagnostics.report(AxisListedTwice, group.range, {{"name", group.name.str()}, {"axis", mesh.axes[a].name.str()}})
          .help("list every axis once, directly or through one group");
      return false;
    }
    seen |= maskOf(a);
  }
  return true;
}

} // namespace

bool checkMesh(ProgramHead& program, DiagnosticEngine& diagnostics) {
  bool ok = true;
  if (program.plan->cluster) {
    ok &= checkProduct(program, diagnostics);
    for (const AxisPlace& place : program.plan->axisPlaces) ok &= checkPlace(program, place, diagnostics);
  }
  for (const AxisGroup& group : program.mesh.groups) ok &= checkGroup(program.mesh, group, diagnostics);
  for (const PlacementRule& rule : program.plan->placements) {
    AxisMask seen = 0;
    for (AxisId a : resolveTargets(program.mesh, rule.targets)) {
      if (seen & maskOf(a)) {
        diagnostics
            .report(AxisListedTwice, rule.targetRange,
                    {{"name", rule.dim.str()}, {"axis", program.mesh.axes[a].name.str()}})
            .help("a value can be split over an axis only once: list every axis once, directly or through one group");
        ok = false;
        break;
      }
      seen |= maskOf(a);
    }
  }
  return ok;
}

} // namespace planc::passes
