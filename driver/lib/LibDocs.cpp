// `planc lib docs`: writes pages about the package's exports.
// SPDX-License-Identifier: Apache-2.0
#include "api/ExportPages.h"
#include "driver/files/Files.h"
#include "driver/lib/Breaking.h"
#include "driver/lib/Lib.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace planc::driver {

namespace fs = std::filesystem;

namespace {

/// Returns the pages of modules in a folder: `acme.clusters.pod.md`.
std::vector<std::string> pagesOf(const std::string& folder, const std::string& package) {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (const std::string name = entry.path().filename().string();
        name.starts_with(package + ".") && name.ends_with(".md") && entry.is_regular_file(ignored))
      out.push_back((fs::path(folder) / name).generic_string());
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace

int libDocs(LibRun& run) {
  if (const int code = run.open()) return code;
  const packages::Manifest& manifest = run.workspace->manifest();
  if (const int code = run.needsPackage()) return code;
  const std::optional<std::string> folder = run.arguments.value("--output");
  if (!folder)
    return run.console.usageError("`planc lib docs` needs `--output FOLDER`",
                                  "write `planc lib docs --output docs/library`");
  api::Catalogue catalogue =
      catalogueOf({manifest.version.text(), nullptr, run.workspace->folder(), manifest.name, manifest.exports});
  const std::vector<api::Export> exports = catalogue.exports();
  run.console.diagnose(catalogue.diagnostics(), catalogue.sources());
  if (catalogue.diagnostics().hasErrors()) {
    run.end();
    return kFailed;
  }
  bool old = false;
  std::set<std::string> written;
  for (const api::LibraryPage& page :
       api::docsOf(exports, catalogue.modules(), {manifest.name, manifest.version.text(), manifest.description})) {
    const std::string path = (fs::path(*folder) / page.path).generic_string();
    written.insert(path);
    std::error_code failed;
    const fs::file_status there = fs::symlink_status(path, failed);
    if (fs::exists(there) && !fs::is_regular_file(there))
      return run.console.usageError(fmt::format("{} is not a file, so it cannot be overwritten", path));
    std::string error;
    if (fs::exists(there) && readFile(path, error) == page.text) continue;
    run.console.out(path + "\n");
    old = true;
    if (run.arguments.has("--check")) continue;
    fs::create_directories(*folder, failed);
    const std::string why = failed ? failed.message() : writeFile(path, page.text);
    if (!why.empty()) return run.console.usageError(fmt::format("{}: {}", path, why));
  }
  for (const std::string& path : pagesOf(*folder, manifest.name)) {
    if (written.contains(path)) continue;
    run.console.out(path + ": this module does not exist any more\n");
    old = true;
    std::error_code failed;
    if (!run.arguments.has("--check") && !fs::remove(path, failed))
      return run.console.usageError(fmt::format("{}: {}", path, failed.message()));
  }
  if (!old || !run.arguments.has("--check")) return run.end();
  run.console.remark(fmt::format("planc: these pages are out of date: `planc lib docs --output {}`\n", *folder));
  return kFailed;
}

} // namespace planc::driver
