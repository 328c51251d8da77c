// The paths of a plan as names in expressions.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/PlanSpace.h"

#include <fmt/format.h>

namespace planc::frontend {

bool MeshSpace::has(Symbol name) const {
  return plan_.findAxis(name) != nullptr;
}

Value MeshSpace::member(Symbol name, SourceRange use) {
  PlanBuilder::AxisDraft* axis = plan_.findAxis(name);
  if (!axis) {
    reportNoMember(plan_.context_, *this, "the mesh", name, use);
    return {};
  }
  const auto size = plan_.axisSize(*axis);
  return size ? Value::ofInt(*size, use) : Value{};
}

std::vector<std::string> MeshSpace::memberNames() const {
  std::vector<std::string> names;
  for (const auto& axis : plan_.axes_) names.push_back(axis.syntax->name.text.str());
  return names;
}

bool PlanSpace::has(Symbol name) const {
  static const Symbol kMesh("mesh");
  return plan_.facts_->root().find(name) || plan_.lets_->root().find(name) || (name == kMesh && !plan_.axes_.empty());
}

Value PlanSpace::member(Symbol name, SourceRange use) {
  if (FactNode* node = plan_.lets_->root().find(name)) return plan_.lets_->value(*node);
  if (FactNode* node = plan_.facts_->root().find(name))
    return SectionSpace::valueOf(plan_.context_, *plan_.facts_, *node, use);
  Value v;
  v.kind = ValueKind::Space;
  v.symbol = name;
  v.space = &mesh_;
  v.range = use;
  return v;
}

std::vector<std::string> PlanSpace::memberNames() const {
  std::vector<std::string> names{"mesh"};
  for (const FactNode& child : plan_.facts_->root().children) names.push_back(child.name.str());
  for (const FactNode& child : plan_.lets_->root().children) names.push_back(child.name.str());
  return names;
}

} // namespace planc::frontend
