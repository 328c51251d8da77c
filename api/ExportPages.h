// Pages of Markdown about what a library exports.
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
  std::string path; ///< `index.md`, `acme.clusters.pod.md`: all in one folder
  std::string text;
};

/// An index, and a page per module with what it exports: signature, comment, facts with values, units and sources. The
/// same exports give the same bytes. Texts of the library are escaped: none of them becomes markup, but for what stands
/// between backticks, which is code. Links lead to the anchors that GitHub gives headings.
std::vector<LibraryPage> docsOf(const std::vector<Export>& exports, const std::vector<ModuleHead>& modules,
                                const PackageName& package);

} // namespace planc::api
