// Renderers of diagnostics: human (with source lines and underlines), short (one line each), JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

#include <nlohmann/json_fwd.hpp>

namespace planc {

/// The human-readable form: header, source lines with labels, help and notes.
std::string renderHuman(const Diagnostic& d, const SourceManager& sources, bool color);
/// `file:line:column: error[PLAN0612]: message`.
std::string renderShort(const Diagnostic& d, const SourceManager& sources);
/// Arguments of a diagnostic about one plan of several: the plan's name, and a short form of what the source lines
/// show.
inline constexpr std::string_view kOfArg = "of", kDetailArg = "detail";
/// The message for output without source lines: includes the values of these two arguments.
std::string plainMessage(std::string_view message, std::string_view of, std::string_view detail);
/// One element of the `diagnostics` array of the JSON contract.
nlohmann::ordered_json toJson(const Diagnostic& d, const SourceManager& sources);

} // namespace planc
