// Looks up diagnostic codes that plans name.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Expr.h"
#include "support/Diagnostics.h"

namespace planc::frontend {

/// The kind with this code, an error or a warning. Null after a report, which suggests codes of severity `meant`.
const DiagnosticKind* kindOf(const syntax::Name& code, Severity meant, DiagnosticEngine& diagnostics);

} // namespace planc::frontend
