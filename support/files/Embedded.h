// Texts that are part of the binary: the standard library, the explain pages, the schemas, the templates of `planc
// init`, the vocabularies of samples, the tables of imports, style and script of pages.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <vector>

namespace planc {

struct EmbeddedFile {
  std::string_view path; ///< `std/models/gpt.plan`, `PLAN0612.md`
  std::string_view text;
};

/// `stdlib/` as embedded at build time, sorted by path.
const std::vector<EmbeddedFile>& embeddedStdlib();
/// The syntax trees of the embedded standard library as bytes (frontend/syntax/Archive.h), in the order of
/// `embeddedStdlib`.
const std::vector<EmbeddedFile>& embeddedStdlibTrees();
/// `docs/diagnostics/` as embedded at build time, sorted by path.
const std::vector<EmbeddedFile>& embeddedPages();
/// `schemas/` as embedded at build time, sorted by path.
const std::vector<EmbeddedFile>& embeddedSchemas();
/// `templates/` as embedded at build time, sorted by path.
const std::vector<EmbeddedFile>& embeddedTemplates();
/// `calibrate/vocabulary/` as embedded at build time, sorted by path.
const std::vector<EmbeddedFile>& embeddedVocabularies();
/// `import/tables/` as embedded at build time, sorted by path.
const std::vector<EmbeddedFile>& embeddedImportTables();
/// `report/page/assets/` as embedded at build time, sorted by path.
const std::vector<EmbeddedFile>& embeddedPageAssets();

} // namespace planc
