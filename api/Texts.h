// Functions on plan text: reading and formatting.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"
#include "support/text/WrittenCall.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace planc::api {

/// Returns the text of a plan file (`-` is stdin). Returns nullopt and sets `error` if it cannot be read.
std::optional<std::string> readText(const std::string& path, std::string& error);
/// Returns whether a text is a plan file without syntax errors.
bool isPlanText(const std::string& text);
/// Returns the text of a file in the layout of `planc fmt`. Reports errors and returns nullopt if the file has any.
std::optional<std::string> formatText(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics);

/// A plan as its file declares it.
struct PlanSource {
  SourceRange range;                         ///< of the declaration, which ends with a brace
  std::optional<WrittenCall> extends;        ///< the plan or recipe that it extends
  std::vector<WrittenCall> arguments;        ///< of `extends`, in order; no calls have their text as path
  std::map<std::string, WrittenCall> models; ///< `model a = llama.dense(…)` of the file, by name
  std::vector<std::string> statements; ///< how the plan trains, on one line each: no assertions, searches, allowances
};
/// Reads the declaration of a plan again; nothing if its file has none of its name.
std::optional<PlanSource> planSource(const SourceManager& sources, const ir::Plan& plan);

/// Returns formatted text: a plan `name` that extends `plan` with the changes of `edit` (frontend/format/PlanText.h).
/// Reports an error and returns nullopt if the change does not fit, or if text cannot express it.
std::optional<std::string> planText(const Compilation& plan, const ir::PlanEdit& edit, const std::string& name,
                                    DiagnosticEngine& diagnostics);

} // namespace planc::api
