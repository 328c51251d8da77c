// The exports of modules, for the commands that list, document or compare libraries.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/catalogue/Catalogue.h"

#include <string>
#include <vector>

namespace planc::api {

using frontend::Catalogue;
using frontend::Detail;
using frontend::Export;
using frontend::ExportFact;
using frontend::ExportParameter;
using frontend::ModuleHead;

/// Returns whether `module` is the module `prefix` (`std.models`) or lies below it. An empty prefix matches all
/// modules.
bool isBelow(std::string_view module, std::string_view prefix);
/// Returns the declaration with a dotted name: the module and the name (`std.models.llama.dense`), or the module's
/// folder and the name, as plans write it (`std.models.dense`). Null if there is none.
const Export* exportOf(const std::vector<Export>& all, std::string_view name);
/// Returns the exports that match every word, best match first. A word matches a part of the name, the beginning of a
/// word in the first sentence, the kind, or a part of the module's name. Case is ignored.
std::vector<Export> found(const std::vector<Export>& all, const std::vector<std::string>& words);

} // namespace planc::api
