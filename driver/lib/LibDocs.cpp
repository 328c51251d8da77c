// `planc lib docs`: pages about what the package exports.
// SPDX-License-Identifier: Apache-2.0
#include "api/ExportPages.h"
#include "driver/Files.h"
#include "driver/lib/Breaking.h"
#include "driver/lib/Lib.h"

#include <filesystem>
#include <fmt/format.h>

namespace planc::driver {

namespace fs = std::filesystem;

int libDocs(LibRun& run) {
  if (const int code = run.open()) return code;
  const packages::Manifest& manifest = run.workspace->manifest();
  if (const int code = run.needsPackage()) return code;
  const std::optional<std::string> folder = run.arguments.value("--output");
  if (!folder)
    return run.console.usageError("`planc lib docs` needs `--output FOLDER`",
                                  "as `planc lib docs --output docs/library`");
  api::Catalogue catalogue =
      catalogueOf({manifest.version.text(), nullptr, run.workspace->folder(), manifest.name, manifest.exports});
  const std::vector<api::Export> exports = catalogue.exports();
  run.console.diagnose(catalogue.diagnostics(), catalogue.sources());
  if (catalogue.diagnostics().hasErrors()) {
    run.end();
    return kFailed;
  }
  bool old = false;
  for (const api::LibraryPage& page :
       api::docsOf(exports, catalogue.modules(), {manifest.name, manifest.version.text(), manifest.description})) {
    const std::string path = (fs::path(*folder) / page.path).generic_string();
    std::string error;
    if (readFile(path, error) == page.text) continue;
    if (run.arguments.has("--check")) {
      run.console.out(path + "\n");
      old = true;
      continue;
    }
    std::error_code failed;
    fs::create_directories(*folder, failed);
    const std::string why = failed ? failed.message() : writeFile(path, page.text);
    if (!why.empty()) return run.console.usageError(fmt::format("{}: {}", path, why));
    run.console.out(path + "\n");
  }
  return old ? kFailed : run.end();
}

} // namespace planc::driver
