// Resolves imports: library files and folders, exported names, cycles, and suggestions for missing modules.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/Deprecated.h"
#include "frontend/modules/ExportScan.h"
#include "frontend/modules/Loader.h"
#include "support/files/FileTree.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace planc::frontend {

PLANC_ERROR(ModuleNotFound, 101, "there is no module `{module}`")
PLANC_ERROR(ImportCycle, 103, "modules import each other: {cycle}")
PLANC_ERROR(NotExported, 104, "`{name}` of `{module}` is not exported")
PLANC_ERROR(ExportedTwice, 105, "`{name}` is exported by two files of `{module}`")
PLANC_ERROR(NoSuchExport, 106, "`{module}` does not export `{name}`")

namespace {

std::string toPath(std::string_view dotted) {
  std::string path(dotted);
  std::replace(path.begin(), path.end(), '.', '/');
  return path;
}

std::string toDotted(std::string path) {
  if (path.ends_with(kPlanSuffix)) path.resize(path.size() - kPlanSuffix.size());
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}

SourceRange beginOf(SourceRange range) {
  return {range.file, range.begin, range.begin};
}

} // namespace

void Loader::resolveLibrary(Module& module, Import& import, const syntax::ImportDecl& decl) {
  const std::string path = decl.path.str();
  if (!module.library && decl.path.parts[0].text.view() != "std" && resolvePackage(module, import, decl)) return;
  import.module = libraryModule(libraryPath(path));
  if (!import.module) import.collection = collection(toPath(path));
  if (!import.module && !import.collection) reportMissing(module, import, import.range);
}

Collection* Loader::collection(const std::string& folder) {
  if (auto known = collections_.find(folder); known != collections_.end()) return known->second.get();
  const std::vector<std::string> files = library_.libraryFolder(folder);
  if (files.empty()) return nullptr;
  auto made = std::make_unique<Collection>();
  made->name = toDotted(folder);
  for (const std::string& file : files) {
    Module* module = libraryModule(file);
    if (module) addExports(*made, *module, libraryNames(file, sources_.text(module->file), module->file));
  }
  return (collections_[folder] = std::move(made)).get();
}

void Loader::addExports(Collection& made, Module& module, const std::vector<syntax::Name>& names) {
  const auto index = static_cast<uint32_t>(made.modules.size());
  made.modules.push_back(&module);
  for (const syntax::Name& name : names) made.exports[name.text].push_back({index, name.range});
}

std::vector<syntax::Name> Loader::libraryNames(std::string_view path, std::string_view text, FileId file) const {
  std::vector<syntax::Name> names;
  if (const auto trees = library_.trees(path)) {
    for (const syntax::Outline& outline : syntax::archivedOutlines(*trees, text, file))
      if (outline.exported) names.push_back(outline.name);
    return names;
  }
  for (std::string_view name : scanExports(text)) {
    const auto begin = static_cast<uint32_t>(name.data() - text.data());
    names.push_back({Symbol(name), {file, begin, begin + static_cast<uint32_t>(name.size())}});
  }
  return names;
}

DeclInfo* Loader::exportOf(Module& module, Symbol name) {
  if (!parse(module)) return nullptr;
  auto found = module.names.find(name);
  return found != module.names.end() && found->second->exported ? found->second : nullptr;
}

DeclInfo* Loader::fromCollection(Import& import, Symbol name, SourceRange use, bool report) {
  auto found = import.collection->exports.find(name);
  if (found == import.collection->exports.end()) return nullptr;
  DeclInfo* first = nullptr;
  for (const Collection::Export& e : found->second) {
    DeclInfo* decl = exportOf(*import.collection->modules[e.file], name);
    if (!decl || decl == first) continue;
    if (first && report)
      diagnostics_.report(ExportedTwice, use, {{"name", name.str()}, {"module", import.collection->name}})
          .label(first->nameRange, "here")
          .label(decl->nameRange, "and here")
          .help("rename one of them, or import the file instead of the folder");
    if (!first) first = decl;
  }
  return first;
}

DeclInfo* Loader::findExported(Import& import, Symbol name) {
  if (import.module) return exportOf(*import.module, name);
  return import.collection ? fromCollection(import, name, {}, false) : nullptr;
}

