// Resolves the paths of a plan as names in expressions.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Space.h"

#include "frontend/plan/statements/Mesh.h"

namespace planc::frontend {

bool MeshSpace::has(Symbol name) const {
  return mesh_.find(name) != nullptr;
}

Value MeshSpace::member(Symbol name, SourceRange use) {
  AxisDraft* axis = mesh_.find(name);
  if (!axis) {
    reportNoMember(ev_.context, *this, "the mesh", name, use);
    return {};
  }
  for (const Symbol part : axesOf(mesh_, name)) reads_.insert("mesh." + part.str());
  const auto size = axisSize(ev_, mesh_, *axis);
  return size ? Value::ofInt(*size, use) : Value{};
}

std::vector<std::string> MeshSpace::memberNames() const {
  return mesh_.names();
}

bool PlanSpace::has(Symbol name) const {
  static const Symbol kMesh(ir::name(ir::Statement::Mesh));
  return facts_.root().find(name) || lets_.root().find(name) || (name == kMesh && !mesh_.axes.empty());
}

Value PlanSpace::member(Symbol name, SourceRange use) {
  if (FactNode* node = lets_.root().find(name)) {
    reads_.insert("let " + name.str());
    return lets_.value(*node);
  }
  if (FactNode* node = facts_.root().find(name)) return SectionSpace::valueOf(context_, facts_, *node, use, name.str());
  Value v;
  v.kind = ValueKind::Space;
  v.symbol = name;
  v.space = &sizes_;
  v.range = use;
  return v;
}

std::vector<std::string> PlanSpace::memberNames() const {
  std::vector<std::string> names{std::string(ir::name(ir::Statement::Mesh))};
  for (const FactNode& child : facts_.root().children) names.push_back(child.name.str());
  for (const FactNode& child : lets_.root().children) names.push_back(child.name.str());
  return names;
}

} // namespace planc::frontend
