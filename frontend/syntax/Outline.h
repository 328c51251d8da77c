// The name and kind of a declaration, without its contents.
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

/// The properties of a declaration that look-ups need.
struct Outline {
  bool import = false; ///< an `import`: it declares nothing
  bool exported = false;
  bool deprecated = false;
  DeclKind kind = DeclKind::Let;
  Name name; ///< empty for `import "file"`, an assertion, or an `allow`; for other imports the dotted module path
};
Outline outlineOf(const Decl& decl);

/// The parameters of a declaration; null if it has no parameter list.
const std::vector<Parameter>* paramsOf(const Decl& decl);

} // namespace planc::syntax
