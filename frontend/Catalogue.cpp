// What the embedded library declares.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/Catalogue.h"

#include "frontend/modules/ModuleSource.h"
#include "frontend/syntax/Archive.h"
#include "support/Embedded.h"
#include "support/FileTree.h"

#include <algorithm>

namespace planc::frontend {

namespace {

std::string_view wordOf(syntax::DeclKind kind) {
  switch (kind) {
  case syntax::DeclKind::Let:
  case syntax::DeclKind::Function:
    return "let";
  case syntax::DeclKind::Enum:
    return "enum";
  case syntax::DeclKind::Op:
    return "op";
  case syntax::DeclKind::Block:
    return "block";
  case syntax::DeclKind::Model:
    return "model";
  case syntax::DeclKind::Device:
    return "device";
  case syntax::DeclKind::Fabric:
    return "fabric";
  case syntax::DeclKind::Stack:
    return "stack";
  case syntax::DeclKind::Cluster:
    return "cluster";
  case syntax::DeclKind::Plan:
    return "plan";
  case syntax::DeclKind::Compare:
    return "compare";
  case syntax::DeclKind::Test:
    return "test";
  case syntax::DeclKind::Policy:
    return "policy";
  }
  return "";
}

/// `std/models/gpt.plan` as `std.models.gpt`.
std::string moduleOf(std::string_view path) {
  std::string name(path.substr(0, path.size() - kPlanSuffix.size()));
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

} // namespace

std::vector<LibraryDeclaration> libraryDeclarations(std::string_view kind) {
  std::vector<LibraryDeclaration> all;
  for (const EmbeddedFile& file : embeddedStdlib()) {
    const auto trees = embeddedLibrary().trees(file.path);
    if (!trees) continue;
    syntax::Archive archive(*trees, file.text, FileId());
    for (size_t i = 0; i < archive.outlines().size(); ++i) {
      const syntax::Outline& outline = archive.outlines()[i];
      if (outline.import || !outline.exported || (!kind.empty() && wordOf(outline.kind) != kind)) continue;
      const syntax::Decl& decl = archive.decl(i);
      const std::string comment = decl.doc.substr(decl.doc.rfind('\n') + 1);
      std::vector<std::string> parameters;
      if (const std::vector<syntax::Parameter>* all = syntax::paramsOf(decl))
        for (const syntax::Parameter& p : *all)
          if (!p.defaultValue) parameters.push_back(p.name.text.str());
      const size_t stop = comment.find(". ");
      all.push_back({wordOf(outline.kind), moduleOf(file.path), outline.name.text.str(), std::move(parameters),
                     comment.substr(0, stop == std::string::npos ? stop : stop + 1)});
    }
  }
  return all;
}

} // namespace planc::frontend
