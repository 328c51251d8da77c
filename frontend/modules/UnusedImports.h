// Reports imports whose names their file does not use.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/modules/Module.h"
#include "support/Diagnostics.h"

namespace planc::frontend {

/// Warns of unused imports, with a fix that deletes their lines. The module must be checked and free of errors, because
/// a misspelt name may be meant for one of its imports.
void reportUnusedImports(const Module& module, const SourceManager& sources, DiagnosticEngine& diagnostics);

} // namespace planc::frontend
