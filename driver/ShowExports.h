// What `planc show` and `planc lib` print of modules and their exports.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Exports.h"
#include "driver/words/Console.h"

#include <nlohmann/json_fwd.hpp>

namespace planc::driver {

/// A line per module: its name and the first sentence of the comment that opens it.
void listModules(Console& console, const std::vector<api::ModuleHead>& modules);
/// A line per export: `std.clusters.hgx.hgx_h100(nodes)` and its first sentence, or what stands for one.
void listExports(Console& console, const std::vector<api::Export>& exports);
/// Where a declaration lies, its comment, and its text.
void printExport(Console& console, const api::Export& of);
/// `modules` and `exports` of the JSON result (schemas/show.json).
nlohmann::ordered_json exportsJson(const std::vector<api::ModuleHead>& modules,
                                   const std::vector<api::Export>& exports);

} // namespace planc::driver
