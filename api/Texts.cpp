// Plan text as such, by way of the frontend.
// SPDX-License-Identifier: Apache-2.0
#include "api/Texts.h"

#include "frontend/format/Format.h"
#include "frontend/format/PlanText.h"
#include "frontend/modules/Files.h"

namespace planc::api {

std::optional<std::string> readText(const std::string& path, std::string& error) {
  return frontend::readPlan(path, error);
}

std::optional<std::string> formatText(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics) {
  return format::formatFile(sources, file, diagnostics);
}

std::optional<std::string> planText(const Compilation& plan, const ir::PlanEdit& edit, const std::string& name,
                                    DiagnosticEngine& diagnostics) {
  const auto raw = format::planText(edit, plan.plan(), name, plan.asked().named, plan.sources(), diagnostics);
  if (!raw) return std::nullopt;
  SourceManager sources;
  DiagnosticEngine found;
  return format::formatFile(sources, sources.add("edited.plan", *raw), found).value_or(*raw);
}

} // namespace planc::api
