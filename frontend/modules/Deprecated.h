// `deprecated` declarations: checks the mark itself, and warns of uses in other modules.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/modules/Module.h"
#include "support/Diagnostics.h"

namespace planc::frontend {

/// Reports a mark on a declaration that is not exported, and a mark without a text.
void checkDeprecation(const syntax::Decl& decl, const syntax::Outline& outline, DiagnosticEngine& diagnostics);
/// Warns at `use`, which is in another module, if the declaration is deprecated. The fix writes the replacement: an
/// exported declaration of the same module that the mark's text names after `use` or in backquotes.
void reportDeprecatedUse(const DeclInfo& decl, SourceRange use, DiagnosticEngine& diagnostics);
/// Warns at imports of files that export deprecated policies, because an import applies the policies.
void reportDeprecatedPolicies(const Module& module, DiagnosticEngine& diagnostics);

} // namespace planc::frontend
