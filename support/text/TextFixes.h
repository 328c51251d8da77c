// Fixes of diagnostics as changes of a text: where each of them stands, and what the text is with them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <optional>

namespace planc {

/// Where a word, which is not empty, stands by itself in the text, if that is one place.
std::optional<size_t> onlyPlace(std::string_view text, std::string_view word);
/// The fixes of a diagnostic, each edit with the very bytes that it replaces. One whose word is not there, or more than
/// once, is none; two that would do the same are one.
std::vector<TextFix> placedFixes(const Diagnostic& d, const SourceManager& sources);
/// The text with these edits of it, which do not overlap.
std::string edited(std::string_view text, std::vector<TextEdit> edits);
/// Whether two edits touch the same bytes, or insert at the same place.
bool overlap(const TextEdit& a, const TextEdit& b);

} // namespace planc
