// The formatter: one canonical layout of a `.plan` file. It keeps comments, has no options, and is idempotent.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <optional>
#include <string>

namespace planc::format {

/// The formatted text of a file. Returns nullopt if the file does not parse; the errors are reported.
std::optional<std::string> formatFile(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics);

} // namespace planc::format
