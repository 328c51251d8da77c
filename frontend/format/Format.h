// The one canonical layout of a `.plan` file: full fidelity (comments kept), no options, idempotent.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <optional>
#include <string>

namespace planc::format {

/// The formatted text of a file, or nothing if it does not parse (the errors are reported).
std::optional<std::string> formatFile(const SourceManager& sources, FileId file, DiagnosticEngine& diagnostics);

} // namespace planc::format
