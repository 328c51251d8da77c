// Prints modules and their exports for `planc show` and `planc lib`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Exports.h"
#include "driver/words/Console.h"

#include <nlohmann/json_fwd.hpp>

namespace planc::driver {

/// Prints a line per module: its name and the first sentence of its opening comment.
void listModules(Console& console, const std::vector<api::ModuleHead>& modules);
/// Prints a line per export: `std.clusters.hgx.hgx_h100(nodes)`, and its first sentence or a summary in its place.
void listExports(Console& console, const std::vector<api::Export>& exports);
/// Prints the place of a declaration, its comment and its text.
void printExport(Console& console, const api::Export& of);
/// Returns `modules` and `exports` of the JSON result (schemas/show.json).
nlohmann::ordered_json exportsJson(const std::vector<api::ModuleHead>& modules,
                                   const std::vector<api::Export>& exports);

} // namespace planc::driver
