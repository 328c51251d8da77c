// Modules and their declarations: one record per declaration, with everything that is computed about it once.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Archive.h"
#include "frontend/syntax/Outline.h"
#include "frontend/syntax/Tree.h"
#include "frontend/values/TypeInfo.h"
#include "support/files/Packages.h"

#include <deque>
#include <memory>
#include <unordered_map>

namespace planc::frontend {

struct Module;
struct Collection;

using syntax::DeclKind;
/// `block`, `model`, `function`, …
std::string_view describe(DeclKind k);

struct DeclInfo;
/// A cycle of declarations as `a -> b -> a`, starting at the declaration that is written first. The start is unique, so
/// that the cycle is reported once.
std::pair<const DeclInfo*, std::string> cycleText(std::vector<DeclInfo*> members);

/// A parameter with its resolved type.
struct ParamInfo {
  const syntax::Parameter* syntax = nullptr;
  const TypeInfo* type = nullptr;
  Symbol name() const { return syntax->name.text; }
};

/// One declaration of a module. Each result about it is computed once.
struct DeclInfo {
  enum class State { Fresh, Running, Done };
  Module* module = nullptr;
  DeclKind kind = DeclKind::Let;
  bool exported = false;
  bool deprecated = false; ///< marked as deprecated
  Symbol name;
  SourceRange nameRange;
  State valueState = State::Fresh; ///< of a `let`, or of the call in `model X = Y(…)`
  Value value;
  State paramState = State::Fresh;
  bool broken = false; ///< a model that resolves to nothing; already reported, so its uses are not
  std::vector<ParamInfo> params;
  size_t index = 0;                      ///< index of the declaration in its file
  mutable const syntax::Decl* written{}; ///< null: not read from the archive yet; use `decl()`

  const syntax::Decl& decl() const;
  template <class T> const T& as() const { return std::get<T>(decl().item); }
  /// The parameter list; null if none is written.
  const std::vector<syntax::Parameter>* paramSyntax() const { return syntax::paramsOf(decl()); }
};

/// An `import` line and its target: a module, or a folder of modules.
struct Import {
  Symbol name;
  SourceRange range;
  std::string text; ///< `std.ops`, for messages
  Module* module = nullptr;
  Collection* collection = nullptr;
  bool used = false;
};

/// One file. Library files are parsed when one of their names is first needed.
struct Module {
  std::string path; ///< display path in diagnostics
  FileId file;
  bool library = false;
  const Package* package = nullptr; ///< the package that it belongs to; null: a separate file, or the library
  std::string inside;               ///< its path in the package
  bool parsed = false;
  std::unique_ptr<syntax::File> tree;       ///< null: not parsed yet, or it has syntax errors
  std::unique_ptr<syntax::Archive> archive; ///< for the embedded library: has the declarations in place of `tree`
  std::deque<DeclInfo> decls;
  std::unordered_map<Symbol, DeclInfo*> names;
  std::deque<Import> imports;
  std::unordered_map<Symbol, Import*> importNames;
  std::optional<std::vector<Module*>> libraryImports; ///< library files that it imports; computed on first use
  std::unordered_map<const syntax::Type*, const TypeInfo*> types;
  std::vector<std::string> visibleNames() const; ///< all names in the module's scope, for suggestions
  /// The policies for plans of this file: its own policies, and those exported by files that it imports.
  std::vector<DeclInfo*> policies();
  /// Whether a declaration with a syntax error may have this name. Nothing is then reported about uses of the name.
  bool lost(Symbol name) const { return tree && tree->lostNames.contains(name); }
};

/// A folder of library files under one name. The file that exports a name can be found without parsing.
struct Collection {
  struct Export {
    uint32_t file = 0;
    SourceRange range; ///< of the name
  };
  std::string name; ///< `std.ops`
  std::vector<Module*> modules;
  std::unordered_map<Symbol, std::vector<Export>> exports;
};

} // namespace planc::frontend
