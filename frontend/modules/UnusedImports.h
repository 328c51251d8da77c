// Imports that nothing in their file names.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/modules/Module.h"
#include "support/Diagnostics.h"

namespace planc::frontend {

/// Warns of them, with a fix that deletes their lines. Of a module that was looked through and has no errors: a
/// misspelt name may have been meant for one of them.
void reportUnusedImports(const Module& module, const SourceManager& sources, DiagnosticEngine& diagnostics);

} // namespace planc::frontend
