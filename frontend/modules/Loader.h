// Finds, reads and parses modules: files on disk, and the library, whose folders are searched by name and whose syntax
// trees are archived.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/modules/Allowed.h"
#include "frontend/modules/Module.h"
#include "frontend/modules/ModuleSource.h"
#include "support/Diagnostics.h"

#include <map>
#include <set>

namespace planc::frontend {

/// The one declaration that the language itself uses: `a + b` of tensors (docs/language.md, section 6).
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

  /// Reads and parses the file of a command line and its imports. Returns null with `ioError` set if it cannot be read.
  Module* loadMain(const std::string& path, std::string& ioError);
  /// Parses a text as the contents of a file at `path`, which need not exist. Imports of that file get this text.
  Module* loadMainText(const std::string& path, std::string text);
  /// As `loadMain`, in addition to the loaded modules. A file that is already loaded is not read again.
  Module* loadBeside(const std::string& path, std::string& ioError);
  /// A module for a text from the compiler (`--plan`), with the scope of `within`.
  Module* loadText(const std::string& name, std::string text);
  /// Parses a module, or reads its archive, on first use. Returns false if it has syntax errors.
  bool parse(Module& module);
  /// An exported declaration of an import; null after a report if there is none.
  DeclInfo* exported(Import& import, Symbol name, SourceRange use);
  /// As `exported`, without a report.
  DeclInfo* findExported(Import& import, Symbol name);
  /// The declaration `name` of the library folder or file `std.ops`; null if there is none.
  DeclInfo* libraryDecl(const std::string& module, Symbol name);
  /// The names that an import exports, for suggestions.
  std::vector<std::string> exportNames(Import& import);
  /// Suggestions for a name that is not in scope of `asking`, one text each: imports of the library that provide it, or
  /// library names that contain it. `behind`: the text after the name, which shows how the name is used.
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
  /// Resolves `import NAME.…` for a package. Returns false if NAME is not a package.
  bool resolvePackage(Module& module, Import& import, const syntax::ImportDecl& decl);
  Module* packageModule(const Package& package, const std::string& inside, SourceRange use, bool parsed);
  Collection* packageCollection(const Package& package, const std::string& folder);
  void resolveInPackage(Module& module, Import& import, const syntax::ImportDecl& decl, SourceRange range);
  void reportNoPart(const Package& package, const Import& import, const std::string& part);
  /// Whether a file of a package imports a file outside of it; reports that error.
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
  /// Adds files in the same folder to a report, spelled as the import would spell them.
  void nameFilesBeside(DiagnosticEngine::Builder report, const std::string& written, const std::string& path,
                       std::vector<std::string> names);
  /// The names that a file of the library exports, with their places; from its archive, or from its text if it has
  /// none.
  std::vector<syntax::Name> libraryNames(std::string_view path, std::string_view text, FileId file) const;
  const std::vector<Module*>& libraryImports(Module& module);
  std::vector<std::string> libraryModules(const std::string& folder) const;
  /// A name that a file of the library exports.
  struct LibraryExport {
    std::string folder, module; ///< `std.stacks`, `std.stacks.te`
    std::string_view name;
    bool takesArguments = false;
  };
  const std::vector<LibraryExport>& libraryExports(); ///< of all files; computed on first use
  static const std::vector<std::string>& libraryFolders();
  static std::string libraryPath(std::string_view module); ///< the file's path: `std/stacks/te.plan`

  SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  const ModuleSource& library_;
  const FileTree& files_;
  PackageSource* packages_;
  std::deque<Module> modules_;
  std::map<std::string, Module*> byKey_; ///< key: library path, or canonical path on disk
  std::map<std::string, std::unique_ptr<Collection>> collections_;
  std::vector<Module*> loading_;     ///< files being read; importing one of them is a cycle
  std::set<const DeclInfo*> hidden_; ///< unexported declarations that were reported
  size_t libraryBytes_ = 0;
  std::vector<LibraryExport> libraryExports_;
};

} // namespace planc::frontend
