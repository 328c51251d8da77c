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

/// Is a module, or one below it, meant by `std.models`? An empty prefix means all.
bool isBelow(std::string_view module, std::string_view prefix);
/// The declaration that a dotted name means: behind its module, `std.models.llama.dense`, or behind the folder of it,
/// as plans write it, `std.models.dense`. Null if there is none.
const Export* exportOf(const std::vector<Export>& all, std::string_view name);
/// Exports that have every one of the words, the best first: in their name, at the beginning of a word of their first
/// sentence, or as their kind or a part of their module. Upper and lower case are one.
std::vector<Export> found(const std::vector<Export>& all, const std::vector<std::string>& words);

} // namespace planc::api
