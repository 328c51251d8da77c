// Reads and parses modules, and registers their declarations.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/Loader.h"

#include "frontend/modules/Deprecated.h"
#include "frontend/parse/Parse.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(ImportUnreadable, 102, "`{path}` cannot be read: {reason}")
PLANC_ERROR(ImportNoPlan, 108, "`{path}` is not a plan: {reason}")
PLANC_ERROR(Redeclared, 203, "`{name}` is declared twice")
PLANC_ERROR(ImportNeedsName, 107, "`{path}` does not give the import a name")

namespace {

const std::string kStdin = "-";

/// `llama` for `std.models.llama`: the name that an import introduces.
std::string lastOf(const std::string& dotted) {
  return dotted.substr(dotted.rfind('.') + 1);
}

} // namespace

Module* Loader::loadMain(const std::string& path, std::string& ioError) {
  auto text = files_.plan(path, ioError);
  if (!text) {
    ioError = fmt::format("cannot read `{}`: {}", path, ioError);
    return nullptr;
  }
  Module& module = modules_.emplace_back();
  module.path = path == kStdin ? "<stdin>" : path;
  module.file = sources_.add(module.path, std::move(*text));
  if (std::string ignored; path != kStdin) byKey_[files_.real(path, ignored).value_or(path)] = &module;
  parse(module);
  return &module;
}

Module* Loader::loadMainText(const std::string& path, std::string text) {
  Module& module = modules_.emplace_back();
  module.path = path;
  module.file = sources_.add(path, std::move(text));
  std::string ignored;
  byKey_[files_.real(path, ignored).value_or(path)] = &module;
  parse(module);
  return &module;
}

Module* Loader::loadBeside(const std::string& path, std::string& ioError) {
  const auto known = path == kStdin ? byKey_.end() : byKey_.find(files_.real(path, ioError).value_or(path));
  return known != byKey_.end() ? known->second : loadMain(path, ioError);
}

Module* Loader::loadText(const std::string& name, std::string text) {
  Module& module = modules_.emplace_back();
  module.path = name;
  module.file = sources_.add(name, std::move(text));
  parse(module);
  return &module;
}

bool Loader::parse(Module& module) {
  if (module.parsed) return module.tree != nullptr;
  module.parsed = true;
  if (module.library) libraryBytes_ += sources_.text(module.file).size();
  read(module);
  if (!module.tree) return false;
  loading_.push_back(&module);
  declare(module);
  loading_.pop_back();
  if (module.library) libraryCycle(module);
  return true;
}

/// Reads the trees of a module. The embedded library was parsed when planc was built.
void Loader::read(Module& module) {
  const auto trees = module.library ? library_.trees(module.path) : std::nullopt;
  if (!trees) {
    module.tree = parse::parseFile(sources_, module.file, diagnostics_);
    return;
  }
  module.tree = std::make_unique<syntax::File>();
  module.tree->id = module.file;
  module.archive = std::make_unique<syntax::Archive>(*trees, sources_.text(module.file), module.file);
}

void Loader::declare(Module& module) {
  const auto use = [&](size_t index, const syntax::Outline& outline, const syntax::Decl* decl) {
    if (outline.import) {
      if (!decl) decl = &module.archive->decl(index);
      addImport(module, std::get<syntax::ImportDecl>(decl->item), decl->range);
    } else if (const auto* statement = decl ? std::get_if<syntax::AllowStmt>(&decl->item) : nullptr) {
      allow(module, *statement);
    } else if (!outline.name.text.empty()) {
      DeclInfo& info = addDecl(module, outline);
      info.index = index;
      info.written = decl;
      if (decl && decl->deprecated) checkDeprecation(*decl, outline, diagnostics_);
    }
  };
  size_t index = 0;
  if (module.archive)
    for (const syntax::Outline& outline : module.archive->outlines()) use(index++, outline, nullptr);
  else
    for (const syntax::Decl& decl : module.tree->decls) use(index++, syntax::outlineOf(decl), &decl);
}

/// Registers an `allow` statement of a file. It applies to diagnostics about this file from now on.
void Loader::allow(const Module& module, const syntax::AllowStmt& statement) {
  const std::shared_ptr<Allowance> allowance = allowed.of(statement);
  if (!allowance) return;
  allowance->within = module.file;
  diagnostics_.allow({allowance});
}

