// Plan text as such, by way of the frontend.
// SPDX-License-Identifier: Apache-2.0
#include "api/Texts.h"

#include "frontend/format/Format.h"
#include "frontend/modules/Files.h"

namespace planc::api {

std::optional<std::string> readText(const std::string& path, std::string& error) {
  return frontend::readPlan(path, error);
}

std::optional<std::string> formatText(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics) {
  return format::formatFile(sources, file, diagnostics);
}

} // namespace planc::api
