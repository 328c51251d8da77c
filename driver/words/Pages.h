// What is known of a diagnostic beside its reports: its page, and its message as a person writes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <string>
#include <string_view>

namespace planc::driver {

/// The page of a code, as Markdown; empty if there is none.
std::string_view pageOf(const std::string& code);
/// The message with its fields, braces as a person writes them.
std::string messageOf(const DiagnosticKind& kind);

} // namespace planc::driver
