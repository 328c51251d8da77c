// Modules and what they declare: one record per declaration, with everything that is computed about it once.
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
/// A circle of declarations as `a -> b -> a`, told from the one that is written first: so it is reported once, wherever
/// it is met.
std::pair<const DeclInfo*, std::string> cycleText(std::vector<DeclInfo*> members);

/// A parameter with its type resolved.
struct ParamInfo {
  const syntax::Parameter* syntax = nullptr;
  const TypeInfo* type = nullptr;
  Symbol name() const { return syntax->name.text; }
};

/// One declaration of a module. What is computed about it is computed once.
struct DeclInfo {
  enum class State { Fresh, Running, Done };
  Module* module = nullptr;
  DeclKind kind = DeclKind::Let;
  bool exported = false;
  bool deprecated = false; ///< its declaration says what to use instead
  Symbol name;
  SourceRange nameRange;
  State valueState = State::Fresh; ///< of a `let`, or of what a `model X = Y(…)` stands for
  Value value;
  State paramState = State::Fresh;
  bool broken = false; ///< a model that stands for nothing: reported, its uses are silent
  std::vector<ParamInfo> params;
  size_t index = 0;                      ///< of the declaration in its file
  mutable const syntax::Decl* written{}; ///< null: not read from the module's archive yet; ask `decl`

  const syntax::Decl& decl() const;
  template <class T> const T& as() const { return std::get<T>(decl().item); }
  /// Null: none written.
  const std::vector<syntax::Parameter>* paramSyntax() const { return syntax::paramsOf(decl()); }
};

/// One `import` line and what it gives: a module or a folder of modules.
struct Import {
  Symbol name;
  SourceRange range;
  std::string text; ///< `std.ops`, for messages
  Module* module = nullptr;
  Collection* collection = nullptr;
  bool used = false;
};

/// One file. Library files are parsed when a name of theirs is first needed.
struct Module {
  std::string path; ///< as diagnostics print it
  FileId file;
  bool library = false;
  const Package* package = nullptr; ///< that it was read from; null: a file of its own, or of the library
  std::string inside;               ///< its path in the package
  bool parsed = false;
  std::unique_ptr<syntax::File> tree;       ///< null: not parsed yet, or it has syntax errors
  std::unique_ptr<syntax::Archive> archive; ///< of the embedded library: it holds the declarations in place of `tree`
  std::deque<DeclInfo> decls;
  std::unordered_map<Symbol, DeclInfo*> names;
  std::deque<Import> imports;
  std::unordered_map<Symbol, Import*> importNames;
  std::optional<std::vector<Module*>> libraryImports; ///< files of the library that it names, once they were asked for
  std::unordered_map<const syntax::Type*, const TypeInfo*> types;
  std::vector<std::string> visibleNames() const; ///< everything in scope of the module, for suggestions
  /// What holds for the plans of this file: its policies, and those that the files it imports export.
  std::vector<DeclInfo*> policies();
  /// A declaration of the module that could not be read may have been called so: nothing is stated of its uses.
  bool lost(Symbol name) const { return tree && tree->lostNames.contains(name); }
};

/// A folder of library files under one name. Which file exports a name is known before any of them is read.
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
