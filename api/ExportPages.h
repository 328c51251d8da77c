// Writes Markdown pages that document the exports of a library.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Exports.h"

#include <string>
#include <vector>

namespace planc::api {

/// The package as its planc.toml names it; `version` and `description` may be empty.
struct PackageName {
  std::string name, version, description;
};

struct LibraryPage {
  std::string path; ///< `index.md`, `acme.clusters.pod.md`; all pages lie in one folder
  std::string text;
};

/// Returns an index and one page per module, with the signature, comment and facts (value, unit, source) of each
/// export. The same exports always give the same bytes. Text of the library is escaped, except that text between
/// backticks is shown as code. Links use the anchors that GitHub gives headings.
std::vector<LibraryPage> docsOf(const std::vector<Export>& exports, const std::vector<ModuleHead>& modules,
                                const PackageName& package);

} // namespace planc::api
