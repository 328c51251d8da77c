// Adds the exports of packages that the project of the current folder depends on.
// SPDX-License-Identifier: Apache-2.0
#include "driver/recipes/PackageExports.h"

#include "packages/Resolver.h"
#include "support/files/DiskFiles.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace planc::driver {

namespace {

void addPackage(api::Catalogue& catalogue, const Package& package) {
  for (const auto& [path, text] : package.texts) {
    if (!path.ends_with(kPlanSuffix)) continue;
    const std::string part = path.substr(0, path.size() - kPlanSuffix.size());
    std::string name = package.name + "." + part;
    std::replace(name.begin(), name.end(), '/', '.');
    const std::string shown = (std::filesystem::path(package.folder) / path).lexically_normal().generic_string();
    catalogue.add(std::move(name), shown, text, package.exported(part));
  }
}

} // namespace

int addPackages(Console& console, std::span<const std::string> asked, api::Catalogue& catalogue) {
  SourceManager sources;
  DiagnosticEngine found;
  packages::Resolver packages(diskFiles());
  const std::string here(project::kConfigName);
  const PackageSource::Asking asking{here, nullptr, {}, sources, found};
  std::set<std::string> absent;
  std::string config;
  for (std::string& name : packages.names(asking, config)) absent.insert(std::move(name));
  for (const Package* const package : packages.all(asking)) {
    addPackage(catalogue, *package);
    absent.erase(package->name);
  }
  bool others = false;
  for (const std::string& name : asked) {
    const std::string head = name.substr(0, name.find('.'));
    others |= head != "std";
    if (!absent.contains(head)) continue;
    console.diagnose(found, sources);
    console.summarize();
    return kFailed;
  }
  if (found.hasErrors() && others)
    console.remark("planc: packages that cannot be read are skipped: `planc lib verify` lists them\n");
  return kClean;
}

} // namespace planc::driver
