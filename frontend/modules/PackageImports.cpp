// Resolves imports of packages and of files in packages, and limits what they may reach.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/ExportScan.h"
#include "frontend/modules/Loader.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(NoPartOfPackage, 123, "`{package}` {version} has no module `{module}`")
PLANC_ERROR(PartNotExported, 124, "`{package}` does not export `{module}`")
PLANC_ERROR(ImportsVendored, 138, "`{path}` is a file of the locked package `{package}`")
PLANC_ERROR(LeavesPackage, 125, "`{path}` is outside of the package `{folder}`")

namespace {

namespace fs = std::filesystem;

/// `clusters/pod` as the import writes it, with dots.
std::string dotted(const Package& package, std::string_view part) {
  std::string out = package.name + "." + std::string(part);
  std::replace(out.begin(), out.end(), '/', '.');
  return out;
}

std::string shownPath(const Package& package, const std::string& inside) {
  return (fs::path(package.folder) / inside).lexically_normal().generic_string();
}

/// The files directly in a folder of the package.
std::vector<std::string> plansOf(const Package& package, const std::string& folder) {
  std::vector<std::string> out;
  const std::string prefix = folder.empty() ? "" : folder + "/";
  for (auto at = package.texts.lower_bound(prefix); at != package.texts.end() && at->first.starts_with(prefix); ++at)
    if (at->first.ends_with(kPlanSuffix) && at->first.find('/', prefix.size()) == std::string::npos)
      out.push_back(at->first);
  return out;
}

} // namespace

bool Loader::resolvePackage(Module& module, Import& import, const syntax::ImportDecl& decl) {
  if (!packages_) return false;
  bool reported = false;
  const Package* const package =
      packages_->named(decl.path.parts[0].text.view(), asking(module, import.range), reported);
  if (!package) return reported;
  std::string part;
  for (size_t i = 1; i < decl.path.parts.size(); ++i) part += (i == 1 ? "" : "/") + decl.path.parts[i].text.str();
  const std::string file = part + std::string(kPlanSuffix);
  const bool own = module.package == package || package->own;
  const bool isFile = package->texts.contains(file);
  if (part.empty() || (!isFile && plansOf(*package, part).empty())) {
    reportNoPart(*package, import, part);
  } else if (!own && !package->exported(part)) {
    auto report = diagnostics_.report(PartNotExported, import.range,
                                      {{"package", package->name}, {"module", dotted(*package, part)}});
    report.note("it exports " + quotedList(package->exports));
    report.help(
        "ask the maintainer of the package to add it to the `exports` of its planc.toml and to publish a version");
  } else if (isFile) {
    import.module = packageModule(*package, file, import.range, true);
  } else {
    import.collection = packageCollection(*package, part);
  }
  return true;
}

/// Reports a missing module; suggests modules of the same name elsewhere in the package, or everything that it exports.
void Loader::reportNoPart(const Package& package, const Import& import, const std::string& part) {
  std::vector<std::string> known;
  for (const auto& [path, text] : package.texts)
    if (path.ends_with(kPlanSuffix) && package.exported(path.substr(0, path.size() - kPlanSuffix.size())))
      known.push_back(dotted(package, path.substr(0, path.size() - kPlanSuffix.size())));
  for (const std::string& folder : package.exports) known.push_back(dotted(package, folder));
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  auto report = diagnostics_.report(NoPartOfPackage, import.range,
                                    {{"package", package.name},
                                     {"version", package.version},
                                     {"module", part.empty() ? package.name : dotted(package, part)}});
  if (part.empty())
    report.help("import a part of it: " + quotedList(known));
  else
    report.meant(import.text, known, "it has ");
}

Module* Loader::packageModule(const Package& package, const std::string& inside, SourceRange use, bool parsed) {
  const std::string shown = shownPath(package, inside);
  std::string ignored;                                          // the shown path is used instead
  const std::string key = package.cached         ? '\n' + shown // cannot be a file's path
                          : files_.exists(shown) ? files_.real(shown, ignored).value_or(shown)
                                                 : shown;
  Module* module = nullptr;
  if (const auto known = byKey_.find(key); known != byKey_.end()) {
    module = known->second;
  } else {
    module = &modules_.emplace_back();
    module->path = shown;
    module->package = &package;
    module->inside = inside;
    module->file = sources_.add(shown, package.texts.find(inside)->second);
    byKey_[key] = module;
  }
  if (!parsed) return module;
  if (cyclic(*module, use)) return nullptr;
  parse(*module);
  return module;
}

Collection* Loader::packageCollection(const Package& package, const std::string& folder) {
  const std::string name = dotted(package, folder);
  if (const auto known = collections_.find(name); known != collections_.end()) return known->second.get();
  auto made = std::make_unique<Collection>();
  made->name = name;
  for (const std::string& path : plansOf(package, folder)) {
    Module* const module = packageModule(package, path, {}, false);
    const std::string_view text = sources_.text(module->file);
    std::vector<syntax::Name> names;
    for (std::string_view exported : scanExports(text)) {
      const auto begin = static_cast<uint32_t>(exported.data() - text.data());
      names.push_back({Symbol(exported), {module->file, begin, begin + static_cast<uint32_t>(exported.size())}});
    }
    addExports(*made, *module, names);
  }
  return (collections_[name] = std::move(made)).get();
}

void Loader::resolveInPackage(Module& module, Import& import, const syntax::ImportDecl& decl, SourceRange range) {
  const Package& package = *module.package;
  const std::string inside = (fs::path(module.inside).parent_path() / *decl.file).lexically_normal().generic_string();
  if (inside.starts_with("..") || inside.starts_with('/')) {
    diagnostics_.report(LeavesPackage, range, {{"path", *decl.file}, {"folder", package.folder}})
        .help("a package must not depend on its location: import another package by the name that planc.toml declares");
  } else if (package.texts.contains(inside) && inside.ends_with(kPlanSuffix)) {
    import.module = packageModule(package, inside, range, true);
  } else {
    std::vector<std::string> names;
    for (const std::string& path : plansOf(package, fs::path(inside).parent_path().generic_string()))
      names.push_back(fs::path(path).filename().string());
    auto report = diagnostics_.report(
        NoPartOfPackage, range, {{"package", package.name}, {"version", package.version}, {"module", *decl.file}});
    nameFilesBeside(report, *decl.file, shownPath(package, inside), names);
  }
}

bool Loader::leaves(Module& module, const std::string& real, const std::string& written, SourceRange range) {
  if (!packages_) return false;
  if (const std::string name = packages_->vendored(real, asking(module, range)); !name.empty()) {
    diagnostics_.report(ImportsVendored, range, {{"path", written}, {"package", name}})
        .help(fmt::format("write `import {}.…`: a package is read as a whole and checked against planc.lock", name));
    return true;
  }
  const std::string folder = packages_->folderOf(asking(module, range));
  if (folder.empty() || !fs::path(real).is_absolute() || real.starts_with(folder == "/" ? folder : folder + "/"))
    return false;
  diagnostics_.report(LeavesPackage, range, {{"path", written}, {"folder", folder}})
      .help("a package must not depend on its location: depend on the other folder in planc.toml, `lab = { path = "
            "\"../lab\" }`, and `import lab.…`");
  return true;
}

} // namespace planc::frontend