DeclInfo* Loader::exported(Import& import, Symbol name, SourceRange use) {
  import.used = true;
  if (!import.module && !import.collection) return nullptr;    // reported at the import
  if (import.module && !parse(*import.module)) return nullptr; // its syntax errors are reported
  DeclInfo* decl = import.module ? exportOf(*import.module, name) : fromCollection(import, name, use, true);
  if (decl) {
    reportDeprecatedUse(*decl, use, diagnostics_);
    return decl;
  }
  if (import.collection && import.collection->exports.contains(name)) return nullptr; // a file with syntax errors
  if (import.module) {
    if (import.module->lost(name)) return nullptr; // its syntax error is reported
    if (auto hidden = import.module->names.find(name); hidden != import.module->names.end()) {
      if (!hidden_.insert(hidden->second).second) return nullptr; // one `export` fixes all uses of it
      diagnostics_.report(NotExported, use, {{"name", name.str()}, {"module", import.text}})
          .label(hidden->second->nameRange, "declared here without `export`")
          .help(fmt::format("write `export` before the declaration of `{}`", name.view()))
          .fix({"write `export` before it", {{beginOf(hidden->second->decl().range), "export "}}, true});
      return nullptr;
    }
  }
  auto report = diagnostics_.report(NoSuchExport, use, {{"module", import.text}, {"name", name.str()}});
  const auto names = exportNames(import);
  report.meant(name.view(), names);
  if (names.empty()) report.note(fmt::format("`{}` exports nothing", import.text));
  return nullptr;
}

std::vector<std::string> Loader::exportNames(Import& import) {
  std::vector<std::string> names;
  if (import.module && parse(*import.module))
    for (const DeclInfo& d : import.module->decls)
      if (d.exported) names.push_back(d.name.str());
  if (import.collection)
    for (const auto& [name, where] : import.collection->exports) names.push_back(name.str());
  std::sort(names.begin(), names.end());
  return names;
}

DeclInfo* Loader::libraryDecl(const std::string& module, Symbol name) {
  Import import;
  import.text = module;
  import.module = libraryModule(libraryPath(module));
  if (!import.module) import.collection = collection(toPath(module));
  return findExported(import, name);
}

/// Reports an import of a file that is still being read. The cycle is the part of the reading stack from that file on.
bool Loader::cyclic(Module& to, SourceRange use) {
  auto begin = std::find(loading_.begin(), loading_.end(), &to);
  if (begin == loading_.end()) return false;
  std::string cycle;
  for (auto at = begin; at != loading_.end(); ++at) cycle += (*at)->path + " -> ";
  diagnostics_.report(ImportCycle, use, {{"cycle", cycle + to.path}})
      .help("move the declarations that both need into a third file");
  return true;
}

const std::vector<Module*>& Loader::libraryImports(Module& module) {
  if (module.libraryImports) return *module.libraryImports;
  std::vector<Module*>& found = module.libraryImports.emplace();
  const auto add = [&](std::string_view path) {
    if (Module* to = libraryModule(libraryPath(path))) found.push_back(to);
  };
  const std::string_view text = sources_.text(module.file);
  if (const auto trees = library_.trees(module.path)) {
    for (const syntax::Outline& outline : syntax::archivedOutlines(*trees, text, module.file))
      if (outline.import) add(outline.name.text.view());
  } else {
    for (std::string_view path : scanImports(text)) add(path);
  }
  return found;
}

/// Reports import cycles of library files. They are parsed late, so the cycle is found through their import lines.
bool Loader::libraryCycle(Module& start) {
  std::vector<Module*> path;
  std::set<Module*> seen;
  std::function<bool(Module&)> reaches = [&](Module& m) {
    path.push_back(&m);
    for (Module* next : libraryImports(m)) {
      if (next == &start) return true;
      if (seen.insert(next).second && reaches(*next)) return true;
    }
    path.pop_back();
    return false;
  };
  if (!reaches(start)) return false;
  std::string cycle;
  for (Module* m : path) cycle += toDotted(m->path) + " -> ";
  SourceRange where{start.file, 0, 0};
  for (const Import& i : start.imports)
    if (path.size() == 1 || i.module == path[1]) where = i.range;
  diagnostics_.report(ImportCycle, where, {{"cycle", cycle + toDotted(start.path)}})
      .help("move the declarations that both need into a third file");
  return true;
}

