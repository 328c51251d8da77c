// The documentation pages of diagnostics, and their messages as readable text.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <string>
#include <string_view>

namespace planc::driver {

/// Returns the page of a code as Markdown; empty if there is none.
std::string_view pageOf(const std::string& code);
/// Returns the message template with its fields in braces; escaped braces are unescaped.
std::string messageOf(const DiagnosticKind& kind);

} // namespace planc::driver