DeclInfo& Loader::addDecl(Module& module, const syntax::Outline& outline) {
  const Symbol name = outline.name.text;
  SourceRange earlier;
  if (auto found = module.names.find(name); found != module.names.end()) earlier = found->second->nameRange;
  if (auto found = module.importNames.find(name); found != module.importNames.end()) earlier = found->second->range;
  if (earlier.valid())
    diagnostics_.report(Redeclared, outline.name.range, {{"name", name.str()}}).label(earlier, "first declared here");
  DeclInfo& info = module.decls.emplace_back();
  info.module = &module;
  info.kind = outline.kind;
  info.exported = outline.exported;
  info.deprecated = outline.deprecated;
  info.name = name;
  info.nameRange = outline.name.range;
  if (!earlier.valid()) module.names.emplace(name, &info);
  return info;
}

void Loader::addImport(Module& module, const syntax::ImportDecl& decl, SourceRange range) {
  Import import;
  import.range = range;
  if (decl.file) {
    import.text = *decl.file;
    import.range = range;
    import.name = decl.as ? decl.as->text : Symbol(std::filesystem::path(*decl.file).stem().string());
  } else {
    import.text = decl.path.str();
    import.range = decl.path.range;
    import.name = decl.as ? decl.as->text : decl.path.parts.back().text;
  }
  const std::string& name = import.name.str();
  const bool word =
      !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      });
  if (!word) {
    diagnostics_.report(ImportNeedsName, range, {{"path", import.text}}).help("name it: `import \"…\" as ours`");
    return;
  }
  SourceRange earlier;
  if (auto found = module.names.find(import.name); found != module.names.end()) earlier = found->second->nameRange;
  if (auto found = module.importNames.find(import.name); found != module.importNames.end())
    earlier = found->second->range;
  if (earlier.valid()) {
    diagnostics_.report(Redeclared, import.range, {{"name", name}})
        .label(earlier, "first declared here")
        .help(fmt::format("give one of them another name: `import {} as …`",
                          decl.file ? '"' + import.text + '"' : import.text));
    return;
  }
  if (decl.file)
    resolveFile(module, import, decl, range);
  else
    resolveLibrary(module, import, decl);
  if (!decl.file && !import.module && !import.collection) { // nothing is reported about uses of its name
    std::vector<std::string> known;
    for (const std::string& folder : libraryFolders()) {
      known.push_back(lastOf(folder));
      for (const std::string& library : libraryModules(folder)) known.push_back(lastOf(library));
    }
    for (const std::string& meant : allNearest(lastOf(import.text), known))
      module.tree->lostNames.insert(Symbol(meant));
  }
  Import& kept = module.imports.emplace_back(std::move(import));
  module.importNames.emplace(kept.name, &kept);
}

Module* Loader::moduleOfFile(const std::string& path, const std::string& key, SourceRange use) {
  std::string reason;
  auto text = files_.imported(key, reason);
  if (!text) {
    diagnostics_.report(ImportUnreadable, use, {{"path", path}, {"reason", reason}});
    return nullptr;
  }
  Module& module = modules_.emplace_back();
  module.path = path;
  module.file = sources_.add(path, std::move(*text));
  byKey_[key] = &module;
  parse(module);
  return &module;
}

void Loader::resolveFile(Module& module, Import& import, const syntax::ImportDecl& decl, SourceRange range) {
  namespace fs = std::filesystem;
  const std::string path = (fs::path(module.path).parent_path() / *decl.file).lexically_normal().string();
  if (module.library) {
    import.module = libraryModule(path);
    if (!import.module) reportMissing(module, import, range);
    return;
  }
  if (module.package) {
    resolveInPackage(module, import, decl, range);
    return;
  }
  if (!files_.exists(path)) {
    reportMissingFile(*decl.file, path, range);
    return;
  }
  std::string reason;
  const std::optional<std::string> real = files_.real(path, reason);
  if (!real) {
    diagnostics_.report(ImportNoPlan, range, {{"path", *decl.file}, {"reason", reason}})
        .help("plans are imported from files that end in `.plan`");
  } else if (leaves(module, *real, *decl.file, range)) {
    return;
  } else if (auto known = byKey_.find(*real); known != byKey_.end()) {
    if (!cyclic(*known->second, range)) import.module = known->second;
  } else {
    import.module = moduleOfFile(path, *real, range);
  }
}

Module* Loader::libraryModule(const std::string& path) {
  if (auto known = byKey_.find(path); known != byKey_.end()) return known->second;
  auto text = library_.library(path);
  if (!text) return nullptr;
  Module& module = modules_.emplace_back();
  module.path = path;
  module.library = true;
  module.file = sources_.addStatic(path, *text);
  byKey_[path] = &module;
  return &module;
}

} // namespace planc::frontend
