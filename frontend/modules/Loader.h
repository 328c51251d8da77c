// Finds, reads and parses modules: files on disk, and the library, whose folders are searched name by name and whose
// trees are read.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/modules/Allowed.h"
#include "frontend/modules/Module.h"
#include "frontend/modules/ModuleSource.h"
#include "support/Diagnostics.h"

#include <map>
#include <set>

namespace planc::frontend {

/// The one declaration that the language itself calls: `a + b` of tensors (docs/language.md, section 6).
struct LibraryName {
  const char* module;
  const char* name;
};
inline constexpr LibraryName kSum{"std.ops", "add"};

class Loader {
public:
  Loader(SourceManager& sources, DiagnosticEngine& diagnostics, const ModuleSource& library)
      : allowed(diagnostics), sources_(sources), diagnostics_(diagnostics), library_(library), files_(library.files()),
        packages_(library.packages()) {}

  AllowedWarnings allowed;

  /// Reads and parses the file of a command line and what it imports. Null with `ioError` set if it cannot be read.
  Module* loadMain(const std::string& path, std::string& ioError);
  /// Parses a text as if it stood in a file at `path`, which need not exist: an import of that file gets it.
  Module* loadMainText(const std::string& path, std::string text);
  /// As `loadMain`, beside what is loaded: a file that was read before is not read again.
  Module* loadBeside(const std::string& path, std::string& ioError);
  /// A module of a text made by the compiler (`--plan`), which sees what `within` sees.
  Module* loadText(const std::string& name, std::string text);
  /// Parses a module, or reads its trees, when it is first needed. False if it has syntax errors.
  bool parse(Module& module);
  /// An exported declaration of an import; null after reporting why there is none.
  DeclInfo* exported(Import& import, Symbol name, SourceRange use);
  /// As `exported`, without a report.
  DeclInfo* findExported(Import& import, Symbol name);
  /// `name` of the library folder or file `std.ops`; null if there is none.
  DeclInfo* libraryDecl(const std::string& module, Symbol name);
  /// The names that an import exports, for suggestions.
  std::vector<std::string> exportNames(Import& import);
  /// What to write for a name that is not in scope of `asking`, one text per choice: the imports of the library that
  /// bring it, or names that have it as a part. `behind`: the text that follows the name, which says what it is used
  /// as.
  std::vector<std::string> offers(const Module& asking, Symbol name, std::string_view behind);
  size_t libraryBytes() const { return libraryBytes_; }

private:
  Module* moduleOfFile(const std::string& path, const std::string& key, SourceRange use);
  Module* libraryModule(const std::string& path);
  Collection* collection(const std::string& folder);
  void read(Module& module);
  void declare(Module& module);
  DeclInfo& addDecl(Module& module, const syntax::Outline& outline);
  void allow(const Module& module, const syntax::AllowStmt& statement);
  void addImport(Module& module, const syntax::ImportDecl& decl, SourceRange range);
  void resolveLibrary(Module& module, Import& import, const syntax::ImportDecl& decl);
  void resolveFile(Module& module, Import& import, const syntax::ImportDecl& decl, SourceRange range);
  /// Of `import NAME.…` that is no `std`: false where the name stands for no package.
  bool resolvePackage(Module& module, Import& import, const syntax::ImportDecl& decl);
  Module* packageModule(const Package& package, const std::string& inside, SourceRange use, bool parsed);
  Collection* packageCollection(const Package& package, const std::string& folder);
  void resolveInPackage(Module& module, Import& import, const syntax::ImportDecl& decl, SourceRange range);
  void reportNoPart(const Package& package, const Import& import, const std::string& part);
  /// Whether a file of a package imports what lies outside of it, which is reported.
  bool leaves(Module& module, const std::string& real, const std::string& written, SourceRange range);
  PackageSource::Asking asking(const Module& module, SourceRange use) {
    return {module.path, module.package, use, sources_, diagnostics_};
  }
  void addExports(Collection& made, Module& module, const std::vector<syntax::Name>& names);
  bool cyclic(Module& to, SourceRange use);
  bool libraryCycle(Module& start);
  DeclInfo* exportOf(Module& module, Symbol name);
  DeclInfo* fromCollection(Import& import, Symbol name, SourceRange use, bool report);
  void reportMissing(const Module& module, const Import& import, SourceRange range);
  void reportMissingFile(const std::string& written, const std::string& path, SourceRange range);
  /// Says what lies beside it: files as the import would spell them.
  void nameFilesBeside(DiagnosticEngine::Builder report, const std::string& written, const std::string& path,
                       std::vector<std::string> names);
  /// The names that a file of the library exports, with their places; read off its trees, or its text if it has none.
  std::vector<syntax::Name> libraryNames(std::string_view path, std::string_view text, FileId file) const;
  const std::vector<Module*>& libraryImports(Module& module);
  std::vector<std::string> libraryModules(const std::string& folder) const;
  /// A name that a file of the library exports.
  struct LibraryExport {
    std::string folder, module; ///< `std.stacks`, `std.stacks.te`
    std::string_view name;
    bool takesArguments = false;
  };
  const std::vector<LibraryExport>& libraryExports(); ///< of all files, when first asked for
  static const std::vector<std::string>& libraryFolders();
  static std::string libraryPath(std::string_view module); ///< of the file: `std/stacks/te.plan`

  SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  const ModuleSource& library_;
  const FileTree& files_;
  PackageSource* packages_;
  std::deque<Module> modules_;
  std::map<std::string, Module*> byKey_; ///< library path, or canonical path on disk
  std::map<std::string, std::unique_ptr<Collection>> collections_;
  std::vector<Module*> loading_;     ///< files being read: an import of one of them is a cycle
  std::set<const DeclInfo*> hidden_; ///< declarations without `export` that were reported
  size_t libraryBytes_ = 0;
  std::vector<LibraryExport> libraryExports_;
};

} // namespace planc::frontend
