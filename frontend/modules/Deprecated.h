// Declarations that are `deprecated`: what is wrong with the mark itself, and warnings where other modules use them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/modules/Module.h"
#include "support/Diagnostics.h"

namespace planc::frontend {

/// Reports a mark that no use can meet, or that does not say what to use instead.
void checkDeprecation(const syntax::Decl& decl, const syntax::Outline& outline, DiagnosticEngine& diagnostics);
/// Warns at `use`, which stands in another module, if the declaration is deprecated. The fix writes the name of the
/// declaration of the same module that the text of the mark names behind `use` or in backquotes.
void reportDeprecatedUse(const DeclInfo& decl, SourceRange use, DiagnosticEngine& diagnostics);
/// Warns at imports of files whose exported policies are deprecated: to import one is to be held to it.
void reportDeprecatedPolicies(const Module& module, DiagnosticEngine& diagnostics);

} // namespace planc::frontend
