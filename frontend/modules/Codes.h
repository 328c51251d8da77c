// Codes of diagnostics as plans name them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/syntax/Expr.h"
#include "support/Diagnostics.h"

namespace planc::frontend {

/// The kind that is called so, of either severity; null after a report, which suggests one of `meant`.
const DiagnosticKind* kindOf(const syntax::Name& code, Severity meant, DiagnosticEngine& diagnostics);

} // namespace planc::frontend