std::string Loader::libraryPath(std::string_view module) {
  return toPath(module).append(kPlanSuffix);
}

std::vector<std::string> Loader::libraryModules(const std::string& folder) const {
  std::vector<std::string> names;
  for (const std::string& file : library_.libraryFolder(toPath(folder))) names.push_back(toDotted(file));
  return names;
}

/// Reports a missing file; suggests files in the same folder, spelled as the import would spell them.
void Loader::reportMissingFile(const std::string& written, const std::string& path, SourceRange range) {
  auto report = diagnostics_.report(ModuleNotFound, range, {{"module", written}});
  if (const auto submodule = files_.absentSubmodule(path))
    report.help(
        fmt::format("`{0}` is a submodule that is not checked out: `git submodule update --init {0}`", *submodule));
  else
    nameFilesBeside(report, written, path, files_.plansOf(std::filesystem::path(path).parent_path().string()));
}

void Loader::nameFilesBeside(DiagnosticEngine::Builder report, const std::string& written, const std::string& path,
                             std::vector<std::string> names) {
  const std::filesystem::path prefix = std::filesystem::path(written).parent_path();
  std::vector<std::string> files;
  for (const std::string& name : names) files.push_back((prefix / name).string());
  std::sort(files.begin(), files.end());
  if (nearest(written, files).empty()) {
    constexpr size_t kMost = 8;
    if (files.size() > kMost) files.resize(kMost);
    report.note(fmt::format("there is no file `{}`{}", path,
                            files.empty() ? "" : "; files in that folder are " + quotedList(files)));
    report.help("paths are relative to the importing file; modules of the library are imported as `import std.…`");
  } else {
    report.meant(written, files);
  }
}

/// Reports a missing module; suggests modules of the same folder, then folders of the library.
void Loader::reportMissing(const Module& module, const Import& import, SourceRange range) {
  auto report = diagnostics_.report(ModuleNotFound, range, {{"module", import.text}});
  const size_t dot = import.text.rfind('.');
  const std::string parent = dot == std::string::npos ? "std" : import.text.substr(0, dot);
  std::vector<std::string> known = libraryModules(parent);
  known.insert(known.end(), libraryFolders().begin(), libraryFolders().end());
  for (const std::string& folder : libraryFolders()) // `std.model.llama`: the folder is misspelt
    for (std::string& inFolder : libraryModules(folder)) known.push_back(std::move(inFolder));
  std::string config;
  const std::vector<std::string> packages =
      packages_ && !module.library ? packages_->names(asking(module, range), config) : std::vector<std::string>();
  for (const std::string& package : packages) // `acne.clusters`
    known.push_back(package + import.text.substr(std::min(import.text.find('.'), import.text.size())));
  std::vector<std::string> inside; // parts of a folder, which is not a module itself
  for (const std::string& folder : libraryFolders())
    if (folder.starts_with(import.text + ".")) inside.push_back(folder);
  if (!inside.empty()) {
    report.help("import a part of it: " + quotedList(inside));
  } else if (!nearest(import.text, known).empty()) {
    report.meant(import.text, known);
  } else if (const size_t end = import.text.rfind('.');
             end != std::string::npos && library_.library(libraryPath(parent))) {
    report.help(fmt::format("import the module and name its export: `import {}`, then `{}.{}`", parent,
                            parent.substr(parent.rfind('.') + 1), import.text.substr(end + 1)));
  } else if (!import.text.starts_with("std.")) {
    for (const std::string& whole : known) // `optimizers`
      if (whole.ends_with("." + import.text))
        report.help(fmt::format("did you mean `{}`?", whole))
            .fix({fmt::format("write `{}`", whole), {{range, whole, import.text}}});
    if (!packages.empty()) report.note(fmt::format("{} declares the packages {}", config, quotedList(packages)));
    report.note("packages are found in `std` and in the dependencies of planc.toml; a file is imported by its path: "
                "`import \"../clusters/ours.plan\" as ours`");
  }
}

} // namespace planc::frontend
