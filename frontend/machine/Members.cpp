// Evaluates paths into devices, fabrics, stacks, clusters and models: `c.device.memory`, `c.devices`, `c.scale_up`,
// `m.vocab`, `m.counts`.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/machine/Machines.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(NoSuchFact, 517, "{owner} has no `{name}`")

namespace {

const Symbol kDevices("devices"), kScaleUp("scale_up"), kCounts("counts");

} // namespace

std::string ownerText(const DeclInfo& d) {
  return fmt::format("{} `{}`", describe(d.kind), d.name.view());
}

Value Machines::missing(const BoundDecl& decl, FactTree& tree, const syntax::Name& name) {
  std::vector<std::string> names;
  for (const FactNode& child : tree.root().children) names.push_back(child.name.str());
  auto report =
      ev_.context.report(NoSuchFact, name.range, {{"owner", ownerText(*decl.decl)}, {"name", name.text.str()}});
  report.label(decl.decl->nameRange, "declared here");
  report.meant(name.text.view(), names);
  return {};
}

std::optional<Value> Machines::parameter(const BoundDecl& decl, const syntax::Name& name) {
  const auto params = ev_.params(*decl.decl);
  if (std::none_of(params.begin(), params.end(), [&](const ParamInfo& p) { return p.name() == name.text; }))
    return std::nullopt;
  if (const Value* given = ev_.argumentOf(decl, name.text, name.range)) return *given;
  Scope scope(decl.decl->module);
  if (!ev_.bind(decl, scope, name.range)) return Value{};
  const NameTable::Entry* bound = scope.names.find(name.text);
  return bound ? bound->value : Value{};
}

Value Machines::counted(const DeclInfo& model, SourceRange use) {
  ListValue names;
  for (const syntax::BodyItem& item : model.as<syntax::ModelDecl>().body->items)
    if (const auto* in = std::get_if<syntax::InItem>(&item.item))
      for (const syntax::Name& dim : in->counts) {
        Value name;
        name.kind = ValueKind::String;
        name.string = ev_.context.arena.make(dim.text.str());
        name.range = use;
        names.items.push_back(name);
      }
  Value v;
  v.kind = ValueKind::List;
  v.list = ev_.context.arena.make(std::move(names));
  v.range = use;
  return v;
}

bool Machines::has(const BoundDecl& decl, Symbol name, SourceRange use) {
  switch (decl.decl->kind) {
  case DeclKind::Device:
  case DeclKind::Fabric:
  case DeclKind::Stack: {
    MergedRecord& record = merged(decl, use);
    return record.ok && record.facts->root().find(name);
  }
  case DeclKind::Cluster: {
    OpenCluster& cluster = open(decl, use);
    return cluster.ok && (cluster.facts->root().find(name) ||
                          std::any_of(cluster.levels.begin(), cluster.levels.end(),
                                      [&](const auto& level) { return level.syntax->name.text == name; }));
  }
  case DeclKind::Model: {
    const BoundDecl* model = ev_.resolveModel(decl, use);
    if (!model) return false;
    const auto params = ev_.params(*model->decl);
    return std::any_of(params.begin(), params.end(), [&](const ParamInfo& p) { return p.name() == name; });
  }
  default:
    return false;
  }
}

Value Machines::member(const BoundDecl& decl, const syntax::Name& name) {
  switch (decl.decl->kind) {
  case DeclKind::Device:
  case DeclKind::Fabric:
  case DeclKind::Stack: {
    MergedRecord& record = merged(decl, name.range);
    if (!record.ok) return {};
    FactNode* node = record.facts->root().find(name.text);
    return node ? SectionSpace::valueOf(ev_.context, *record.facts, *node, name.range)
                : missing(decl, *record.facts, name);
  }
  case DeclKind::Cluster: {
    OpenCluster& cluster = open(decl, name.range);
    if (!cluster.ok) return {};
    if (FactNode* node = cluster.facts->root().find(name.text))
      return SectionSpace::valueOf(ev_.context, *cluster.facts, *node, name.range);
    for (OpenCluster::Level& level : cluster.levels)
      if (level.syntax->name.text == name.text)
        return SectionSpace::valueOf(ev_.context, *level.facts, level.facts->root(), name.range);
    if (name.text == kDevices || name.text == kScaleUp) {
      const auto made = this->cluster(decl, name.range);
      if (!made) return {};
      return Value::ofInt(name.text == kDevices ? made->devices() : made->scaleUpDevices(), name.range);
    }
    return missing(decl, *cluster.facts, name);
  }
  case DeclKind::Model: {
    const BoundDecl* model = ev_.resolveModel(decl, name.range);
    if (!model) return {};
    Scope scope(model->decl->module);
    if (!ev_.bind(*model, scope, name.range)) return {};
    if (const NameTable::Entry* e = scope.names.find(name.text)) return e->value;
    if (name.text == kCounts) return counted(*model->decl, name.range);
    std::vector<std::string> names;
    for (const NameTable::Entry& e : scope.names.entries()) names.push_back(e.name.str());
    auto report = ev_.context.report(NoSuchFact, name.range,
                                     {{"owner", ownerText(*decl.decl)}, {"name", "parameter " + name.text.str()}});
    report.meant(name.text.view(), names);
    return {};
  }
  default: {
    auto report =
        ev_.context.report(NoSuchFact, name.range, {{"owner", ownerText(*decl.decl)}, {"name", name.text.str()}});
    report.note(fmt::format("a {} has no members", describe(decl.decl->kind)));
    return {};
  }
  }
}

} // namespace planc::frontend
