// Applies fixes of diagnostics: finds the place of each edit, and returns the edited text.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <optional>

namespace planc {

/// The offset of a non-empty word in the text, if it occurs there as a whole word exactly once.
std::optional<size_t> onlyPlace(std::string_view text, std::string_view word);
/// The applicable fixes of a diagnostic, each edit with the exact bytes that it replaces. Drops a fix whose word is not
/// found exactly once, and fixes that equal an earlier fix.
std::vector<TextFix> placedFixes(const Diagnostic& d, const SourceManager& sources);
/// The text after these edits, which must not overlap.
std::string edited(std::string_view text, std::vector<TextEdit> edits);
/// Whether two edits touch the same bytes or insert at the same place.
bool overlap(const TextEdit& a, const TextEdit& b);

} // namespace planc
