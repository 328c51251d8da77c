// The name and kind of a declaration.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/Outline.h"

namespace planc::syntax {
namespace {

const std::vector<Parameter>* pointerTo(const std::vector<Parameter>& params) {
  return &params;
}
const std::vector<Parameter>* pointerTo(const std::optional<std::vector<Parameter>>& params) {
  return params ? &*params : nullptr;
}

struct KindOf {
  DeclKind operator()(const LetDecl& d) const { return d.params ? DeclKind::Function : DeclKind::Let; }
  DeclKind operator()(const EnumDecl&) const { return DeclKind::Enum; }
  DeclKind operator()(const OpDecl&) const { return DeclKind::Op; }
  DeclKind operator()(const BlockDecl&) const { return DeclKind::Block; }
  DeclKind operator()(const ModelDecl&) const { return DeclKind::Model; }
  DeclKind operator()(const RecordDecl& d) const {
    static constexpr DeclKind kKinds[] = {DeclKind::Device, DeclKind::Fabric, DeclKind::Stack};
    return kKinds[static_cast<int>(d.kind)];
  }
  DeclKind operator()(const ClusterDecl&) const { return DeclKind::Cluster; }
  DeclKind operator()(const PlanDecl&) const { return DeclKind::Plan; }
  DeclKind operator()(const CompareDecl&) const { return DeclKind::Compare; }
  DeclKind operator()(const TestDecl&) const { return DeclKind::Test; }
  DeclKind operator()(const PolicyDecl&) const { return DeclKind::Policy; }
};

} // namespace

Outline outlineOf(const Decl& decl) {
  Outline out;
  out.exported = decl.exported;
  out.deprecated = decl.deprecated.has_value();
  if (const auto* import = std::get_if<ImportDecl>(&decl.item)) {
    out.import = true;
    if (!import->file) out.name = {Symbol(import->path.str()), import->path.range};
  }
  std::visit(
      [&](const auto& item) {
        if constexpr (requires { KindOf{}(item); }) {
          out.kind = KindOf{}(item);
          out.name = item.name;
        }
      },
      decl.item);
  return out;
}

const std::vector<Parameter>* paramsOf(const Decl& decl) {
  return std::visit(
      [](const auto& item) -> const std::vector<Parameter>* {
        if constexpr (requires { item.params; }) return pointerTo(item.params);
        return nullptr;
      },
      decl.item);
}

} // namespace planc::syntax
