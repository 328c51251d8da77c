// Plan text as such: read, and brought into the one layout.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"

#include <optional>
#include <string>

namespace planc::api {

/// The text of a plan file (`-` is stdin), or nothing, with `error` saying why.
std::optional<std::string> readText(const std::string& path, std::string& error);
/// Whether a text is a plan file without syntax errors.
bool isPlanText(const std::string& text);
/// The text of a file in the layout of `planc fmt`; nothing after errors.
std::optional<std::string> formatText(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics);

/// A change of a plan as the text of a plan `name` that extends it, formatted (frontend/format/PlanText.h); nothing,
/// with a report that says why, where it does not fit or a text cannot say it.
std::optional<std::string> planText(const Compilation& plan, const ir::PlanEdit& edit, const std::string& name,
                                    DiagnosticEngine& diagnostics);

} // namespace planc::api
