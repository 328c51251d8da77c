// Functions on plan text: reading and formatting.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"

#include <optional>
#include <string>

namespace planc::api {

/// Returns the text of a plan file (`-` is stdin). Returns nullopt and sets `error` if it cannot be read.
std::optional<std::string> readText(const std::string& path, std::string& error);
/// Returns whether a text is a plan file without syntax errors.
bool isPlanText(const std::string& text);
/// Returns the text of a file in the layout of `planc fmt`. Reports errors and returns nullopt if the file has any.
std::optional<std::string> formatText(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics);

/// Returns formatted text: a plan `name` that extends `plan` with the changes of `edit` (frontend/format/PlanText.h).
/// Reports an error and returns nullopt if the change does not fit, or if text cannot express it.
std::optional<std::string> planText(const Compilation& plan, const ir::PlanEdit& edit, const std::string& name,
                                    DiagnosticEngine& diagnostics);

} // namespace planc::api
