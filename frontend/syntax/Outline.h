// What a declaration is called and which of its kinds it is, without its contents.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Tree.h"

namespace planc::syntax {

enum class DeclKind {
  Let,
  Function,
  Enum,
  Op,
  Block,
  Model,
  Device,
  Fabric,
  Stack,
  Cluster,
  Plan,
  Compare,
  Test,
  Policy
};

/// What others need to know of a declaration before they use it.
struct Outline {
  bool import = false; ///< an `import`: it declares nothing
  bool exported = false;
  bool deprecated = false;
  DeclKind kind = DeclKind::Let;
  Name name; ///< of an import the dotted path of its module; empty: an import of a file, an assertion, or an `allow`
};
Outline outlineOf(const Decl& decl);

/// The parameters of a declaration; null: none are written.
const std::vector<Parameter>* paramsOf(const Decl& decl);

} // namespace planc::syntax
