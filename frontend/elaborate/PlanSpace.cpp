// The paths of a plan as names in expressions.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/elaborate/PlanSpace.h"

#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(NoSuchPath, 211, "{owner} has no `{name}`")

namespace {

Value spaceValue(Context& context, Symbol name, Namespace* space, SourceRange use) {
  (void)context;
  Value v;
  v.kind = ValueKind::Space;
  v.symbol = name;
  v.space = space;
  v.range = use;
  return v;
}

Value noSuch(Context& context, const Namespace& space, std::string_view owner, Symbol name, SourceRange use) {
  auto report = context.report(NoSuchPath, use, {{"owner", owner}, {"name", name.str()}});
  if (auto meant = didYouMean(name.view(), space.memberNames()); !meant.empty()) report.help(meant);
  return {};
}

Value nodeMember(Context& context, FactTree& tree, FactNode& node, SourceRange use) {
  if (!node.section()) return tree.value(node);
  return spaceValue(context, node.name, context.arena.make(SectionSpace(context, tree, node)), use);
}

} // namespace

Value SectionSpace::member(Symbol name, SourceRange use) {
  if (FactNode* node = node_.find(name)) return nodeMember(context_, tree_, *node, use);
  return noSuch(context_, *this, fmt::format("`{}`", node_.name.view()), name, use);
}

std::vector<std::string> SectionSpace::memberNames() const {
  std::vector<std::string> names;
  for (const FactNode& child : node_.children) names.push_back(child.name.str());
  return names;
}

bool MeshSpace::has(Symbol name) const {
  return plan_.findAxis(name) != nullptr;
}

Value MeshSpace::member(Symbol name, SourceRange use) {
  PlanBuilder::AxisDraft* axis = plan_.findAxis(name);
  if (!axis) return noSuch(plan_.context_, *this, "the mesh", name, use);
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
  if (FactNode* node = plan_.facts_->root().find(name)) return nodeMember(plan_.context_, *plan_.facts_, *node, use);
  return spaceValue(plan_.context_, name, &mesh_, use);
}

std::vector<std::string> PlanSpace::memberNames() const {
  std::vector<std::string> names{"mesh"};
  for (const FactNode& child : plan_.facts_->root().children) names.push_back(child.name.str());
  for (const FactNode& child : plan_.lets_->root().children) names.push_back(child.name.str());
  return names;
}

} // namespace planc::frontend
